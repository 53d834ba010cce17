// SPDX-License-Identifier: Apache-2.0
// RUN PATH: why the run took as long as it did (Huynh and Taura, "Critical Path Analysis for
// Characterizing Parallel Runtime Systems", sections 3 and 4). Backwards from the end of the
// program: of everything that a step had to wait for, what ended last. At each moment of this path
// a step is running, or one is ready that no thread runs. So its length is the elapsed time, in
// four parts:
//
//   running          a step of the path ran: on a CPU, asleep, or without a CPU
//   in locks         it waited for a lock, which code of other steps held
//   busy delay       the next one was ready, and every CPU ran another step: ample parallelism
//   scheduler delay  it was ready, and at least one CPU ran no step: because the threads that could
//                    have run it were inside other steps, asleep (blocked) or without their CPU
//                    (taken), or although one of them had nothing to do
//
// Delays are distinguished by the edge of the DAG that they are on. This is the path of one run, in
// time; the critical path of the other passes is that of the program, in work.
#pragma once

#include "base/pool.h"
#include "dag/dag_visitor.h"
#include "model/run_delays.h"
#include "passes/idle_time.h"
#include "passes/interval_sums.h"
#include "passes/path_composition.h"
#include "passes/step_class.h"

#include <cstdint>
#include <vector>

namespace tp::analysis {

struct RunTrack : Path {
  SegmentId composition = kNoSegment;
  bool started = false;
  EdgeKind next = EdgeKind::Inside;
  std::uint64_t end = 0; // of its last step
};

// What ran and what was ready at each time of the run, in ticks per bucket.
struct RunPictures {
  static constexpr std::size_t kBuckets = 960;
  RunPictures(std::uint64_t first_time, std::uint64_t last_time, bool work_is_time);
  const std::uint64_t first, length;
  const bool work_is_time; // then a step's work is its time on a CPU
  IdVector<Row, IntervalSums> running;
  std::vector<IntervalSums> ready; // by EdgeKind
  IntervalSums left_out; // of steps that are left out of the profile, which are not in `running`
  IntervalSums no_cpu;   // of all steps
};

class RunPath final : public TypedVisitor<RunTrack> {
public:
  // `ticks_per_work`: 0 if the unit of work is not time; `sleep_in_ticks`: whether the steps' sleep is
  // known, and in ticks. `pictures`: null, or filled along the way.
  RunPath(const IdleTime& idle, double ticks_per_work, bool sleep_in_ticks,
          RunPictures* pictures = nullptr)
      : idle_(idle), ticks_per_work_(ticks_per_work), sleep_in_ticks_(sleep_in_ticks),
        pictures_(pictures), segments_(owner_) {}

  // By row of the step that ran, or started late; as many as rows were seen on the path.
  IdVector<Row, RunPathPart> rows() const;
  // Idle ticks while steps of a class ran (IdleTime::share_of_idle).
  const IdVector<StepClassId, double>& idle_beside() const { return idle_beside_; }
  const IdVector<StepClassId, StepClass>& classes() const { return classes_.classes(); }
  // The path in its order, in ticks since its beginning. Exact sums; positions are exact to a bucket.
  // Only with pictures.
  struct Part {
    std::uint64_t from = 0, to = 0;
    Row row = kMainRow;
    std::uint32_t kind = 0; // 0: running; else 1 + EdgeKind
  };
  std::vector<Part> in_order() const;

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
  void add_running(RunTrack& of, Row row, const Step& step, std::uint64_t ticks);
  void draw(const RunTrack& of, Row row, const Step& step);
  std::uint64_t off_cpu(const Step& step) const;
  std::uint64_t waited_for_locks(const Step& step) const;

  const IdleTime& idle_;
  const double ticks_per_work_;
  const bool sleep_in_ticks_;
  RunPictures* const pictures_;
  NoExtra::Owner owner_;
  SegmentStore<std::uint64_t> segments_;
  StepClassTable classes_;
  IdVector<StepClassId, double> idle_beside_;
  Pool<RunTrack> tracks_;
  RunTrack longest_;
};

} // namespace tp::analysis
