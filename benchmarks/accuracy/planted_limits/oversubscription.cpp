// SPDX-License-Identifier: Apache-2.0
// Four threads for each CPU compute at the same time.
#include "work.h"

#include <oneapi/tbb/parallel_for.h>
#include <thread>

int main() {
  const unsigned cpus = std::thread::hardware_concurrency();
  tbb::parallel_for(0, 256, [](int) { planted::compute(1); });
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4 * cpus; ++i)
    threads.emplace_back([] { planted::compute(200); }); // planted
  for (std::thread& thread : threads)
    thread.join();
  tbb::parallel_for(0, 256, [](int) { planted::compute(1); });
}
