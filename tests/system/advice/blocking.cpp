// SPDX-License-Identifier: Apache-2.0
// Tasks that wait for something else than tasks. The clock of this case is one of time.
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>

#include <chrono>
#include <thread>

int main() {
  tbb::parallel_for(
      0, 100, [](int) { std::this_thread::sleep_for(std::chrono::milliseconds(4)); },
      tbb::simple_partitioner());
}
