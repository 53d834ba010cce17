// SPDX-License-Identifier: Apache-2.0
// The stages in their order. Each takes what it needs and returns what it found, so what must come
// before it is one of its arguments.
#include "profile/make_profile.h"

#include "base/problem.h"
#include "model/speedup_bounds.h"
#include "profile/advice.h"
#include "profile/best_changes.h"
#include "profile/burden.h"
#include "profile/calling_contexts.h"
#include "profile/code_names.h"
#include "profile/code_segments.h"
#include "profile/concurrency_limits.h"
#include "profile/conservation.h"
#include "profile/elapsed_time.h"
#include "profile/failed_tries.h"
#include "profile/findings.h"
#include "profile/functions.h"
#include "profile/grain_size.h"
#include "profile/lock_predictions.h"
#include "profile/locks.h"
#include "profile/measured.h"
#include "profile/phases.h"
#include "profile/pictures.h"
#include "profile/prediction.h"
#include "profile/run_check.h"
#include "profile/schedule_dependence.h"
#include "profile/semaphores.h"
#include "profile/site_rows.h"
#include "profile/target_search.h"
#include "profile/tasking_overhead.h"
#include "profile/trace_readings.h"
#include "profile/verdict.h"
#include "profile/waiting_loops.h"
#include "profile/what_if_candidates.h"
#include "report/missing_openmp.h"
#include "report/numbers.h"
#include "report/phrases.h"
#include "sites/constructs.h"
#include "sites/node_variables.h"
#include "sites/sampled_code.h"
#include "trace/metadata_reader.h"
#include "trace/samples_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

namespace tp::analysis {
namespace {

using ChosenRegions = IdVector<RegionId, std::uint8_t>;

// By name or file:line; all regions if `wanted` is empty.
ChosenRegions choose_regions(const SiteTable& table, const std::vector<std::string>& wanted) {
  ChosenRegions chosen(table.regions.size(), wanted.empty());
  for (const std::string& name : wanted) {
    bool found = false;
    for (const RegionId id : ids_below(table.regions.end_id())) {
      const RegionInfo& region = table.regions[id];
      if (std::find(region.names.begin(), region.names.end(), name) == region.names.end() &&
          fmt::format("{}:{}", region.file, region.line) != name)
        continue;
      chosen[id] = 1;
      found = true;
    }
    if (found)
      continue;
    std::string known;
    for (const RegionInfo& region : table.regions)
      for (const std::string& each : region.names)
        known += (known.empty() ? "" : ", ") + each;
    fail(Problem::NoSuchRegion, {"--region"},
         known.empty() ? "an annotated region" : "one of " + known, name,
         "tp-analyze --json - lists the regions");
  }
  return chosen;
}

struct BurdenedSpans {
  std::uint64_t cilk = 0, tbb = 0;
};

// The first reading used the burden that was known before it; a different burden takes another
// reading.
BurdenedSpans burdened_spans(const Measured& measured, const Burden& before, const Burden& refined,
                             const TraceReadings& readings) {
  if (refined.work == before.work)
    return {measured.fold.burdened_cilk, measured.fold.burdened_tbb};
  const DagFold::Results again = readings.read({}, {.burden = refined.work}).fold;
  return {again.burdened_cilk, again.burdened_tbb};
}

// Rows in the order of the table; that of main needs no chain of its own.
std::vector<Row> first_chains(const SiteTable& table) {
  std::vector<Row> rows;
  for (const Row row : ids_below(table.rows.end_id()))
    if (row != kMainRow && rows.size() < TraceReadings::kChainsInFirstReading)
      rows.push_back(row);
  return rows;
}

// In programs with more sites, those with the most work get theirs by further readings.
void add_chains(DagFold::Results& fold, const TraceReadings& readings) {
  constexpr std::size_t kMost = 1024;
  std::vector<Row> rows;
  for (const Row row : ids_below(fold.rows.end_id()))
    if (row != kMainRow && !fold.rows[row].longest_chain &&
        fold.rows[row].on_work.top_call_site.count > 0)
      rows.push_back(row);
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [&](Row row) { return fold.rows[row].on_work.top_call_site.work; });
  rows.resize(std::min(rows.size(), kMost));
  if (rows.empty())
    return;
  const std::vector<std::uint64_t> found = readings.chains_of(rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    fold.rows[rows[i]].longest_chain = found[i];
}

std::vector<WhatIfCurve> what_if_curves(const Measured& measured, const WhatIfPlan& plan,
                                        const std::vector<WhatIfLength>& lengths,
                                        const ProfileOptions& options) {
  std::vector<WhatIfCurve> curves;
  for (const StepSet& set : plan.sets)
    curves.push_back({set.regions, {}});
  for (std::size_t i = 0; i < plan.scenarios.size(); ++i) {
    const Scenario& scenario = plan.scenarios[i];
    curves[scenario.set].points.push_back(with_speedups(
        measured.work(), {scenario.factor, {lengths[i].work, lengths[i].span}, {}}, options.procs));
  }
  return curves;
}

std::vector<SpeedupBound> speedup_bounds(const Measured& measured, const BurdenedSpans& burdened,
                                         const Locks& locks,
                                         const std::vector<ConcurrencyLimit>& limits,
                                         const Prediction& prediction,
                                         const ProfileOptions& options) {
  // While a step sleeps, its worker runs nothing else: for a schedule, that is as good as work. But threads
  // of the program need no worker.
  const std::uint64_t latency = measured.knows_latency() ? measured.fold.latency : 0;
  const std::uint64_t time = measured.work() + latency - prediction.asleep_beside_work;
  const std::uint64_t span = latency > 0 ? measured.fold.span_with_latency : measured.span();
  const std::uint64_t more = span - measured.span();
  const std::uint64_t lock = latency > 0 ? locks.proven_with_latency : locks.proven;
  // With loops split, what comes before and after the sections of a lock, or what runs under a limit, can be in
  // other tasks.
  std::uint64_t sections = 0;
  for (const LockRow& row : locks.rows)
    if (row.bound_kind == LockBoundKind::Proven)
      sections = std::max(sections, latency > 0 ? row.sections_with_latency : row.bound.sections);
  std::vector<SpeedupBound> bounds;
  for (const std::uint64_t procs : options.procs) {
    // At any time all CPUs work, or the longest path gets shorter, or a limit is reached: so a
    // greedy schedule takes no longer than all three together.
    std::uint64_t longest = 0, under = 0;
    Wide together = 0;
    for (const ConcurrencyLimit& limit : limits)
      if (!limit.like_machine && limit.width < procs) {
        longest = std::max(longest, limit.least_time());
        under = std::max(under, limit.time_under());
        together += limit.time_under();
      }
    const auto limited = static_cast<std::uint64_t>(std::min<Wide>(together, time));
    const SpeedupRange greedy = predicted_speedup(time, {1, {time, span + limited}, {}}, procs);
    bounds.push_back(
        {.procs = procs,
         .lower = greedy.lower,
         .upper = speedup_limit(time, std::max({span, lock, longest}), procs),
         .divisible_upper = speedup_limit(
             time, std::max({measured.fold.divisible_span, std::min(sections, lock), under}),
             procs),
         .estimate_cilk = speedup_estimate(time, burdened.cilk + more + limited, procs),
         .estimate_tbb = speedup_estimate(time, burdened.tbb + more + limited, procs)});
  }
  return bounds;
}

// The mean work of joining two results, of the loops that have parts which were not split: their
// joins did not run. Empty if there are none.
IdVector<Row, std::uint64_t> join_costs(const DagFold::Results& fold) {
  IdVector<Row, std::uint64_t> costs(fold.rows.size());
  bool any = false;
  for (const Row row : ids_below(fold.rows.end_id())) {
    const LoopCounts& loops = fold.rows[row].loops;
    if (loops.joins == 0 || loops.unjoined_halvings == 0)
      continue;
    costs[row] = (loops.join_work + loops.joins / 2) / loops.joins;
    any = true;
  }
  return any ? costs : IdVector<Row, std::uint64_t>{};
}

// What the joins cost is known after the first reading only; if they count, this takes another one.
void add_joins(Measured& measured, const TraceReadings& readings) {
  measured.join_costs = join_costs(measured.fold);
  if (!measured.known_join_costs())
    return;
  const DagFold::Results again =
      readings.read({}, {.join_costs = measured.known_join_costs()}).fold;
  measured.fold.divisible_span = again.divisible_span;
  measured.fold.divisible_span_at_most = again.divisible_span_at_most;
}

// Contradictions between the streams.
std::vector<Warning> inconsistencies(const ReadSummary& read) {
  std::vector<Warning> warnings;
  for (std::size_t i = 0; i < read.inconsistencies.size(); ++i) {
    if (read.inconsistencies[i] == 0)
      continue;
    const ProblemText& text = text_of(static_cast<Problem>(i));
    // A trace that stops in the middle is expected to have such loose ends.
    warnings.push_back(
        {text.name, fmt::format("{}: {} times{}", text.sentence, read.inconsistencies[i],
                                read.complete ? " (though the trace is complete)" : "")});
  }
  return warnings;
}

// OpenMP that ran and was not recorded: its threads show that it did.
std::vector<Warning> unrecorded_openmp(const OpenMpInfo& openmp) {
  if (openmp.unrecorded_threads == 0)
    return {};
  const std::string runtime = openmp.runtime.empty() ? "a runtime in the program" : openmp.runtime;
  const std::string why = openmp.state == "off"        ? "tp-run --no-openmp"
                          : openmp.state == "refused"  ? openmp.reason
                          : openmp.state == "recorded" ? "on a runtime other than the recorded one"
                                                       : "on " + runtime;
  return {{kOpenMpNotRecorded,
           fmt::format(
               "OpenMP ran and was not recorded ({}): code of {} of its threads is missing, and "
               "what ran at the same time looks like serial code, so work, spans and "
               "predictions are not known",
               why, openmp.unrecorded_threads)}};
}

// What was not recorded, or did not reach its end.
std::vector<Warning> gaps(const Measured& measured) {
  std::vector<Warning> warnings;
  const ReadSummary& read = measured.read;
  const auto& end = measured.info.end;
  if (end && end->not_counted_ns > 0)
    warnings.push_back(
        {"not_counted",
         fmt::format("during {} of {} CPU time events could not be counted (no counter free, cores "
                     "of another kind, or no descriptors left): figures are too low",
                     human_ns(end->not_counted_ns), human_ns(end->cpu_ns))});
  if (const std::uint64_t others = read.threads.others; others > 0)
    warnings.push_back(
        {"threads",
         measured.run().threads_seen
             ? fmt::format("{} not seen when {} created: what {} and others wait for is missing "
                           "in the span",
                           others == 1 ? "one thread was" : fmt::format("{} threads were", others),
                           others == 1 ? "it was" : "they were", others == 1 ? "it" : "they")
             : fmt::format("who creates and joins {} of the program was not seen, and is missing "
                           "in the span (tp-run sees it)",
                           others == 1 ? "one thread" : fmt::format("{} threads", others))});
  if (read.unfinished > 0)
    warnings.push_back(
        {"unfinished",
         fmt::format(
             "{} not ended when recording ended, as where the program calls exit() in a "
             "task: what {} done since {} last created a task, or waited for one, is in "
             "no figure",
             read.unfinished == 1 ? "one task had" : fmt::format("{} tasks had", read.unfinished),
             read.unfinished == 1 ? "it had" : "they had", read.unfinished == 1 ? "it" : "they")});
  if (read.never_begun > 0)
    warnings.push_back(
        {"never_begun",
         fmt::format("of {} only the creation is recorded: {} never ran, or {} still in {} first "
                     "step when recording ended, as where the program calls exit() in a task",
                     read.never_begun == 1 ? "one task" : fmt::format("{} tasks", read.never_begun),
                     read.never_begun == 1 ? "it" : "they", read.never_begun == 1 ? "was" : "were",
                     read.never_begun == 1 ? "its" : "their")});
  return warnings;
}

// libomp deals out the iterations of g++'s ordered and doacross loops with schedule(static, 1) in blocks, so the span is
// right for this run and not for libgomp. Chunks that create tasks are not divided either, whether they have an order or not.
std::vector<Warning> ordered_of_gcc(const RunInfo& run, const std::vector<SiteRow>& sites,
                                    const Locks& locks) {
  const bool has_order =
      std::ranges::any_of(sites,
                          [](const SiteRow& site) {
                            return site.loops.unsized_calls > site.loops.unsized_calls_with_tasks &&
                                   is_of_openmp(site.info) && !is_taskloop(site.info);
                          }) ||
      std::ranges::any_of(locks.rows, [](const LockRow& lock) {
        return lock.kind ==
               trace::kLockKindNames[static_cast<unsigned>(trace::LockKind::OmpOrdered)];
      });
  if (!has_order || !run.openmp_replaced.starts_with("libgomp"))
    return {};
  return {{kOrderedOfGcc,
           "libomp may deal out ordered and doacross loops of g++ in other chunks than libgomp "
           "does: their critical path is that of this run (with clang++ it is the program's)"}};
}

// Arenas that got the machine's number of CPUs: whether the program asked for that is not known.
std::vector<Warning> limits_like_machine(const Measured& measured,
                                         const std::vector<ConcurrencyLimit>& limits) {
  const std::uint64_t time =
      measured.work() + (measured.knows_latency() ? measured.fold.latency : 0);
  const ConcurrencyLimit* longest = nullptr;
  for (const ConcurrencyLimit& limit : limits)
    if (limit.like_machine && (!longest || limit.least_time() > longest->least_time()))
      longest = &limit;
  const ConcurrencyLimit* const other = longest_limit(limits);
  if (!longest || longest->least_time() <= measured.fold.span_with_latency ||
      (other && other->least_time() >= longest->least_time()))
    return {};
  return {{"like_machine",
           fmt::format("{}, as many as {}: predicted times for more CPUs take it to grow "
                       "with them; if the program has a fixed number, the speedup is at most {} "
                       "({}{} shows which)",
                       limit_in_words(*longest),
                       longest->is_of_openmp ? "regions without a number get" : "there are CPUs",
                       fixed2({time, longest->least_time()}),
                       longest->is_of_openmp ? "OMP_NUM_THREADS=" : "tp-run --as-if-cores ",
                       longest->is_of_openmp ? 2 * longest->asked : 4 * measured.run().cpus),
           false}};
}

SleepTimes sleep_of_all(const Measured& measured) {
  SleepTimes all;
  for (const RowTotals& row : measured.fold.rows)
    all += row.slept_in;
  return all;
}

// Of main before it first uses oneTBB or OpenMP.
void add_sleep_at_start(const Measured& measured, Profile& profile) {
  const DagFold::Results& fold = measured.fold;
  for (const StepClassId id : ids_below(fold.classes.end_id()))
    if (measured.knows_latency() && is_program_start(fold.classes[id])) {
      profile.latency_at_start += fold.class_totals[id].latency;
      if (const auto known = fold.class_sleep.find(id); known != fold.class_sleep.end())
        profile.slept_in_at_start += known->second;
    }
}

// What steps slept without latency being known, and what they waited for other threads, is in no path
// and no prediction. Not of threads that the program creates: they may wait for work.
std::vector<Warning> sleeps(const Measured& measured) {
  const RunInfo& run = measured.run();
  if (!run.same_as_time || measured.read.time_hz <= 0)
    return {};
  std::uint64_t asleep = 0;
  for (const Row row : ids_below(measured.fold.rows.end_id()))
    if (!is_thread(measured.table.rows[row]))
      asleep += measured.fold.rows[row].asleep - measured.fold.rows[row].latency;
  const std::uint64_t elapsed =
      measured.read.last_time - std::min(measured.read.first_time, measured.read.last_time);
  if (asleep < elapsed / 20 || asleep == 0)
    return {};
  return {
      {"asleep",
       fmt::format("{} {} for {} in a run of {} ({}): no path and no predicted time contains that",
                   measured.read.threads.others > 0 ? "the program's threads and tasks"
                                                    : "main and the tasks",
                   measured.knows_latency() ? "waited" : "slept",
                   human_ns(to_ns(asleep, measured.read.time_hz)),
                   human_ns(to_ns(elapsed, measured.read.time_hz)),
                   measured.knows_latency()
                       ? "in locks, for events, or until another thread had done something"
                       : "in locks, input or output, or until another thread had done something; "
                         "tp-run records which")}};
}

// Code that may wait in a loop: its steps are work as others are, but on one thread they take longer.
// Loops whose body calls have different numbers of iterations are left out.
std::vector<Warning> uneven_work(const Measured& measured) {
  constexpr double kFactor = 2;
  constexpr std::uint64_t kLeastSteps = 20;
  std::optional<UnevenWork> most;
  for (const StepClassId of : ids_below(measured.fold.classes.end_id())) {
    const StepClass& code = measured.fold.classes[of];
    const LoopCounts& loop = measured.fold.rows[code.row].loops;
    if (code.row == kMainRow || loop.iterations != loop.body_calls)
      continue;
    const auto found = measured.fold.thread_work.uneven(of, kFactor, kLeastSteps);
    if (found && (!most || found->excess() > most->excess()))
      most = found;
  }
  if (!most || most->excess() * 20 < static_cast<double>(measured.work()))
    return {};
  return {
      {"uneven_work",
       fmt::format(
           "{} steps of {} take {:.1f} times as long on one thread as {} on others: unless they do "
           "so much more there, they wait in a loop, which counts as work (<tp/lock.h>: "
           "tp::BusyWait)",
           human_count(most->steps), segment_name(measured.fold.classes[most->of], measured.table),
           most->mean / std::max(most->mean_of_others, 1.0), human_count(most->others)),
       false}};
}

void append(std::vector<Warning>& to, std::vector<Warning> more) {
  std::ranges::move(more, std::back_inserter(to));
}

NoSamples why_no_samples(const Measured& measured) {
  if (measured.is_virtual())
    return {"the virtual clock has none", "tp-run ./your-program"};
  if (measured.info.end && measured.info.end->sampling &&
      !measured.info.end->sampling->reason.empty())
    return {measured.info.end->sampling->reason, measured.info.end->sampling->command};
  return {"it was made without", "tp-run ./your-program"};
}

} // namespace

Profile make_profile(const TraceSource& source, const ProfileOptions& given) {
  if (given.progress)
    given.progress->begin("spawn sites");
  const TraceInfo info = read_info(source);
  SiteTable table = build_site_table(info.sites, given.path_map, given.debug_files, given.wrappers);
  if (!table.unknown_wrappers.empty())
    fail(Problem::NoSuchWrapper, {"--wrapper"},
         "the name of a function that calls oneTBB, or that calls one that does",
         table.unknown_wrappers.front(), "tp-analyze --json - lists the functions of the sites");
  const ChosenRegions chosen = choose_regions(table, given.regions);
  const WhatIfPlan plan = plan_what_if(chosen, given.factors);
  ProfileOptions options = given;
  if (options.procs.empty())
    options.procs = {info.run.cpus, std::uint64_t{4} * info.run.cpus};
  if (options.advised_procs == 0)
    options.advised_procs = std::ranges::max(options.procs);
  for (const std::uint64_t procs : options.more_procs)
    if (std::ranges::find(options.procs, procs) == options.procs.end())
      options.procs.push_back(procs);
  const Burden assumed = burden_before_reading(options, info.run);

  TraceReadings readings(source, info, table, options);
  const std::optional<SampleFile> samples = read_samples(source, info.run.session);
  std::optional<SampledCode> sampled_code;
  if (samples) {
    readings.begin_phase("functions");
    sampled_code = name_samples(*samples, given.debug_files, given.path_map);
    readings.know_samples(&*sampled_code, nullptr);
  }
  readings.begin_phase("profile");
  // The first reading evaluates as many scenarios as fit; the others take further readings.
  const std::size_t along = std::min(TraceReadings::kScenariosPerReading, plan.scenarios.size());
  const std::vector<Row> chains = first_chains(table);
  auto [fold, summary] = readings.read(plan.part(0, along), {.sites = true,
                                                             .composition = true,
                                                             .chains = chains,
                                                             .burden = assumed.work,
                                                             .samples = samples.has_value()});
  add_chains(fold, readings);
  add_constructs(table, summary.constructs);
  name_nodes(table, {info.run.program, source.name});
  Measured measured_so_far{info, table, std::move(summary), std::move(fold)};
  add_joins(measured_so_far, readings);
  const Measured& measured = measured_so_far;
  // From here on the trace is valid and has been read completely.
  const RefinedBurden refined = refined_burden(assumed, measured, options);
  const BurdenedSpans burdened = burdened_spans(measured, assumed, refined.burden, readings);
  readings.begin_phase("locks");
  Locks locks = analyze_locks(measured, readings, options);
  readings.know_locks(locks.greatest, locks.ends_of, locks.of_schedule);
  measured_so_far.limits = concurrency_limits(measured);
  add_ends_of_limits(measured_so_far, readings);
  std::vector<ConcurrencyLimit> limits = measured.limits;
  readings.know_limits(limits, measured.read.concurrency);
  std::vector<WhatIfLength> lengths = measured.fold.what_if;
  readings.limit_by_law(plan.part(0, along), nullptr, lengths);
  // Marked regions: by paths, whatever threads this run allowed, as in the tables of TaskProf.
  std::ranges::copy(
      readings.evaluate(plan.part(along, plan.scenarios.size()), /*within_threads=*/false),
      std::back_inserter(lengths));

  const TaskingCosts costs = tasking_costs(measured, refined.burden);
  SiteRows sites = site_rows(measured, site_overheads(measured, costs));
  // Nothing is foretold of a graph of which a part is missing.
  const OpenMpInfo openmp = read_openmp(source);
  const bool is_whole = openmp.unrecorded_threads == 0;
  const std::string not_recorded = is_whole ? "" : "OpenMP ran and was not recorded";
  const Divisible divisible =
      is_whole ? judge_divisible(measured, sites.rows) : Divisible::NotRecorded;
  const Ratio limit =
      divisible == Divisible::Known ? measured.divisible_at_least() : measured.parallelism();
  readings.begin_phase("simulation");
  const std::string not_simulated =
      is_whole ? reason_not_to_simulate(measured, options) : not_recorded;
  Prediction prediction = predict(measured, costs, locks, not_simulated, readings, options);
  predict_lock_changes(locks, measured, prediction, readings, options.advised_procs);
  readings.begin_phase("what-if");
  if (is_whole)
    widen_limits(limits, measured, locks.greatest, few_factors(options.factors));
  Exploration exploration = is_whole ? explore(measured, readings, options)
                                     : Exploration{.skipped_because = not_recorded};
  std::optional<SampleWeights> sample_weights;
  std::optional<FoundFunctions> functions;
  if (samples) {
    sample_weights.emplace(measured.fold.samples, *sampled_code);
    readings.know_samples(&*sampled_code, &*sample_weights);
    functions =
        sampled_functions(measured, *samples, *sampled_code, *sample_weights, readings, options);
  }
  std::optional<TargetSearch> search;
  if (is_whole)
    search = search_target(measured, readings, options, chosen, locks,
                           functions ? &*functions : nullptr);
  else if (options.target)
    search = TargetSearch{.target = *options.target, .skipped_because = not_recorded};
  readings.begin_phase("grain sizes");
  auto grains = try_grains(measured, sites.rows, readings, options);
  auto advised_grains = advise_grains(measured, sites.rows, limit, readings, options);
  std::vector<Finding> findings;
  if (is_whole) {
    findings = find_problems(measured, sites.rows, advised_grains, limits, prediction,
                             exploration.skipped_because.empty(), readings, options);
    add_lock_findings(findings, measured, locks, prediction, options);
  }
  if (functions) {
    const auto name = [&](auto& of) {
      for (const FunctionRow* const each : main_functions(*functions, *sample_weights, of.classes))
        of.mostly.functions.push_back({each->short_name, function_place(*each)});
    };
    std::ranges::for_each(findings, name);
    std::ranges::for_each(exploration.candidates, name);
  }
  readings.begin_phase("calling contexts");
  CallingContexts contexts;
  if (options.contexts)
    contexts = calling_contexts(measured, sites.rows, readings);
  if (functions)
    divide_contexts(*functions, *sampled_code, contexts.samples, contexts.rows);
  CheckedAttribution attribution = check_attribution(measured);
  CheckedBalance balance = check_balance(measured);
  readings.begin_phase("elapsed time");
  const std::string not_explained = !not_simulated.empty() || measured.read.paused_time == 0
                                        ? not_simulated
                                        : "recording was paused for a part of the run";
  std::optional<RunPictures> run_pictures;
  std::vector<RunPath::Part> run_path;
  if (options.pictures && not_explained.empty())
    run_pictures.emplace(measured.read.first_time, measured.read.last_time, info.run.same_as_time);
  const ExplainedTime elapsed =
      explain_elapsed(measured, sites.rows, balance.balance.threads, not_explained, readings,
                      run_pictures ? &*run_pictures : nullptr, &run_path);
  std::optional<Pictures> pictures;
  if (options.pictures)
    pictures = draw_pictures(measured, sites.rows, run_pictures ? &*run_pictures : nullptr,
                             run_path, readings);
  for (std::size_t i = 0; i < elapsed.of_sites.size(); ++i)
    std::tie(sites.rows[i].on_run_path, sites.rows[i].idle_beside_ns) =
        std::tie(elapsed.of_sites[i], elapsed.idle_beside_ns[i]);

  RunCheck run_check = check_run({measured, prediction, elapsed.whole, balance.balance, sites.rows,
                                  limits, locks.rows, readings, options.from_first_use,
                                  attribution.attribution.unknown_threads_ns});

  for (const SiteWaitBlame& blame : locks.blame_of_sites)
    for (SiteRow& site : sites.rows)
      if (site.row == blame.row)
        site.wait_blame = blame.ticks;

  std::vector<CodeSegment> segments =
      code_segments(measured, sites.rows, elapsed.idle_of_classes_ns);

  std::vector<Warning> warnings = unrecorded_openmp(openmp);
  if (functions) {
    leave_out_tries(functions->functions.waiting, locks, measured);
    append(warnings, waits_in_loops(measured, functions->functions.waiting));
  }
  append(warnings, failed_tries(measured, locks));
  append(warnings, passed_semaphores(measured, locks));
  append(warnings, schedule_warnings(measured, sites.rows, divisible));
  if (refined.warning)
    warnings.push_back(*refined.warning);
  append(warnings, std::move(attribution.warnings));
  append(warnings, std::move(balance.warnings));
  append(warnings, uneven_work(measured));
  append(warnings, inconsistencies(measured.read));
  append(warnings, check_sums(measured, sites));
  append(warnings, gaps(measured));
  append(warnings, sleeps(measured));
  append(warnings, limits_like_machine(measured, limits));
  append(warnings, lock_warnings(locks));
  append(warnings, dense_locks(measured, locks));
  append(warnings, reused_addresses(measured, locks, prediction));
  append(warnings, sleep_with_locks(measured, locks, readings));
  append(warnings, ordered_of_gcc(measured.run(), sites.rows, locks));

  std::vector<SpeedupBound> bounds;
  if (is_whole)
    bounds = speedup_bounds(measured, burdened, locks, limits, prediction, options);

  Profile profile{
      .data = source.name,
      .run = info.run,
      .end = info.end,
      .read = measured.read,
      .from_first_use = options.from_first_use,
      .work = measured.work(),
      .span = measured.span(),
      .divisible_span = measured.fold.divisible_span,
      .divisible_span_at_most = measured.fold.divisible_span_at_most,
      .divisible = divisible,
      .divided_for = threads_of_this_split(measured, sites.rows, divisible),
      .unseen_order = sites_of_unseen_order(measured, sites.rows),
      .latency = measured.knows_latency() ? std::optional(measured.fold.latency) : std::nullopt,
      .span_with_latency =
          measured.knows_latency() ? std::optional(measured.fold.span_with_latency) : std::nullopt,
      .slept_in = sleep_of_all(measured),
      .limits = limits,
      .burdened_span_cilk = burdened.cilk,
      .burdened_span_tbb = burdened.tbb,
      .burden = refined.burden,
      .balance = balance.balance,
      .elapsed = elapsed.whole,
      .run_check = std::move(run_check),
      .sites = std::move(sites.rows),
      .regions = table.regions,
      .what_if = what_if_curves(measured, plan, lengths, options),
      .what_if_mode = options.mode == WhatIfMode::Parallelize ? "parallelize" : "optimize",
      .explored = std::move(exploration.candidates),
      .not_explored = std::move(exploration.skipped_because),
      .explored_left_out = exploration.left_out,
      .functions = functions ? std::optional(std::move(functions->functions)) : std::nullopt,
      .no_samples = functions ? NoSamples{} : why_no_samples(measured),
      .grains = std::move(grains),
      .advised_grains = std::move(advised_grains),
      .search = std::move(search),
      .locks = std::move(locks),
      .bounds = std::move(bounds),
      .contexts = std::move(contexts.rows),
      .context_edges = std::move(contexts.edges),
      .site_spawns = std::move(contexts.spawns),
      .timeline = std::move(contexts.timeline),
      .counters = std::move(contexts.counters),
      .prediction = std::move(prediction),
      .attribution = std::move(attribution.attribution),
      .code_segments = std::move(segments),
      .exclusive_sum = sites.exclusive_sum,
      .critical_sum = sites.critical_sum,
      .pictures = std::move(pictures),
      .phases = phases_of(measured, divisible),
      .findings = std::move(findings),
      .warnings = std::move(warnings)};
  for (const RegionId region : ids_below(profile.regions.end_id())) {
    profile.regions[region].critical_work = measured.fold.region_critical_work[region];
    profile.regions[region].work = measured.fold.regions[region].work;
    profile.regions[region].steps = measured.fold.regions[region].steps;
    for (std::uint32_t i = 0; i < profile.sites.size(); ++i)
      if (const auto& rows = measured.fold.regions[region].rows;
          std::ranges::find(rows, profile.sites[i].row) != rows.end())
        profile.regions[region].sites.push_back(i);
  }
  readings.begin_phase("best changes");
  if (options.pictures)
    predict_best_changes(profile, functions ? functions->code : std::vector<StepSet>(), measured,
                         readings, options);
  add_sleep_at_start(measured, profile);
  describe_findings(profile);
  profile.verdict = judge(profile);
  Advice advice = advise(profile);
  profile.advice = std::move(advice.text);
  profile.advised_finding = advice.finding;
  return profile;
}

} // namespace tp::analysis
