// SPDX-License-Identifier: Apache-2.0
// SITES OF CODE THAT WAS NOT RECOMPILED: such a call names no site, so its stack and the type of
// the task (RTTI) have to identify it. Cold: once per site, or per type of task, and thread.
#pragma once

#include <cstdint>

namespace tp::rt {

// Return addresses of the calling thread, innermost first, beginning with the first one outside of
// the library that contains the runtime (libtbb).
struct Stack {
  static constexpr int kDepth = 24;
  std::uintptr_t addresses[kDepth];
  int count = 0;
};
// Unwinds the calling thread's stack, up to the address `task_stack` on it, if that is not null: the
// beginning of the task that runs. What is beyond called a wait that happens to run this task. If
// unwinding gives nothing, the stack is `caller` alone.
Stack stack_of_caller(const void* caller, const void* task_stack = nullptr);

// Whether this is the type of a task of the standard library's parallel algorithms; false without
// RTTI.
bool is_task_of_algorithm(const void* type) noexcept;

// The mangled name of the type with this vtable pointer; empty if it is null or was compiled
// without RTTI.
const char* type_name(const void* type) noexcept;

// What a task of this type is to an algorithm of oneTBB. `Other` also without RTTI. None is 0,
// which a SiteCache does not store.
enum class TaskKind : std::uint32_t {
  Other = 1,
  First,      // all that the algorithm waits for descends from it (not so in parallel_invoke)
  ForEach,    // the same, of a parallel_for_each, which also waits for the items that are fed to it
  FeederItem, // an item that was fed to a parallel_for_each
  Function,   // it calls a function of the user's, and does not spawn its like: that function does
  Subroot,    // the same, of parallel_invoke, and spawns two more at first
  OfSubroot,  // one of these: waited for where the Subroot is, not by what it calls
};
TaskKind kind_of_task(const void* type) noexcept;

} // namespace tp::rt
