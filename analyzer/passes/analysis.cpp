// Hands each event to the passes that want it.
#include "passes/analysis.h"

#include "problem.h"

#include <algorithm>

namespace tp::analysis {

Analysis::Analysis(const WhatIfPlan& plan, std::size_t rows, WhatIfMode mode, bool profile)
    : plan_(plan), mode_(mode), profile_(profile),
      most_work_(std::numeric_limits<std::uint64_t>::max() / plan.largest_factor()),
      paths_(plan, profile), sites_(rows), longest_(paths_.make()) {}

void Analysis::step(FrameState& frame, const Step& step) {
  if (step.work > most_work_ - work_)
    fail(Problem::Overflow, {"the trace"}, "work times the largest factor below 2^64", "more",
         "use smaller --factors");
  work_ += step.work;
  if (profile_)
    sites_.step(frame, step);
  paths_.extend(*frame.path, frame.row, step);
  if (frame.loop && !frame.loop->open)
    frame.loop->divisible += step.work;
}

// Work that a task gives away between two of its body calls could have been given away before the
// first.
void Analysis::spawned(const FrameState& parent, FrameState& child) {
  if (parent.loop && !parent.loop->open)
    child.path->lengths()[kDivisible] = parent.loop->divisible;
  if (profile_)
    sites_.spawned(parent, child);
}

void Analysis::loop_begin(FrameState& frame) {
  std::uint64_t& length = frame.path->lengths()[kDivisible];
  if (!frame.loop || frame.loop->open) {
    LoopMark* const mark = loops_.make();
    mark->outer = frame.loop;
    mark->divisible = length;
    frame.loop = mark;
  }
  frame.loop->open = true;
  length = frame.loop->divisible;
}

void Analysis::loop_end(FrameState& frame, std::uint64_t iterations, std::uint64_t grain) {
  LoopMark* const mark = frame.loop;
  std::uint64_t& length = frame.path->lengths()[kDivisible];
  mark->longest = std::max(
      mark->longest, mark->divisible + divisible_part(length - mark->divisible, iterations, grain));
  mark->open = false;
  length = mark->longest;
  if (!mark->outer)
    return;
  frame.loop = mark->outer;
  loops_.free(mark);
}

void Analysis::drop_loops(FrameState& frame) {
  while (LoopMark* const mark = frame.loop) {
    frame.loop = mark->outer;
    loops_.free(mark);
  }
}

// A task that was waited for is part of its root's path: of equal ends the root's is the whole story.
// As divisible it has to be: the body call that waited for the task has been scaled down since.
void Analysis::ended(FrameState& frame) {
  drop_loops(frame);
  std::uint64_t& divisible = longest_->lengths()[kDivisible];
  const std::uint64_t before = divisible;
  paths_.join(*longest_, *frame.path, frame.is_root ? Tie::From : Tie::Into);
  if (!frame.is_root)
    divisible = before;
  if (profile_)
    sites_.ended(frame);
}

void Analysis::left_unjoined(const Path& path) {
  std::uint64_t& divisible = longest_->lengths()[kDivisible];
  divisible = std::max(divisible, path.lengths()[kDivisible]);
}

void Analysis::abandoned(FrameState& frame) {
  if (profile_)
    sites_.abandoned(frame);
}

Analysis::Results Analysis::results() {
  Results results;
  results.work = work_;
  results.spans.assign(longest_->lengths(), longest_->lengths() + paths_.lengths());
  results.rows = sites_.rows();
  results.critical_work.resize(results.rows.size());
  for (const auto& entry : paths_.segments().total(longest_->composition))
    results.critical_work[entry.key] = entry.work;
  for (std::size_t i = 0; i < plan_.scenarios.size(); ++i) {
    const Scenario& scenario = plan_.scenarios[i];
    const std::uint64_t inside = paths_.region_work()[scenario.set];
    const std::uint64_t work = mode_ == WhatIfMode::Parallelize
                                   ? work_ * scenario.factor
                                   : (work_ - inside) * scenario.factor + inside;
    results.what_if.push_back({results.spans[kFirstWhatIf + i], work});
  }
  return results;
}

} // namespace tp::analysis
