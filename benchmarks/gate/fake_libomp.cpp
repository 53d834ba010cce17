// SPDX-License-Identifier: Apache-2.0
// In libomp's place for openmp_events.cpp: what its functions for clang++ report to a tool, and nothing else, so that the
// instructions counted are those of recording. A library of its own, as the tool's entry points call the next one.
#include "fake_libomp.h"

#include <cstring>

namespace {
using namespace tp::omp;

AnyFunction callbacks[64];
Data initial{}, implicit{}, region{};
Data* running = &initial;

template <typename... Arguments>
void report(Event event, Arguments... arguments) {
  reinterpret_cast<void (*)(Arguments...)>(callbacks[static_cast<int>(event)])(arguments...);
}
int set_callback(int event, AnyFunction callback) {
  callbacks[event] = callback;
  return kAlways;
}
int task_info(int, int*, Data** task, Frame**, Data**, int*) {
  *task = running;
  return 2;
}
AnyFunction look_up(const char* name) {
  return std::strcmp(name, "ompt_set_callback") == 0 ? reinterpret_cast<AnyFunction>(set_callback)
         : std::strcmp(name, "ompt_get_task_info") == 0 ? reinterpret_cast<AnyFunction>(task_info)
                                                        : nullptr;
}
void synchronize(SyncRegion kind, Endpoint endpoint) {
  report<SyncRegion, Endpoint, Data*, Data*, const void*>(Event::SyncRegion, kind, endpoint,
                                                          &region, running, nullptr);
}
void implicit_task(Endpoint endpoint, Data* of) {
  report<Endpoint, Data*, Data*, unsigned, unsigned, int>(
      Event::ImplicitTask, endpoint, of, &implicit, fake::kThreads, 0, kTaskImplicit);
}
} // namespace

void fake::start(StartTool* start_tool) {
  StartToolResult* const tool = start_tool(202011, "fake");
  tool->initialize(look_up, 0, &tool->tool);
  report<ThreadType, Data*>(Event::ThreadBegin, ThreadType::Initial, nullptr);
}

void fake::run_tasks(Task* tasks, int count) {
  synchronize(SyncRegion::Taskwait, Endpoint::Begin);
  for (int i = count; i-- > 0;) {
    Data* const task = &tasks[i].data;
    report<Data*, TaskStatus, Data*>(Event::TaskSchedule, running, TaskStatus::Switch, task);
    report<Data*, TaskStatus, Data*>(Event::TaskSchedule, task, TaskStatus::Complete, running);
  }
  synchronize(SyncRegion::Taskwait, Endpoint::End);
}

void fake::loop(Endpoint endpoint) {
  report<Work, Endpoint, Data*, Data*, std::uint64_t, const void*>(
      Event::Work, Work::LoopDynamic, endpoint, &region, running, fake::kThreads,
      reinterpret_cast<const void*>(&initial));
}

FAKE_ENTRY void __kmpc_fork_call(const Ident*, int, void (*function)(int*, int*), ...) {
  report<Data*, const Frame*, Data*, unsigned, int, const void*>(Event::ParallelBegin, running,
                                                                 nullptr, &region, fake::kThreads,
                                                                 0, __builtin_return_address(0));
  implicit_task(Endpoint::Begin, &region);
  Data* const outer = running;
  running = &implicit;
  function(nullptr, nullptr);
  synchronize(SyncRegion::BarrierImplicitParallel, Endpoint::Begin);
  implicit_task(Endpoint::End, nullptr);
  running = outer;
  report<Data*, Data*, int, const void*>(Event::ParallelEnd, &region, running, 0, nullptr);
}

FAKE_ENTRY std::int32_t __kmpc_omp_task(const Ident*, std::int32_t, void* task) {
  report<Data*, const Frame*, Data*, int, int, const void*>(
      Event::TaskCreate, running, nullptr, &static_cast<fake::Task*>(task)->data, kTaskExplicit, 0,
      __builtin_return_address(0));
  return 0;
}

FAKE_ENTRY std::int32_t __kmpc_dispatch_next_4(const Ident*, std::int32_t, std::int32_t*,
                                               std::int32_t*, std::int32_t*, std::int32_t*) {
  Chunk chunk{0, 1};
  report<Data*, Data*, Dispatch, Data>(Event::Dispatch, &region, running, Dispatch::LoopChunk,
                                       Data{.ptr = &chunk});
  return 1;
}
