// SPDX-License-Identifier: Apache-2.0
// CALL PATH: the calls that led to a call of oneTBB, which tell the callers of a user's wrapper
// apart. Hot: each time a site is entered; about 3 ns for each call.
#pragma once

#include "base/attributes.h"
#include "sites/frame_rules.h"

#include <atomic>
#include <cstdint>

namespace tp::rt {

// Where the library that contains the runtime (libtbb) is mapped; empty until find_own_code().
struct OwnCode {
  std::atomic<std::uintptr_t> begin{0}, end{0};
  bool contains(std::uintptr_t address) const noexcept {
    return address - begin.load(std::memory_order_relaxed) <
           end.load(std::memory_order_relaxed) - begin.load(std::memory_order_relaxed);
  }
};
extern OwnCode own_code;
// Any thread, any number of times. Cold.
TP_COLD void find_own_code() noexcept;

// Return addresses outside of libtbb that a path consists of, at most: more calls make no
// difference. A wrapper may be that many calls away from oneTBB's entry point, those inside
// oneTBB's headers included if they are not inlined.
inline constexpr unsigned kMostCalls = 6;

// A number for the path of calls from here, innermost first, without those inside libtbb; 0: not
// known. Paths with equal numbers have equal calls, but for one pair in 2^64.
// `task_stack`: as in stack_of_caller().
[[gnu::noinline]] std::uint64_t call_path(FrameRules& rules, const void* task_stack) noexcept;

} // namespace tp::rt
