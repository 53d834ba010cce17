// The list of passes, in order, and what their results mean together.
#include "profile.h"

#include "dpst_reader.h"
#include "report/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace tp::analysis {
namespace {

// More lengths per path than this are slower than another reading of the data.
constexpr std::size_t kScenariosPerReading = 128;

std::uint64_t to_ns(std::uint64_t ticks, double hz) {
  if (hz <= 0)
    return 0;
  const double ns = static_cast<double>(ticks) * 1e9 / hz;
  return ns < 1.8e19 ? static_cast<std::uint64_t>(ns + 0.5) : ~std::uint64_t{0};
}

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
      fail(Problem::BadRegion, {"--region"},
           known.empty() ? "an annotated region" : "one of " + known, name);
    }
  }
  return chosen;
}

// Sites and critical path with the first scenarios, then the other scenarios in further readings.
Analysis::Results read_all(const TraceSource& source, const TraceInfo& info, const SiteTable& table,
                           const WhatIfPlan& plan, WhatIfMode mode, ReadSummary& summary) {
  Analysis::Results results;
  std::size_t done = 0;
  do {
    WhatIfPlan part{plan.sets, {}};
    const std::size_t count = std::min(kScenariosPerReading, plan.scenarios.size() - done);
    part.scenarios.assign(plan.scenarios.begin() + static_cast<std::ptrdiff_t>(done),
                          plan.scenarios.begin() + static_cast<std::ptrdiff_t>(done + count));
    Analysis analysis(part, table.rows.size(), mode, done == 0);
    ReadSummary read = DpstReader(source, info, table.maps, analysis).run();
    Analysis::Results more = analysis.results();
    if (done == 0) {
      summary = std::move(read);
      results = std::move(more);
    } else {
      results.what_if.insert(results.what_if.end(), more.what_if.begin(), more.what_if.end());
    }
    done += count;
  } while (done < plan.scenarios.size());
  return results;
}

bool is_too_short(const RowTotals& totals, const RunInfo& run) {
  __extension__ using Wide = unsigned __int128;
  return Wide{totals.steps} * run.step_cost * 10 > Wide{totals.exclusive_work};
}

void add_sites(Profile& profile, const SiteTable& table, const Analysis::Results& results) {
  for (Row row = 0; row < table.rows.size(); ++row) {
    const RowTotals& totals = results.rows[row];
    if (row == table.maps.unknown_row && totals.invocations == 0)
      continue;
    SiteRow site{.info = table.rows[row],
                 .work = totals.work,
                 .span = totals.span,
                 .exclusive_work = totals.exclusive_work,
                 .critical_work = results.critical_work[row],
                 .overhead_ticks = totals.overhead,
                 .invocations = totals.invocations,
                 .outermost = totals.outermost,
                 .steps = totals.steps,
                 .extra = totals.extra,
                 .too_short = is_too_short(totals, profile.run)};
    site.extra.resize(profile.run.extra_events.size());
    if (row == kMainRow) {
      site.work = profile.work;
      site.span = profile.span;
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

void add_what_if(Profile& profile, const WhatIfPlan& plan, const Analysis::Results& results) {
  for (std::size_t set = 0; set < plan.sets.size(); ++set) {
    WhatIfCurve curve;
    for (std::uint32_t region = 0; region < plan.sets[set].size(); ++region)
      if (plan.sets[set][region])
        curve.regions.push_back(region);
    for (std::size_t i = 0; i < plan.scenarios.size(); ++i)
      if (plan.scenarios[i].set == set)
        curve.points.push_back(
            {plan.scenarios[i].factor, {results.what_if[i].work, results.what_if[i].span}});
    profile.what_if.push_back(std::move(curve));
  }
}

// Saturating, since P times the span may be large: a bound that does not fit is no bound anybody
// needs.
std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? ~std::uint64_t{0} : product;
}

void add_bounds(Profile& profile, std::vector<std::uint64_t> procs) {
  if (procs.empty())
    procs = {profile.run.cpus, std::uint64_t{4} * profile.run.cpus};
  for (const std::uint64_t count : procs) {
    const std::uint64_t full_span = multiply(count, profile.span);
    SpeedupBound bound{.procs = count};
    bound.upper = profile.work < full_span ? profile.parallelism() : Ratio{count, 1};
    if (profile.span == 0)
      bound.upper = {1, 1};
    std::uint64_t denominator = 0;
    if (__builtin_add_overflow(profile.work, full_span, &denominator))
      denominator = ~std::uint64_t{0};
    bound.lower = {multiply(profile.work, count), denominator};
    profile.bounds.push_back(bound);
  }
}

void add_attribution(Profile& profile) {
  Attribution& a = profile.attribution;
  const double time_hz = profile.read.time_hz;
  a.overhead_ns = to_ns(profile.read.overhead, time_hz);
  a.idle_ns = to_ns(profile.read.idle, time_hz);
  if (profile.run.work.hz > 0)
    a.paused_ns = to_ns(profile.read.threads.paused_work, static_cast<double>(profile.run.work.hz));
  if (!profile.end)
    return;
  const std::uint64_t cpu_ns = profile.end->cpu_ns;
  if (profile.run.work.name == "virtual") {
    a.basis = AttributionBasis::Virtual;
    a.attributed = profile.work;
    const std::uint64_t paused = profile.read.threads.paused_work;
    a.total = profile.end->virtual_work - std::min(profile.end->virtual_work, paused);
    return;
  }
  a.total = cpu_ns;
  if (profile.run.work.hz > 0) {
    a.basis = AttributionBasis::Time;
    a.attributed =
        to_ns(profile.work,
              profile.run.same_as_time ? time_hz : static_cast<double>(profile.run.work.hz));
  } else {
    a.basis = AttributionBasis::StepTime;
    a.attributed = to_ns(profile.read.step_time, time_hz);
  }
  // Threads tell their CPU time since they were created, the process since the profiler started.
  const std::uint64_t known = profile.read.threads.cpu_ns -
                              std::min(profile.read.threads.cpu_ns, profile.run.cpu_ns_at_start);
  a.unknown_threads_ns = cpu_ns > known ? cpu_ns - known : 0;
}

void explain_attribution(Profile& profile) {
  Attribution& a = profile.attribution;
  if (a.basis == AttributionBasis::None || a.total == 0)
    return;
  __extension__ using Wide = unsigned __int128;
  if (Wide{a.attributed} * 100 >= Wide{a.total} * 95)
    return;
  if (a.basis == AttributionBasis::Virtual) {
    a.likely_cause =
        "tp_spend was called by threads that never called oneTBB, or while recording was paused";
  } else {
    // The largest of what is known to be missing.
    const std::uint64_t most =
        std::max({a.unknown_threads_ns, a.overhead_ns, a.idle_ns, a.paused_ns});
    if (most == a.paused_ns && most > 0)
      a.likely_cause = fmt::format("recording was paused: {}", human_ns(most));
    else if (most == a.unknown_threads_ns && most > 0)
      a.likely_cause = fmt::format("threads that never called oneTBB: {}", human_ns(most));
    else if (most == a.overhead_ns && most > 0)
      a.likely_cause = fmt::format(
          "tasking overhead: {} (tasks are too small: use a larger grain size)", human_ns(most));
    else
      a.likely_cause = fmt::format("workers looking for work: {}", human_ns(most));
  }
  profile.warnings.push_back(
      {"attribution", fmt::format("only {} % of {} is attributed to steps; likely cause: {}",
                                  percent2(a.attributed, a.total),
                                  a.basis == AttributionBasis::Virtual ? "the virtual work"
                                                                       : "the process's CPU time",
                                  a.likely_cause)});
}

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
  if (profile.exclusive_sum != profile.work)
    warnings.push_back({"Conservation", fmt::format("exclusive work of all sites is {}, T1 is {}",
                                                    profile.exclusive_sum, profile.work)});
  if (profile.critical_sum != profile.span)
    warnings.push_back({"Conservation", fmt::format("critical work of all sites is {}, Tinf is {}",
                                                    profile.critical_sum, profile.span)});
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t less = std::min(profile.span, profile.divisible_span);
  const std::uint64_t more = std::max(profile.span, profile.divisible_span);
  if (Wide{more} * 10 > Wide{less} * 12)
    warnings.push_back(
        {"divisible",
         "parallelism as executed depends on how this run's loops were split (number of threads); "
         "as divisible does not"});
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

std::string site_name(const SiteInfo& info) {
  return info.line == 0 ? info.file : fmt::format("{}:{}", info.file, info.line);
}

// The marked region that alone raises the parallelism most, at the factor nearest to 8 from below.
struct BestRegion {
  const RegionInfo* region = nullptr;
  std::uint64_t factor = 0;
  Ratio parallelism;
};

BestRegion best_region(const Profile& profile) {
  BestRegion best;
  for (const WhatIfCurve& curve : profile.what_if) {
    if (curve.regions.size() != 1 || curve.points.empty())
      continue;
    const WhatIfPoint* point = &curve.points.front();
    for (const WhatIfPoint& each : curve.points)
      if (each.factor <= 8 && each.factor > point->factor)
        point = &each;
    if (best.region && point->parallelism.value() <= best.parallelism.value())
      continue;
    best = {&profile.regions[curve.regions[0]], point->factor, point->parallelism};
  }
  return best;
}

std::string region_name(const RegionInfo& region) {
  const std::string place = fmt::format("{}:{}", region.file, region.line);
  return region.names.empty() ? place : fmt::format("\"{}\" ({})", region.names.front(), place);
}

std::string advise(const Profile& profile) {
  if (profile.work == 0)
    return "No work was recorded: check that the program ran long enough and used oneTBB.";
  const SiteRow* most = &profile.sites[0];
  for (const SiteRow& site : profile.sites)
    if (site.critical_work > most->critical_work)
      most = &site;
  const std::string share = percent2(most->critical_work, profile.span);
  const std::string limit = decimal2(profile.divisible_parallelism());
  if (profile.divisible_parallelism().value() >= 10.0 * profile.run.cpus)
    return fmt::format("Parallelism {} is ample for {} cpus; look at tasking overhead and memory "
                       "instead of more tasks.",
                       limit, profile.run.cpus);
  // Worth saying if it gains a tenth.
  const BestRegion best = best_region(profile);
  if (best.region && best.parallelism.value() >= 1.1 * profile.parallelism().value())
    return fmt::format(
        "Region {} is worth the work: {} times as fast, parallelism goes from {} to {}.",
        region_name(*best.region), best.factor, decimal2(profile.parallelism()),
        decimal2(best.parallelism));
  const std::string elsewhere = best.region ? "The marked regions would gain little: " : "";
  if (most == &profile.sites[0])
    return elsewhere + fmt::format("{} % of the critical path is the serial part of the program "
                                   "(main): parallelize it, or mark "
                                   "it with causal_begin/causal_end to see what that would gain.",
                                   share);
  return elsewhere +
         fmt::format(
             "{} % of the critical path is spent in tasks of {}: split that work, or mark it with "
             "causal_begin/causal_end to see what that would gain.",
             share, site_name(most->info));
}

} // namespace

Profile make_profile(const TraceSource& source, const ProfileOptions& options) {
  const TraceInfo info = read_info(source);
  const SiteTable table = build_site_table(info.sites, options.path_map);
  const WhatIfPlan plan = plan_what_if(static_cast<std::uint32_t>(table.regions.size()),
                                       choose_regions(table, options.regions), options.factors);
  Profile profile;
  profile.data = source.name;
  profile.run = info.run;
  profile.end = info.end;
  profile.regions = table.regions;
  profile.what_if_mode = options.mode == WhatIfMode::Parallelize ? "parallelize" : "optimize";
  const Analysis::Results results = read_all(source, info, table, plan, options.mode, profile.read);
  // From here on the trace is valid and everything in it has been seen.
  profile.work = results.work;
  profile.span = results.spans[kExecuted];
  profile.divisible_span = results.spans[kDivisible];
  add_sites(profile, table, results);
  add_what_if(profile, plan, results);
  add_bounds(profile, options.procs);
  add_attribution(profile);
  explain_attribution(profile);
  add_warnings(profile);
  profile.advice = advise(profile);
  return profile;
}

} // namespace tp::analysis
