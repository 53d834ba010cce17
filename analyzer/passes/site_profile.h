// SITE PROFILE: work, span and counts per row. Owns the recursion rule: only *outermost*
// invocations count, those without an ancestor of the same row, so that a recursive function is not
// counted once per level (TaskProf's release does that: work 4.6 times too large on its own
// example).
//
// Every frame points to the innermost outermost invocation around it. An invocation collects the
// work of its subtree and the latest end in it; it is complete when no frame and no invocation
// below it is alive, and then hands its sums to its parent. So memory is bounded by what is alive.
#pragma once

#include "dpst.h"
#include "passes/work_span.h"
#include "pool.h"

#include <cstdint>
#include <vector>

namespace tp::analysis {

struct Invocation {
  Invocation* parent = nullptr;
  Row row = kMainRow;
  std::uint64_t live = 0; // frames directly in it, invocations below it
  std::uint64_t start = 0;
  std::uint64_t work = 0;
  std::uint64_t latest_end = 0;
};

struct RowTotals {
  std::uint64_t work = 0;           // of outermost invocations
  std::uint64_t span = 0;           // of outermost invocations
  std::uint64_t exclusive_work = 0; // of steps of its own frames
  std::uint64_t overhead = 0;       // leads of its own steps, in ticks
  std::uint64_t invocations = 0;    // tasks that began
  std::uint64_t outermost = 0;
  std::uint64_t steps = 0;
  std::vector<std::uint64_t> extra; // of its own steps, one per extra event
};

class SiteProfile {
public:
  explicit SiteProfile(std::size_t rows) : rows_(rows) {}

  void spawned(const FrameState& parent, FrameState& child);
  void begun(const FrameState& frame) { ++rows_[frame.row].invocations; }
  void step(const FrameState& frame, const Step& step) {
    RowTotals& row = rows_[frame.row];
    row.exclusive_work += step.work;
    row.overhead += step.lead;
    ++row.steps;
    if (!step.extra.empty()) [[unlikely]]
      add_extra(row, step);
    if (frame.invocation)
      frame.invocation->work += step.work;
  }
  void ended(const FrameState& frame);
  void abandoned(const FrameState& frame);

  const std::vector<RowTotals>& rows() const { return rows_; }
  std::size_t live() const { return invocations_.live(); }

private:
  void add_extra(RowTotals& row, const Step& step);
  void leave(Invocation* invocation);

  std::vector<RowTotals> rows_;
  Pool<Invocation> invocations_;
};

} // namespace tp::analysis
