// Hands each event to the passes that want it.
#include "passes/dag_fold.h"

#include "base/problem.h"

#include <algorithm>
#include <cassert>

namespace tp::analysis {

[[noreturn]] static void fail_overflow(const char* hint) {
  fail(Problem::Overflow, {"the trace"}, "lengths of paths below 2^64", "more", hint);
}

Analysis::Analysis(const AnalysisSetup& setup)
    : setup_(setup),
      most_work_(std::numeric_limits<std::uint64_t>::max() / setup.plan.largest_factor()),
      sites_(setup.callers),
      paths_(setup.plan, setup.regions, setup.sites || setup.composition, sites_.pool()),
      timeline_(setup.contexts.value_or(0)), longest_(paths_.make()) {
  assert(!setup.sites || !setup.contexts);
}

void Analysis::root_begun(FrameState& frame) {
  frame.is_root = true;
  if (!setup_.sites)
    return;
  sites_.root_begun(frame);
  frame.path->by = frame.task;
}

StepClassId Analysis::class_of(const FrameState& frame, const Step& step) {
  if (!setup_.contexts) [[likely]]
    return classes_.id_of({frame.row, step.opened, step.closed});
  timeline_.step(frame.row, step);
  return frame.context;
}

void Analysis::step(FrameState& frame, const Step& step) {
  if (step.work > most_work_ - work_)
    fail_overflow("use smaller --factors");
  work_ += step.work;
  check_burdens();
  const StepClassId of = class_of(frame, step);
  if (of >= class_totals_.size()) [[unlikely]]
    class_totals_.resize(of + 1);
  ClassTotals& totals = class_totals_[of];
  totals.work += step.work;
  totals.lead += step.lead;
  ++totals.steps;
  if (setup_.sites) {
    if (!frame.is_root || step.opened.kind != BoundaryKind::Begin) // that begins no task
      leads_[static_cast<std::size_t>(step.opened.kind)].add(step.lead);
    sites_.step(frame, step);
  }
  paths_.extend(*frame.path, of, step);
  if (frame.loop && !frame.loop->open)
    frame.loop->divisible += step.work;
}

void Analysis::spawned(const FrameState& parent, FrameState& child) {
  // Work that a task gives away between two of its body calls could have been given away before the
  // first.
  if (parent.loop && !parent.loop->open)
    child.path->lengths()[kDivisible] = parent.loop->divisible;
  add_burden(parent, child);
  if (setup_.contexts)
    child.context = contexts_.spawned(parent.context, child.row);
  if (!setup_.sites)
    return;
  // What a task that has not begun needs is in its frame and its path: there may be many.
  sites_.spawned(parent, child);
  paths_.leave(*child.path);
}

void Analysis::check_burdens() const {
  if (burdens_ > std::numeric_limits<std::uint64_t>::max() - work_)
    fail_overflow("use a smaller --burden");
}

// Cilk: whoever spawns runs the child, so it is the continuation that may migrate, and a child that
// returns may find it gone (ended()). oneTBB: the child may migrate, the continuation stays.
void Analysis::add_burden(const FrameState& parent, const FrameState& child) {
  burdens_ += 2 * setup_.burden;
  check_burdens();
  if (parent.path)
    parent.path->lengths()[kBurdenedCilk] += setup_.burden;
  child.path->lengths()[kBurdenedTbb] += setup_.burden;
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
  if (setup_.sites)
    sites_.loop_end(frame, iterations, grain);
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
  if (setup_.sites)
    sites_.ended(frame, frame.path->executed(), frame.path->local_span);
  frame.path->by = nullptr;
  if (frame.is_root)
    return;
  divisible = before;
  frame.path->lengths()[kBurdenedCilk] += setup_.burden;
}

void Analysis::left_unjoined(const Path& path) {
  std::uint64_t& divisible = longest_->lengths()[kDivisible];
  divisible = std::max(divisible, path.lengths()[kDivisible]);
}

void Analysis::abandoned(FrameState& frame) {
  if (setup_.sites)
    sites_.abandoned(frame);
}

void Analysis::add_row_totals(Results& results) const {
  for (StepClassId of = 0; of < class_totals_.size(); ++of) {
    RowTotals& row = results.rows[results.classes[of].row];
    row.on_work.local.work += class_totals_[of].work;
    row.overhead += class_totals_[of].lead;
    row.steps += class_totals_[of].steps;
  }
}

// What the longest path is made of.
void Analysis::add_path_totals(Results& results) {
  auto& segments = paths_.segments();
  for (const auto& entry : segments.total(longest_->composition)) {
    if (const auto region = PathStore::region_of(entry.key)) {
      results.region_critical_work[*region] = entry.work;
      continue;
    }
    results.class_totals[entry.key].critical_work = entry.work;
    if (setup_.sites)
      results.rows[results.classes[entry.key].row].on_span.local.span += entry.work;
  }
  for (SegmentId id = longest_->composition; id != kNoSegment; id = segments.previous(id)) {
    for (const OnSpan::Of& of : paths_.settled(id).rows())
      results.rows[of.row].on_span.add(of.measures);
  }
}

Analysis::Results Analysis::results() {
  const std::uint64_t* const lengths = longest_->lengths();
  Results results{.work = work_,
                  .span = lengths[kExecuted],
                  .divisible_span = lengths[kDivisible],
                  .burdened_cilk = lengths[kBurdenedCilk],
                  .burdened_tbb = lengths[kBurdenedTbb],
                  .rows = sites_.rows(),
                  .classes = classes_.classes(),
                  .class_totals = class_totals_,
                  .leads = leads_,
                  .contexts = contexts_.nodes(),
                  .context_edges = contexts_.edges(),
                  .timeline = timeline_.take()};
  if (setup_.contexts)
    results.class_totals.resize(results.contexts.size());
  name_first_use(results.classes);
  results.region_critical_work.resize(setup_.regions);
  if (setup_.sites)
    add_row_totals(results);
  add_path_totals(results);
  for (std::size_t i = 0; i < setup_.plan.scenarios.size(); ++i) {
    const Scenario& scenario = setup_.plan.scenarios[i];
    const std::uint64_t inside = paths_.scenarios().inside()[scenario.set];
    const std::uint64_t work = setup_.mode == WhatIfMode::Parallelize
                                   ? work_ * scenario.factor
                                   : (work_ - inside) * scenario.factor + inside;
    results.what_if.push_back({lengths[kFirstWhatIf + paths_.scenarios().slot(i)], work});
  }
  return results;
}

} // namespace tp::analysis
