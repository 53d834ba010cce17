// The visitor that drives all passes over one reading of the streams. main.cpp makes one, gives it
// to DpstReader, and asks for the results. Nothing here prints or opens files.
#pragma once

#include "dag/dag_visitor.h"
#include "model/read_summary.h"
#include "passes/calling_context.h"
#include "passes/site_profile.h"
#include "passes/step_class.h"
#include "passes/timeline.h"
#include "passes/what_if.h"
#include "passes/work_span.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace tp::analysis {

// The body calls (leaves) of one task. How many calls a partitioner gives to one task depends on
// the number of threads, so as divisible they are side by side: each starts where the first one
// did.
struct LoopMark {
  LoopMark* outer = nullptr;
  bool open = false;           // a body call is in progress
  std::uint64_t divisible = 0; // length of the path where body calls begin
  std::uint64_t longest = 0;   // end of the longest body call so far
};

struct AnalysisSetup {
  const WhatIfPlan& plan;
  const std::vector<std::uint32_t>& callers; // per row, a number of its function
  std::size_t regions = 0;
  WhatIfMode mode = WhatIfMode::Parallelize;
  bool sites = false;       // the profile of sites; not with `contexts`
  bool composition = false; // what the followed path is made of
  std::uint64_t burden = 0; // of a migration, in units of work
  // Totals per calling context in place of classes of steps, and a timeline of this resolution.
  std::optional<std::uint64_t> contexts;
};

class Analysis final : public DagVisitor {
public:
  struct ClassTotals {
    std::uint64_t work = 0;
    std::uint64_t steps = 0;
    std::uint64_t lead = 0;          // ticks
    std::uint64_t critical_work = 0; // on the followed path; times the factor of its scenario
  };
  struct Results {
    std::uint64_t work = 0; // T1
    std::uint64_t span = 0, divisible_span = 0;
    std::uint64_t burdened_cilk = 0, burdened_tbb = 0;
    std::vector<RowTotals> rows; // local span on span adds up to `span`
    std::vector<StepClass> classes;
    std::vector<ClassTotals> class_totals;
    std::vector<std::uint64_t> region_critical_work; // as executed: with no scenario followed
    // Leads of the steps that begin with a boundary of each kind, in ticks; with `sites` only.
    std::array<LogHistogram, kBoundaryKinds> leads;
    std::vector<WhatIfLength> what_if; // one per scenario
    // Only with AnalysisSetup::contexts; `class_totals` is then by ContextId.
    std::vector<CallingContextTree::Node> contexts;
    std::vector<CallingContextTree::Edge> context_edges;
    std::vector<Timeline::Slice> timeline;
  };

  explicit Analysis(const AnalysisSetup& setup);
  Results results();

  Path* new_path() override { return paths_.make(); }
  Path* copy_path(const Path& path) override { return paths_.copy(path); }
  void drop_path(Path* path) override { paths_.drop(path); }
  void set_rank(Path& path, std::uint64_t rank) override { path.rank = rank; }
  void join_path(Path& into, const Path& from, Tie tie) override { paths_.join(into, from, tie); }
  void assign_path(Path& into, const Path& from) override { paths_.assign(into, from); }
  void wait_joined(FrameState& frame, const Path* fresh, const Path* again) override {
    paths_.join_wait(*frame.path, fresh, again, frame.opened.row);
  }
  void root_begun(FrameState& frame) override;
  void spawned(const FrameState& parent, FrameState& child) override;
  void restarted(FrameState& frame) override {
    if (setup_.sites)
      sites_.restarted(frame, frame.path->executed());
  }
  void begun(FrameState& frame) override {
    if (setup_.sites) {
      sites_.begun(frame, frame.path->executed());
      paths_.enter(*frame.path, *frame.task);
    }
    if (setup_.contexts)
      contexts_.begun(frame.context);
  }
  void step(FrameState& frame, const Step& step) override;
  void loop_begin(FrameState& frame) override;
  void loop_end(FrameState& frame, std::uint64_t iterations, std::uint64_t grain) override;
  void ended(FrameState& frame) override;
  void left_unjoined(const Path& path) override;
  void abandoned(FrameState& frame) override;

  // Objects alive, for the tests of bounded memory.
  std::size_t live_paths() const { return paths_.live(); }
  std::size_t live_segments() { return paths_.segments().live(); }
  std::size_t live_invocations() const { return sites_.live(); }

private:
  StepClassId class_of(const FrameState& frame, const Step& step);
  void drop_loops(FrameState& frame);
  void check_burdens() const;
  void add_burden(const FrameState& parent, const FrameState& child);
  void add_row_totals(Results& results) const;
  void add_path_totals(Results& results);

  const AnalysisSetup setup_;
  const std::uint64_t most_work_; // beyond it lengths would overflow
  SiteProfile sites_;
  PathStore paths_;
  StepClassTable classes_;
  std::vector<ClassTotals> class_totals_;
  CallingContextTree contexts_;
  Timeline timeline_;
  std::array<LogHistogram, kBoundaryKinds> leads_;
  Pool<LoopMark> loops_;
  std::uint64_t work_ = 0;
  std::uint64_t burdens_ = 0; // what burdened lengths may exceed the work by
  Path* longest_;             // over all ends so far
};

} // namespace tp::analysis
