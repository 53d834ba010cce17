// DAG RECORDER: the visitor that keeps the DAG (dag.h) instead of folding it.
//
// A Path is a point of the DAG: the end of a node, or a join of several ends. What the reader joins
// step by step (the ends of a scope's tasks) becomes one join that grows as long as nobody else
// holds its path. A wait blocks its task, as oneTBB's do; any other join of a running frame (fold
// nodes, edges between tasks) detaches: whoever comes last goes on with the rest, nobody waits.
#pragma once

#include "base/pool.h"
#include "dag/dag_visitor.h"
#include "simulate/recorded_dag.h"

#include <array>
#include <cstdint>

namespace tp::analysis {

// What a step costs on a worker, in the unit of work: its work without what recording added to it,
// after the tasking overhead of the boundary that it opens with.
struct StepCosts {
  std::uint64_t recording = 0; // in each step
  std::array<std::uint64_t, kBoundaryKinds> overhead{};
};

class DagRecorder final : public DagVisitor {
public:
  explicit DagRecorder(const StepCosts& costs, std::size_t nodes_expected = 0);

  // False once the DAG is larger than kMostDagNodes, or a sum of costs than 64 bits: it is then
  // worth nothing.
  bool fits() const { return fits_; }
  Dag& dag() { return dag_; }
  // Sums over all steps.
  std::uint64_t work() const { return work_; }
  std::uint64_t overhead() const { return overhead_; }

  Path* new_path() override { return make(); }
  Path* copy_path(const Path& path) override;
  void drop_path(Path* path) override;
  void set_rank(Path&, std::uint64_t) override {}
  void join_path(Path& into, const Path& from, Tie tie) override;
  void assign_path(Path& into, const Path& from) override;
  void wait_joined(FrameState& frame, const Path* fresh, const Path* again) override;
  void root_begun(FrameState& frame) override;
  void spawned(const FrameState& parent, FrameState& child) override;
  void begun(FrameState&) override {}
  void restarted(FrameState&) override {}
  void step(FrameState& frame, const Step& step) override;
  void loop_begin(FrameState&) override {}
  void loop_end(FrameState&, std::uint64_t, std::uint64_t) override {}
  void ended(FrameState& frame) override;
  void left_unjoined(const Path&) override {}
  void abandoned(FrameState&) override {}

private:
  struct Point {
    enum Kind : std::uint8_t { Nowhere, Node, Join } kind = Nowhere;
    std::uint32_t id = kNoDagId;
  };
  // What a Path is here. Of a running frame: its last node, and how the next one will be reached.
  struct Track {
    Point point;               // not running: the end; running: last node, or the spawner's
    bool running = false;      // a frame extends it
    bool detached = false;     // running: the next node starts when the join `point` is over
    bool first = false;        // running: the next node is the first of its task
    mutable bool alone = true; // nobody else knows the point: the node or join may still grow
  };
  static Track& track(const Path& path);
  Path* make();
  Point point_of(const Track& track) const;
  DagNodeId add_node(Track& track, std::uint64_t cost);
  DagJoinId add_join();
  DagJoinId joined(Track& track);
  void signal(const Point& from, DagJoinId join);
  void add_effect(Effect& to, Effect effect);

  const StepCosts costs_;
  Dag dag_;
  Pool<Track> tracks_;
  std::uint64_t work_ = 0, overhead_ = 0;
  bool fits_ = true;
};

} // namespace tp::analysis
