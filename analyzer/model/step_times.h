// SPDX-License-Identifier: Apache-2.0
// When a step ran.
#pragma once

#include <cstdint>
#include <functional>

namespace tp::analysis {

struct StepTimes {
  std::uint64_t begin = 0, end = 0; // ticks
  // Of them the thread had a CPU: less than end - begin if it slept or was preempted. All of them
  // if the clock of work does not count time.
  std::uint64_t on_cpu = 0;
};

// Sets its argument to the next step of one stream, in the order of time; false if no more follow.
using NextStep = std::function<bool(StepTimes&)>;

} // namespace tp::analysis
