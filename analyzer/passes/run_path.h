// SPDX-License-Identifier: Apache-2.0
// RUN PATH: why the run took as long as it did (Huynh and Taura, "Critical Path Analysis for
// Characterizing Parallel Runtime Systems", sections 3 and 4). Backwards from the end of the
// program: of everything that a step had to wait for, what ended last. At each moment of this path
// a step is running, or one is ready that no thread runs. So its length is the elapsed time, in
// three parts:
//
//   running          a step of the path ran
//   busy delay       the next one was ready, and every CPU ran another step: ample parallelism
//   scheduler delay  it was ready, and at least one CPU ran no step
//
// Delays are distinguished by the edge of the DAG that they are on. This is the path of one run, in
// time; the critical path of the other passes is that of the program, in work.
#pragma once

#include "base/pool.h"
#include "dag/dag_visitor.h"
#include "model/run_delays.h"
#include "passes/idle_time.h"
#include "passes/path_composition.h"

#include <cstdint>
#include <vector>

namespace tp::analysis {

struct RunTrack : Path {
  SegmentId composition = kNoSegment;
  bool started = false;
  EdgeKind next = EdgeKind::Inside;
  std::uint64_t end = 0; // of its last step
};

class RunPath final : public TypedVisitor<RunTrack> {
public:
  explicit RunPath(const IdleTime& idle) : idle_(idle), segments_(owner_) {}

  // By row of the step that ran, or started late; as many as rows were seen on the path.
  IdVector<Row, RunPathPart> rows() const;

  Path* new_path() override { return tracks_.make(); }
  Path* copy_path(const Path& path) override;
  void drop_path(Path* path) override;
  bool join_path(Path& into, const Path& from, Tie) override {
    join(typed(into), typed(from));
    return false;
  }
  void assign_path(Path& into, const Path& from) override { take(typed(into), typed(from)); }
  void wait_joined(FrameState& frame, Path* fresh, Path* again) override;
  void spawned(const FrameState& parent, FrameState& child) override;
  void restarted(FrameState& frame) override { path_of(frame).next = EdgeKind::End; }
  void step(FrameState& frame, const Step& step) override;
  bool ended(FrameState& frame, Tie) override {
    join(longest_, path_of(frame));
    return false;
  }

private:
  bool join(RunTrack& into, const RunTrack& from);
  void take(RunTrack& into, const RunTrack& from);
  void add(RunTrack& of, Row row, std::size_t what, std::uint64_t ticks);

  const IdleTime& idle_;
  NoExtra::Owner owner_;
  SegmentStore<std::uint64_t> segments_;
  Pool<RunTrack> tracks_;
  RunTrack longest_;
};

} // namespace tp::analysis
