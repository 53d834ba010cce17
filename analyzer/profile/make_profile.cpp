// The list of passes, in order, and what their results mean together.
#include "profile/make_profile.h"
#include "trace/metadata_reader.h"

#include "base/problem.h"
#include "base/rounding.h"
#include "model/speedup_bounds.h"
#include "profile/advice.h"
#include "profile/calling_contexts.h"
#include "profile/conservation.h"
#include "profile/elapsed_time.h"
#include "profile/grain_size.h"
#include "profile/prediction.h"
#include "profile/schedule_dependence.h"
#include "profile/tasking_overhead.h"
#include "profile/trace_readings.h"
#include "profile/what_if_candidates.h"
#include "report/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace tp::analysis {
namespace {

std::vector<std::uint8_t> choose_regions(const SiteTable& table,
                                         const std::vector<std::string>& wanted) {
  std::vector<std::uint8_t> chosen(table.regions.size(), wanted.empty());
  for (const std::string& name : wanted) {
    bool found = false;
    for (std::size_t i = 0; i < table.regions.size(); ++i) {
      const RegionInfo& region = table.regions[i];
      if (std::find(region.names.begin(), region.names.end(), name) == region.names.end() &&
          fmt::format("{}:{}", region.file, region.line) != name)
        continue;
      chosen[i] = 1;
      found = true;
    }
    if (!found) {
      std::string known;
      for (const RegionInfo& region : table.regions)
        for (const std::string& each : region.names)
          known += (known.empty() ? "" : ", ") + each;
      fail(Problem::NoSuchRegion, {"--region"},
           known.empty() ? "an annotated region" : "one of " + known, name,
           "tp-analyze --json - lists the regions");
    }
  }
  return chosen;
}

// The first scenarios of a plan: as many as ride along in one reading. `rest` gets the others.
WhatIfPlan first_part(const WhatIfPlan& plan, WhatIfPlan& rest) {
  const std::size_t middle = std::min(Readings::kScenariosPerReading, plan.scenarios.size());
  rest = plan.part(middle, plan.scenarios.size());
  return plan.part(0, middle);
}

bool is_too_short(const RowTotals& totals, const RunInfo& run) {
  return Wide{totals.steps} * run.step_cost * 10 > Wide{totals.on_work.local.work};
}

void add_sites(Profile& profile, const SiteTable& table, const Analysis::Results& results) {
  const auto overheads =
      site_overheads(profile, results, profile.prediction.costs, profile.prediction.steal);
  for (Row row = 0; row < table.rows.size(); ++row) {
    const RowTotals& totals = results.rows[row];
    const SiteMeasures& all = totals.on_work;
    if (row == table.maps.unknown_row && all.local.count == 0)
      continue;
    SiteRow site{.info = table.rows[row],
                 .row = row,
                 .work = all.top_call_site.work,
                 .span = all.top_call_site.span,
                 .exclusive_work = all.local.work,
                 .critical_work = totals.on_span.local.span,
                 .overhead_ticks = totals.overhead,
                 .invocations = all.local.count,
                 .outermost = all.top_call_site.count,
                 .steps = totals.steps,
                 .on_work = all,
                 .on_span = totals.on_span,
                 .overhead = overheads[row],
                 .loops = totals.loops,
                 .extra = totals.extra,
                 .too_short = is_too_short(totals, profile.run)};
    site.extra.resize(profile.run.extra_events.size());
    if (row == kMainRow) {
      site.work = profile.work;
      site.span = profile.span;
      const InvocationSums whole{1, profile.work, profile.span};
      site.on_work.top_call_site = site.on_work.top_caller = whole;
      site.on_span.top_call_site = site.on_span.top_caller = whole;
      site.on_work.local.count = site.on_span.local.count = 1;
      site.on_span.local.work = site.on_work.local.work;
    }
    profile.exclusive_sum += site.exclusive_work;
    profile.critical_sum += site.critical_work;
    profile.sites.push_back(std::move(site));
  }
  std::stable_sort(profile.sites.begin() + 1, profile.sites.end(),
                   [](const SiteRow& a, const SiteRow& b) {
                     return std::tie(b.critical_work, a.info.file, a.info.line) <
                            std::tie(a.critical_work, b.info.file, b.info.line);
                   });
}

void add_what_if(Profile& profile, const WhatIfPlan& plan, const std::vector<WhatIfLength>& lengths,
                 const ProfileOptions& options) {
  for (const StepSet& set : plan.sets)
    profile.what_if.push_back({set.regions, {}});
  for (std::size_t i = 0; i < plan.scenarios.size(); ++i) {
    WhatIfPoint point{plan.scenarios[i].factor, {lengths[i].work, lengths[i].span}, {}};
    for (const std::uint64_t procs : options.procs)
      point.speedups.push_back(predicted_speedup(profile.work, point, procs));
    profile.what_if[plan.scenarios[i].set].points.push_back(std::move(point));
  }
}

void add_bounds(Profile& profile, const ProfileOptions& options) {
  for (const std::uint64_t procs : options.procs) {
    const SpeedupRange greedy =
        predicted_speedup(profile.work, {1, profile.parallelism(), {}}, procs);
    profile.bounds.push_back(
        {.procs = procs,
         .lower = greedy.lower,
         .upper = speedup_limit(profile.work, profile.span, procs),
         .divisible_upper = speedup_limit(profile.work, profile.divisible_span, procs),
         .estimate_cilk = speedup_estimate(profile.work, profile.burdened_span_cilk, procs),
         .estimate_tbb = speedup_estimate(profile.work, profile.burdened_span_tbb, procs)});
  }
}

// ---- burden

constexpr std::uint64_t kDefaultBurdenNs = 6250; // Cilkview's 15,000 cycles at 2.4 GHz
constexpr std::uint64_t kFewSteals = 20;

// In the unit of work; nothing if that needs figures of the whole trace.
std::optional<std::uint64_t> burden_in_work(const Burden& burden, const RunInfo& run) {
  if (run.work.name == "virtual")
    return burden.ns; // its units are what the user makes them
  if (run.work.hz == 0)
    return {};
  return rounded(static_cast<double>(burden.ns) * static_cast<double>(run.work.hz) / 1e9);
}

Burden burden_before_reading(const ProfileOptions& options, const RunInfo& run) {
  if (options.burden_ns)
    return {.origin = BurdenOrigin::Given, .ns = *options.burden_ns};
  // A run on the virtual clock has no time that a migration could take.
  return {.ns = run.work.name == "virtual" ? 0 : kDefaultBurdenNs};
}

// What only the trace tells: how long steals took, how much work is done in a nanosecond. True if
// the burden is another one than before.
bool refine_burden(Profile& profile, const ProfileOptions& options) {
  Burden& burden = profile.burden;
  const ReadSummary& read = profile.read;
  const std::uint64_t before = burden.work;
  burden.steals = read.steal_delay.total();
  if (options.measure_burden && burden.steals >= kFewSteals) {
    burden.origin = BurdenOrigin::Measured;
    burden.ns = to_ns(read.steal_delay.median(), read.time_hz);
  } else if (options.measure_burden) {
    profile.warnings.push_back(
        {"burden", fmt::format("--burden auto: {} steals were recorded, too few to measure what "
                               "one costs: {} is assumed",
                               burden.steals, human_ns(burden.ns))});
  }
  if (const auto work = burden_in_work(burden, profile.run)) {
    burden.work = *work;
  } else if (const std::uint64_t ns = to_ns(read.step_time, read.time_hz); ns > 0) {
    burden.work = rounded(static_cast<double>(burden.ns) * static_cast<double>(profile.work) /
                          static_cast<double>(ns));
  }
  return burden.work != before;
}

// ---- warnings

void add_warnings(Profile& profile) {
  auto& warnings = profile.warnings;
  const ReadSummary& read = profile.read;
  for (std::size_t i = 0; i < read.inconsistencies.size(); ++i) {
    if (read.inconsistencies[i] == 0)
      continue;
    const ProblemText& text = text_of(static_cast<Problem>(i));
    // In a trace that stops in the middle such loose ends are to be expected.
    warnings.push_back(
        {text.name, fmt::format("{}: {} times{}", text.sentence, read.inconsistencies[i],
                                read.complete ? " (though the trace is complete)" : "")});
  }
  check_sums(profile);
  if (profile.end && profile.end->not_counted_ns > 0)
    warnings.push_back(
        {"not_counted",
         fmt::format("during {} of {} CPU time events could not be counted (no counter free, cores "
                     "of another kind, or no descriptors left): figures are too low",
                     human_ns(profile.end->not_counted_ns), human_ns(profile.end->cpu_ns))});
  if (read.unfinished > 0)
    warnings.push_back({"unfinished", fmt::format("{} tasks had not ended when recording ended",
                                                  read.unfinished)});
  if (read.never_begun > 0)
    warnings.push_back(
        {"never_begun", fmt::format("{} tasks were created and never ran", read.never_begun)});
}

} // namespace

Profile make_profile(const TraceSource& source, const ProfileOptions& given) {
  if (given.progress)
    given.progress->begin("spawn sites");
  const TraceInfo info = read_info(source);
  const SiteTable table = build_site_table(info.sites, given.path_map);
  const std::vector<std::uint8_t> chosen = choose_regions(table, given.regions);
  const WhatIfPlan plan = plan_what_if(chosen, given.factors);
  ProfileOptions options = given;
  if (options.procs.empty())
    options.procs = {info.run.cpus, std::uint64_t{4} * info.run.cpus};
  Profile profile;
  profile.data = source.name;
  profile.run = info.run;
  profile.end = info.end;
  profile.regions = table.regions;
  profile.what_if_mode = options.mode == WhatIfMode::Parallelize ? "parallelize" : "optimize";
  profile.burden = burden_before_reading(options, info.run);
  profile.burden.work = burden_in_work(profile.burden, info.run).value_or(0);

  const Readings readings(source, info, table, options.mode, options.jobs, options.progress);
  readings.begin_phase("profile");
  WhatIfPlan rest;
  auto [results, summary] = readings.read(
      first_part(plan, rest), {.sites = true, .composition = true, .burden = profile.burden.work});
  // From here on the trace is valid and everything in it has been seen.
  profile.read = std::move(summary);
  profile.work = results.work;
  profile.span = results.span;
  for (std::size_t region = 0; region < profile.regions.size(); ++region)
    profile.regions[region].critical_work = results.region_critical_work[region];
  profile.divisible_span = results.divisible_span;
  profile.burdened_span_cilk = results.burdened_cilk;
  profile.burdened_span_tbb = results.burdened_tbb;
  if (refine_burden(profile, options)) {
    const auto again = readings.read({}, {.burden = profile.burden.work}).analysis;
    profile.burdened_span_cilk = again.burdened_cilk;
    profile.burdened_span_tbb = again.burdened_tbb;
  }
  const auto more = readings.evaluate(rest);
  results.what_if.insert(results.what_if.end(), more.begin(), more.end());

  add_costs(profile, results);
  add_sites(profile, table, results);
  tell_divisible(profile, results);
  add_what_if(profile, plan, results.what_if, options);
  add_bounds(profile, options);
  readings.begin_phase("simulation");
  predict(profile, readings, options);
  readings.begin_phase("what-if");
  explore(profile, readings, table, results, options);
  search_target(profile, readings, table, results, options, chosen);
  readings.begin_phase("grain sizes");
  try_grains(profile, readings, options);
  advise_grains(profile, readings);
  readings.begin_phase("calling contexts");
  if (options.contexts)
    add_contexts(profile, readings, table);
  add_attribution(profile);
  add_balance(profile);
  readings.begin_phase("elapsed time");
  explain_elapsed(profile, readings, options);
  add_warnings(profile);
  add_schedule_warnings(profile, table, results);
  profile.advice = advise(profile);
  return profile;
}

} // namespace tp::analysis
