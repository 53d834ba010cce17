// SPDX-License-Identifier: Apache-2.0
// Passes each event on to the passes that need it.
#include "passes/dag_fold.h"

#include "base/problem.h"

#include <algorithm>
#include <cassert>

namespace tp::analysis {

[[noreturn]] static void fail_overflow(const char* hint) {
  fail(Problem::Overflow, {"the trace"}, "lengths of paths below 2^64", "more", hint);
}

DagFold::DagFold(const FoldSetup& setup)
    : setup_(setup),
      most_work_(std::numeric_limits<std::uint64_t>::max() / setup.plan.largest_factor()),
      sites_(setup.callers),
      paths_(setup.plan, setup.regions, setup.sites || setup.composition, sites_.pool()),
      timeline_(setup.contexts.value_or(0)), longest_(paths_.make()) {
  assert(!setup.sites || !setup.contexts);
}

void DagFold::root_begun(FrameState& frame) {
  frame.is_root = true;
  if (!setup_.sites)
    return;
  FoldFrame& own = data_of(frame);
  sites_.root_begun(own.site);
  path_of(frame).by = own.site.task;
}

void DagFold::step(FrameState& frame, const Step& step) {
  if (step.work > most_work_ - work_)
    fail_overflow("use smaller --factors");
  work_ += step.work;
  check_burdens();
  FoldFrame& own = data_of(frame);
  StepClassId of{}; // contexts come without scenarios
  PathKey key;
  StepTotals* totals;
  if (!setup_.contexts) [[likely]] {
    of = classes_.id_of({frame.row, step.opened, step.closed});
    key = PathKey::of(of);
    totals = &class_totals_.grown_to(of);
  } else {
    timeline_.step(frame.row, step);
    key = PathKey::of(own.context);
    totals = &context_totals_.grown_to(own.context);
  }
  totals->work += step.work;
  totals->overhead_before += step.overhead_before;
  ++totals->steps;
  if (setup_.sites) {
    if (!frame.is_root || step.opened.kind != BoundaryKind::Begin) // that step begins no task
      overheads_before_[static_cast<std::size_t>(step.opened.kind)].add(step.overhead_before);
    sites_.step(own.site, frame.row, step);
  }
  paths_.extend(path_of(frame), key, of, step);
  if (own.loop && !own.loop->open)
    own.loop->divisible += step.work;
}

void DagFold::spawned(const FrameState& parent, FrameState& child) {
  const FoldFrame& from = data_of(parent);
  FoldFrame& own = data_of(child);
  // Work that a task gives away between two of its body calls could have been given away before the
  // first one.
  if (from.loop && !from.loop->open)
    path_of(child).lengths()[kDivisible] = from.loop->divisible;
  add_burden(parent, child);
  if (setup_.contexts)
    own.context = contexts_.spawned(from.context, child.row);
  if (!setup_.sites)
    return;
  // What a task needs before it begins is in its frame and its path: there may be many such tasks.
  sites_.spawned(from.site, own.site);
  paths_.leave(path_of(child));
}

void DagFold::check_burdens() const {
  if (burdens_ > std::numeric_limits<std::uint64_t>::max() - work_)
    fail_overflow("use a smaller --burden");
}

// Cilk: the thread that spawns runs the child, so the continuation may migrate, and a child that
// returns may find it gone (ended()). oneTBB: the child may migrate, the continuation stays.
void DagFold::add_burden(const FrameState& parent, const FrameState& child) {
  burdens_ += 2 * setup_.burden;
  check_burdens();
  if (parent.path)
    path_of(parent).lengths()[kBurdenedCilk] += setup_.burden;
  path_of(child).lengths()[kBurdenedTbb] += setup_.burden;
}

void DagFold::loop_begin(FrameState& frame) {
  std::uint64_t& length = path_of(frame).lengths()[kDivisible];
  LoopMark*& loop = data_of(frame).loop;
  if (!loop || loop->open) {
    LoopMark* const mark = loops_.make();
    mark->outer = loop;
    mark->divisible = length;
    loop = mark;
  }
  loop->open = true;
  length = loop->divisible;
}

void DagFold::loop_end(FrameState& frame, std::uint64_t iterations, std::uint64_t grain) {
  if (setup_.sites)
    sites_.loop_end(frame.row, iterations, grain);
  LoopMark* const mark = data_of(frame).loop;
  std::uint64_t& length = path_of(frame).lengths()[kDivisible];
  mark->longest = std::max(
      mark->longest, mark->divisible + divisible_part(length - mark->divisible, iterations, grain));
  mark->open = false;
  length = mark->longest;
  if (!mark->outer)
    return;
  data_of(frame).loop = mark->outer;
  loops_.free(mark);
}

void DagFold::drop_loops(FoldFrame& frame) {
  while (LoopMark* const mark = frame.loop) {
    frame.loop = mark->outer;
    loops_.free(mark);
  }
}

// A task that was waited for is part of its root's path: if the ends are equal, the root's has the
// whole composition. For the divisible length only roots count: the body call that waited for the
// task has been scaled down since.
void DagFold::ended(FrameState& frame) {
  FoldFrame& own = data_of(frame);
  FoldPath& path = path_of(frame);
  drop_loops(own);
  std::uint64_t& divisible = longest_->lengths()[kDivisible];
  const std::uint64_t before = divisible;
  paths_.join(*longest_, path, frame.is_root ? Tie::From : Tie::Into);
  if (setup_.sites)
    sites_.ended(own.site, frame.row, path.executed(), path.local_span);
  path.by = nullptr;
  if (frame.is_root)
    return;
  divisible = before;
  path.lengths()[kBurdenedCilk] += setup_.burden;
}

void DagFold::left_unjoined(const Path& path) {
  std::uint64_t& divisible = longest_->lengths()[kDivisible];
  divisible = std::max(divisible, typed(path).lengths()[kDivisible]);
}

void DagFold::abandoned(FrameState& frame) {
  if (setup_.sites)
    sites_.abandoned(data_of(frame).site);
}

void DagFold::add_row_totals(Results& results) const {
  for (const StepClassId of : ids_below(class_totals_.end_id())) {
    RowTotals& row = results.rows[results.classes[of].row];
    row.on_work.local.work += class_totals_[of].work;
    row.overhead += class_totals_[of].overhead_before;
    row.steps += class_totals_[of].steps;
  }
}

// What the longest path is made of.
void DagFold::add_path_totals(Results& results) {
  auto& segments = paths_.segments();
  for (const auto& entry : segments.total(longest_->composition)) {
    if (entry.key.is_region()) {
      results.region_critical_work[entry.key.region()] = entry.work;
      continue;
    }
    if (setup_.contexts) {
      results.context_totals[entry.key.id<ContextId>()].critical_work = entry.work;
      continue;
    }
    const auto of = entry.key.id<StepClassId>();
    results.class_totals[of].critical_work = entry.work;
    if (setup_.sites)
      results.rows[results.classes[of].row].on_span.local.span += entry.work;
  }
  for (SegmentId id = longest_->composition; id != kNoSegment; id = segments.previous(id)) {
    for (const OnSpan::Of& of : paths_.settled(id).rows())
      results.rows[of.row].on_span.add(of.measures);
  }
}

DagFold::Results DagFold::results() {
  const std::uint64_t* const lengths = longest_->lengths();
  Results results{.work = work_,
                  .span = lengths[kExecuted],
                  .divisible_span = lengths[kDivisible],
                  .burdened_cilk = lengths[kBurdenedCilk],
                  .burdened_tbb = lengths[kBurdenedTbb],
                  .rows = sites_.rows(),
                  .classes = classes_.classes(),
                  .class_totals = class_totals_,
                  .overheads_before = overheads_before_,
                  .contexts = contexts_.nodes(),
                  .context_totals = context_totals_,
                  .context_edges = contexts_.edges(),
                  .timeline = timeline_.take()};
  if (setup_.contexts)
    results.context_totals.resize(results.contexts.size());
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
