// The visitor that drives all passes over one reading of the streams. main.cpp makes one, gives it
// to DpstReader, and asks for the results. Nothing here prints or opens files.
#pragma once

#include "dpst.h"
#include "passes/site_profile.h"
#include "passes/what_if.h"
#include "passes/work_span.h"

#include <cstdint>
#include <limits>
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

class Analysis final : public DagVisitor {
public:
  struct Results {
    std::uint64_t work = 0;                   // T1
    std::vector<std::uint64_t> spans;         // one per length of a path
    std::vector<std::uint64_t> critical_work; // per row; sums up to spans[kExecuted]
    std::vector<RowTotals> rows;
    std::vector<WhatIfLength> what_if; // one per scenario
  };

  // `profile`: also sites and the critical path; off for further batches of scenarios.
  Analysis(const WhatIfPlan& plan, std::size_t rows, WhatIfMode mode, bool profile);
  Results results();

  Path* new_path() override { return paths_.make(); }
  Path* copy_path(const Path& path) override { return paths_.copy(path); }
  void drop_path(Path* path) override { paths_.drop(path); }
  void set_rank(Path& path, std::uint64_t rank) override { path.rank = rank; }
  void join_path(Path& into, const Path& from, Tie tie) override { paths_.join(into, from, tie); }
  void assign_path(Path& into, const Path& from) override { paths_.assign(into, from); }
  void root_begun(FrameState& frame) override { frame.is_root = true; }
  void spawned(const FrameState& parent, FrameState& child) override;
  void begun(FrameState& frame) override {
    if (profile_)
      sites_.begun(frame);
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
  void drop_loops(FrameState& frame);

  const WhatIfPlan& plan_;
  const WhatIfMode mode_;
  const bool profile_;
  const std::uint64_t most_work_; // beyond it lengths would overflow
  PathStore paths_;
  SiteProfile sites_;
  Pool<LoopMark> loops_;
  std::uint64_t work_ = 0;
  Path* longest_; // over all ends so far
};

} // namespace tp::analysis
