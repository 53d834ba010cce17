// SPDX-License-Identifier: Apache-2.0
// A loop in body calls of 32 iterations, each iteration with the same work.
//   loop THREADS ITERATIONS SCALE
#include "known_work.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <cstdlib>

int main(int, char** arguments) {
  const int threads = std::atoi(arguments[1]);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  const unsigned long iterations = std::strtoul(arguments[2], nullptr, 10);
  scale = std::strtoul(arguments[3], nullptr, 10);
  const tbb::blocked_range<unsigned long> range(0, iterations, 32);
  tbb::task_arena(threads).execute([&] {
    tbb::parallel_for(
        range, [](const tbb::blocked_range<unsigned long>& part) { burn(scale * part.size()); },
        tbb::simple_partitioner());
  });
}
