// SPDX-License-Identifier: Apache-2.0
// CALL PATH: the calls that led to a call of oneTBB, which distinguish the callers of a user's
// wrapper. Hot: each time a site is entered; about 3 ns for each call.
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

#if defined(__x86_64__)
// A function with more ends the path.
inline constexpr std::uintptr_t kMostFrameBytes = 16u << 20;

// Calls visit(return address) for each call on the calling thread's stack, innermost first, until
// it returns false. `frame`: __builtin_frame_address(0) in the function whose return address comes
// first. Reads words of other functions' frames.
template <typename Visit>
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] inline void
visit_calls(FrameRules& rules, const void* frame, const void* task_stack, Visit&& visit) noexcept {
  const auto word_at = [](std::uintptr_t at)
                           __attribute__((no_sanitize_address, no_sanitize_thread)) {
                             return *reinterpret_cast<const std::uintptr_t*>(at);
                           };
  const auto begin = reinterpret_cast<std::uintptr_t>(frame);
  std::uintptr_t frame_pointer = word_at(begin);
  std::uintptr_t address = word_at(begin + 8);
  std::uintptr_t stack_pointer = begin + 16;
  // AddressSanitizer may keep the task's frame elsewhere.
  const auto task = reinterpret_cast<std::uintptr_t>(task_stack);
  const std::uintptr_t end = task > begin ? task : UINTPTR_MAX;
  while (address != 0 && stack_pointer <= end && visit(address)) {
    const FrameRule rule = rules.find(address);
    if (rule.kind == FrameRule::Kind::None)
      return;
    // Code whose description is wrong (assembly) must not lead anywhere else.
    if (rule.kind != FrameRule::Kind::StackPointer &&
        (frame_pointer - stack_pointer > kMostFrameBytes || frame_pointer % 8 != 0))
      return;
    std::uintptr_t cfa =
        (rule.kind == FrameRule::Kind::StackPointer ? stack_pointer : frame_pointer) +
        static_cast<std::uintptr_t>(std::intptr_t{rule.offset});
    if (rule.kind == FrameRule::Kind::Indirect)
      cfa = word_at(cfa);
    if (cfa <= stack_pointer || cfa - stack_pointer > kMostFrameBytes || cfa % 8 != 0)
      return; // not a frame that contains the previous one
    if (rule.saved == FrameRule::kSavedAtFramePointer)
      frame_pointer = word_at(frame_pointer);
    else if (rule.saved != 0)
      frame_pointer = word_at(cfa + 8 * static_cast<std::uintptr_t>(std::intptr_t{rule.saved}));
    address = word_at(cfa - 8);
    stack_pointer = cfa;
  }
}
#endif

} // namespace tp::rt
