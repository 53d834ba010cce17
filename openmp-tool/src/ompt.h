// SPDX-License-Identifier: Apache-2.0
// OMPT: the interface between an OpenMP runtime and a tool, as far as we use it. Written from the OpenMP
// specification, version 5.2, chapters 19 and 20; the numbers are its own. So the build needs no OpenMP.
#pragma once

#include <cstdint>

namespace tp::omp {

union Data {
  std::uint64_t value;
  void* ptr;
};
struct Frame; // ompt_frame_t: not used

enum class Event : int {
  ThreadBegin = 1,
  ThreadEnd = 2,
  ParallelBegin = 3,
  ParallelEnd = 4,
  TaskCreate = 5,
  TaskSchedule = 6,
  ImplicitTask = 7,
  SyncRegionWait = 16,
  MutexReleased = 17,
  Dependences = 18,
  Work = 20,
  SyncRegion = 23,
  LockInit = 24,
  LockDestroy = 25,
  MutexAcquire = 26,
  MutexAcquired = 27,
  Cancel = 30,
  Dispatch = 32,
};

inline constexpr int kAlways = 5; // ompt_set_always: the answer to ompt_set_callback

enum class ThreadType : int { Initial = 1, Worker = 2, Other = 3 };
enum class Endpoint : int { Begin = 1, End = 2, BeginEnd = 3 };

enum TaskFlags : int {
  kTaskInitial = 0x1,
  kTaskImplicit = 0x2,
  kTaskExplicit = 0x4,
  kTaskTaskwait = 0x10,
  kTaskUndeferred = 0x08000000,
  kTaskUntied = 0x10000000,
  kTaskFinal = 0x20000000,
  kTaskMergeable = 0x40000000,
};

// How the task that was on the thread left it.
enum class TaskStatus : int {
  Complete = 1,
  Yield = 2,
  Cancel = 3,
  Detach = 4,
  EarlyFulfill = 5,
  LateFulfill = 6,
  Switch = 7,
  TaskwaitComplete = 8,
};

enum class SyncRegion : int {
  Barrier = 1, // in OpenMP 5.0
  BarrierImplicit = 2,
  BarrierExplicit = 3,
  BarrierImplementation = 4,
  Taskwait = 5,
  Taskgroup = 6,
  Reduction = 7,
  BarrierImplicitWorkshare = 8,
  BarrierImplicitParallel = 9,
  BarrierTeams = 10,
};

enum class Work : int {
  Loop = 1,
  Sections = 2,
  SingleExecutor = 3,
  SingleOther = 4,
  Workshare = 5,
  Distribute = 6,
  Taskloop = 7,
  Scope = 8,
  LoopStatic = 10,
  LoopDynamic = 11,
  LoopGuided = 12,
  LoopOther = 13,
};

enum class Dispatch : int {
  Iteration = 1,
  Section = 2,
  LoopChunk = 3,
  TaskloopChunk = 4,
  DistributeChunk = 5,
};
struct Chunk {
  std::uint64_t start;
  std::uint64_t iterations;
};

enum class Mutex : int {
  Lock = 1,
  TestLock = 2,
  NestLock = 3,
  TestNestLock = 4,
  Critical = 5,
  Atomic = 6,
  Ordered = 7,
};

enum class DependenceType : int {
  In = 1,
  Out = 2,
  InOut = 3,
  MutexInOutSet = 4,
  Source = 5,
  Sink = 6,
  InOutSet = 7,
  OutAllMemory = 34,
  InOutAllMemory = 35,
};
struct Dependence {
  Data variable;
  DependenceType type;
};

using AnyFunction = void (*)();
using Lookup = AnyFunction (*)(const char* name);
using SetCallback = int (*)(int event, AnyFunction callback);

// ompt_start_tool_result_t
struct StartToolResult {
  int (*initialize)(Lookup lookup, int initial_device, Data* tool);
  void (*finalize)(Data* tool);
  Data tool;
};

} // namespace tp::omp
