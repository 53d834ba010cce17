// SPDX-License-Identifier: Apache-2.0
// Every kind of lock that is recorded, by the virtual clock: in each iteration one section of each, of known
// length; check.py has the same table. Run with taskpath-preload, as under tp-run.
//   locks THREADS
#include "itt.h"

#include <oneapi/tbb/concurrent_hash_map.h>
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

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <shared_mutex>
#include <unistd.h>

using tp::spend;

namespace {

constexpr int kIterations = 200;

// Served in order. Threads may be more than CPUs.
template <typename Waits, typename Taken, typename Given>
class Ticket {
public:
  void lock() {
    const unsigned mine = next_++;
    Waits waits{this};
    while (serving_ != mine) {
      waits.begin();
      sched_yield();
    }
    Taken{}(this);
  }
  void unlock() {
    Given{}(this);
    ++serving_;
  }

private:
  std::atomic<unsigned> next_{0}, serving_{0};
};

struct UserWaits {
  const void* lock;
  tp::LockWait wait{};
  void begin() { wait.begin(lock); }
};
struct UserTaken {
  void operator()(const void* lock) const { tp_lock_taken(lock, "user"); }
};
struct UserGiven {
  void operator()(const void* lock) const { tp_lock_given(lock); }
};
struct IttWaits {
  explicit IttWaits(void* lock) { itt::sync_prepare(lock); }
  void begin() {}
};
struct IttTaken {
  void operator()(void* lock) const { itt::sync_acquired(lock); }
};
struct IttGiven {
  void operator()(void* lock) const { itt::sync_releasing(lock); }
};

tbb::spin_mutex spin;
tbb::spin_rw_mutex spin_rw;
tbb::speculative_spin_mutex speculative;
tbb::speculative_spin_rw_mutex speculative_rw;
tbb::queuing_mutex queuing;
tbb::queuing_rw_mutex queuing_rw;
tbb::mutex waiting;
tbb::rw_mutex waiting_rw;
tbb::concurrent_hash_map<int, int> map;
pthread_mutex_t posix = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t posix_rw = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t posix_spin;
std::mutex standard;
std::timed_mutex timed;
std::recursive_mutex recursive;
std::shared_mutex shared;
std::shared_timed_mutex shared_timed;
Ticket<UserWaits, UserTaken, UserGiven> user;
Ticket<IttWaits, IttTaken, IttGiven> announced;

// Each at a line of its own, which is the lock's place.
#define HOLD(mutex, units, ...)                                                                    \
  do {                                                                                             \
    decltype(mutex)::scoped_lock lock(mutex __VA_OPT__(, ) __VA_ARGS__);                           \
    spend(units);                                                                                  \
  } while (0)

void iteration() {
  spend(1);
  HOLD(spin, 2);
  HOLD(spin_rw, 3);
  HOLD(spin_rw, 2, false);
  HOLD(speculative, 4);
  HOLD(speculative_rw, 5);
  HOLD(speculative_rw, 1, false);
  HOLD(queuing, 6);
  HOLD(queuing_rw, 7);
  HOLD(queuing_rw, 3, false);
  HOLD(waiting, 8);
  HOLD(waiting_rw, 9);
  HOLD(waiting_rw, 4, false);
  {
    tbb::concurrent_hash_map<int, int>::accessor element;
    map.find(element, 7);
    spend(10);
  }
  pthread_mutex_lock(&posix);
  spend(11);
  pthread_mutex_unlock(&posix);
  {
    const std::lock_guard lock(standard);
    spend(12);
  }
  if (!timed.try_lock_for(std::chrono::hours(1)))
    std::abort();
  spend(13);
  timed.unlock();
  {
    const std::lock_guard one(recursive), two(recursive);
    spend(14);
  }
  pthread_rwlock_wrlock(&posix_rw);
  spend(15);
  pthread_rwlock_unlock(&posix_rw);
  pthread_rwlock_rdlock(&posix_rw);
  spend(5);
  pthread_rwlock_unlock(&posix_rw);
  {
    const std::unique_lock lock(shared);
    spend(16);
  }
  {
    const std::shared_lock lock(shared);
    spend(6);
  }
  if (!shared_timed.try_lock_for(std::chrono::hours(1)))
    std::abort();
  spend(17);
  shared_timed.unlock();
  if (!shared_timed.try_lock_shared_for(std::chrono::hours(1)))
    std::abort();
  spend(7);
  shared_timed.unlock_shared();
  pthread_spin_lock(&posix_spin);
  spend(18);
  pthread_spin_unlock(&posix_spin);
  {
    const std::lock_guard lock(user);
    spend(19);
  }
  const std::lock_guard lock(announced);
  spend(20);
}

} // namespace

int main(int, char** arguments) {
  itt::start();
  itt::sync_create(&announced, "Ticket", "announced", 0);
  pthread_spin_init(&posix_spin, 0);
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    std::strtoul(arguments[1], nullptr, 10));
  {
    tbb::concurrent_hash_map<int, int>::accessor element;
    map.insert(element, 7);
  }
  tbb::parallel_for(0, 1, [](int) {}); // the thread is known from here on
  spend(100);
  tbb::parallel_for(0, kIterations, [](int) { iteration(); }, tbb::simple_partitioner());
  spend(200);
  _exit(0); // before libtbb's destructors, which acquire locks
}
