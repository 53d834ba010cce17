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
  // Of the rest the thread slept or waited for locks; 0 if that is not known.
  std::uint64_t asleep = 0;
  std::uint64_t at_locks = 0; // of `asleep`: waited for locks
  // Not a thread that the program created: it can run tasks.
  bool is_worker = true;
};

// Sets its argument to the next step of one stream, in the order of time; false if no more follow.
using NextStep = std::function<bool(StepTimes&)>;

} // namespace tp::analysis
