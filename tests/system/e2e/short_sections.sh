# SPDX-License-Identifier: Apache-2.0
# --locks=auto: how often a lock is acquired is exact, whatever comes between the sections that are only
# counted: other locks, locks inside of them, ends of steps, waiters, exceptions, a lock made again.
. "$(dirname "$0")/common.inc"
cat >patterns.cpp <<'X'
#line 2 "patterns.cpp"
#include <oneapi/tbb/concurrent_hash_map.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <oneapi/tbb/queuing_rw_mutex.h>
#include <oneapi/tbb/rw_mutex.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>
#include <oneapi/tbb/task_group.h>
#include <tp/lock.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <unistd.h>
static long sum;
static const int kTimes = 16000;
struct Own { // half of those who wait say for what
  void lock() { if (!attempt()) { tp::LockWait wait; if (sum % 2 == 0) wait.begin(this); else wait.begin(); while (!attempt()) {} taken(); } else taken(); }
  bool try_lock() { const bool done = attempt(); if (done) taken(); return done; }
  void unlock() { tp_lock_given(this); flag.store(false, std::memory_order_release); }
  bool attempt() { return !flag.exchange(true, std::memory_order_acquire); }
  void taken() { tp_lock_taken(this, "own"); }
  std::atomic<bool> flag{false};
};
template <typename Mutex> void hold(Mutex& mutex) { const std::lock_guard<Mutex> lock(mutex); ++sum; }
template <typename Mutex> void patterns(Mutex& first, Mutex& second, Mutex& third) {
  for (int i = 0; i < kTimes; ++i) hold(first);                                                    // first: n
  for (int i = 0; i < kTimes; ++i) { hold(first); if (i % 5 == 0) hold(second); }                  // n; n/5
  for (int i = 0; i < kTimes; ++i) { const std::lock_guard<Mutex> lock(first); hold(second); }    // n; n
  for (int i = 0; i < kTimes; ++i) { first.lock(); second.lock(); first.unlock(); ++sum; second.unlock(); } // n; n
  for (int i = 0; i < kTimes; ++i) { if (first.try_lock()) { ++sum; first.unlock(); } }            // n
  for (int i = 0; i < 500; ++i) {                                                                  // 100 * 500
    tbb::task_group group;
    group.run_and_wait([&] { for (int k = 0; k < 100; ++k) hold(first); });
  }
  for (int i = 0; i < 20000; ++i) {                                                                // 20000: held at the end of a step
    const std::lock_guard<Mutex> lock(first);
    if (i % 100 == 0) { tbb::task_group group; group.run_and_wait([] { ++sum; }); }
  }
  for (int i = 0; i < kTimes; ++i) try { const std::lock_guard<Mutex> lock(third); if (i % 64 == 0) throw i; } catch (int) {} // third: n
  tbb::parallel_for(0, 4, [&](int) { for (int i = 0; i < kTimes / 4; ++i) { const std::lock_guard<Mutex> lock(third); for (volatile int k = 0; k < 3; k = k + 1) {} } }, tbb::simple_partitioner()); // third: n
}
template <typename Mutex> void readers(Mutex& mutex) {
  for (int i = 0; i < kTimes; ++i) { const std::shared_lock<Mutex> lock(mutex); ++sum; }
  for (int i = 0; i < kTimes; ++i) { mutex.lock_shared(); mutex.lock_shared(); ++sum; mutex.unlock_shared(); mutex.unlock_shared(); }
  using Lock = int (*)(pthread_rwlock_t*);
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  for (int i = 0; i < kTimes; ++i) { volatile Lock take = i % 3 == 0 ? pthread_rwlock_wrlock : pthread_rwlock_rdlock; take(&lock); ++sum; pthread_rwlock_unlock(&lock); }
}
int main(int, char** arguments) {
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, std::atoi(arguments[1]));
  static tbb::spin_mutex spin[3]; static tbb::mutex mutex[3]; static tbb::spin_rw_mutex spin_rw[3]; static tbb::rw_mutex rw[3]; static std::mutex standard[3]; static Own own[3];
  static std::shared_mutex shared;
  tbb::parallel_for(0, 2, [](int) {}); // from here on main is known
  patterns(spin[0], spin[1], spin[2]); patterns(mutex[0], mutex[1], mutex[2]); patterns(spin_rw[0], spin_rw[1], spin_rw[2]);
  patterns(rw[0], rw[1], rw[2]); patterns(standard[0], standard[1], standard[2]);
  patterns(own[0], own[1], own[2]);
  readers(shared);
  static tbb::queuing_mutex queuing;
  for (int i = 0; i < kTimes; ++i) { tbb::queuing_mutex::scoped_lock lock(queuing); ++sum; }
  static tbb::queuing_rw_mutex queuing_rw;
  for (int i = 0; i < kTimes; ++i) { tbb::queuing_rw_mutex::scoped_lock lock(queuing_rw, i % 3 == 0); ++sum; } // one call, of both modes
  for (int i = 0; i < kTimes; ++i) { tbb::queuing_rw_mutex::scoped_lock lock; if (lock.try_acquire(queuing_rw, true)) { ++sum; if (i % 7 == 0) lock.downgrade_to_reader(); } } // n + n/7
  static pthread_mutex_t again;
  for (int i = 0; i < kTimes; ++i) { if (i % 1000 == 0) pthread_mutex_init(&again, nullptr); pthread_mutex_lock(&again); ++sum; pthread_mutex_unlock(&again); if (i % 1000 == 999) pthread_mutex_destroy(&again); }
  static std::recursive_mutex recursive;
  for (int i = 0; i < kTimes; ++i) { const std::lock_guard lock(recursive); if (i % 3 == 0) { const std::lock_guard inner(recursive); hold(recursive); } } // n
  for (int i = 0; i < kTimes; ++i) { // n: held at the end of a step
    const std::lock_guard lock(recursive), inner(recursive);
    if (i % 100 == 0) { tbb::task_group group; group.run_and_wait([] { ++sum; }); }
  }
  static std::mutex many[40];
  for (int i = 0; i < kTimes; ++i) hold(many[i % 40]); // n, n / 40 of each
  if (fork() == 0) { for (int i = 0; i < 100; ++i) hold(spin[0]); _exit(0); }
  for (int i = 0; i < 1000; ++i) hold(spin[0]);
  std::printf("%d\n", sum != 0);
  std::fflush(stdout);
  _exit(0);
}
X
build patterns -O2 <patterns.cpp
counts() {
  python3 -B - <<'X'
import json, sys
count = sum(place["acquisitions"] for lock in json.load(open("profile.json"))["locks"] for place in lock["places"]
            if place["file"].endswith("patterns.cpp") and not lock["name"].startswith("tp::"))
n = 16000
of_three = {"[0]": 5 * n + 50000 + 20000, "[1]": n // 5 + 2 * n, "[2]": 2 * n}
expected = 6 * sum(of_three.values()) + 1000 + 4 * n + n + (n + n + (n + 6) // 7) + n + 2 * n + n
sys.exit(0 if count == expected else f"{count} instead of {expected}")
X
}
for threads in 1 2; do
  for locks in auto all; do
    same "$threads threads, $locks" 1 "$("$tp_run" -q -e auto --locks $locks -o data ./patterns $threads)"
    analyze data
    is 'p["complete"]'
    counts >counts.txt 2>&1 || fail "$threads threads, --locks=$locks: $(cat counts.txt)"
  done
done
finish
