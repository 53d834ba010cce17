// SPDX-License-Identifier: Apache-2.0
// DAG FOLD: the visitor that drives all passes that fold over one reading of the streams.
// TraceReadings makes one per reading, passes it to DagReader, and asks for the results. It neither
// prints nor opens files. One thread per DagFold.
#pragma once

#include "dag/dag_visitor.h"
#include "model/read_summary.h"
#include "model/sleep.h"
#include "passes/calling_context.h"
#include "passes/lock_hand_overs.h"
#include "passes/site_profile.h"
#include "passes/step_class.h"
#include "passes/step_samples.h"
#include "passes/thread_work.h"
#include "passes/timeline.h"
#include "passes/what_if.h"
#include "passes/work_span.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace tp::analysis {

// The divisible lengths of a path (work_span.h).
struct DivisibleLengths {
  std::uint64_t equal = 0;   // kDivisible
  std::uint64_t at_most = 0; // kDivisibleAtMost
  void join(const DivisibleLengths& other) {
    equal = std::max(equal, other.equal);
    at_most = std::max(at_most, other.at_most);
  }
};

// The end of a portion whose result will be joined; the one before it is `outer`.
struct PortionEnd {
  DivisibleLengths lengths;
  PortionEnd* outer = nullptr;
};

// The body calls (leaves) of one task, and their portions. How many calls a partitioner gives to one
// task depends on the number of threads, so for the divisible lengths they run in parallel: each
// starts where the first one did.
struct LoopMark {
  LoopMark* outer = nullptr;
  bool open = false;        // a body call is in progress
  DivisibleLengths begin;   // where body calls begin
  DivisibleLengths longest; // end of the longest body call so far
  // Body calls whose results would have to be joined, if each had been a task.
  std::uint64_t to_join_calls = 0;
  // Of the body call in progress.
  std::uint64_t in_portions = 0; // iterations
  bool has_portions = false;     // more than one part
  bool creates_tasks = false;
  DivisibleLengths longest_portion; // end
  PortionEnd* to_join = nullptr;    // innermost: the last
};

// A frame as DagFold keeps it.
struct FoldFrame {
  SiteFrame site;
  LoopMark* loop = nullptr; // the innermost loop with an open body call, or the last one
  ContextId context = kRootContext;
  bool has_step = false; // with contexts
};

struct FoldSetup {
  const WhatIfPlan& plan;
  const IdVector<Row, std::uint32_t>& callers; // per row, a number of its function; outlives the
                                               // fold
  std::size_t regions = 0;
  WhatIfMode mode = WhatIfMode::Parallelize;
  bool sites = false;               // the profile of sites; not with `contexts`
  std::span<const Row> chains = {}; // rows whose longest chains are asked for; with `sites`
  bool composition = false;         // what the followed path is made of
  bool pools = false;               // what of each set of the plan ran in each pool
  std::uint64_t burden = 0;         // of a migration, in units of work
  // Totals per calling context instead of step classes, and a timeline.
  std::optional<TimelineSetup> contexts;
  // Samples to be filed under steps, outlive the fold; null: none. Without `weights` they are counted per
  // class, with them the work of each step is divided among the code that its samples hit.
  const SampledCode* samples = nullptr;
  const SampleWeights* weights = nullptr;
  // Per row, the work of joining two results of its loops, for the joins of leaves that were not
  // split; null: nothing. Outlives the fold.
  const IdVector<Row, std::uint64_t>* join_costs = nullptr;
};

class DagFold final : public TypedVisitor<FoldPath, FoldFrame> {
public:
  struct StepTotals { // of a class of steps, or of a calling context
    std::uint64_t work = 0;
    std::uint64_t in_bodies = 0; // of it, in body calls of loops
    std::uint64_t longest = 0;   // work of one step
    std::uint64_t steps = 0;
    std::uint64_t overhead_before = 0; // ticks
    std::uint64_t length = 0;          // ticks of wall-clock time
    std::uint64_t asleep = 0, latency = 0;
    std::uint64_t critical_work = 0; // on the followed path; times the factor of its scenario
  };
  struct Results {
    std::uint64_t work = 0; // T1
    std::uint64_t span = 0, divisible_span = 0, divisible_span_at_most = 0;
    // The latency of all steps, and the longest path of work and latency.
    std::uint64_t latency = 0, span_with_latency = 0;
    // Of the span: before the first task on the longest path, and after the last one.
    std::uint64_t span_before = 0, span_after = 0;
    bool left_unjoined = false; // there were tasks that no wait joins
    std::uint64_t burdened_cilk = 0, burdened_tbb = 0;
    IdVector<Row, RowTotals> rows; // local span on span adds up to `span`
    IdVector<StepClassId, StepClass> classes;
    IdVector<StepClassId, StepTotals> class_totals;
    std::map<StepClassId, SleepTimes> class_sleep; // of their latency, where any is known
    ThreadWork thread_work;                        // with `sites` only
    IdVector<RegionId, std::uint64_t>
        region_critical_work; // of this run: with no scenario followed
    struct RegionTotals {
      std::uint64_t work = 0, steps = 0;
      std::vector<Row> rows; // whose steps have work inside it, in no order
    };
    IdVector<RegionId, RegionTotals> regions; // with `sites` only
    // Ticks before the steps that begin with a boundary of each kind; with `sites` only.
    std::array<LogHistogram, kBoundaryKinds> overheads_before;
    LockHandOvers::Results hand_overs; // with `sites` only
    std::vector<WhatIfLength> what_if; // one per scenario
    // With FoldSetup::samples, without weights: per class; with FoldSetup::contexts, per context.
    IdVector<StepClassId, ClassSamples> samples;
    std::uint64_t filed_samples = 0; // under any step
    std::uint64_t samples_in_waits = 0;
    // With weights: of all steps; on the longest path.
    IdVector<CodeId, std::uint64_t> code_work, code_critical_work;
    // Only with FoldSetup::contexts, and then instead of the classes.
    IdVector<ContextId, CallingContextTree::Node> contexts;
    IdVector<ContextId, StepTotals> context_totals;
    std::vector<CallingContextTree::Edge> context_edges;
    std::vector<Timeline::Slice> timeline;
    std::optional<Timeline::Counters> counters;
    // What ran under limits of concurrency; nothing in pool 0. With `sites` only.
    struct PoolTotals {
      // Latency of steps that were in the pool from begin to end.
      std::uint64_t work = 0, latency = 0;
      IdVector<Row, std::uint64_t> work_of_rows;
    };
    IdVector<PoolId, PoolTotals> pools;
    // Work of each of the plan's sets, per pool and row. With `pools` only. Of a step that changed its pool while a part
    // of it is in a set, each pool has as much of that part as it can have.
    IdVector<PoolId, std::map<Row, std::vector<std::uint64_t>>> sets_in_pools;
  };

  explicit DagFold(const FoldSetup& setup);
  Results results();

  Path* new_path() override { return paths_.make(); }
  Path* copy_path(const Path& path) override { return paths_.copy(typed(path)); }
  void drop_path(Path* path) override { paths_.drop(&typed(*path)); }
  bool join_path(Path& into, const Path& from, Tie tie) override {
    return paths_.join(typed(into), typed(from), tie);
  }
  void assign_path(Path& into, const Path& from) override {
    paths_.assign(typed(into), typed(from));
  }
  void wait_joined(FrameState& frame, Path* fresh, Path* again) override {
    FoldPath& path = path_of(frame);
    paths_.join_wait(path, typed(fresh), typed(again), frame.opened.row);
    if (frame.is_root && fresh)
      path.last_join = path.executed() + 1;
  }
  void root_begun(FrameState& frame) override;
  void spawned(const FrameState& parent, FrameState& child) override;
  void restarted(FrameState& frame) override {
    if (setup_.sites)
      sites_.restarted(data_of(frame).site, path_of(frame).executed());
  }
  void delayed(FrameState& frame) override { restarted(frame); }
  void begun(FrameState& frame) override {
    FoldFrame& own = data_of(frame);
    if (setup_.sites) {
      sites_.begun(own.site, frame, path_of(frame).executed());
      paths_.enter(path_of(frame), *own.site.task);
      if (frame.has_no_thread)
        sites_.not_of_program(own.site, frame);
    }
    if (setup_.contexts && !frame.is_left_out && !frame.has_no_thread)
      contexts_.begun(own.context);
  }
  void taskloop_divided(FrameState& frame) override {
    FoldFrame& own = data_of(frame);
    if (setup_.sites)
      sites_.not_of_program(own.site, frame);
    if (setup_.contexts && !frame.is_left_out)
      contexts_.begun_for_runtime(own.context);
  }
  void lock_object(LockObjectId id, const LockObjectInfo& info) override {
    hand_overs_.object(id, info);
  }
  void step(FrameState& frame, const Step& step) override;
  void idle(std::uint32_t stream, std::uint64_t begin, std::uint64_t end) override {
    if (setup_.contexts)
      timeline_.idle(stream, begin, end);
  }
  void loop_begin(FrameState& frame) override;
  void portion_end(FrameState& frame, const LoopPart& part) override;
  void portions_joined(FrameState& frame) override;
  void loop_end(FrameState& frame, const LoopPart& whole) override;
  void folds(FrameState& frame) override { join_calls(frame); }
  bool ended(FrameState& frame, Tie tie) override;
  void left_unjoined(const Path& path) override;
  void abandoned(FrameState& frame) override;

  // Numbers of objects alive, for the tests of bounded memory.
  std::size_t live_paths() const { return paths_.live(); }
  std::size_t live_segments() { return paths_.segments().live(); }
  std::size_t live_invocations() const { return sites_.live(); }

private:
  DivisibleLengths end_part(FrameState& frame, const LoopPart& part);
  void enter(FrameState& frame);
  void push_portion(LoopMark& mark, const DivisibleLengths& end);
  std::optional<DivisibleLengths> take_portion(LoopMark& mark);
  void join_calls(FrameState& frame);
  void add_joins(FrameState& frame, std::uint64_t count);
  void drop_loops(FoldFrame& frame);
  void check_burdens() const;
  void add_burden(const FrameState& parent, const FrameState& child);
  void add_to_pools(Row row, const Step& step);
  void add_sets_to_pools(Row row, const Step& step);
  void add_row_totals(Results& results) const;
  void add_path_totals(Results& results);

  const FoldSetup setup_;
  const std::uint64_t most_work_; // with more, lengths would overflow
  SiteProfile sites_;
  PathStore paths_;
  StepClassTable classes_;
  IdVector<StepClassId, StepTotals> class_totals_;
  std::map<StepClassId, SleepTimes> class_sleep_;
  ThreadWork thread_work_;
  CallingContextTree contexts_;
  IdVector<ContextId, StepTotals> context_totals_;
  Timeline timeline_;
  IdVector<RegionId, Results::RegionTotals> regions_;
  IdVector<PoolId, Results::PoolTotals> pools_;
  IdVector<PoolId, std::map<Row, std::vector<std::uint64_t>>> sets_in_pools_;
  std::vector<std::uint64_t> inside_before_; // scratch: work of each set, before the step
  std::array<LogHistogram, kBoundaryKinds> overheads_before_;
  LockHandOvers hand_overs_;
  std::optional<StepSamples> samples_;
  Pool<LoopMark> loops_;
  Pool<PortionEnd> portion_ends_;
  std::uint64_t work_ = 0;
  std::uint64_t latency_ = 0;
  std::uint64_t burdens_ = 0; // by how much burdened lengths may exceed the work
  FoldPath* longest_;         // over all ends so far; owned
  bool left_unjoined_ = false;
};

} // namespace tp::analysis
