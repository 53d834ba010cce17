// SPDX-License-Identifier: Apache-2.0
// A program of known parallelism: ten times a serial part of 4 units, then 32 tasks of 1 unit each.
// The work is 36 units and the span 5 units per round, so parallelism is 7.2. Prints the
// parallelism that the raw time stamp counter measures.
#include "clock/work_clock.h"

#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

static constexpr int kTasks = 32, kRounds = 10, kSerialUnits = 4;

static std::uint64_t spin(int units) {
  const std::uint64_t start = tp::rt::read_time();
  for (int i = 0; i < units * 2'000'000; ++i)
    asm volatile("");
  return tp::rt::read_time() - start;
}

int main() {
  double work = 0, span = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t serial = spin(kSerialUnits);
    std::array<std::uint64_t, kTasks> ticks{};
    tbb::task_group group;
    for (std::uint64_t& each : ticks)
      group.run([&each] { each = spin(1); });
    group.wait();
    work += static_cast<double>(serial);
    for (const std::uint64_t each : ticks)
      work += static_cast<double>(each);
    span += static_cast<double>(serial + *std::max_element(ticks.begin(), ticks.end()));
  }
  std::printf("%.3f\n", work / span);
}
