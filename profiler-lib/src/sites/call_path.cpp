// SPDX-License-Identifier: Apache-2.0
// See call_path.h.
#include "sites/call_path.h"

#include <link.h>

namespace tp::rt {
namespace {

// Frames of libtbb that are looked at: those between the runtime and the user's call, and those of
// calls that run a function of the user's, such as task_arena::execute().
constexpr unsigned kMostOwnFrames = 32;

// For dl_iterate_phdr: finds where the library that contains this function is mapped.
int match_self(dl_phdr_info* info, std::size_t, void*) {
  const auto self = reinterpret_cast<std::uintptr_t>(&match_self);
  std::uintptr_t low = UINTPTR_MAX, high = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD)
      continue;
    const std::uintptr_t start = info->dlpi_addr + header.p_vaddr;
    if (start < low)
      low = start;
    if (start + header.p_memsz > high)
      high = start + header.p_memsz;
  }
  if (self < low || self >= high)
    return 0;
  own_code.begin.store(low, std::memory_order_relaxed);
  own_code.end.store(high, std::memory_order_relaxed);
  return 1;
}

// Reads a word of another function's frame.
[[gnu::always_inline]] inline std::uintptr_t word_at(std::uintptr_t address) noexcept {
  return *reinterpret_cast<const std::uintptr_t*>(address);
}

} // namespace

constinit OwnCode own_code;

void find_own_code() noexcept {
  if (own_code.end.load(std::memory_order_relaxed) == 0)
    dl_iterate_phdr(match_self, nullptr);
}

#if defined(__x86_64__)
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] std::uint64_t
call_path(FrameRules& rules, const void* task_stack) noexcept {
  // This function has a frame pointer, below its return address.
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  std::uintptr_t frame_pointer = word_at(frame);
  std::uintptr_t address = word_at(frame + 8);
  std::uintptr_t stack_pointer = frame + 16;
  // AddressSanitizer may keep the task's frame elsewhere.
  const auto task = reinterpret_cast<std::uintptr_t>(task_stack);
  const std::uintptr_t end = task > frame ? task : UINTPTR_MAX;

  std::uint64_t number = 0;
  unsigned own = 0;
  for (unsigned calls = 0; address != 0 && stack_pointer <= end;) {
    if (!own_code.contains(address)) {
      number = (number ^ address) * 0x9e3779b97f4a7c15ull;
      number ^= number >> 32;
      if (++calls == kMostCalls)
        break;
    } else if (++own == kMostOwnFrames) {
      break;
    }
    const FrameRule rule = rules.find(address);
    if (rule.kind == FrameRule::Kind::None)
      break;
    std::uintptr_t cfa =
        (rule.kind == FrameRule::Kind::StackPointer ? stack_pointer : frame_pointer) +
        static_cast<std::uintptr_t>(static_cast<std::intptr_t>(rule.offset));
    if (rule.kind == FrameRule::Kind::Indirect)
      cfa = word_at(cfa);
    if (cfa <= stack_pointer)
      break; // not a frame that contains the previous one
    if (rule.saved == FrameRule::kSavedAtFramePointer)
      frame_pointer = word_at(frame_pointer);
    else if (rule.saved != 0)
      frame_pointer = word_at(cfa + 8 * static_cast<std::uintptr_t>(std::intptr_t{rule.saved}));
    address = word_at(cfa - 8);
    stack_pointer = cfa;
  }
  return number;
}
#else
std::uint64_t call_path(FrameRules&, const void*) noexcept {
  return 0;
}
#endif

} // namespace tp::rt
