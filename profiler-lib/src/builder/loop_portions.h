// SPDX-License-Identifier: Apache-2.0
// PORTIONS of body calls: how a long body call is measured in parts, so that the analyzer need not
// assume that its iterations cost the same. How finely a loop can be split then does not depend on
// how many threads this run had.
//
// Loops over an index run their iterations one by one in oneTBB's own wrapper, which asks here how
// many to run before it asks again (tp_on_iterations). With tp-run --divide, other loops call the
// body for parts of the range (tp_should_divide). Both look at the clock every kPortionNs / 4 or less
// often: the number of iterations that take as long is learned per site and thread. With the virtual
// clock, where time means nothing, every iteration is a portion, and ranges are divided to their grain.
#pragma once

#include "builder/thread_state.h"

#include <cstdint>

namespace tp::rt {

// A portion is not shorter than this, unless the body call is.
inline constexpr std::uint64_t kPortionNs = 20'000;

// See tp_on_iterations, tp_start_dividing and tp_should_divide.
std::uint64_t next_iterations(ThreadState& thread, Frame& frame, tp_iterations& state,
                              std::uint64_t left) noexcept;
bool start_dividing(ThreadState& thread, Frame& frame, std::uint64_t iterations) noexcept;
bool should_divide(ThreadState& thread, Frame& frame, std::uint64_t iterations) noexcept;
// A portion that a call of the body made is over: learns from it how long iterations take.
void end_called_portion(ThreadState& thread, Frame& frame, const tp_range& range) noexcept;

} // namespace tp::rt
