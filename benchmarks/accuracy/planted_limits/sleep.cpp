// SPDX-License-Identifier: Apache-2.0
// Main sleeps for a second between two parallel loops.
#include "work.h"

#include <chrono>
#include <oneapi/tbb/parallel_for.h>
#include <thread>

int main() {
  tbb::parallel_for(0, 256, [](int) { planted::compute(1); }); // planted
  std::this_thread::sleep_for(std::chrono::seconds(1));
  tbb::parallel_for(0, 256, [](int) { planted::compute(1); });
}
