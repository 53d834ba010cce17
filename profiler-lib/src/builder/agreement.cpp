// SPDX-License-Identifier: Apache-2.0
// What hooks.h and the trace format both define, since neither includes the other: compared when
// this file is compiled. No code. The other tables of constructs are compared in
// tests/unit/runtime/constructs_test.cpp.
#include "builder/thread_state.h"
#include "tp/hooks.h"
#include "tp/trace/trace_format.h"

#include <iterator>
#include <string_view>

namespace tp::rt {
namespace {

using trace::Construct;

constexpr bool is(Construct construct, tp_construct number) {
  return static_cast<unsigned>(construct) == static_cast<unsigned>(number);
}
constexpr bool is(trace::SleepKind kind, tp_sleep_kind number) {
  return static_cast<unsigned>(kind) == static_cast<unsigned>(number);
}
static_assert(is(trace::SleepKind::Unknown, TP_SLEEP_UNKNOWN));
static_assert(is(trace::SleepKind::ReadFile, TP_SLEEP_READ_FILE));
static_assert(is(trace::SleepKind::WriteFile, TP_SLEEP_WRITE_FILE));
static_assert(is(trace::SleepKind::ReadPipe, TP_SLEEP_READ_PIPE));
static_assert(is(trace::SleepKind::WritePipe, TP_SLEEP_WRITE_PIPE));
static_assert(is(trace::SleepKind::ReadSocket, TP_SLEEP_READ_SOCKET));
static_assert(is(trace::SleepKind::WriteSocket, TP_SLEEP_WRITE_SOCKET));
static_assert(is(trace::SleepKind::ReadDevice, TP_SLEEP_READ_DEVICE));
static_assert(is(trace::SleepKind::WriteDevice, TP_SLEEP_WRITE_DEVICE));
static_assert(is(trace::SleepKind::Clock, TP_SLEEP_CLOCK));
static_assert(is(trace::SleepKind::ChildProcess, TP_SLEEP_CHILD_PROCESS));
static_assert(is(trace::SleepKind::PageFault, TP_SLEEP_PAGE_FAULT));
static_assert(trace::kSleepKinds == TP_SLEEP_KIND_COUNT);

static_assert(is(Construct::Unknown, TP_CONSTRUCT_UNKNOWN));
static_assert(is(Construct::ParallelFor, TP_CONSTRUCT_PARALLEL_FOR));
static_assert(is(Construct::ParallelForEach, TP_CONSTRUCT_PARALLEL_FOR_EACH));
static_assert(is(Construct::ParallelInvoke, TP_CONSTRUCT_PARALLEL_INVOKE));
static_assert(is(Construct::ParallelReduce, TP_CONSTRUCT_PARALLEL_REDUCE));
static_assert(is(Construct::ParallelScan, TP_CONSTRUCT_PARALLEL_SCAN));
static_assert(is(Construct::ParallelSort, TP_CONSTRUCT_PARALLEL_SORT));
static_assert(is(Construct::ParallelPipeline, TP_CONSTRUCT_PARALLEL_PIPELINE));
static_assert(is(Construct::TaskGroup, TP_CONSTRUCT_TASK_GROUP));
static_assert(is(Construct::UserContext, TP_CONSTRUCT_USER_CONTEXT));
static_assert(is(Construct::FlowGraph, TP_CONSTRUCT_FLOW_GRAPH));
static_assert(is(Construct::TaskArena, TP_CONSTRUCT_TASK_ARENA));
static_assert(is(Construct::Default, TP_CONSTRUCT_DEFAULT));
static_assert(is(Construct::Thread, TP_CONSTRUCT_THREAD));
static_assert(is(Construct::OmpParallel, TP_CONSTRUCT_OMP_PARALLEL));
static_assert(is(Construct::OmpTask, TP_CONSTRUCT_OMP_TASK));
static_assert(is(Construct::OmpTaskloop, TP_CONSTRUCT_OMP_TASKLOOP));
static_assert(is(Construct::OmpFor, TP_CONSTRUCT_OMP_FOR));
static_assert(is(Construct::OmpSections, TP_CONSTRUCT_OMP_SECTIONS));
static_assert(is(Construct::OmpBarrier, TP_CONSTRUCT_OMP_BARRIER));
static_assert(is(Construct::OmpParallelGcc, TP_CONSTRUCT_OMP_PARALLEL_GCC));
static_assert(is(Construct::OmpReduction, TP_CONSTRUCT_OMP_REDUCTION));
static_assert(is(Construct::OmpTeams, TP_CONSTRUCT_OMP_TEAMS));
static_assert(is(Construct::OmpDistribute, TP_CONSTRUCT_OMP_DISTRIBUTE));
static_assert(is(Construct::OmpTeamsGcc, TP_CONSTRUCT_OMP_TEAMS_GCC));

#define TP_SAME_NAME(enumerator, number, name)                                                     \
  static_assert(std::string_view(trace::kConstructNames[number]) == name);
TP_CONSTRUCTS(TP_SAME_NAME)
#undef TP_SAME_NAME
static_assert(std::size(trace::kConstructNames) == TP_CONSTRUCT_COUNT);

#define TP_SAME_LOCK(enumerator, number, name)                                                     \
  static_assert(std::string_view(trace::kLockKindNames[number]) == name);
TP_LOCK_KINDS(TP_SAME_LOCK)
#undef TP_SAME_LOCK
static_assert(std::size(trace::kLockKindNames) == TP_LOCK_KIND_COUNT);
static_assert(static_cast<unsigned>(trace::LockKind::Itt) == TP_LOCK_ITT);
static_assert(static_cast<unsigned>(trace::LockKind::OmpNestLock) == TP_LOCK_OMP_NEST_LOCK);
static_assert(static_cast<unsigned>(trace::LockKind::OmpOrdered) == TP_LOCK_OMP_ORDERED);
static_assert(static_cast<unsigned>(trace::LockKind::HashMapBucket) == TP_LOCK_HASH_MAP_BUCKET);
static_assert(static_cast<unsigned>(trace::LockKind::OmpAtomic) == TP_LOCK_OMP_ATOMIC);
static_assert(static_cast<unsigned>(trace::LockKind::OmpMutexInOutSet) ==
              TP_LOCK_OMP_MUTEXINOUTSET);
static_assert(static_cast<unsigned>(trace::LockKind::Semaphore) == TP_LOCK_SEMAPHORE);
static_assert(static_cast<unsigned>(trace::LockKind::ConcurrentPriorityQueue) ==
              TP_LOCK_CONCURRENT_PRIORITY_QUEUE);
static_assert(static_cast<unsigned>(trace::LockKind::FlowGraphNode) == TP_LOCK_FLOW_GRAPH_NODE);
static_assert(static_cast<unsigned>(trace::LockKind::ConcurrentLruCache) ==
              TP_LOCK_CONCURRENT_LRU_CACHE);
static_assert(static_cast<unsigned>(trace::LockKind::Accessor) == TP_LOCK_ACCESSOR);
static_assert(static_cast<unsigned>(trace::LockKind::PthreadMutex) == TP_LOCK_PTHREAD_MUTEX);
static_assert(TP_LOCK_SHARED == trace::kLockShared);

static_assert(TP_CONTEXT_EXCLUSIVE == trace::kContextExclusive);
static_assert(TP_CONTEXT_GATHERS == trace::kContextGathers);
static_assert(TP_CONSTRUCT_COUNT <= TP_CONTEXT_EXCLUSIVE, "a construct has six bits in the trace");

// The bits of a task's second word do not overlap, and hold what the runtime stores there.
static_assert(sizeof(Frame::site) == 4 && UINT32_MAX < TP_TASK_SITE_TAGGED);
static_assert(TP_TASK_SITE_TAGGED < (1ull << TP_TASK_REGION_SHIFT));
static_assert((TP_TASK_REGION_BITS << TP_TASK_REGION_SHIFT) < TP_TASK_SITE_PRESET);

} // namespace
} // namespace tp::rt
