// SPDX-License-Identifier: Apache-2.0
// DAG RECORDER: the visitor that stores the DAG (recorded_dag.h) instead of folding it.
//
// A Path is a point of the DAG: the end of a node, or a join of several ends. What the reader joins
// step by step (the ends of a scope's tasks) becomes one join, which grows as long as no other path
// refers to it. A wait blocks its task, as oneTBB's do. Any other join of a running frame (fold
// nodes, edges between tasks) detaches: the worker that comes last continues with the rest, and
// none waits.
//
// With a choice of locks, a step is cut where it takes one and where it gives it back. A section that is
// inside another of its lock and task is a part of it; one that does not end in its task is left out.
//
// The chunks of a shared loop are in the order in which they began. One that holds a lock longer than for a chunk is
// recorded as if it did not take it.
//
// While a step sleeps (its latency), its worker runs nothing else. A thread that the program creates
// needs none: its sleep is a node without one, after the step's work.
#pragma once

#include "base/pool.h"
#include "dag/dag_visitor.h"
#include "model/concurrency.h"
#include "simulate/lock_cuts.h"
#include "simulate/recorded_dag.h"

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tp::analysis {

// The cost of a step on a worker, in the unit of work: its work without what recording added to it,
// after the tasking overhead of the boundary that it opens with.
struct StepCosts {
  std::uint64_t recording = 0; // in each step
  std::array<std::uint64_t, kBoundaryKinds> overhead{};
};

// A point of the DAG.
struct DagPoint {
  enum Kind : std::uint8_t { Nowhere, Node, Join } kind = Nowhere;
  std::uint32_t id = kNoDagId;
};

// A path. Of a running frame: its last node, and how its next node will be reached.
struct DagTrack : Path {
  PoolId pool = kNoPool;     // of the last node of the running frame
  DagPoint point;            // not running: the end; running: last node, or the spawner's
  bool running = false;      // a frame extends it
  bool detached = false;     // running: the next node starts when the join `point` is over
  bool first = false;        // running: the next node is the first of its task
  mutable bool alone = true; // no other path refers to the point: the node or join may still grow
};

struct RecordedFrame {
  // Of what one thread runs of a shared loop: the loop, and its turns, as numbers plus one; 0: none.
  std::uint32_t loop = 0;
  DagTurnId member = 0, turn = 0; // its first turn, and the one that it is in
  bool is_inside = false;         // it was created while its creator held a lock, or by such a task
};

class DagRecorder : public TypedVisitor<DagTrack, RecordedFrame> {
public:
  // `locks`: null for none.
  explicit DagRecorder(const StepCosts& costs, std::size_t nodes_expected = 0,
                       const LockChoice* locks = nullptr);

  // False if the DAG has more than kMostDagNodes nodes, or a sum of costs exceeds 64 bits: the DAG
  // is then useless.
  bool fits() const { return fits_; }
  // Of a trace that has been read.
  Dag& dag();
  // Sums over all steps.
  std::uint64_t work() const { return work_; }
  std::uint64_t overhead() const { return overhead_; }
  std::uint64_t latency() const { return latency_; } // on workers
  std::uint64_t asleep() const { return asleep_; }   // of threads that the program creates

  Path* new_path() override { return tracks_.make(); }
  Path* copy_path(const Path& path) override;
  void drop_path(Path* path) override;
  bool join_path(Path& into, const Path& from, Tie tie) override;
  void assign_path(Path& into, const Path& from) override;
  void wait_joined(FrameState& frame, Path* fresh, Path* again) override;
  void root_begun(FrameState& frame) override;
  void spawned(const FrameState& parent, FrameState& child) override;
  void restarted(FrameState& frame) override;
  void shares_loop(FrameState& child, std::uint64_t team, std::uint32_t number) override;
  void loop_begin(FrameState& frame) override;
  void step(FrameState& frame, const Step& step) override;
  bool ended(FrameState& frame, Tie tie) override;

protected:
  // Of a step, without what recording added.
  std::uint64_t work_of(const Step& step) const;
  std::uint64_t overhead_of(const FrameState& frame, const Step& step) const;
  // As if the step had this work. `inside`: or this one, if all of it were in sections of locks.
  void add_step(FrameState& frame, const Step& step, std::uint64_t work, std::uint64_t overhead,
                std::uint64_t inside);
  // As if the work of the step, outside of its own sections of locks, were that of tasks which it creates and waits for: so
  // many, or fewer, of which each does `least` or more.
  void add_divided_step(FrameState& frame, const Step& step, std::uint64_t work,
                        std::uint64_t overhead, std::uint64_t tasks, std::uint64_t least);
  // Its task is part of a section of a lock that another task holds. Those that wait for the lock run nothing meanwhile.
  static bool is_inside(const FrameState& frame) { return data_of(frame).is_inside; }

private:
  struct Division {
    std::uint64_t tasks = 1, least = 1;
  };
  void add_parts(FrameState& frame, const Step& step, std::uint64_t work, std::uint64_t overhead,
                 std::uint64_t inside, const Division& division);
  // A section of a task that has not ended. kNoDagId: it is inside another one.
  struct OpenSection {
    LockObjectId object;
    bool shared;
    DagNodeId take;
  };
  using OpenSections = std::vector<OpenSection>;

  void add_cut(const FrameState& frame, DagTrack& of, const LockCut& cut, PoolId pool);
  void leave_out(const OpenSections& sections);
  void forget_sections(const FrameState& frame);
  void add_part(DagTrack& of, std::uint64_t cost, PoolId pool);
  void add_tasks(DagTrack& of, std::uint64_t cost, PoolId pool, const Division& division);
  DagPoint point_of(const DagTrack& track) const;
  DagNodeId add_node(DagTrack& of, std::uint64_t cost, PoolId pool);
  DagNodeId add_first_node(PoolId pool);
  DagTurnId add_turn(std::uint32_t loop);
  void end_turn(FrameState& frame);
  DagJoinId add_join();
  DagJoinId joined(DagTrack& of);
  void signal(const DagPoint& from, DagJoinId join);
  void add_effect(Effect& to, Effect effect);

  const StepCosts costs_;
  const LockChoice* const locks_;
  LockCutter cutter_;
  std::unordered_map<const FrameState*, OpenSections> open_;               // of tasks that have any
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> loops_; // by team and number
  Dag dag_;
  Pool<DagTrack> tracks_;
  std::uint64_t work_ = 0, overhead_ = 0, latency_ = 0, asleep_ = 0;
  bool fits_ = true;
};

} // namespace tp::analysis
