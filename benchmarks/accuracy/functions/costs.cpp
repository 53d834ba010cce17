// SPDX-License-Identifier: Apache-2.0
// A loop of tasks of some 80 us on so many threads, for one second of CPU time: what do samples cost?
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <cmath>
#include <cstdlib>

static double results[1024];

int main(int, char** arguments) {
  const int threads = std::atoi(arguments[1]);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  arena.execute([] {
    tbb::parallel_for(0, 12'000, [](int i) {
      double value = i;
      for (int k = 0; k < 12'000; ++k)
        value = std::sqrt(value + k);
      results[i % 1024] = value;
    });
  });
}
