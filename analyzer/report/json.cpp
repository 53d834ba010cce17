// SPDX-License-Identifier: Apache-2.0
// JSON, schema taskpath.profile/1: the complete profile. Within /1 fields are only added. The unit
// of every number is in its name (_ns, _ticks, _percent) or in "unit".
#include "report/changes.h"
#include "report/missing_openmp.h"
#include "report/numbers.h"
#include "report/phrases.h"
#include "report/writers.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>

namespace tp::analysis {
namespace {

using Json = nlohmann::ordered_json;

// Rounded as in the other reports, as a JSON number.
double number(const std::string& decimal) {
  return std::strtod(decimal.c_str(), nullptr);
}

double exact_percent(const Ratio& share) {
  return number(percent2(share.numerator, share.denominator));
}

Json clock_json(const Profile& profile) {
  const RunInfo& run = profile.run;
  return {{"unit", run.work.unit},
          {"clock", run.work.name},
          {"event", run.work_event},
          {"requested", run.work_requested},
          {"reason", run.work_reason},
          {"hz", run.work.hz},
          {"kernel_included", run.kernel_included},
          {"step_cost", run.step_cost},
          {"step_cost_ns", run.step_cost_ns},
          {"gap_cost_ns", run.gap_cost_ns},
          {"time_source", run.time.name},
          {"time_unit", run.time.unit},
          {"time_hz_stated", run.time.hz},
          {"time_hz", profile.read.time_hz}};
}

Json run_json(const Profile& profile) {
  const RunInfo& run = profile.run;
  Json json = {{"program", run.program},
               {"arguments", run.arguments},
               {"host", run.host},
               {"pid", run.pid},
               {"cpus", run.cpus},
               {"start_time_unix_ns", run.start_time_unix_ns},
               {"taskpath", run.taskpath_version},
               {"libtbb", run.libtbb_version},
               {"as_if_cores", run.as_if_cores},
               {"divide", run.divide}};
  if (!run.openmp_runtime.empty())
    json["openmp"] = {{"runtime", run.openmp_runtime}, {"replaced", run.openmp_replaced}};
  if (profile.end) {
    json["end"] = profile.end->end;
    json["cpu_ns"] = profile.end->cpu_ns;
    json["wall_ns"] = profile.end->wall_ns;
  }
  return json;
}

Json extra_json(const Profile& profile, const std::vector<std::uint64_t>& values) {
  Json extra = Json::object();
  for (std::size_t i = 0; i < values.size(); ++i)
    extra[profile.run.extra_events[i]] = values[i];
  return extra;
}

Json sums_json(const InvocationSums& sums) {
  return {{"count", sums.count},
          {"work", sums.work},
          {"span", sums.span},
          {"parallelism", number(decimal2({sums.work, sums.span}))}};
}

Json measures_json(const SiteMeasures& measures) {
  return {{"top_call_site", sums_json(measures.top_call_site)},
          {"top_caller", sums_json(measures.top_caller)},
          {"local", sums_json(measures.local)}};
}

double two_decimals(double value) {
  return std::round(value * 100) / 100;
}

// By kind; `all` is what they are part of.
Json sleep_json(const SleepTimes& times, std::uint64_t all) {
  SleepTimes with_rest = times;
  with_rest[SleepKind::Unknown] = all - std::min(times.known(), all);
  Json json = Json::object();
  for (std::size_t kind = 0; kind < kSleepKinds; ++kind)
    if (with_rest.of[kind] > 0)
      json[kSleepNames[kind]] = with_rest.of[kind];
  return json;
}

Json overhead_json(const SiteRow& site) {
  const SiteOverhead& overhead = site.overhead;
  const std::optional<std::uint64_t> iterations = site.loops.all_iterations();
  return {{"creation_ticks", overhead.creation_ticks},
          {"begin_ticks", overhead.begin_ticks},
          {"join_ticks", overhead.join_ticks},
          {"other_ticks", overhead.other_ticks},
          {"steals", overhead.steals},
          {"steal_ticks", overhead.steal_ticks},
          {"modelled_cost", overhead.cost},
          {"net_work", overhead.net_work},
          {"modelled_percent", exact_percent(overhead.share)},
          {"mean_task_work", number(decimal2({site.exclusive_work, site.invocations}))},
          {"body_calls", site.loops.body_calls},
          {"iterations", iterations ? Json(*iterations) : Json()},
          {"largest_grain", site.loops.largest_grain},
          {"measured_parts", site.loops.parts},
          {"cost_variation", two_decimals(site.loops.cost_variation())},
          {"unsized_body_calls", site.loops.unsized_calls},
          {"joins", site.loops.joins},
          {"join_work", site.loops.join_work}};
}

// Of the path of the run: what ran, and what was late, by the edge before it.
Json run_path_json(const RunPathPart& part) {
  static constexpr const char* kEdges[] = {"create", "create_continue", "wait_continue",
                                           "end",    "inside",          "lock"};
  Json busy = Json::object(), scheduler = Json::object();
  for (std::size_t i = 0; i < kEdgeKinds; ++i) {
    busy[kEdges[i]] = part.delays[i].busy;
    scheduler[kEdges[i]] = part.delays[i].scheduler;
  }
  return {{"running_ticks", part.running},
          {"of_running",
           {{"latency_ticks", part.latency},
            {"waited_ticks", part.waited},
            {"crowded_ticks", part.crowded},
            {"taken_ticks", part.taken}}},
          {"busy_delay_ticks", busy},
          {"scheduler_delay_ticks", scheduler},
          {"of_scheduler_delay",
           {{"blocked_ticks", part.blocked()},
            {"at_locks_ticks", part.blocked_at_locks()},
            {"taken_ticks", part.delay_taken()}}}};
}

Json wrapper_json(const SiteInfo& info) {
  if (info.wrapper.file.empty())
    return nullptr;
  return {{"file", info.wrapper.file},
          {"line", info.wrapper.line},
          {"function", info.wrapper_function},
          {"other_callers", info.of_other_callers}};
}

// Where the pipelines of a filter are called.
Json pipelines_json(const SiteInfo& info) {
  Json calls = Json::array();
  for (const PipelineCall& call : info.pipelines) {
    Json wrapper = nullptr;
    if (!call.wrapper.file.empty())
      wrapper = {{"file", call.wrapper.file}, {"line", call.wrapper.line}};
    calls.push_back({{"file", call.file},
                     {"line", call.line},
                     {"function", call.function},
                     {"wrapper", wrapper}});
  }
  return calls;
}

// Tasks by size; null if there are none, or no pictures.
Json task_work_json(const Profile& profile, const SiteRow& site) {
  const auto index = static_cast<std::size_t>(&site - profile.sites.data());
  if (!profile.pictures || index >= profile.pictures->task_sizes.size() ||
      profile.pictures->task_sizes[index].tasks.empty())
    return nullptr;
  const SizeClasses& sizes = profile.pictures->task_sizes[index];
  const double hz = hz_of_work(profile);
  return {{"per_decade", 5},
          {"first", profile.pictures->smallest_task},
          {"first_ns", hz > 0 ? Json(to_ns(profile.pictures->smallest_task, hz)) : Json(nullptr)},
          {"tasks", sizes.tasks},
          {"work", sizes.work}};
}

Json site_or_null(std::uint32_t site) {
  return site == kNoSite ? Json(nullptr) : Json(site);
}

Json spawned_by_json(const Profile& profile, const SiteRow& site) {
  Json spawns = Json::array();
  const auto index = static_cast<std::uint32_t>(&site - profile.sites.data());
  for (const SiteSpawns& each :
       std::ranges::equal_range(profile.site_spawns, index, {}, &SiteSpawns::site))
    spawns.push_back({{"site", site_or_null(each.from)}, {"spawns", each.spawns}});
  return spawns;
}

Json segment_json(const CodeSegment& segment) {
  const auto event = [](EventKind kind, std::uint32_t site) {
    return Json{{"kind", kEventNames[static_cast<std::size_t>(kind)]},
                {"site", site_or_null(site)}};
  };
  return {{"site", site_or_null(segment.site)},
          {"opened", event(segment.opened, segment.opened_site)},
          {"closed", event(segment.closed, segment.closed_site)},
          {"count", segment.count},
          {"work", segment.work},
          {"critical_work", segment.critical_work},
          {"idle_blame_ns", segment.idle_blame_ns}};
}

Json timeline_json(const Profile& profile) {
  Json threads = Json::array();
  for (const TimelineSlice& slice : profile.timeline) {
    if (threads.empty() || threads.back()["stream"] != slice.stream)
      threads.push_back({{"stream", slice.stream}, {"slices", Json::array()}});
    threads.back()["slices"].push_back(
        {slice.begin_ns, slice.end_ns, slice.site, slice.work, slice.steps, slice.outside_ns});
  }
  return {{"threads", threads}};
}

Json site_json(const Profile& profile, const SiteRow& site) {
  Json json = {{"name", site.info.name},
               {"file", site.info.file},
               {"line", site.info.line},
               {"column", site.info.column},
               {"end_line", site.info.end_line},
               {"functions", site.info.functions},
               {"constructs", site.info.constructs},
               {"found_by", site.info.found_by},
               {"site_ids", site.info.site_ids},
               {"wrapper", wrapper_json(site.info)},
               {"variable", site.info.variable},
               {"filter", site.info.filter},
               {"filter_modes", site.info.filter_modes},
               {"pipelines", pipelines_json(site.info)},
               {"work", site.work},
               {"span", site.span},
               {"parallelism", number(decimal2({site.work, site.span}))},
               {"longest_chain", site.longest_chain},
               {"longest_chain_is_exact", site.chain_is_exact},
               {"chain_parallelism", number(decimal2(site.chain_parallelism()))},
               {"exclusive_work", site.exclusive_work},
               {"critical_work", site.critical_work},
               {"critical_percent", number(percent2(site.critical_work, profile.span))},
               {"run_path", run_path_json(site.on_run_path)},
               {"overhead_ticks", site.overhead_ticks},
               {"tasking", overhead_json(site)},
               {"invocations", site.invocations},
               {"outermost_invocations", site.outermost},
               {"steps", site.steps},
               {"asleep", site.asleep},
               {"latency", site.latency},
               {"extra_events", extra_json(profile, site.extra)},
               {"too_short", site.too_short},
               {"on_work", measures_json(site.on_work)},
               {"on_span", measures_json(site.on_span)}};
  if (Json sizes = task_work_json(profile, site); !sizes.is_null())
    json["task_work"] = std::move(sizes);
  if (site.latency > 0)
    json["latency_in"] = sleep_json(site.slept_in, site.latency);
  if (profile.elapsed.skipped_because.empty())
    json["idle_beside_ns"] = json["idle_blame_ns"] = site.idle_beside_ns;
  if (!profile.locks.rows.empty())
    json["wait_blame"] = site.wait_blame;
  if (!profile.contexts.empty())
    json["spawned_by"] = spawned_by_json(profile, site);
  return json;
}

Json speedups_json(const std::vector<SpeedupRange>& speedups) {
  Json json = Json::array();
  for (const SpeedupRange& range : speedups)
    json.push_back({{"procs", range.procs},
                    {"lower", number(decimal2(range.lower))},
                    {"upper", number(decimal2(range.upper))}});
  return json;
}

void add_predicted(Json& json, const std::vector<PredictedTime>& predicted) {
  for (const PredictedTime& each : predicted)
    json["predicted"].push_back({{"procs", each.procs}, {"time", each.time}});
}

Json points_json(const std::vector<WhatIfPoint>& points) {
  Json json = Json::array();
  for (const WhatIfPoint& point : points) {
    json.push_back({{"factor", point.factor},
                    {"parallelism", number(decimal2(point.parallelism))},
                    {"work_times_factor", point.parallelism.numerator},
                    {"span_times_factor", point.parallelism.denominator},
                    {"speedups", speedups_json(point.speedups)}});
    add_predicted(json.back(), point.predicted);
  }
  return json;
}

Json target_json(const Profile& profile, const WhatIfCandidate& target) {
  static constexpr const char* kKinds[] = {"site", "stretch", "wait", "grain"};
  Json json = {{"kind", kKinds[static_cast<std::size_t>(target.kind)]}, {"name", target.name}};
  if (target.kind == CandidateKind::CodeSegment) {
    json["from"] = target.from;
    json["from_file"] = target.place.file;
    json["from_line"] = target.place.line;
    json["to"] = target.to;
    json["to_file"] = target.end.file;
    json["to_line"] = target.end.line;
  } else {
    json["file"] = target.place.file;
    json["line"] = target.place.line;
  }
  if (target.mostly.is_known())
    json["mostly"] = target.mostly.phrase();
  if (target.kind == CandidateKind::Wait)
    json["removable"] = target.is_removable;
  if (target.kind == CandidateKind::Grain)
    json.update({{"grain", target.grain}, {"not_made", target.skipped_because}});
  if (target.loop)
    json["loop"] = {{"body_calls_now", target.loop->body_calls},
                    {"body_calls", target.loop->leaves},
                    {"overhead_percent_now", exact_percent(target.loop->overhead_now)},
                    {"overhead_percent", exact_percent(target.loop->overhead)}};
  if (target.kind == CandidateKind::Site || target.kind == CandidateKind::CodeSegment) {
    json["work"] = target.work;
    json["critical_work"] = target.critical_work;
    json["critical_percent"] = number(percent2(target.critical_work, profile.span));
  }
  json["basis"] = target.kind == CandidateKind::Grain ? "as_divisible" : "as_executed";
  json["points"] = points_json(target.points);
  return json;
}

Json targets_json(const Profile& profile, const std::vector<WhatIfCandidate>& targets) {
  Json json = Json::array();
  for (const WhatIfCandidate& target : targets)
    json.push_back(target_json(profile, target));
  return json;
}

Json search_json(const TargetSearch& search) {
  static constexpr const char* kKinds[] = {"stretch", "site", "region", "function",
                                           "lock",    "lock", "threads"};
  Json steps = Json::array();
  for (const TargetSearch::Step& step : search.steps) {
    steps.push_back({{"kind", kKinds[static_cast<std::size_t>(step.kind)]},
                     {"name", step.name},
                     {"parallelism_alone", number(decimal2(step.alone))},
                     {"parallelism_with_those_before", number(decimal2(step.after))}});
    if (step.kind == ChoiceKind::Threads)
      steps.back().update({{"limit", step.limit}, {"threads_at_least", step.factor}});
    if (!is_of_lock(step.kind))
      continue;
    const LockChange change =
        step.kind == ChoiceKind::LockSplit ? LockChange::Split : LockChange::Shorter;
    steps.back().update({{"lock", step.lock},
                         {"change", kLockChangeNames[static_cast<std::size_t>(change)]},
                         {"factor", step.factor}});
  }
  Json json = {{"parallelism", search.target},
               {"factor", search.factor},
               {"not_made", search.skipped_because},
               {"reached", search.reached},
               {"proved_minimal", search.minimal},
               {"outcome", search.outcome},
               {"regions", steps},
               {"speedups", speedups_json(search.speedups)}};
  if (search.with_all_code)
    json["parallelism_with_all_code"] = number(decimal2(*search.with_all_code));
  return json;
}

Json what_if_json(const Profile& profile) {
  Json curves = Json::array();
  for (std::size_t i = 0; i < profile.what_if.size(); ++i)
    curves.push_back({{"regions", profile.what_if[i].regions},
                      {"all", i == 0},
                      {"points", points_json(profile.what_if[i].points)}});
  Json changes = Json::array();
  for (const Change& change : changes_of(profile)) {
    changes.push_back({{"kind", kChangeNames[static_cast<std::size_t>(change.kind)]},
                       {"index", change.index},
                       {"name", change.name},
                       {"parallelism_at_most", number(decimal2(change.most))}});
    if (change.kind == ChangeKind::Lock)
      changes.back()["change"] = kLockChangeNames[static_cast<std::size_t>(change.lock_change)];
  }
  Json json = {{"mode", profile.what_if_mode},
               {"basis", "as_executed"},
               {"parallelism_now", number(decimal2(profile.parallelism_now()))},
               {"changes", changes},
               {"curves", curves},
               {"explored", targets_json(profile, profile.explored)},
               {"not_explored", profile.not_explored},
               {"explored_least_critical_percent", kLeastExploredPercent},
               {"explored_left_out", profile.explored_left_out},
               {"grains", targets_json(profile, profile.grains)},
               {"advised_grains", targets_json(profile, profile.advised_grains)}};
  if (profile.search)
    json["target"] = search_json(*profile.search);
  return json;
}

Json finding_json(const Profile& profile, const Finding& finding) {
  Json json = {{"shape", kShapeNames[static_cast<std::size_t>(finding.shape)]},
               {"code", finding.code},
               {"file", finding.place.file},
               {"line", finding.place.line},
               {"work", finding.work},
               {"critical_work", finding.critical_work},
               {"critical_percent", number(percent2(finding.critical_work, profile.span))},
               {"tasks", finding.tasks},
               {"critical_tasks", finding.critical_tasks},
               {"text", finding.text}};
  if (finding.mostly.is_known())
    json["mostly"] = finding.mostly.phrase();
  if (finding.limit)
    json["limit"] = *finding.limit;
  if (finding.tokens > 0)
    json["tokens"] = finding.tokens;
  if (finding.asleep_ticks)
    json["asleep_ticks"] = *finding.asleep_ticks;
  if (finding.waited_ticks)
    json["waited_ticks"] = *finding.waited_ticks;
  if (finding.waited_ticks && *finding.asleep_ticks > *finding.waited_ticks)
    json["latency_in"] =
        sleep_json(finding.slept_in, *finding.asleep_ticks - *finding.waited_ticks);
  if (finding.shape == Shape::OffCpu)
    json.update({{"ticks", finding.ticks}, {"off_cpu_ticks", finding.off_cpu_ticks}});
  else
    json.update({{"procs", finding.procs},
                 {"time", finding.time},
                 {"least_time", finding.least_time},
                 {"saves_at_most", finding.saves_at_most()}});
  if (finding.time_with_sections)
    json["time_with_sections"] = *finding.time_with_sections;
  if (finding.time_without)
    json["time_without"] = *finding.time_without;
  return json;
}

Json lock_totals_json(const Profile& profile, const LockTotals& totals) {
  const auto ns = [&](std::uint64_t ticks) {
    return profile.read.time_hz > 0 ? Json(to_ns(ticks, profile.read.time_hz)) : Json(nullptr);
  };
  const double hz = hz_of_work(profile);
  Json json{{"acquisitions", totals.acquisitions},
            {"contended", totals.contended},
            {"shared", totals.shared},
            {"held", totals.held},
            {"longest_held", totals.longest_held},
            {"held_is_estimate", totals.is_sampled},
            {"held_error", totals.held_error},
            {"waited", totals.waited},
            {"waited_ns", ns(totals.waited)},
            {"longest_waited", totals.longest_waited},
            {"longest_waited_ns", ns(totals.longest_waited)},
            {"wait_blame", totals.wait_blame},
            {"wait_blame_ns", ns(totals.wait_blame)},
            {"failed_tries", totals.failed_tries},
            {"retried", totals.retried},
            {"retried_ns", hz > 0 ? Json(to_ns(totals.retried, hz)) : Json(nullptr)}};
  if (totals.not_apart > 0)
    json["acquisitions_not_apart"] = totals.not_apart;
  return json;
}

Json lock_place_json(const Profile& profile, const LockPlaceRow& place) {
  Json json = {{"name", place.info.name},
               {"file", place.info.file},
               {"line", place.info.line},
               {"functions", place.info.functions},
               {"kinds", place.kinds},
               {"found_by", place.info.found_by},
               {"wrapper", wrapper_json(place.info)}};
  json.update(lock_totals_json(profile, place.totals));
  return json;
}

Json unseen_lock_json(const UnseenLock& lock) {
  Json json{{"kind", lock.kind}};
  if (!lock.file.empty()) {
    json["file"] = lock.file;
    json["line"] = lock.line;
  }
  return json;
}

Json lock_json(const Profile& profile, const LockRow& lock) {
  Json places = Json::array(), what_if = Json::array();
  for (const LockPlaceRow& place : lock.places)
    places.push_back(lock_place_json(profile, place));
  for (const LockWhatIf& each : lock.what_if) {
    what_if.push_back({{"change", kLockChangeNames[static_cast<std::size_t>(each.change)]},
                       {"factor", each.factor},
                       {"parallelism", number(decimal2(each.parallelism))}});
    add_predicted(what_if.back(), each.predicted);
  }
  Json json = {{"name", lock.name},
               {"kind", lock.kind},
               {"variable", lock.variable},
               {"file", lock.places.front().info.file},
               {"line", lock.places.front().info.line}};
  if (!lock.node.empty())
    json["node"] = lock.node;
  json.update(lock_totals_json(profile, lock.totals));
  json["waited_no_holder"] = lock.no_holder;
  json.update({{"objects", lock.objects},
               {"unmatched", lock.unmatched},
               {"bound", lock.bound.length()},
               {"bound_parts",
                {{"before", lock.bound.before},
                 {"sections", lock.bound.sections},
                 {"after", lock.bound.after}}},
               {"bound_with_latency", lock.with_latency},
               {"sections_with_latency", lock.sections_with_latency},
               {"bound_kind", kLockBoundNames[static_cast<std::size_t>(lock.bound_kind)]},
               {"bound_error", lock.bound_error},
               {"parallelism", lock.bound.length() == 0
                                   ? Json(nullptr)
                                   : Json(number(decimal2({profile.work, lock.bound.length()})))},
               {"places", places},
               {"what_if", what_if}});
  if (profile.counts_sleep_of(lock)) {
    json["asleep"] = lock.asleep;
    json["speedup"] = number(decimal2(profile.left_by(lock)));
  }
  if (lock.awaits_tasks)
    json["awaits_tasks"] = true;
  return json;
}

Json burden_json(const Burden& burden) {
  static constexpr const char* kOrigins[] = {"default", "given", "measured"};
  return {{"origin", kOrigins[static_cast<std::size_t>(burden.origin)]},
          {"ns", burden.ns},
          {"work", burden.work},
          {"steals", burden.steals}};
}

Json scalability_json(const Profile& profile) {
  const auto model = [&](std::uint64_t span) {
    return Json{{"span", span}, {"parallelism", number(decimal2({profile.work, span}))}};
  };
  return {{"spawns", profile.read.spawned},
          {"joins", profile.read.waits + profile.read.folds},
          {"average_step_work", number(decimal2({profile.work, profile.read.steps}))},
          {"burden", burden_json(profile.burden)},
          {"burdened_cilk", model(profile.burdened_span_cilk)},
          {"burdened_tbb", model(profile.burdened_span_tbb)}};
}

Json bounds_json(const Profile& profile) {
  Json bounds = Json::array();
  for (const SpeedupBound& bound : profile.bounds)
    bounds.push_back({{"procs", bound.procs},
                      {"lower", number(decimal2(bound.lower))},
                      {"upper", number(decimal2(bound.upper))},
                      {"upper_as_divisible", number(decimal2(bound.divisible_upper))},
                      {"estimate_cilk", number(decimal2(bound.estimate_cilk))},
                      {"estimate_tbb", number(decimal2(bound.estimate_tbb))}});
  return bounds;
}

// A program may make an arena for each request.
constexpr std::size_t kMostLimits = 100;

Json limits_json(const Profile& profile) {
  Json limits = Json::array();
  for (const ConcurrencyLimit& limit : profile.limits) {
    limits.push_back({{"kind", limit.is_of_openmp ? "region"
                               : limit.is_arena   ? "arena"
                                                  : "global_control"},
                      {"file", limit.place.file},
                      {"line", limit.place.line},
                      {"threads", limit.asked},
                      {"width", limit.width},
                      {"like_machine", limit.like_machine},
                      {"work", limit.work},
                      {"latency", limit.latency},
                      {"least_time", limit.least_time()},
                      {"binds", &limit == profile.binding_limit()},
                      {"text", limit_in_words(limit)},
                      {"points", points_json(limit.wider)}});
    if (limit.is_arena)
      limits.back().update({{"reserved", limit.reserved}, {"slots", limit.slots}});
    if (limit.has_ends)
      limits.back().update(
          {{"before", limit.ends_with_latency.before}, {"after", limit.ends_with_latency.after}});
    if (limits.size() == kMostLimits)
      break;
  }
  return limits;
}

Json prediction_json(const Prediction& prediction) {
  static constexpr const char* kBinding[] = {"work",  "span", "overhead",
                                             "grain", "lock", "concurrency"};
  Json runs = Json::array(), costs = Json::array(), scaling = Json::array();
  for (const PredictedRun& run : prediction.scaling)
    scaling.push_back({{"procs", run.procs},
                       {"time", run.time},
                       {"speedup", number(decimal2(run.speedup))},
                       {"efficiency_percent", exact_percent(run.efficiency)},
                       {"binds", kBinding[static_cast<std::size_t>(run.limiter)]}});
  for (const PredictedRun& run : prediction.runs)
    runs.push_back({{"procs", run.procs},
                    {"time", run.time},
                    {"greedy_time", run.greedy},
                    {"speedup", number(decimal2(run.speedup))},
                    {"efficiency_percent", exact_percent(run.efficiency)},
                    {"steals", run.steals},
                    {"overhead", run.overhead},
                    {"stealing", run.stealing},
                    {"idle", run.idle},
                    {"lock_waits", run.lock_waits},
                    {"without_locks", run.without_locks},
                    {"binds", kBinding[static_cast<std::size_t>(run.limiter)]}});
  for (const EventCost& cost : prediction.costs)
    costs.push_back({{"event", cost.event},
                     {"count", cost.count},
                     {"measured_ticks", cost.measured_ticks},
                     {"cost", cost.cost},
                     {"cost_ns", cost.cost_ns}});
  return {{"not_made", prediction.skipped_because},
          {"basis", "as_executed"},
          {"work", prediction.work},
          {"overhead", prediction.overhead},
          {"latency", prediction.latency},
          {"serial", prediction.serial},
          {"span_with_overhead", prediction.span},
          {"simulated_locks", prediction.simulated_locks.size()},
          {"dag_nodes", prediction.nodes},
          {"dag_bytes", prediction.bytes},
          {"event_costs", costs},
          {"recording_per_step", prediction.recording},
          {"steal", burden_json(prediction.steal)},
          {"runs", runs},
          {"scaling", scaling}};
}

Json phases_json(const Profile& profile) {
  const Phases& phases = profile.phases;
  const auto serial = [&](std::uint64_t work) {
    return Json{
        {"work", work}, {"span", work}, {"percent_of_span", number(percent2(work, profile.span))}};
  };
  Json with_tasks = {{"work", phases.work},
                     {"span", phases.span},
                     {"percent_of_span", number(percent2(phases.span, profile.span))},
                     {"parallelism", nullptr},
                     {"divisible_parallelism_at_least", nullptr}};
  if (phases.span > 0)
    with_tasks["parallelism"] = number(decimal2(phases.parallelism()));
  if (phases.divisible_span_at_most > 0)
    with_tasks["divisible_parallelism_at_least"] = number(decimal2(phases.limit()));
  return {{"before", serial(phases.before)},
          {"with_tasks", with_tasks},
          {"after", serial(phases.after)}};
}

Json verdict_json(const Profile& profile) {
  const Verdict& verdict = profile.verdict;
  Json place = nullptr;
  if (!verdict.file.empty())
    place = {{"file", verdict.file}, {"line", verdict.line}};
  return {{"worth_procs", verdict.worth_procs},
          {"worth_efficiency_percent", kWorthEfficiencyPercent},
          {"is_simulated", verdict.is_simulated},
          {"is_disproved", verdict.is_disproved},
          {"limit", number(decimal2(verdict.limit))},
          {"headline", verdict.headline},
          {"detail", verdict.detail},
          {"is_repeated_by_advice", profile.advice_repeats_verdict()},
          {"place", place}};
}

Json layers_json(const Layers& layers, const char* extent) {
  return {{extent, layers.extent},
          {"buckets", layers.other.size()},
          {"sites", layers.sites},
          {"running", layers.running},
          {"other", layers.other}};
}

Json critical_path_json(const Pictures& pictures) {
  Json segments = Json::array();
  for (const PathSegment& part : pictures.critical_path)
    segments.push_back({part.from, part.to, part.site});
  return {{"segments", segments}};
}

Json time_profile_json(const Pictures& pictures) {
  static constexpr const char* kEdges[] = {"create", "create_continue", "wait_continue",
                                           "end",    "inside",          "lock"};
  Json json = layers_json(*pictures.time_profile, "extent_ns");
  for (std::size_t kind = 0; kind < kEdgeKinds; ++kind)
    json["ready"][kEdges[kind]] = pictures.ready[kind];
  json["left_out"] = pictures.left_out;
  json["no_cpu"] = pictures.no_cpu;
  return json;
}

Json contexts_json(const Profile& profile) {
  Json contexts = Json::array();
  for (const ContextRow& row : profile.contexts)
    contexts.push_back({{"parent", row.parent},
                        {"site", row.site == kNoSite ? Json(nullptr) : Json(row.site)},
                        {"work", row.work},
                        {"critical_work", row.critical_work},
                        {"tasks", row.tasks},
                        {"steps", row.steps}});
  return contexts;
}

// T1 over the time of this run; null if work is not time.
Json measured_json(const Profile& profile) {
  const double hz = hz_of_work(profile);
  if (hz <= 0 || profile.read.time_hz <= 0 || profile.balance.elapsed == 0)
    return nullptr;
  const std::uint64_t time = run_ns(profile);
  return {{"procs", profile.run.cpus},
          {"threads", profile.balance.threads},
          {"time_ns", time},
          {"speedup", number(decimal2({to_ns(profile.work, hz), time}))}};
}

Json balance_json(const TimeBalance& balance) {
  return {{"threads", balance.threads},
          {"elapsed_ticks", balance.elapsed},
          {"steps_ticks", balance.steps},
          {"of_them_descheduled_ticks", balance.descheduled},
          {"of_them_lock_waits_ticks", balance.lock_waits},
          {"run_delay_ns", balance.run_delay_ns},
          {"overhead_ticks", balance.overhead},
          {"of_them_lock_calls_ticks", balance.lock_calls},
          {"recording_ticks", balance.recording},
          {"idle_ticks", balance.idle},
          {"absent_ticks", balance.absent},
          {"unexplained_ticks", balance.unexplained}};
}

Json elapsed_json(const Profile& profile) {
  const ElapsedTime& elapsed = profile.elapsed;
  Json json = run_path_json(elapsed.path);
  if (profile.pictures && profile.pictures->time_profile) {
    json["segments"] = Json::array();
    for (const PathSegment& part : profile.pictures->run_path)
      json["segments"].push_back({part.from, part.to, part.site, part.kind});
  }
  json["idle_ns"] = elapsed.idle_ns;
  json["idle_beside_nothing_ns"] = elapsed.idle_beside_nothing_ns;
  json["not_made"] = elapsed.skipped_because;
  json["workers"] = elapsed.workers;
  json["path_ticks"] = elapsed.path.length();
  return json;
}

Json run_check_json(const RunCheck& check) {
  Json causes = Json::array();
  for (const CauseOfTime& cause : check.causes) {
    Json each = {{"cause", kRunCauseNames[static_cast<std::size_t>(cause.cause)]},
                 {"ns", cause.ns}};
    if (!cause.code.empty())
      each["code"] = cause.code;
    if (!cause.place.file.empty()) {
      each["file"] = cause.place.file;
      each["line"] = cause.place.line;
    }
    causes.push_back(std::move(each));
  }
  return {
      {"not_made", check.skipped_because},
      {"procs", check.procs},
      {"elapsed_ns", check.elapsed_ns},
      {"predicted_ns", check.predicted_ns},
      {"sampling_ns", check.sampling_ns},
      {"predicted_with_waits_ns", check.with_waits_ns ? Json(*check.with_waits_ns) : Json(nullptr)},
      {"without_cpu_ns", check.without_cpu_ns},
      {"differs", check.differs()},
      {"disproves", check.disproves()},
      {"causes", causes},
      {"text", check.text}};
}

Json regions_json(const Profile& profile) {
  Json regions = Json::array();
  for (const RegionInfo& region : profile.regions)
    regions.push_back({{"file", region.file},
                       {"line", region.line},
                       {"names", region.names},
                       {"expected_factor", region.expected_factor},
                       {"work", region.work},
                       {"steps", region.steps},
                       {"sites", region.sites},
                       {"critical_work", region.critical_work},
                       {"critical_percent", number(percent2(region.critical_work, profile.span))}});
  return regions;
}

Json attribution_json(const Attribution& a) {
  static constexpr const char* kBasis[] = {"none", "cpu_time", "step_wall_time", "virtual_work"};
  Json json = {{"basis", kBasis[static_cast<std::size_t>(a.basis)]},
               {"unit", a.basis == AttributionBasis::Virtual ? "units" : "ns"}};
  if (a.basis != AttributionBasis::None) {
    json["attributed"] = a.attributed;
    json["total"] = a.total;
    json["percent"] = number(percent2(a.attributed, a.total));
    json["unknown_threads_ns"] = a.unknown_threads_ns;
    json["likely_cause"] = a.likely_cause;
  }
  if (!a.between_steps_ns.empty()) {
    json["between_steps_ns"] = a.between_steps_ns;
    json["accounted_percent"] = number(percent2(a.accounted(), a.total));
  }
  json["overhead_ns"] = a.overhead_ns;
  json["idle_ns"] = a.idle_ns;
  json["paused_ns"] = a.paused_ns;
  return json;
}

Json trace_json(const Profile& profile) {
  const ReadSummary& read = profile.read;
  Json inconsistencies = Json::object();
  for (std::size_t i = 0; i < read.inconsistencies.size(); ++i)
    if (read.inconsistencies[i] > 0)
      inconsistencies[text_of(static_cast<Problem>(i)).name] = read.inconsistencies[i];
  return {{"records", read.records},
          {"streams", read.streams},
          {"steps", read.steps},
          {"tasks_spawned", read.spawned},
          {"tasks_begun", read.begun},
          {"tasks_ended", read.ended},
          {"tasks_unfinished", read.unfinished},
          {"tasks_never_begun", read.never_begun},
          {"tasks_cancelled", read.cancelled},
          {"exceptions", read.by_exception},
          {"pauses", read.pauses},
          {"forks", read.forks},
          {"threads", read.threads.threads},
          {"worker_threads", read.threads.workers},
          {"created_threads", read.threads.created},
          {"other_threads", read.threads.others},
          {"thread_cpu_ns", read.threads.cpu_ns},
          {"paused_work", read.threads.paused_work},
          {"paused_ticks", read.paused_time},
          {"sleep_seen", profile.run.sleep_seen},
          {"asleep", read.asleep},
          {"prior_asleep", read.prior_asleep},
          {"waits_seen", profile.run.waits_seen},
          {"section_sleep_seen", profile.run.section_sleep_seen},
          {"step_time_ticks", read.step_time},
          {"overhead_ticks", read.overhead},
          {"idle_ticks", read.idle},
          {"elapsed_ticks", read.last_time - std::min(read.first_time, read.last_time)},
          {"most_live_tasks", read.most_live_frames},
          {"extra_events", extra_json(profile, read.extra)},
          {"inconsistencies", inconsistencies}};
}

// The windows of a recording; nothing is known of those of older ones.
Json recorded_json(const Profile& profile) {
  if (!profile.end || (profile.end->windows.empty() && !profile.end->paused_throughout))
    return nullptr;
  const EndInfo& end = *profile.end;
  Json windows = Json::array();
  for (const RecordedWindow& window : end.windows)
    windows.push_back(
        {{"begin_ns", window.begin_ns}, {"end_ns", window.end_ns}, {"cpu_ns", window.cpu_ns}});
  return {{"recorded_ns", end.recorded_ns},
          {"recorded_cpu_ns", end.recorded_cpu_ns},
          {"run_ns", end.wall_ns},
          {"ended_by", end.end},
          {"window_count", end.window_count},
          {"windows", windows}};
}

Json conservation_json(const Profile& profile) {
  const std::uint64_t overlaps =
      profile.read.inconsistencies[static_cast<std::size_t>(Problem::TimeBackwards)];
  return {{"exclusive_work_sum", profile.exclusive_sum},
          {"exclusive_work_equals_work", profile.exclusive_sum == profile.work},
          {"critical_work_sum", profile.critical_sum},
          {"critical_work_equals_span", profile.critical_sum == profile.span},
          {"steps_overlap", overlaps > 0}};
}

Json known(const std::optional<std::uint64_t>& figure) {
  return figure ? Json(*figure) : Json();
}

Json sampled_json(const SampledWork& work) {
  return {work.low, work.high};
}

Json sampling_json(const SampledFunctions& functions) {
  Json damage = nullptr;
  if (!functions.damage.empty())
    damage = functions.damage;
  return {{"method", functions.method},
          {"call_graph", functions.call_graph},
          {"rate", functions.rate},
          {"measured_rate", two_decimals(functions.measured_rate)},
          {"samples", functions.samples},
          {"in_steps", functions.filed},
          {"in_waits", functions.in_waits},
          {"between_steps", functions.outside},
          {"cut_stacks", functions.cut},
          {"lost", functions.lost},
          {"damage", damage},
          {"reason", functions.reason},
          {"command", functions.command},
          {"unsampled_threads", functions.unsampled_threads},
          {"cpu_ns", functions.cpu_ns},
          {"system_ns", functions.system_ns},
          {"sparse_ns", functions.sparse_ns},
          {"in_kernel", functions.in_kernel},
          {"not_sampled_work", functions.not_sampled_work},
          {"not_sampled_critical_work", functions.not_sampled_critical_work}};
}

Json function_json(const Profile& profile, const FunctionRow& row) {
  return {{"name", row.name},
          {"short_name", row.short_name},
          {"kind", row.kind},
          {"of_library", row.of_library},
          {"file", row.file},
          {"line", row.line},
          {"module", row.module},
          {"rank", row.rank},
          {"samples", row.samples},
          {"self_samples", row.self_samples},
          {"work", row.work.work},
          {"work_interval", sampled_json(row.work)},
          {"critical_work", row.critical_work.work},
          {"critical_work_interval", sampled_json(row.critical_work)},
          {"critical_percent", number(percent2(row.critical_work.work, profile.span))},
          {"self_work", row.self_work.work},
          {"self_work_interval", sampled_json(row.self_work)},
          {"self_critical_work", row.self_critical_work.work},
          {"self_critical_work_interval", sampled_json(row.self_critical_work)},
          {"passes_to",
           row.passes_to ? Json(profile.functions->functions[*row.passes_to].short_name) : Json()},
          {"points", points_json(row.points)},
          {"self_points", points_json(row.self_points)}};
}

Json line_json(const Profile& profile, const LineRow& row) {
  return {{"file", row.file},
          {"line", row.line},
          {"function", row.function},
          {"rank", row.rank},
          {"samples", row.samples},
          {"work", row.work.work},
          {"work_interval", sampled_json(row.work)},
          {"critical_work", row.critical_work.work},
          {"critical_work_interval", sampled_json(row.critical_work)},
          {"critical_percent", number(percent2(row.critical_work.work, profile.span))},
          {"points", points_json(row.points)}};
}

Json waiting_loop_json(const WaitingLoopRow& row) {
  return {{"function", row.function},
          {"file", row.file},
          {"line", row.line},
          {"samples", row.samples},
          {"work", row.work.work},
          {"work_interval", sampled_json(row.work)},
          {"critical_work", row.critical_work.work},
          {"critical_work_interval", sampled_json(row.critical_work)}};
}

Json waiting_json(const SampledWaiting& waiting) {
  Json loops = Json::array();
  for (const WaitingLoopRow& row : waiting.rows)
    loops.push_back(waiting_loop_json(row));
  return {{"work", waiting.work.work},
          {"work_interval", sampled_json(waiting.work)},
          {"critical_work", waiting.critical_work.work},
          {"critical_work_interval", sampled_json(waiting.critical_work)},
          {"loops", std::move(loops)}};
}

Json latency_ns(const Profile& profile) {
  const double hz =
      profile.run.same_as_time ? profile.read.time_hz : static_cast<double>(profile.run.work.hz);
  return profile.latency && hz > 0 ? Json(to_ns(*profile.latency, hz)) : Json();
}

// The text of an object, field by field, as Json::dump(1) would write it. At most one field, or one
// element of an array, exists as Json at a time, because Json takes several times the memory of its
// text.
class ObjectText {
public:
  void field(std::string_view name, const Json& value) {
    begin_field(name);
    append(value, 1);
  }
  template <typename Range, typename ToJson>
  void array(std::string_view name, const Range& range, const ToJson& to_json) {
    begin_field(name);
    text_ += '[';
    for (const auto& element : range) {
      text_ += &element == &*range.begin() ? "\n  " : ",\n  ";
      append(to_json(element), 2);
    }
    text_ += range.empty() ? "]" : "\n ]";
  }
  std::string take() { return std::move(text_) + "\n}\n"; }

private:
  void begin_field(std::string_view name) {
    text_ += text_.size() == 1 ? "\n \"" : ",\n \"";
    text_ += name;
    text_ += "\": ";
  }
  void append(const Json& value, std::size_t indent) {
    // Names from the profiled program may be invalid UTF-8. Line ends within strings are escaped.
    for (const char c : value.dump(1, ' ', false, Json::error_handler_t::replace)) {
      text_ += c;
      if (c == '\n')
        text_.append(indent, ' ');
    }
  }

  std::string text_ = "{";
};

} // namespace

bool is_profile_json(std::string_view text) {
  return text.starts_with("{\n \"schema\": \"taskpath.profile/");
}

std::string write_json(const Profile& profile, const JsonParts& parts) {
  ObjectText text;
  text.field("schema", "taskpath.profile/1");
  text.field("unit", profile.run.work.unit);
  text.field("complete", profile.read.complete);
  text.field("incomplete_reasons", profile.read.incomplete_reasons);
  text.field("records_lost", profile.read.lost);
  text.field("clock", clock_json(profile));
  text.field("run", run_json(profile));
  text.field("work", profile.work);
  text.field("prior_work", profile.read.prior_work);
  text.field("from", profile.from_first_use ? "first_use" : "start");
  text.field("left_out_work", profile.read.left_out_work);
  text.field("span", profile.span);
  text.field("parallelism", number(decimal2(profile.parallelism())));
  text.field("span_with_locks", profile.parallelism_with_locks().denominator);
  text.field("parallelism_with_locks", number(decimal2(profile.parallelism_with_locks())));
  text.field("latency", known(profile.latency));
  text.field("latency_ns", latency_ns(profile));
  if (profile.latency)
    text.field("latency_in", sleep_json(profile.slept_in, *profile.latency));
  text.field("span_with_latency", known(profile.span_with_latency));
  text.field("span_is_exact", profile.unseen_order.empty() && !openmp_is_missing(profile));
  text.field("unseen_order", profile.unseen_order);
  text.field("divisible_span", profile.divisible_span);
  text.field("divisible_span_at_most", profile.divisible_span_at_most);
  text.field("divisible_is_known", profile.divisible_is_known());
  text.field("divisible_not_known_because",
             kDivisibleNames[static_cast<std::size_t>(profile.divisible)]);
  text.field("divisible_parallelism", number(decimal2(profile.divisible_parallelism())));
  text.field("divisible_parallelism_at_least", number(decimal2(profile.divisible_at_least())));
  text.field("divisible_is_measured", profile.divisible_is_measured());
  text.field("scalability", scalability_json(profile));
  text.field("speedup_bounds", bounds_json(profile));
  text.field("limits", limits_json(profile));
  text.field("least_time", profile.least_time());
  text.field("prediction", prediction_json(profile.prediction));
  text.field("verdict", verdict_json(profile));
  text.field("phases", phases_json(profile));
  text.field("measured", measured_json(profile));
  if (const Json recorded = recorded_json(profile); !recorded.is_null())
    text.field("recorded", recorded);
  text.field("attribution", attribution_json(profile.attribution));
  text.field("time_balance", balance_json(profile.balance));
  text.field("run_path", elapsed_json(profile));
  text.field("run_check", run_check_json(profile.run_check));
  text.array("sites", profile.sites, [&](const SiteRow& site) { return site_json(profile, site); });
  if (const auto& pictures = profile.pictures) {
    text.field("span_profile", layers_json(pictures->span_profile, "extent"));
    text.field("critical_path", critical_path_json(*pictures));
    if (pictures->time_profile)
      text.field("time_profile", time_profile_json(*pictures));
    text.field("contexts", contexts_json(profile));
  }
  text.array("code_segments", profile.code_segments, segment_json);
  text.field("locks_observed", Json{{"onetbb", profile.locks.observed},
                                    {"onetbb_headers", profile.locks.observed &&
                                                           profile.locks.unseen.headers_observed},
                                    {"c_library", profile.locks.c_observed}});
  text.array("locks_not_observed", profile.locks.unseen.locks, unseen_lock_json);
  text.array("locks", profile.locks.rows,
             [&](const LockRow& lock) { return lock_json(profile, lock); });
  if (const auto& functions = profile.functions) {
    text.field("sampling", sampling_json(*functions));
    text.array("functions", functions->functions,
               [&](const FunctionRow& row) { return function_json(profile, row); });
    text.array("lines", functions->lines,
               [&](const LineRow& row) { return line_json(profile, row); });
    text.field("waiting_loops", waiting_json(functions->waiting));
  } else {
    text.field("no_samples",
               {{"reason", profile.no_samples.reason}, {"command", profile.no_samples.command}});
  }
  text.field("regions", regions_json(profile));
  text.field("what_if", what_if_json(profile));
  text.field("conservation", conservation_json(profile));
  text.field("trace", trace_json(profile));
  text.array("warnings", profile.warnings, [](const Warning& warning) {
    return Json{{"name", warning.name}, {"text", warning.text}, {"certain", warning.certain}};
  });
  text.array("findings", profile.findings,
             [&](const Finding& finding) { return finding_json(profile, finding); });
  text.field("advice", profile.advice);
  if (parts.timeline)
    text.field("timeline", timeline_json(profile));
  if (!parts.source.empty())
    text.field("source", Json::parse(parts.source));
  return text.take();
}

} // namespace tp::analysis
