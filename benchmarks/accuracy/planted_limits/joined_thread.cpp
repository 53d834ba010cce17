// SPDX-License-Identifier: Apache-2.0
// Most of the serial work is in a thread that main creates and joins.
#include "work.h"

#include <oneapi/tbb/parallel_for.h>
#include <thread>

int main() {
  planted::compute(100);
  const auto render = [] {
    planted::compute(600);
    tbb::parallel_for(0, 128, [](int) { planted::compute(2); });
  };
  std::thread renderer(render); // planted
  renderer.join();
  tbb::parallel_for(0, 128, [](int) { planted::compute(2); });
}
