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

// What a visitor sees of a frame.
struct FrameState {
  static constexpr std::size_t kOwnBytes = 4 * sizeof(void*);

  Path* path = nullptr;
  alignas(void*) std::array<std::byte, kOwnBytes> own{}; // the visitor's; zeros at first
  Row row = kMainRow;
  Row last_spawned = kMainRow; // row of the task that it created last; its own row until then
  Boundary opened;             // what the open step began with
  bool is_root = false;
  bool is_split = false;         // an algorithm split it off its spawner's own work
  bool is_stolen = false;        // it began on another thread than it was spawned on
  std::uint64_t steal_delay = 0; // ticks since it and its thief were both available; 0: unknown
};

struct RegionWork {
  RegionId region{};
  std::uint64_t work = 0;
};

// The longest part of one task's execution on one thread with no spawn, wait, begin or end inside.
struct Step {
  std::uint64_t work = 0;
  std::uint64_t overhead_before = 0; // ticks inside the runtime and the profiler before it
  std::uint64_t length = 0;          // ticks of wall-clock time
  std::uint64_t begin = 0;           // ticks
  std::uint32_t stream = 0;
  std::span<const RegionWork> regions;
  std::span<const std::uint64_t> extra; // values of the run's extra events
  Boundary opened, closed;              // what it began and ended with
};

// Which path survives where two of equal length meet. A child wins against the continuation; the
// child that was spawned first (lower rank) wins against later ones.
enum class Tie : std::uint8_t { Into, From, LowerRank };

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
  virtual void set_rank(Path&, std::uint64_t /*rank*/) {}
  // `into` becomes the longer of both. Its rank changes only with Tie::LowerRank. The reader
  // still owns `from`.
  virtual void join_path(Path& into, const Path& from, Tie tie) = 0;
  // `into` becomes a copy of `from`, but keeps its rank.
  virtual void assign_path(Path& into, const Path& from) = 0;
  // A wait of `frame` is over. `fresh`: the longest end of what it joins; `again`: of what this
  // frame has joined before in the same scope. Either may be null.
  virtual void wait_joined(FrameState& frame, Path* fresh, Path* again) = 0;

  // A root frame begins; its path is new.
  virtual void root_begun(FrameState&) {}
  // `child.path` and `child.row` are set; the path is a copy of the parent's.
  virtual void spawned(const FrameState& parent, FrameState& child) = 0;
  virtual void begun(FrameState&) {}
  // The frame's path has been reassigned: it does not come after its spawn.
  virtual void restarted(FrameState&) {}
  virtual void step(FrameState& frame, const Step& step) = 0;
  virtual void loop_begin(FrameState&) {}
  virtual void loop_end(FrameState&, std::uint64_t /*iterations*/, std::uint64_t /*grain*/) {}
  // The frame is over. The reader drops the path later: joins may still read it.
  virtual void ended(FrameState& frame) = 0;
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
