// SPDX-License-Identifier: Apache-2.0
// See address_sites.h.
#include "sites/address_sites.h"

#include <cstring>
#include <link.h>
#include <typeinfo>
#include <unwind.h>
#include <utility>

namespace tp::rt {
namespace {

// Frames of the runtime and libtbb that are skipped before the user's code is reached.
constexpr int kSkippedFrames = 64;

struct Unwinding {
  std::uintptr_t own_begin = 0; // libtbb, whose frames are left out
  std::uintptr_t own_end = 0;
  std::uintptr_t task_stack = UINTPTR_MAX;
  int skipped = 0;
  Stack stack{};
};

_Unwind_Reason_Code keep_frame(_Unwind_Context* context, void* data) {
  auto& unwinding = *static_cast<Unwinding*>(data);
  Stack& stack = unwinding.stack;
  const auto address = static_cast<std::uintptr_t>(_Unwind_GetIP(context));
  if (address == 0 || _Unwind_GetCFA(context) > unwinding.task_stack)
    return _URC_END_OF_STACK;
  if (stack.count == 0 && address >= unwinding.own_begin && address < unwinding.own_end)
    return ++unwinding.skipped < kSkippedFrames ? _URC_NO_REASON : _URC_END_OF_STACK;
  stack.addresses[stack.count++] = address;
  return stack.count < Stack::kDepth ? _URC_NO_REASON : _URC_END_OF_STACK;
}

// For dl_iterate_phdr: finds where the library that contains this function is mapped.
int match_self(dl_phdr_info* info, std::size_t, void* data) {
  auto& unwinding = *static_cast<Unwinding*>(data);
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
  unwinding.own_begin = low;
  unwinding.own_end = high;
  return 1;
}

} // namespace

Stack stack_of_caller(const void* caller, const void* task_stack) {
  Unwinding unwinding;
  // AddressSanitizer may keep variables elsewhere.
  if (task_stack > __builtin_frame_address(0))
    unwinding.task_stack = reinterpret_cast<std::uintptr_t>(task_stack);
  dl_iterate_phdr(match_self, &unwinding);
  _Unwind_Backtrace(keep_frame, &unwinding);
  Stack& stack = unwinding.stack;
  if (stack.count == 0)
    stack.addresses[stack.count++] = reinterpret_cast<std::uintptr_t>(caller);
  return stack;
}

const char* type_name(const void* type) noexcept {
  if (type == nullptr)
    return "";
  const auto* info = *(static_cast<const std::type_info* const*>(type) - 1);
  return info == nullptr ? "" : info->name();
}

bool is_task_of_algorithm(const void* type) noexcept {
  return std::strstr(type_name(type), "6__pstl") != nullptr;
}

TaskKind kind_of_task(const void* type) noexcept {
  const char* name = type_name(type);
  constexpr char kLibrary[] = "N3tbb6detail2"; // followed by d1, d2, or r1
  constexpr std::size_t kLength = sizeof kLibrary - 1;
  if (std::strncmp(name, kLibrary, kLength) != 0 || std::strlen(name) < kLength + 2)
    return TaskKind::Other;
  name += kLength + 2;
  constexpr std::pair<const char*, TaskKind> kKinds[] = {
      {"9start_for", TaskKind::First},
      {"12start_reduce", TaskKind::First},
      {"26start_deterministic_reduce", TaskKind::First},
      {"10stage_task", TaskKind::First},
      {"18for_each_root_task", TaskKind::ForEach},
      {"16feeder_item_task", TaskKind::FeederItem},
  };
  for (const auto& [first, kind] : kKinds)
    if (std::strncmp(name, first, std::strlen(first)) == 0)
      return kind;
  return TaskKind::Other;
}

} // namespace tp::rt
