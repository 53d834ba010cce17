// SPDX-License-Identifier: Apache-2.0
// A loop whose iterations hold one lock for a part of their time: run.py compares its time with the predicted one.
//
//   contended LOCK PERCENT ITERATIONS MICROSECONDS LOOPS_PER_MICROSECOND    prints milliseconds
//   contended                                                               prints LOOPS_PER_MICROSECOND
//
// Of read-write locks one iteration in ten is a writer.
#include "timed_work.h"

#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <oneapi/tbb/rw_mutex.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <shared_mutex>
#include <string>

namespace {

tbb::spin_mutex spin;
tbb::mutex mutex;
tbb::queuing_mutex queuing;
tbb::spin_rw_mutex spin_rw;
tbb::rw_mutex rw;
std::mutex standard;
std::shared_mutex shared;

template <typename Hold>
double time_of(int iterations, double outside, Hold hold) {
  const double start = milliseconds();
  tbb::parallel_for(
      tbb::blocked_range<int>(0, iterations, 1),
      [&](const tbb::blocked_range<int>& range) {
        for (int i = range.begin(); i != range.end(); ++i) {
          work(outside / 2);
          hold(i % 10 == 0);
          work(outside / 2);
        }
      },
      tbb::simple_partitioner());
  return milliseconds() - start;
}

template <typename Mutex>
double with(Mutex& lock, int iterations, double inside, double outside) {
  return time_of(iterations, outside, [&](bool) {
    typename Mutex::scoped_lock holds(lock);
    work(inside);
  });
}

template <typename Mutex>
double with_readers(Mutex& lock, int iterations, double inside, double outside) {
  return time_of(iterations, outside, [&](bool writes) {
    typename Mutex::scoped_lock holds(lock, writes);
    work(inside);
  });
}

} // namespace

int main(int count, char** arguments) {
  if (count != 6) {
    print_loops_per_microsecond();
    return 0;
  }
  const std::string lock = arguments[1];
  const int iterations = std::atoi(arguments[3]);
  const double loops = std::atof(arguments[4]) * std::atof(arguments[5]);
  const double inside = loops * std::atof(arguments[2]) / 100, outside = loops - inside;
  const double time = lock == "spin_mutex"      ? with(spin, iterations, inside, outside)
                      : lock == "mutex"         ? with(mutex, iterations, inside, outside)
                      : lock == "queuing_mutex" ? with(queuing, iterations, inside, outside)
                      : lock == "spin_rw_mutex" ? with_readers(spin_rw, iterations, inside, outside)
                      : lock == "rw_mutex"      ? with_readers(rw, iterations, inside, outside)
                      : lock == "std_mutex"
                          ? time_of(iterations, outside,
                                    [&](bool) {
                                      const std::lock_guard<std::mutex> holds(standard);
                                      work(inside);
                                    })
                          : time_of(iterations, outside, [&](bool writes) {
                              if (writes) {
                                const std::unique_lock<std::shared_mutex> holds(shared);
                                work(inside);
                              } else {
                                const std::shared_lock<std::shared_mutex> holds(shared);
                                work(inside);
                              }
                            });
  std::printf("%.2f\n", time);
}
