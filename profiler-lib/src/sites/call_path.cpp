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

} // namespace

constinit OwnCode own_code;

void find_own_code() noexcept {
  if (own_code.end.load(std::memory_order_relaxed) == 0)
    dl_iterate_phdr(match_self, nullptr);
}

#if defined(__x86_64__)
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] std::uint64_t
call_path(FrameRules& rules, const void* task_stack) noexcept {
  std::uint64_t number = 0;
  unsigned own = 0, calls = 0;
  visit_calls(rules, __builtin_frame_address(0), task_stack, [&](std::uintptr_t address) {
    if (own_code.contains(address))
      return ++own < kMostOwnFrames;
    number = (number ^ address) * 0x9e3779b97f4a7c15ull;
    number ^= number >> 32;
    return ++calls < kMostCalls;
  });
  return number;
}
#else
std::uint64_t call_path(FrameRules&, const void*) noexcept {
  return 0;
}
#endif

} // namespace tp::rt
