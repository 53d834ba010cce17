# SPDX-License-Identifier: Apache-2.0
# Loops around try_lock: failed attempts, and the work between them, of each kind of lock, in all three ways; exact where
# one thread holds the lock itself. What the report says holds for loops that wait and for those that do not.
. "$(dirname "$0")/common.inc"

cat >kinds.cpp <<'X'
#line 2 "kinds.cpp"
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <oneapi/tbb/queuing_rw_mutex.h>
#include <oneapi/tbb/rw_mutex.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>
#include <tp/lock.h>
#include <tp/virtual_clock.h>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <threads.h>
#include <unistd.h>
using tp::spend;
// A lock that is taken: four attempts, with 10 units between two of them, and 10 up to the end of the step. Then it is acquired.
template <class Try> void fail(Try attempt) {
  for (int i = 0; i < 4; ++i) {
    if (attempt()) std::abort();
    spend(10);
  }
}
// One that is given back by the thread that tries: four attempts, and 40 units up to the acquisition.
template <class Try, class Unlock> void retry(Try attempt, Unlock unlock) {
  fail(attempt);
  unlock();
  if (!attempt()) std::abort();
  spend(1);
  unlock();
}
template <class Mutex> void scoped(Mutex& m) {
  typename Mutex::scoped_lock first(m), second;
  fail([&] { return second.try_acquire(m); });
  first.release();
  if (!second.try_acquire(m)) std::abort();
  spend(1);
}
struct Own {
  bool taken = false;
  bool try_lock() {
    if (taken) { tp_lock_try_failed(this, "own"); return false; }
    taken = true;
    tp_lock_taken(this, "own");
    return true;
  }
  void unlock() { tp_lock_given(this); taken = false; }
};
template <class Mutex> void plain(Mutex& m) {
  if (!m.try_lock()) std::abort();
  retry([&] { return m.try_lock(); }, [&] { m.unlock(); });
}
template <class Mutex> void shared(Mutex& m) {
  if (!m.try_lock()) std::abort();
  fail([&] { return m.try_lock_shared(); });
  m.unlock();
  if (!m.try_lock_shared()) std::abort();
  fail([&] { return m.try_lock(); });
  m.unlock_shared();
  if (!m.try_lock()) std::abort();
  m.unlock();
}
int main(int, char** arguments) {
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, std::atoi(arguments[1]));
  tbb::parallel_for(0, 20, [&](int) {
    spend(5);
#ifndef STOCK
    tbb::spin_mutex spin; plain(spin);
    tbb::mutex mutex; plain(mutex);
    tbb::spin_rw_mutex spin_rw; shared(spin_rw);
    tbb::rw_mutex rw; shared(rw);
    tbb::queuing_mutex queuing; scoped(queuing);
#endif
    tbb::queuing_rw_mutex queuing_rw; scoped(queuing_rw);
#ifdef NO_TRANSACTIONS
    tbb::speculative_spin_mutex speculative; scoped(speculative);
    tbb::speculative_spin_rw_mutex speculative_rw; scoped(speculative_rw);
#endif
    std::mutex standard; plain(standard);
    std::shared_mutex rwlock; shared(rwlock);
    mtx_t c11; mtx_init(&c11, mtx_plain); mtx_lock(&c11);
    retry([&] { return mtx_trylock(&c11) == thrd_success; }, [&] { mtx_unlock(&c11); });
    pthread_spinlock_t spinlock; pthread_spin_init(&spinlock, 0); pthread_spin_lock(&spinlock);
    retry([&] { return pthread_spin_trylock(&spinlock) == 0; }, [&] { pthread_spin_unlock(&spinlock); });
    Own own; plain(own);
    // A lock that is asked for once, and waits that are announced: no tries.
    std::mutex asked; { std::lock_guard lock(asked); }
    std::mutex announced; announced.lock();
    { tp::LockWait wait; wait.begin(&announced); for (int i = 0; i < 3; ++i) { if (announced.try_lock()) std::abort(); spend(100); } }
    announced.unlock();
  }, tbb::simple_partitioner());
  spend(3);
  _exit(0); // libtbbmalloc takes locks in its destructor
}
X
# Way 1: unmodified. Way 2: our headers and library. Way 3: tagged.
# Of speculative locks only those are seen that are really taken: all, without transactions.
speculates=() speculative=""
if [ "$(uname -m)" = x86_64 ] && ! grep -qw rtm /proc/cpuinfo; then
  speculates=(-DNO_TRANSACTIONS -mrtm) speculative=" speculative_spin_mutex=80/800 speculative_spin_rw_mutex=80/800"
fi
build_stock stock -DSTOCK "${speculates[@]}" <kinds.cpp
build ours "${speculates[@]}" <kinds.cpp
"$TP_PREFIX/bin/tp-c++" -std=c++17 -g -O1 "${speculates[@]}" kinds.cpp -o tagged -I"$TP_PREFIX/include" -L"$TP_PREFIX/lib" \
  -Wl,-rpath,"$TP_PREFIX/lib" -ltbb || fail "tp-c++"

# Of each kind: failed attempts of 20 tasks, and the work.
tries_by_kind() {
  python3 - <<'Y'
import json
kinds = {}
for lock in json.load(open("profile.json"))["locks"]:
    assert lock["failed_tries"] == sum(place["failed_tries"] for place in lock["places"])
    assert lock["retried"] == sum(place["retried"] for place in lock["places"])
    tries, retried = kinds.get(lock["kind"], (0, 0))
    kinds[lock["kind"]] = tries + lock["failed_tries"], retried + lock["retried"]
print(" ".join(f"{kind}={tries}/{retried}" for kind, (tries, retried) in sorted(kinds.items()) if tries))
Y
}
in_c_library="pthread_mutex=160/1600 pthread_rwlock=160/1600 pthread_spinlock=80/800 queuing_rw_mutex=80/800$speculative"
all="mutex=80/800 pthread_mutex=160/1600 pthread_rwlock=160/1600 pthread_spinlock=80/800 queuing_mutex=80/800 queuing_rw_mutex=80/800 rw_mutex=160/1600$speculative spin_mutex=80/800 spin_rw_mutex=160/1600 user_lock=80/800"
check() { # PROGRAM THREADS LOCKS
  rm -rf tp-data*
  "$tp_run" -q --locks "$3" "./$1" "$2" || fail "$1: exit status"
  analyze tp-data
  local want=$all
  [ "$1" != stock ] || want="$in_c_library user_lock=80/800"
  same "$1, $2 threads, --locks=$3" "$want" "$(tries_by_kind)"
  is 'p["complete"]'
}
for program in stock ours tagged; do
  for threads in 1 2 4 8; do check $program $threads all; done
  check $program 2 auto
done

# A lock of which each attempt of one thread waits until another one gives it back: with yields, pauses that double, sleep; and
# one that is tried while there is other work. All that is said is "at most".
cat >loops.cpp <<'X'
#line 2 "loops.cpp"
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/task_group.h>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <unistd.h>
#if defined(__x86_64__)
static inline void pause_cpu() { __builtin_ia32_pause(); }
#else
static inline void pause_cpu() { __asm__ __volatile__("yield" ::: "memory"); }
#endif
double sink;
[[gnu::noinline]] void burn(int n) { double x = sink; for (int i = 0; i < n; ++i) x = std::sqrt(x + i); sink = x; }
static long ms_of(clockid_t clock) { timespec t; clock_gettime(clock, &t); return t.tv_sec * 1000 + t.tv_nsec / 1000000; }
template <class Lock> void acquire(Lock& m, char how) {
  switch (how) {
  case 'y':
    while (!m.try_lock()) std::this_thread::yield(); // 24
    break;
  case 'p':
    for (int pauses = 1; !m.try_lock(); pauses = pauses < 1024 ? 2 * pauses : pauses) // 27
      for (int i = 0; i < pauses; ++i) pause_cpu();
    break;
  case 's':
    while (!m.try_lock()) usleep(1000); // 31
    break;
  case 'w':
    while (!m.try_lock()) burn(1000); // 34
    break;
  }
}
// A task acquires the lock once it has used so much CPU time, or time where it sleeps.
template <class Lock> void run(char how) {
  static Lock lock;
  tbb::task_group group;
  for (int i = 0; i < 4; ++i)
    group.run_and_wait([&] {
      clockid_t clock = CLOCK_MONOTONIC;
      if (how != 's' && pthread_getcpuclockid(pthread_self(), &clock) != 0) std::abort();
      for (const long begin = ms_of(clock); ms_of(clock) < begin + 20;) burn(1000);
      std::atomic<bool> taken{false};
      std::thread holder([&] {
        lock.lock();
        taken = true;
        // Where others have the CPUs that is long, and each look at the clock is work.
        for (long left = 60; left > 0;) {
          const long before = ms_of(clock);
          usleep(static_cast<useconds_t>(1000 * (left + 10)));
          left -= ms_of(clock) - before;
        }
        lock.unlock();
      });
      while (!taken) usleep(1000);
      acquire(lock, how);
      lock.unlock();
      holder.join();
    });
}
int main(int, char** arguments) {
  tbb::parallel_for(0, 2, [](int) {});
  if (arguments[1][0] == 'm') run<std::mutex>(arguments[1][1]);
#ifndef STOCK
  else run<tbb::spin_mutex>(arguments[1][1]);
#endif
}
X
build_stock stock -O2 -DSTOCK <loops.cpp
build ours -O2 <loops.cpp
"$TP_PREFIX/bin/tp-c++" -std=c++17 -g -O2 loops.cpp -o tagged -I"$TP_PREFIX/include" -L"$TP_PREFIX/lib" \
  -Wl,-rpath,"$TP_PREFIX/lib" -ltbb || fail "tp-c++"
export TP_EVENT=auto
record() { # PROGRAM LETTERS
  rm -rf tp-data*
  "$tp_run" -q "./$1" "$2" >out 2>err || fail "$1 $2: exit status $?: $(cat err)"
  analyze tp-data
}
retried_at() { # LINE: most of the work, and it is said once
  is "(lambda lock: lock['retried'] * 2 > p['work'] and lock['retried'] <= p['work'] and lock['failed_tries'] > 0 and max(lock['places'], key=lambda place: place['retried'])['line'] == $1)(max(p['locks'], key=lambda lock: lock['retried']))"
  is '[w["certain"] for w in p["warnings"] if w["name"] == "failed_tries"] == [False]'
  is '"waits_in_loops" not in [w["name"] for w in p["warnings"]] and p["waiting_loops"]["loops"] == []'
  is '"may have waited between failed attempts" in p["verdict"]["headline"]'
  is "'At most' in p['advice'] and 'loops.cpp:$1' in p['advice']"
}
record stock my; retried_at 24
record stock mp; retried_at 27
record ours mw; retried_at 34
record ours tp; retried_at 27
record tagged mp; retried_at 27
record tagged ty; retried_at 24
# Sleep does not count as work.
record ours ms
is 'max(lock["failed_tries"] for lock in p["locks"]) >= 40'
is 'all(lock["retried"] * 4 < p["work"] for lock in p["locks"])'
record tagged tw; retried_at 34
"$tp_analyze" -d tp-data >text 2>&1 || fail "tp-analyze: exit status"
in_file text "is waiting: between failed attempts to acquire the spin_mutex"
"$tp_analyze" -v -d tp-data >text 2>&1 || fail "tp-analyze -v: exit status"
in_file text "tried in vain"
finish
