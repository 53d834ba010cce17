// SPDX-License-Identifier: Apache-2.0
// From the time between steps to costs.
#include "profile/tasking_overhead.h"

#include "base/rounding.h"
#include "model/speedup_bounds.h"
#include "profile/burden.h"

#include <algorithm>

namespace tp::analysis {
namespace {

constexpr const char* kEvents[kBoundaryKinds] = {"task_begin", "first_use", "spawn", "wait",
                                                 "body_begin", "body_end",  "other", "end"};
// The times above it are the few during which the thread lost its CPU: among few events these may
// be many.
constexpr std::uint64_t trusted_percent(std::uint64_t events) {
  return events < 1000 ? 75 : 99;
}

// The cost of a reading in each step is an estimate, so it may not take nearly all of the work.
std::uint64_t net_work(const RowTotals& row, std::uint64_t step_cost) {
  const std::uint64_t work = row.on_work.local.work;
  const Wide readings = Wide{row.steps} * step_cost;
  return static_cast<std::uint64_t>(
      std::max<Wide>(work - std::min<Wide>(readings, work), work / 10));
}

} // namespace

IdVector<Row, SiteOverhead> site_overheads(const Measured& measured, const TaskingCosts& costs) {
  const DagFold::Results& fold = measured.fold;
  IdVector<Row, SiteOverhead> sites(fold.rows.size());
  for (const StepClassId id : ids_below(fold.classes.end_id())) {
    const StepClass& of = fold.classes[id];
    const DagFold::StepTotals& totals = fold.class_totals[id];
    const bool is_created = of.opened.kind == BoundaryKind::Spawn;
    const bool is_joined = of.opened.kind == BoundaryKind::Wait;
    SiteOverhead& site = sites[is_created || is_joined ? of.opened.row : of.row];
    if (is_created)
      site.creation_ticks += totals.overhead_before;
    else if (is_joined)
      site.join_ticks += totals.overhead_before;
    else if (of.opened.kind == BoundaryKind::Begin)
      site.begin_ticks += totals.overhead_before;
    else
      site.other_ticks += totals.overhead_before;
    // Threads that the program created do not begin tasks.
    if (of.row != kMainRow || of.opened.kind != BoundaryKind::Begin)
      site.cost += totals.steps * costs.events[static_cast<std::size_t>(of.opened.kind)].cost;
  }
  for (const Row row : ids_below(sites.end_id())) {
    SiteOverhead& site = sites[row];
    // The average cost of an event is limited to what was measured at this site.
    site.cost = std::min(site.cost,
                         work_of_ns(measured, to_ns(site.measured_ticks(), measured.read.time_hz)));
    site.steals = fold.rows[row].steals;
    site.steal_ticks = fold.rows[row].steal_delay;
    site.cost += site.steals * costs.steal.work;
    site.net_work = net_work(fold.rows[row], measured.run().step_cost);
    site.share = shortened_ratio(site.cost, Wide{site.cost} + site.net_work);
  }
  return sites;
}

Ratio overhead_with(const SiteRow& site, std::uint64_t leaves) {
  const Wide calls = std::max<std::uint64_t>(site.loops.body_calls, 1);
  const Wide cost = Wide{site.overhead.cost} * leaves / calls;
  return shortened_ratio(cost, cost + site.overhead.net_work);
}

TaskingCosts tasking_costs(const Measured& measured, const Burden& burden) {
  TaskingCosts costs{.recording = measured.run().step_cost,
                     .steal = steal_burden(burden, measured)};
  // The time between two steps contains the second half of one reading and the first half of
  // another, and the reading of extra events.
  const std::uint64_t recording_ns = measured.run().gap_cost_ns;
  for (std::size_t kind = 0; kind < kBoundaryKinds; ++kind) {
    const LogHistogram& before = measured.fold.overheads_before[kind];
    EventCost cost{.event = kEvents[kind], .count = before.total()};
    cost.measured_ticks = before.mean_of_lowest(trusted_percent(before.total()));
    // The time before a thread first uses oneTBB is not tasking overhead, and the units of a
    // virtual clock are not time.
    if (!measured.is_virtual() && static_cast<BoundaryKind>(kind) != BoundaryKind::FirstUse) {
      const std::uint64_t ns = to_ns(cost.measured_ticks, measured.read.time_hz);
      cost.cost_ns = ns - std::min(ns, recording_ns);
      cost.cost = work_of_ns(measured, cost.cost_ns);
    }
    costs.events.push_back(std::move(cost));
  }
  return costs;
}

} // namespace tp::analysis
