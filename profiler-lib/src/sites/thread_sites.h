// SPDX-License-Identifier: Apache-2.0
// SITES OF THREADS that the program creates: a call of pthread_create is identified by what it starts
// and by the path of calls to it. Cold.
#pragma once

#include <cstdint>

namespace tp::rt {

// What a new thread runs. For std::thread, whose start function is the standard library's: the vtable
// pointer of the object that holds the user's function (RTTI names it); else no type.
struct StartFunction {
  const void* function;
  const void* type;
  const void* caller; // return address of the call of pthread_create
};
StartFunction start_function(const void* function, const void* argument,
                             const void* caller) noexcept;

// The number of the site, which is written if it is new. `path`, `task_stack`: see register_address().
std::uint32_t register_thread(const StartFunction& start, std::uint64_t path,
                              const void* task_stack);

} // namespace tp::rt
