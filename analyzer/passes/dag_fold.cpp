// SPDX-License-Identifier: Apache-2.0
// Passes each event on to the passes that need it.
#include "passes/dag_fold.h"

#include "base/problem.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace tp::analysis {

[[noreturn]] static void fail_overflow(const char* hint) {
  fail(Problem::Overflow, {"the trace"}, "lengths of paths below 2^64", "more", hint);
}

static DivisibleLengths divisible_of(const FoldPath& path) {
  return {path.lengths()[kDivisible], path.lengths()[kDivisibleAtMost]};
}

static void set_divisible(FoldPath& path, const DivisibleLengths& lengths) {
  path.lengths()[kDivisible] = lengths.equal;
  path.lengths()[kDivisibleAtMost] = lengths.at_most;
}

DagFold::DagFold(const FoldSetup& setup)
    : setup_(setup),
      most_work_(std::numeric_limits<std::uint64_t>::max() / setup.plan.largest_factor()),
      sites_(setup.callers, setup.chains), paths_(setup.plan, setup.regions, setup.chains.size(),
                                                  setup.sites || setup.composition, sites_.pool()),
      timeline_(setup.contexts.value_or(TimelineSetup{})), longest_(paths_.make()) {
  assert(!setup.sites || !setup.contexts);
  if (setup.samples)
    samples_.emplace(*setup.samples, setup.weights);
}

void DagFold::root_begun(FrameState& frame) {
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
  if (step.latency > std::numeric_limits<std::uint64_t>::max() - work_ - latency_)
    fail_overflow("");
  latency_ += step.latency;
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
    if (step.pause != PauseRole::LeftOut)
      timeline_.step(frame.row, step, frame.is_stolen && !own.has_step);
    own.has_step = true;
    key = PathKey::of(own.context);
    totals = &context_totals_.grown_to(own.context);
  }
  totals->work += step.work;
  totals->in_bodies += step.in_body ? step.work : 0;
  totals->longest = std::max(totals->longest, step.work);
  totals->overhead_before += step.overhead_before;
  totals->length += step.length;
  totals->asleep += step.asleep;
  totals->latency += step.latency;
  if (step.slept_in != nullptr && !setup_.contexts) [[unlikely]]
    class_sleep_[of] += *step.slept_in;
  ++totals->steps;
  const bool left_out = step.pause == PauseRole::LeftOut;
  if (step.pause != PauseRole::None) [[unlikely]] {
    totals->steps -= left_out;
    if (!left_out && !frame.is_root)
      enter(frame);
  }
  if (setup_.sites && left_out) [[unlikely]] {
    sites_.step(own.site, frame.row, step);
  } else if (setup_.sites) {
    if (!setup_.contexts && step.work > 0)
      thread_work_.add(of, step.stream, step.work);
    if (step.pool != kNoPool || !step.moves.empty()) [[unlikely]]
      add_to_pools(frame.row, step);
    // Predictions have their own for calls that wake threads (simulate/dag_locks.h).
    std::uint64_t lock_calls = 0;
    if (!step.handed_over.empty() || !step.lock_calls.empty()) [[unlikely]] {
      hand_overs_.step(step);
      lock_calls = step.ticks_of_lock_calls();
    }
    // That a step of a root begins does not begin a task, and that one begins inside a body call is
    // no event of oneTBB.
    if ((!frame.is_root || step.opened.kind != BoundaryKind::Begin) && !step.after_portion)
      overheads_before_[static_cast<std::size_t>(step.opened.kind)].add(step.overhead_before -
                                                                        lock_calls);
    sites_.step(own.site, frame.row, step);
    for (const RegionWork& part : step.regions) {
      Results::RegionTotals& region = regions_.grown_to(part.region);
      region.work += part.work;
      region.steps += part.work > 0;
      if (part.work > 0 && std::ranges::find(region.rows, frame.row) == region.rows.end())
        region.rows.push_back(frame.row);
    }
    if (step.fold == FoldKind::Joins || (step.fold == FoldKind::Unknown && step.work > 0))
      sites_.loops(frame.row).add_join(step.work);
  }
  const auto code =
      samples_ ? samples_->file(
                     setup_.contexts ? static_cast<StepClassId>(index_of(own.context)) : of, step)
               : std::span<const CodeWork>();
  const bool in_pools = setup_.pools && paths_.scenarios().count() > 0 &&
                        (step.pool != kNoPool || !step.moves.empty());
  if (in_pools) [[unlikely]]
    inside_before_ = paths_.scenarios().inside();
  paths_.extend(path_of(frame), key, of, step, code);
  if (in_pools) [[unlikely]]
    add_sets_to_pools(frame.row, step);
  if (step.fold == FoldKind::Skipped)
    add_joins(frame, 1);
  // At most as many invocations as rows nest.
  for (const Invocation* each = own.site.invocation; each; each = each->outer)
    paths_.extend_chain(path_of(frame), each->chain, step.work);
  if (own.loop && !own.loop->open) {
    own.loop->begin.equal += step.work;
    own.loop->begin.at_most += step.work;
  }
}

void DagFold::add_to_pools(Row row, const Step& step) {
  for_each_pool(step, [&](PoolId pool, const PoolChange& begin, const PoolChange& end) {
    Results::PoolTotals& totals = pools_.grown_to(pool);
    totals.work += end.work - begin.work;
    totals.latency += end.latency - begin.latency;
    totals.work_of_rows.grown_to(row) += end.work - begin.work;
  });
}

void DagFold::add_sets_to_pools(Row row, const Step& step) {
  const std::vector<std::uint64_t>& inside = paths_.scenarios().inside();
  for_each_pool(step, [&](PoolId pool, const PoolChange& begin, const PoolChange& end) {
    std::vector<std::uint64_t>& sets = sets_in_pools_.grown_to(pool)[row];
    sets.resize(inside.size());
    for (std::size_t set = 0; set < inside.size(); ++set)
      sets[set] += std::min(inside[set] - inside_before_[set], end.work - begin.work);
  });
}

// The task began in a pause, and has a step that counts.
void DagFold::enter(FrameState& frame) {
  if (setup_.contexts)
    contexts_.begun(data_of(frame).context);
  if (setup_.sites)
    sites_.entered(frame.row);
}

void DagFold::spawned(const FrameState& parent, FrameState& child) {
  if (parent.is_root && path_of(child).first_spawn == 0) {
    for (FoldPath* const path : {&path_of(child), typed(parent.path)})
      if (path) {
        path->first_spawn = path_of(child).executed() + 1;
        path->last_join = 0; // of tasks that it did not create
      }
  }
  const FoldFrame& from = data_of(parent);
  FoldFrame& own = data_of(child);
  // Work that a task gives away between two of its body calls could have been given away before the
  // first one.
  if (from.loop && !from.loop->open)
    set_divisible(path_of(child), from.loop->begin);
  else if (from.loop)
    from.loop->creates_tasks = true;
  add_burden(parent, child);
  if (setup_.contexts)
    own.context = contexts_.spawned(
        child.is_stage ? contexts_.nodes()[from.context].parent : from.context, child.row);
  if (!setup_.sites)
    return;
  // What a task needs before it begins is in its frame and its path: there may be many such tasks.
  sites_.spawned(from.site, own.site, child.is_stage);
  paths_.leave(path_of(child));
}

void DagFold::check_burdens() const {
  if (burdens_ > std::numeric_limits<std::uint64_t>::max() - work_)
    fail_overflow("use a smaller --burden");
}

// Cilk: the thread that spawns runs the child, so the continuation may migrate, and a child that
// returns may find it gone (ended()). oneTBB: the child may migrate, the continuation stays.
void DagFold::add_burden(const FrameState& parent, const FrameState& child) {
  if (child.is_left_out)
    return;
  burdens_ += 2 * setup_.burden;
  check_burdens();
  if (parent.path)
    path_of(parent).lengths()[kBurdenedCilk] += setup_.burden;
  path_of(child).lengths()[kBurdenedTbb] += setup_.burden;
}

void DagFold::loop_begin(FrameState& frame) {
  LoopMark*& loop = data_of(frame).loop;
  if (!loop || loop->open) {
    LoopMark* const mark = loops_.make();
    mark->outer = loop;
    mark->begin = divisible_of(path_of(frame));
    loop = mark;
  }
  loop->open = true;
  loop->in_portions = 0;
  loop->has_portions = loop->creates_tasks = false;
  loop->longest_portion = {};
  set_divisible(path_of(frame), loop->begin);
}

// A part of a body call is over: where it ends if it is split as far as is known. The next part
// begins where the first one did.
DivisibleLengths DagFold::end_part(FrameState& frame, const LoopPart& part) {
  const LoopMark& mark = *data_of(frame).loop;
  const DivisibleLengths now = divisible_of(path_of(frame));
  set_divisible(path_of(frame), mark.begin);
  const std::uint64_t halvings = part.joins ? part.halvings : 0;
  const std::uint64_t cost = now.at_most - mark.begin.at_most;
  if (setup_.sites && part.iterations > 0 && !frame.is_left_out)
    sites_.loops(frame.row).add_part(cost, part.iterations, part.is_divisible(), halvings);
  const std::uint64_t join = setup_.join_costs && part.joins ? (*setup_.join_costs)[frame.row] : 0;
  return {mark.begin.equal + divisible_part(now.equal - mark.begin.equal, part, join),
          now.at_most + saturated_product(halvings, join)};
}

void DagFold::push_portion(LoopMark& mark, const DivisibleLengths& end) {
  PortionEnd* const portion = portion_ends_.make();
  *portion = {end, mark.to_join};
  mark.to_join = portion;
}

// Empty: there is none left.
std::optional<DivisibleLengths> DagFold::take_portion(LoopMark& mark) {
  PortionEnd* const portion = mark.to_join;
  if (!portion)
    return std::nullopt;
  const DivisibleLengths end = portion->lengths;
  mark.to_join = portion->outer;
  portion_ends_.free(portion);
  return end;
}

void DagFold::portion_end(FrameState& frame, const LoopPart& part) {
  LoopMark& mark = *data_of(frame).loop;
  const DivisibleLengths end = end_part(frame, part);
  mark.has_portions = true;
  mark.in_portions += part.iterations;
  if (part.joins)
    push_portion(mark, end);
  else
    mark.longest_portion.join(end);
}

void DagFold::portions_joined(FrameState& frame) {
  LoopMark& mark = *data_of(frame).loop;
  const DivisibleLengths now = divisible_of(path_of(frame));
  set_divisible(path_of(frame), mark.begin);
  if (const std::uint64_t cost = now.at_most - mark.begin.at_most; setup_.sites && cost > 0)
    sites_.loops(frame.row).add_join(cost);
  DivisibleLengths joined;
  for (int i = 0; i < 2; ++i)
    if (const auto portion = take_portion(mark))
      joined.join(*portion);
  joined.equal += now.equal - mark.begin.equal;
  joined.at_most += now.at_most - mark.begin.at_most;
  push_portion(mark, joined);
}

// What a body call runs after its last portion, if no iteration is left, comes after all portions.
void DagFold::loop_end(FrameState& frame, const LoopPart& whole) {
  if (setup_.sites && !frame.is_left_out) {
    LoopCounts& loops = sites_.loops(frame.row);
    loops.add_call(whole.iterations, whole.grain, whole.is_flat);
    loops.ordered_iterations += whole.ordered;
    loops.uncounted_calls += whole.iterations + whole.ordered == 0;
    const LoopMark& mark = *data_of(frame).loop;
    const bool is_unsized = whole.iterations == 0 && !mark.has_portions;
    loops.unsized_calls += is_unsized;
    loops.unsized_calls_with_tasks += is_unsized && mark.creates_tasks;
  }
  LoopMark* const mark = data_of(frame).loop;
  FoldPath& path = path_of(frame);
  DivisibleLengths end = mark->longest_portion;
  while (const auto portion = take_portion(*mark))
    end.join(*portion);
  if (!mark->has_portions) {
    end = end_part(frame, whole);
  } else if (whole.iterations > mark->in_portions) {
    end.join(end_part(frame, whole.rest(whole.iterations - mark->in_portions)));
  } else {
    const DivisibleLengths now = divisible_of(path);
    end.equal += now.equal - mark->begin.equal;
    end.at_most += now.at_most - mark->begin.at_most;
  }
  mark->longest.join(end);
  mark->to_join_calls += whole.joins;
  mark->open = false;
  set_divisible(path, mark->longest);
  if (!mark->outer)
    return;
  data_of(frame).loop = mark->outer;
  loops_.free(mark);
}

// On every path through the frame's loop, `count` results would be joined if it were split further.
void DagFold::add_joins(FrameState& frame, std::uint64_t count) {
  if (setup_.sites && !frame.is_left_out)
    sites_.loops(frame.row).unjoined_halvings += count;
  if (!setup_.join_costs)
    return;
  const std::uint64_t cost = saturated_product(count, (*setup_.join_costs)[frame.row]);
  const DivisibleLengths lengths = divisible_of(path_of(frame));
  set_divisible(path_of(frame), {lengths.equal + cost, lengths.at_most + cost});
}

// The body calls of one task have one result. If they had been tasks, theirs would have been joined
// in pairs.
void DagFold::join_calls(FrameState& frame) {
  LoopMark* const mark = data_of(frame).loop;
  if (!mark || mark->open || mark->to_join_calls < 2)
    return;
  add_joins(frame, std::bit_width(mark->to_join_calls - 1));
  mark->to_join_calls = 0;
}

void DagFold::drop_loops(FoldFrame& frame) {
  while (LoopMark* const mark = frame.loop) {
    while (take_portion(*mark)) {
    }
    frame.loop = mark->outer;
    loops_.free(mark);
  }
}

// For the divisible length only roots count: the body call that waited for the task has been scaled
// down since.
bool DagFold::ended(FrameState& frame, Tie tie) {
  FoldFrame& own = data_of(frame);
  FoldPath& path = path_of(frame);
  join_calls(frame);
  drop_loops(own);
  if (!frame.is_root)
    path.last_join = 0; // nothing comes after it
  const DivisibleLengths before = divisible_of(*longest_);
  const bool is_longest = paths_.join(*longest_, path, tie);
  if (setup_.sites)
    sites_.ended(own.site, frame.row, path.executed(), path.local_span);
  path.by = nullptr;
  if (frame.is_root)
    return is_longest;
  set_divisible(*longest_, before);
  path.lengths()[kBurdenedCilk] += setup_.burden;
  return is_longest;
}

void DagFold::left_unjoined(const Path& path) {
  left_unjoined_ = true;
  DivisibleLengths longest = divisible_of(*longest_);
  longest.join(divisible_of(typed(path)));
  set_divisible(*longest_, longest);
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
    row.asleep += class_totals_[of].asleep;
    row.latency += class_totals_[of].latency;
    row.steps += class_totals_[of].steps;
  }
  for (const auto& [of, times] : class_sleep_)
    results.rows[results.classes[of].row].slept_in += times;
}

// What the longest path is made of.
void DagFold::add_path_totals(Results& results) {
  auto& segments = paths_.segments();
  for (const auto& entry : segments.total(longest_->composition)) {
    if (entry.key.is_region()) {
      results.region_critical_work[entry.key.region()] = entry.work;
      continue;
    }
    if (entry.key.is_code()) {
      results.code_critical_work.grown_to(entry.key.code()) = entry.work;
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
  const std::uint64_t first_spawn = longest_->first_spawn, last_join = longest_->last_join;
  const std::uint64_t before = first_spawn > 0 ? first_spawn - 1 : lengths[kExecuted];
  const std::uint64_t after =
      first_spawn > 0 && last_join > 0 ? lengths[kExecuted] + 1 - last_join : 0;
  Results results{.work = work_,
                  .span = lengths[kExecuted],
                  .divisible_span = lengths[kDivisible],
                  .divisible_span_at_most = lengths[kDivisibleAtMost],
                  .latency = latency_,
                  .span_with_latency = lengths[kWithLatency],
                  .span_before = before,
                  .span_after = after,
                  .left_unjoined = left_unjoined_,
                  .burdened_cilk = lengths[kBurdenedCilk],
                  .burdened_tbb = lengths[kBurdenedTbb],
                  .rows = sites_.rows(),
                  .classes = classes_.classes(),
                  .class_totals = class_totals_,
                  .class_sleep = class_sleep_,
                  .thread_work = thread_work_,
                  .regions = regions_,
                  .overheads_before = overheads_before_,
                  .hand_overs = hand_overs_.results(),
                  .contexts = contexts_.nodes(),
                  .context_totals = context_totals_,
                  .context_edges = contexts_.edges(),
                  .timeline = timeline_.take(),
                  .pools = pools_,
                  .sets_in_pools = sets_in_pools_};
  if (setup_.contexts) {
    results.counters = timeline_.counters();
    results.context_totals.resize(results.contexts.size());
  }
  name_first_use(results.classes);
  if (samples_) {
    samples_->finish();
    results.samples = samples_->classes();
    results.samples.resize(setup_.contexts ? results.contexts.size() : results.classes.size());
    results.filed_samples = samples_->filed();
    results.samples_in_waits = samples_->in_waits();
    results.code_work = samples_->code_work();
  }
  results.region_critical_work.resize(setup_.regions);
  results.regions.resize(setup_.regions);
  for (std::size_t chain = 0; chain < setup_.chains.size(); ++chain)
    results.rows[setup_.chains[chain]].longest_chain = paths_.chain(*longest_, chain);
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
