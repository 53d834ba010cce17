// SPDX-License-Identifier: Apache-2.0
// The execution DAG as a stream of events: DagReader reads the streams and calls a visitor (a
// pass). No tree is built in memory: a trace of 10^9 tasks is read with the memory of what is alive
// at one moment.
//
// A *frame* is a task, from its spawn to its end, or an external thread outside every task (a root
// frame). The reader owns frames and the tables of what will be joined; the visitor owns what it
// accumulates along paths (Path) and per frame (FrameState::own). All calls come from one thread.
#pragma once

#include "base/ids.h"
#include "dag/loop_part.h"
#include "model/concurrency.h"
#include "model/lock.h"
#include "model/sleep.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>

namespace tp::analysis {

// The longest path to a point. A visitor derives its own type from it (TypedVisitor).
struct Path {};

// What a step begins or ends with. Spawn and Wait name a row: Spawn that of the created task, Wait
// that of the task which the waiting frame created last. FirstUse: first use of oneTBB by an
// external thread. Its row, in results only, is that of the first task created outside of all tasks
// (step_class.h).
enum class BoundaryKind : std::uint8_t {
  Begin,
  FirstUse,
  Spawn,
  Wait,
  BodyBegin,
  BodyEnd,
  Other,
  End
};
inline constexpr std::size_t kBoundaryKinds = static_cast<std::size_t>(BoundaryKind::End) + 1;
struct Boundary {
  BoundaryKind kind = BoundaryKind::Begin;
  Row row = kMainRow;
  bool operator==(const Boundary&) const = default;
};

// Whether a step began with a Join of two halves of a loop, and then whether it joins two results:
// parts that ran one after the other can have one result in common. Unknown: in a trace of version 1.
enum class FoldKind : std::uint8_t { None, Unknown, Joins, Skipped };

// What a visitor sees of a frame.
struct FrameState {
  static constexpr std::size_t kOwnBytes = 4 * sizeof(void*);

  Path* path = nullptr;
  alignas(void*) std::array<std::byte, kOwnBytes> own{}; // the visitor's; zeros at first
  Row row = kMainRow;
  Row last_spawned = kMainRow; // row of the task that it created last; its own row until then
  Boundary opened;             // what the open step began with
  bool is_root = false;
  bool is_split = false;   // an algorithm split it off its spawner's own work
  bool is_stage = false;   // its spawner is another call of a filter of its pipeline
  bool is_thread = false;  // it is a thread that the program created
  bool at_barrier = false; // of a wait that is being joined: it is a barrier of its team
  // The runtime's, to divide a taskloop: it creates others of the loop's tasks. No task of the program's.
  bool divides_taskloop = false;
  bool is_stolen = false; // it began on another thread than it was spawned on
  // It was spawned while recording was paused; once it has begun: no step of it counts so far.
  bool is_left_out = false;
  bool has_no_thread = false; // an implicit task of OpenMP's for which no thread came: it never ran
  FoldKind fold{};            // of the open step
  bool after_portion = false; // the open step began after a portion of a body call
  std::uint64_t steal_delay = 0; // ticks since it and its thief were both available; 0: unknown
};

struct RegionWork {
  RegionId region{};
  std::uint64_t work = 0;
};

// A critical section that began and ended in the step; an acquisition whose section is open at the
// step's end; the end of a section that began in an earlier step. Of a step, in this order: Sections
// and Gives by the time of release, then Takes by the time of acquisition.
enum class LockUseKind : std::uint8_t { Section, Take, Give };
struct LockUse {
  LockUseKind kind = LockUseKind::Section;
  LockObjectId object{};
  LockPlaceId place{};      // not of a Give
  std::uint64_t at = 0;     // of acquisition (Give: release), as work since the step's beginning
  std::uint64_t work = 0;   // Section: inside it
  std::uint64_t waited = 0; // ticks, from the first failed attempt to acquire it
  // Of the step's latency what is known to be in the section: of a Take after it, of a Give before it.
  std::uint64_t latency = 0;
  // Section: it represents so many, which are spread evenly over the step, if it is sampled. `work` is
  // then an estimate of their sum, with this standard error.
  std::uint32_t count = 1;
  std::uint32_t error = 0;
  bool shared = false, is_contended = false, is_sampled = false;
  bool is_outermost = false; // it is known that the thread did not hold the lock before
};

// How a lock was handed over to a thread that had waited for it: ticks up to its acquisition.
struct LockHandedOver {
  LockObjectId object{};
  std::uint64_t waited = 0;
  std::uint64_t since_release = 0; // the last one
  std::uint64_t since_wake = 0; // the last one that woke a thread; 0: none did, or it is not known
};
// A call that released a lock for which others waited, or what it took to name one in the recording: ticks,
// which are no work.
struct LockCall {
  LockObjectId object{};
  std::uint64_t ticks = 0;
  bool wakes = false;
};

// Failed attempts to acquire a lock at a place, by calls that do not wait; and the work of the step from each of them to
// the thread's next attempt, if that is in the same step. No work is in two of these.
struct LockTries {
  LockObjectId object{};
  LockPlaceId place{};
  std::uint64_t tries = 0;
  std::uint64_t work = 0;
};

// Sections of a lock that were not timed, in whatever steps: exclusive, not contended. Their work is an estimate.
struct LockUntimed {
  LockObjectId object{};
  LockPlaceId place{};
  std::uint64_t count = 0;
  std::uint64_t work = 0, error = 0;
};

// What a wait for a lock is charged to: a place that acquired it, by those who held it meanwhile.
struct LockBlame {
  LockObjectId object{};
  LockPlaceId place{};
  std::uint64_t ticks = 0;
};

// Of a step: where a long wait for another thread ended.
struct WaitPoint {
  std::uint64_t work = 0;   // of the step before that
  std::uint64_t asleep = 0; // likewise, with the wait
};

// Ticks; `end` is the first moment after it.
struct TimeSpan {
  std::uint64_t begin = 0, end = 0;
};

// Of a step, in a recording with pauses. LeftOut: it began in a pause, all its figures are 0. Enters:
// the first one of its frame that counts, if the frame began in a pause.
enum class PauseRole : std::uint8_t { None, LeftOut, Enters };

// The longest part of one task's execution on one thread with no spawn, wait, begin or end inside.
struct Step {
  std::uint64_t work = 0;
  std::uint64_t overhead_before = 0; // ticks inside the runtime and the profiler before it
  std::uint64_t asleep = 0;          // time in which the thread slept, in the unit of work
  std::uint64_t latency = 0;         // of it, not waiting for other threads; 0 if that is not known
  std::uint64_t length = 0;          // ticks of wall-clock time
  std::uint64_t begin = 0;           // ticks
  std::uint32_t stream = 0;
  std::span<const RegionWork> regions;
  std::span<const LockUse> locks;
  std::span<const std::uint64_t> extra; // values of the run's extra events
  Boundary opened, closed;              // what it began and ended with
  FoldKind fold = FoldKind::None;
  bool after_portion = false; // it began inside a body call, after a portion of it
  PauseRole pause = PauseRole::None;
  // Before the first oneTBB call of its thread, and left out of the profile, so that it has no work;
  // what it would have.
  bool is_left_out = false;
  std::uint64_t left_out_work = 0;
  PoolId pool = kNoPool; // where it began
  std::span<const PoolChange>
      moves{}; // in order; work and latency never decrease, nor exceed the step's
  std::span<const LockBlame> blames{};  // of the waits of `locks`, as far as the holders are known
  const SleepTimes* slept_in = nullptr; // of its latency; null: nothing is known
  std::span<const LockHandedOver> handed_over{}; // as far as it is known
  std::span<const LockCall> lock_calls{};        // part of overhead_before
  std::span<const WaitPoint> waits{};            // in order, as moves
  // When its thread waited for locks, or in loops that it announced: no work. In order; in recordings with samples.
  std::span<const TimeSpan> waited{};
  std::span<const LockTries> lock_tries{};
  std::span<const LockUntimed> untimed{}; // recorded in it, of other steps
  bool in_body = false;                   // part of a body call of a loop

  // Of overhead_before: calls that wake threads are no tasking overhead.
  std::uint64_t ticks_of_lock_calls() const {
    std::uint64_t ticks = 0;
    for (const LockCall& call : lock_calls)
      ticks += call.ticks;
    return ticks < overhead_before ? ticks : overhead_before;
  }
};

// Calls `add` for each part of the step that was in a pool and has work or latency: with the pool, and how far the
// step's work and latency had come where the part began and ended.
template <typename Add>
void for_each_pool(const Step& step, const Add& add) {
  PoolChange begin{.pool = step.pool};
  const auto add_until = [&](const PoolChange& end) {
    if (begin.pool != kNoPool && (end.work > begin.work || end.latency > begin.latency))
      add(begin.pool, begin, end);
    begin = end;
  };
  for (const PoolChange& change : step.moves)
    add_until(change);
  add_until({.work = step.work, .latency = step.latency});
}

// Which path survives where two of equal length meet. A child wins against the continuation, of two
// tasks that of the one that comes first in the tree (tree_order.h).
enum class Tie : std::uint8_t { Into, From };

// The order of calls is a topological order of the DAG. The reader decides when paths are made,
// copied and dropped, the visitor implements it: each Path in a call comes from new_path() or
// copy_path() of the same visitor, and is dropped exactly once, by drop_path(). A visitor does not
// keep a Path that it did not make itself.
class DagVisitor {
public:
  virtual ~DagVisitor() = default;

  virtual Path* new_path() = 0; // empty, length 0; the reader's until drop_path()
  virtual Path* copy_path(const Path& path) = 0;
  virtual void drop_path(Path* path) = 0;
  // `into` becomes the longer of both. True: that is `from`; a visitor to which it makes no
  // difference which of two equal paths survives may always return false. The reader still owns
  // `from`.
  virtual bool join_path(Path& into, const Path& from, Tie tie) = 0;
  // `into` becomes a copy of `from`.
  virtual void assign_path(Path& into, const Path& from) = 0;
  // A wait of `frame` is over. `fresh`: the longest end of what it joins; `again`: of what this
  // frame has joined before in the same scope. Either may be null.
  virtual void wait_joined(FrameState& frame, Path* fresh, Path* again) = 0;

  // The next lock object; before the first step that uses it.
  virtual void lock_object(LockObjectId, const LockObjectInfo&) {}
  // `of` is where locks of another kind, or in another variable, are acquired; those that are `place` have a number of their own.
  virtual void lock_place(LockPlaceId /*place*/, LockPlaceId /*of*/) {}
  // A root frame begins; its path is new.
  virtual void root_begun(FrameState&) {}
  // `child.path` and `child.row` are set; the path is a copy of the parent's.
  virtual void spawned(const FrameState& parent, FrameState& child) = 0;
  // `child`, which has just been spawned, is what one thread runs of a loop whose chunks the threads of its team take
  // while they run it: of the team's `number`-th such loop. `team` is a number of the team.
  virtual void shares_loop(FrameState& /*child*/, std::uint64_t /*team*/,
                           std::uint32_t /*number*/) {}
  virtual void begun(FrameState&) {}
  // `divides_taskloop` of the frame, which has begun, is set: it is about to create a task for the first time.
  virtual void taskloop_divided(FrameState&) {}
  // The frame's path has been reassigned: it does not come after its spawn.
  virtual void restarted(FrameState&) {}
  // The frame's path comes after one more edge.
  virtual void delayed(FrameState&) {}
  virtual void step(FrameState& frame, const Step& step) = 0;
  // A thread had nothing to run. Ticks; in the order of the stream, with its steps.
  virtual void idle(std::uint32_t /*stream*/, std::uint64_t /*begin*/, std::uint64_t /*end*/) {}
  virtual void loop_begin(FrameState&) {}
  // A portion of the body call is over: the path from its beginning, or from the last portion's end.
  virtual void portion_end(FrameState&, const LoopPart&) {}
  // The results of the last two portions whose LoopPart::joins is set, and that are not joined yet, have
  // been joined, by what was executed since the last portion's end. The result counts as a portion.
  virtual void portions_joined(FrameState&) {}
  // `whole`: the body call with all of its portions.
  virtual void loop_end(FrameState&, const LoopPart& /*whole*/) {}
  // The frame is about to pass a fold node: to join what it did with the other half.
  virtual void folds(FrameState&) {}
  // The frame is over. The reader drops the path later: joins may still read it. `tie`: against the
  // longest of the ends so far. True, as by join_path(): the frame's is the longest now.
  virtual bool ended(FrameState& frame, Tie tie) = 0;
  // The longest end of tasks that no wait has joined and none will.
  virtual void left_unjoined(const Path&) {}
  // A task that never began.
  virtual void abandoned(FrameState&) {}
};

struct NoFrameData {};

// A visitor with types of its own for what it keeps along a path and per frame. Every Path that it
// is called with is a PathType, and FrameState::own contains a FrameData; the first value of a
// FrameData is all zeros.
template <typename PathType, typename FrameData = NoFrameData>
class TypedVisitor : public DagVisitor {
protected:
  static PathType& typed(Path& path) { return static_cast<PathType&>(path); }
  static const PathType& typed(const Path& path) { return static_cast<const PathType&>(path); }
  static PathType* typed(Path* path) { return static_cast<PathType*>(path); }
  static PathType& path_of(const FrameState& frame) { return static_cast<PathType&>(*frame.path); }
  static FrameData& data_of(FrameState& frame) {
    static_assert(sizeof(FrameData) <= FrameState::kOwnBytes &&
                  alignof(FrameData) <= alignof(void*));
    static_assert(std::is_trivially_copyable_v<FrameData>);
    return *std::launder(reinterpret_cast<FrameData*>(frame.own.data()));
  }
  static const FrameData& data_of(const FrameState& frame) {
    return *std::launder(reinterpret_cast<const FrameData*>(frame.own.data()));
  }
};

} // namespace tp::analysis
