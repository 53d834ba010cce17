// SPDX-License-Identifier: Apache-2.0
// Six programs with a lock that everything waits for, each as it is and fixed: planted.py records them, and
// compares the times that were predicted for both with those of runs.
//
//   planted PROGRAM 0|1 ITERATIONS MICROSECONDS LOOPS_PER_MICROSECOND [BEFORE]    prints milliseconds; 1: fixed
//   planted                                                                       prints LOOPS_PER_MICROSECOND
//
// BEFORE iterations without a lock run first, and are not timed: then all threads are there. A seventh program, `unlocked`, has
// no lock: what is left of the time of `standard`, fixed, without it.
//
// Each iteration takes so long; the part in a section is said at each program. The lock that has to be named
// is acquired at the line that ends with `// the lock of PROGRAM`.
#include "timed_work.h"

#include <oneapi/tbb/concurrent_hash_map.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/rw_mutex.h>
#include <oneapi/tbb/spin_mutex.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

namespace {

// Which of several locks an iteration takes: no pattern that a schedule could meet.
unsigned mixed(int i) {
  return static_cast<unsigned>((static_cast<unsigned>(i) * 2654435761u) >> 16);
}

double loops = 0; // of an iteration
bool fixed = false;

template <typename Iteration>
double time_of(int iterations, Iteration iteration) {
  const double start = milliseconds();
  tbb::parallel_for(
      tbb::blocked_range<int>(0, iterations, 1),
      [&](const tbb::blocked_range<int>& range) {
        for (int i = range.begin(); i != range.end(); ++i)
          iteration(i);
      },
      tbb::simple_partitioner());
  return milliseconds() - start;
}

// Three quarters inside; fixed: four locks.
double spin(int iterations) {
  static tbb::spin_mutex locks[4];
  return time_of(iterations, [](int i) {
    work(loops / 4);
    const tbb::spin_mutex::scoped_lock holds(locks[fixed ? mixed(i) % 4 : 0]); // the lock of spin
    work(loops * 3 / 4);
  });
}

// Half inside; fixed: an eighth of that.
double standard(int iterations) {
  static std::mutex lock;
  return time_of(iterations, [](int) {
    const double inside = loops / 2 / (fixed ? 8 : 1);
    work(loops / 2);
    const std::lock_guard<std::mutex> holds(lock); // the lock of standard
    work(inside);
  });
}

// 80 % inside, one in ten writes; fixed: none.
double readers(int iterations) {
  static tbb::rw_mutex lock;
  return time_of(iterations, [](int i) {
    work(loops / 5);
    const bool writes = i % 10 == 0 && !fixed;
    const tbb::rw_mutex::scoped_lock holds(lock, writes); // the lock of readers
    work(loops * 4 / 5);
  });
}

// 70 % while an item is held; fixed: eight items.
double accessor(int iterations) {
  using Map = tbb::concurrent_hash_map<unsigned, unsigned>;
  static Map map;
  return time_of(iterations, [](int i) {
    work(loops * 3 / 10);
    Map::accessor item;
    map.insert(item, fixed ? mixed(i) % 8 : 0); // the lock of accessor
    work(loops * 7 / 10);
  });
}

// The item is computed, and handed over, inside of the section; fixed: before it. No thread waits for long.
double handover(int iterations) {
  static std::mutex lock;
  static std::condition_variable came;
  static int ready = 0;
  return time_of(iterations, [](int) {
    work(loops / 4);
    if (fixed)
      work(loops * 3 / 4);
    std::unique_lock<std::mutex> holds(lock); // the lock of handover
    if (!fixed)
      work(loops * 3 / 4);
    ++ready;
    came.notify_one();
    came.wait(holds, [] { return ready > 0; });
    --ready;
  });
}

// Sixteen shards, three of four iterations in one of them; fixed: all of them alike.
double shards(int iterations) {
  static std::mutex locks[16];
  return time_of(iterations, [](int i) {
    const unsigned shard = fixed || mixed(i) % 4 == 0 ? mixed(i) / 4 % 16 : 5;
    work(loops / 5);
    const std::lock_guard<std::mutex> holds(locks[shard]); // the lock of shards
    work(loops * 4 / 5);
  });
}

double unlocked(int iterations) {
  return time_of(iterations, [](int) { work(loops * 9 / 16); });
}

} // namespace

int main(int count, char** arguments) {
  if (count < 6) {
    print_loops_per_microsecond();
    return 0;
  }
  const std::string name = arguments[1];
  fixed = arguments[2][0] == '1';
  const int iterations = std::atoi(arguments[3]);
  loops = std::atof(arguments[4]) * std::atof(arguments[5]);
  if (count > 6)
    time_of(std::atoi(arguments[6]), [](int) { work(loops); });
  const double time = name == "spin"       ? spin(iterations)
                      : name == "standard" ? standard(iterations)
                      : name == "readers"  ? readers(iterations)
                      : name == "accessor" ? accessor(iterations)
                      : name == "handover" ? handover(iterations)
                      : name == "unlocked" ? unlocked(iterations)
                                           : shards(iterations);
  std::printf("%.2f\n", time);
}
