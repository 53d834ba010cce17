// From leads to costs.
#include "profile/tasking_overhead.h"

#include "base/rounding.h"
#include "model/speedup_bounds.h"

#include <algorithm>

namespace tp::analysis {
namespace {

constexpr const char* kEvents[kBoundaryKinds] = {"task_begin", "first_use", "spawn", "wait",
                                                 "body_begin", "body_end",  "other", "end"};
// The time between two steps holds the second half of one reading and the first half of another: where
// nothing else happens, at the beginning of a loop body, it is as long as one reading takes.
constexpr std::uint64_t kReadingsBetweenSteps = 1;
// Above that stand the few during which the thread lost its cpu: of few events they may be many.
constexpr std::uint64_t trusted_percent(std::uint64_t events) {
  return events < 1000 ? 75 : 99;
}

bool is_virtual(const Profile& profile) {
  return profile.run.work.name == "virtual";
}

} // namespace

std::uint64_t work_of_ns(const Profile& profile, std::uint64_t ns) {
  const RunInfo& run = profile.run;
  if (is_virtual(profile))
    return 0;
  if (run.same_as_time)
    return rounded(static_cast<double>(ns) * profile.read.time_hz / 1e9);
  if (run.work.hz > 0)
    return rounded(static_cast<double>(ns) * static_cast<double>(run.work.hz) / 1e9);
  const std::uint64_t steps_ns = to_ns(profile.read.step_time, profile.read.time_hz);
  return steps_ns == 0 ? 0
                       : rounded(static_cast<double>(ns) * static_cast<double>(profile.work) /
                                 static_cast<double>(steps_ns));
}

// That reading costs so much in each step is an estimate: it is not believed to be nearly everything.
static std::uint64_t net_work(const RowTotals& row, std::uint64_t step_cost) {
  const std::uint64_t work = row.on_work.local.work;
  const Wide readings = Wide{row.steps} * step_cost;
  return static_cast<std::uint64_t>(
      std::max<Wide>(work - std::min<Wide>(readings, work), work / 10));
}

std::vector<SiteOverhead> site_overheads(const Profile& profile, const Analysis::Results& first,
                                         const std::vector<EventCost>& costs, const Burden& steal) {
  std::vector<SiteOverhead> sites(first.rows.size());
  for (StepClassId id = 0; id < first.classes.size(); ++id) {
    const StepClass& of = first.classes[id];
    const Analysis::ClassTotals& totals = first.class_totals[id];
    const bool is_created = of.opened.kind == BoundaryKind::Spawn;
    const bool is_joined = of.opened.kind == BoundaryKind::Wait;
    SiteOverhead& site = sites[is_created || is_joined ? of.opened.row : of.row];
    (is_created                              ? site.creation_ticks
     : is_joined                             ? site.join_ticks
     : of.opened.kind == BoundaryKind::Begin ? site.begin_ticks
                                             : site.other_ticks) += totals.lead;
    // The threads that the program made begin no task.
    if (of.row != kMainRow || of.opened.kind != BoundaryKind::Begin)
      site.cost += totals.steps * costs[static_cast<std::size_t>(of.opened.kind)].cost;
  }
  for (Row row = 0; row < sites.size(); ++row) {
    SiteOverhead& site = sites[row];
    // What an event costs on average is no more than it cost here.
    site.cost = std::min(site.cost,
                         work_of_ns(profile, to_ns(site.measured_ticks(), profile.read.time_hz)));
    site.steals = first.rows[row].steals;
    site.steal_ticks = first.rows[row].steal_delay;
    site.cost += site.steals * steal.work;
    site.net_work = net_work(first.rows[row], profile.run.step_cost);
    site.share = shortened_ratio(site.cost, Wide{site.cost} + site.net_work);
  }
  return sites;
}

Ratio overhead_with(const SiteRow& site, std::uint64_t leaves) {
  const Wide calls = std::max<std::uint64_t>(site.loops.body_calls, 1);
  const Wide cost = Wide{site.overhead.cost} * leaves / calls;
  return shortened_ratio(cost, cost + site.overhead.net_work);
}

std::vector<EventCost> event_costs(const Profile& profile, const Analysis::Results& first) {
  std::vector<EventCost> costs;
  const std::uint64_t recording_ns = kReadingsBetweenSteps * profile.run.step_cost_ns;
  for (std::size_t kind = 0; kind < kBoundaryKinds; ++kind) {
    const LogHistogram& leads = first.leads[kind];
    EventCost cost{.event = kEvents[kind], .count = leads.total()};
    cost.measured_ticks = leads.mean_of_lowest(trusted_percent(leads.total()));
    // What a thread does before it first uses oneTBB is no tasking, nor are the units of a virtual
    // clock time.
    if (!is_virtual(profile) && static_cast<BoundaryKind>(kind) != BoundaryKind::FirstUse) {
      const std::uint64_t ns = to_ns(cost.measured_ticks, profile.read.time_hz);
      cost.cost_ns = ns - std::min(ns, recording_ns);
      cost.cost = work_of_ns(profile, cost.cost_ns);
    }
    costs.push_back(std::move(cost));
  }
  return costs;
}

} // namespace tp::analysis
