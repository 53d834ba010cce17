// SPDX-License-Identifier: Apache-2.0
// What openmp_events.cpp calls as a program of clang++ calls libomp, and what makes libomp's place ready for that. One thread,
// which is the first of a team of kThreads, whose others do not come: in a team of one, libomp defers nothing.
#pragma once
#include "ompt.h"

#include <cstdint>

#define FAKE_ENTRY extern "C" [[gnu::visibility("default")]]

namespace tp::omp {
struct Ident;
} // namespace tp::omp

namespace fake {
inline constexpr unsigned kThreads = 2;

// kmp_task_t, and what libomp keeps of it for a tool.
struct Task {
  void* shared = nullptr;
  void* routine = nullptr;
  std::int32_t part = 0;
  tp::omp::Data data{};
};
using StartTool = tp::omp::StartToolResult*(unsigned version, const char* name);

[[gnu::visibility("default")]] void start(StartTool* start_tool);
// A taskwait, in which the thread runs them.
[[gnu::visibility("default")]] void run_tasks(Task* tasks, int count);
[[gnu::visibility("default")]] void loop(tp::omp::Endpoint endpoint);
} // namespace fake

FAKE_ENTRY void __kmpc_fork_call(const tp::omp::Ident*, int arguments, void (*function)(int*, int*),
                                 ...);
FAKE_ENTRY std::int32_t __kmpc_omp_task(const tp::omp::Ident*, std::int32_t thread, void* task);
FAKE_ENTRY std::int32_t __kmpc_dispatch_next_4(const tp::omp::Ident*, std::int32_t thread,
                                               std::int32_t* last, std::int32_t* lower,
                                               std::int32_t* upper, std::int32_t* stride);
