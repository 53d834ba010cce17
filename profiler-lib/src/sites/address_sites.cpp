// SPDX-License-Identifier: Apache-2.0
// See address_sites.h.
#include "sites/address_sites.h"

#include "sites/call_path.h"

#include <cstring>
#include <typeinfo>
#include <unwind.h>
#include <utility>

namespace tp::rt {
namespace {

// Frames of the runtime and libtbb that are skipped before the user's code is reached.
constexpr int kSkippedFrames = 64;

struct Unwinding {
  std::uintptr_t task_stack = UINTPTR_MAX;
  bool is_up_to_library = false;
  int skipped = 0;
  Stack stack{};
};

_Unwind_Reason_Code keep_frame(_Unwind_Context* context, void* data) {
  auto& unwinding = *static_cast<Unwinding*>(data);
  Stack& stack = unwinding.stack;
  const auto address = static_cast<std::uintptr_t>(_Unwind_GetIP(context));
  if (address == 0 || _Unwind_GetCFA(context) > unwinding.task_stack)
    return _URC_END_OF_STACK;
  if (stack.count == 0 && own_code.contains(address))
    return ++unwinding.skipped < kSkippedFrames ? _URC_NO_REASON : _URC_END_OF_STACK;
  if (unwinding.is_up_to_library && own_code.contains(address))
    return _URC_END_OF_STACK;
  stack.addresses[stack.count++] = address;
  return stack.count < Stack::kDepth ? _URC_NO_REASON : _URC_END_OF_STACK;
}

} // namespace

Stack stack_of_caller(const void* caller, const void* task_stack) {
  Unwinding unwinding;
  unwinding.is_up_to_library = task_stack == kUpToLibrary;
  // AddressSanitizer may keep variables elsewhere.
  if (task_stack > __builtin_frame_address(0))
    unwinding.task_stack = reinterpret_cast<std::uintptr_t>(task_stack);
  find_own_code();
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
  static constexpr char kSubroot[] = "19invoke_subroot_task";
  constexpr std::pair<const char*, TaskKind> kKinds[] = {
      {"9start_for", TaskKind::First},
      {"12start_reduce", TaskKind::First},
      {"26start_deterministic_reduce", TaskKind::First},
      {"10stage_task", TaskKind::First},
      {"18for_each_root_task", TaskKind::ForEach},
      {"16feeder_item_task", TaskKind::FeederItem},
      {"16function_invoker", TaskKind::Function},
      {"13function_task", TaskKind::Function},
      {"19function_stack_task", TaskKind::Function},
      {"12enqueue_task", TaskKind::Function},
      {kSubroot, TaskKind::Subroot},
  };
  for (const auto& [first, kind] : kKinds)
    if (std::strncmp(name, first, std::strlen(first)) == 0)
      return kind == TaskKind::Function && std::strstr(name, kSubroot) != nullptr
                 ? TaskKind::OfSubroot
                 : kind;
  return TaskKind::Other;
}

} // namespace tp::rt
