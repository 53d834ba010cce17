// SPDX-License-Identifier: Apache-2.0
// A program with locks by the numbers on its command line: varied.py draws them at random.
//
//   varied LOCK LOCKS INSIDE OUTSIDE ITERATIONS THREADS LOOPS_PER_MICROSECOND    prints milliseconds
//   varied                                                                       prints LOOPS_PER_MICROSECOND
//
// Each iteration works for OUTSIDE microseconds, and for INSIDE while it holds one of LOCKS locks, which one no
// schedule could know. Of read-write locks one iteration in five is a writer.
#include "timed_work.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <oneapi/tbb/rw_mutex.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/task_arena.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <shared_mutex>
#include <string>

namespace {

constexpr unsigned kMostLocks = 16;
unsigned locks = 1;
int iterations = 0, threads = 2;
double inside = 0, outside = 0;

// The locks are apart from each other.
template <typename Mutex>
struct alignas(256) Apart {
  Mutex mutex;
};

template <typename Mutex, typename Hold>
double time_with(Hold hold) {
  static Apart<Mutex> of[kMostLocks];
  tbb::global_control allowed(tbb::global_control::max_allowed_parallelism,
                              static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  const double start = milliseconds();
  arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, iterations, 1),
        [&](const tbb::blocked_range<int>& range) {
          for (int i = range.begin(); i != range.end(); ++i) {
            const unsigned mixed = static_cast<unsigned>(i) * 2654435761u >> 12;
            work(outside);
            hold(of[mixed % locks].mutex, mixed / 16 % 5 == 0);
          }
        },
        tbb::simple_partitioner());
  });
  return milliseconds() - start;
}

template <typename Mutex>
double with_scope() {
  return time_with<Mutex>([](Mutex& mutex, bool) {
    typename Mutex::scoped_lock holds(mutex); // exclusive
    work(inside);
  });
}

} // namespace

int main(int count, char** arguments) {
  if (count != 8) {
    print_loops_per_microsecond();
    return 0;
  }
  const std::string lock = arguments[1];
  const double rate = std::atof(arguments[7]);
  locks = static_cast<unsigned>(std::atoi(arguments[2]));
  inside = rate * std::atof(arguments[3]);
  outside = rate * std::atof(arguments[4]);
  iterations = std::atoi(arguments[5]);
  threads = std::atoi(arguments[6]);
  const double time = lock == "spin_mutex"      ? with_scope<tbb::spin_mutex>()
                      : lock == "queuing_mutex" ? with_scope<tbb::queuing_mutex>()
                      : lock == "mutex"         ? with_scope<tbb::mutex>()
                      : lock == "rw_mutex"
                          ? time_with<tbb::rw_mutex>([](tbb::rw_mutex& mutex, bool writes) {
                              const tbb::rw_mutex::scoped_lock holds(mutex, writes);
                              work(inside);
                            })
                      : lock == "std_mutex"
                          ? time_with<std::mutex>([](std::mutex& mutex, bool) {
                              const std::lock_guard<std::mutex> holds(mutex);
                              work(inside);
                            })
                          : time_with<std::shared_mutex>([](std::shared_mutex& mutex, bool writes) {
                              if (writes) {
                                const std::unique_lock<std::shared_mutex> holds(mutex);
                                work(inside);
                              } else {
                                const std::shared_lock<std::shared_mutex> holds(mutex);
                                work(inside);
                              }
                            });
  std::printf("%.2f\n", time);
}
