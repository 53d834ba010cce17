// SPDX-License-Identifier: Apache-2.0
// CALL SITES: the spawn sites of OpenMP's constructs, numbers for tp_task::words[1], 0 if nothing is recorded.
//
// OMPT reports a return address, which is not always one in the construct: where a region is the last thing in a
// function, compilers jump to the runtime, and taskloops are reported with addresses inside libomp. The entry points
// (entry_points.cpp) see what the compiler passes: the place in the source in programs of clang++ -g, and the
// function that contains the construct's code.
#pragma once

#include <cstdint>

namespace tp::omp {

struct Team;
struct Task;

// The place that clang passes to each entry point (ident_t). `source`: ";file;function;line;column;;".
struct Ident {
  std::int32_t reserved_1;
  std::int32_t flags;
  std::int32_t reserved_2;
  std::int32_t reserved_3;
  const char* source;
};

// A call of an entry point.
struct Call {
  const Ident* ident = nullptr;   // null: none
  const void* function = nullptr; // of the code of the construct; null: not known
  const void* caller = nullptr;   // return address
  Task* creator = nullptr;        // its step is closed until the creation of tasks is over
  std::uint64_t grain = 1;        // of a taskloop
  unsigned depth = 0;             // tasks_begun then
  bool is_taskloop = false;
  bool is_sections = false; // that are one with their region
  bool is_loop = false;     // of a region: it is one with the loop in it, or its sections
  // Of a taskloop whose tasks libomp creates one after the other: iterations of each, and how many of them have one
  // more. 0: not known.
  std::uint64_t iterations = 0, longer = 0;
  bool is_used = false;       // a task was created
  void* task = nullptr;       // libomp's, if its code may be wrapped
  bool is_undeferred = false; // by an if clause
};
// The region that this thread is about to begin.
extern constinit thread_local Call region_call [[gnu::tls_model("initial-exec")]];
// The static loop, or the sections, that this thread is about to begin.
extern constinit thread_local Call loop_call [[gnu::tls_model("initial-exec")]];
// The thread creates a task, or the tasks of a taskloop; null: as far as is known it does not.
extern constinit thread_local Call* task_call [[gnu::tls_model("initial-exec")]];
// Explicit tasks, or parts of them, that have begun on the thread and not ended.
extern constinit thread_local unsigned tasks_begun [[gnu::tls_model("initial-exec")]];
// That call, if the task that now runs has made it; else null: that of a task in whose call it runs counts no more.
inline Call* own_task_call() {
  return task_call != nullptr && task_call->depth == tasks_begun ? task_call : nullptr;
}

// In a fork()ed child sites have other numbers.
void forget_sites();
// `caller`: the return address that OMPT reports. `around`: the site of the region around it, whose code has made the
// call; 0: none.
std::uint32_t site_of_region(const void* caller, std::uint32_t around);
// `call`: of the creator, as own_task_call() returns it; `is_first`: of the tasks that it creates.
std::uint32_t site_of_task(const Call* call, const Task& creator, const void* caller,
                           bool is_first);
// Without an address that of the region is taken. `is_combined`: it is one call with the region.
std::uint32_t site_of_worksharing(const Team& team, const void* caller, unsigned construct,
                                  bool is_combined);

} // namespace tp::omp
