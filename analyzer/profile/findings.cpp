// SPDX-License-Identifier: Apache-2.0
// A candidate is all code of one name (code_names.h), or all tasks of a site. Its shape follows from
// what its site is, how many of its tasks the critical path goes through, and for loops from what
// a smaller grain size would do.
//
// How much a remedy saves on P CPUs is the difference of two simulations of this run. In the second
// one the code takes a P-th of its time, as if it were divided among the CPUs, and the rest of its
// work fits in where CPUs were idle: so the remedy saves no more than that. CPUs that wait for a lock are not idle: code of tasks
// that are part of a section of a lock is divided into tasks, which threads run that do not wait for it. Sections of code outside
// tasks, and of a single task, are divided with it. Serial code can also be
// made shorter, which saves at most what it saves to do without it. For tiny tasks it is
// their overhead that becomes less, and what a loop that spawns them does between two of them; for an imbalance the time is at least that of the loop with the
// grain size 1. Few threads in an arena: the limit is gone, and all else stays. Without a simulation the times are Brent's bounds: T1/P + Tinf (1 - 1/P) now, and
// max(T1/P, Tinf) then, where T1 contains the tasking overhead.
#include "profile/findings.h"

#include "model/speedup_bounds.h"
#include "profile/burden.h"
#include "profile/code_names.h"
#include "profile/concurrency_limits.h"
#include "profile/prediction.h"
#include "profile/schedule_dependence.h"
#include "profile/tasking_overhead.h"
#include "sites/constructs.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tp::analysis {
namespace {

// Code with less of the critical path is left out.
constexpr std::uint64_t kLeastCriticalPercent = 5;
constexpr std::size_t kMost = 5; // each takes a reading and a simulation
// Tasks are tiny if overhead is this share of them, and matters to the program.
constexpr std::uint64_t kTinyPercent = 20, kLeastOverheadPercent = 5;
// A loop that spawns takes at most so many times what a task costs from one spawn to the next: it
// allocates the task, and touches memory that others use.
constexpr std::uint64_t kSpawningCosts = 10;
// Code is off its CPU if it is so for this share of its time, and that is a share of all threads'
// time.
constexpr std::uint64_t kOffCpuPercent = 50, kLeastOffCpuPercent = 10;
// A limit of concurrency may matter if what runs under it needs so much of the time, and does if the
// program saves so much without it.
constexpr std::uint64_t kLeastLimitedPercent = 25, kLeastSavedPercent = 5;
constexpr std::size_t kMostFewThreads = 3;
// What is made so much shorter takes no time.
constexpr std::uint64_t kNothingIsLeft = std::uint64_t{1} << 63;
// At most so many tasks are few.
constexpr std::uint64_t kFewTasks = 4;

bool is_at_least(Wide part, std::uint64_t percent, Wide whole) {
  return part * 100 >= whole * percent;
}

// All steps with one name.
struct Code {
  Finding finding;
  StepSet steps;
  std::uint64_t longest = 0;                         // work of one step
  std::uint64_t steps_run = 0;                       // how often all of them together
  std::uint64_t length = 0, asleep = 0, latency = 0; // ticks
  bool is_body = false;
  bool has_edges = false; // other tasks continue after it, or it continues after others
};

class Finder {
public:
  Finder(const Measured& measured, const std::vector<SiteRow>& sites,
         const std::vector<WhatIfCandidate>& advised_grains,
         const std::vector<ConcurrencyLimit>& limits, const Prediction& prediction, bool may_read,
         const TraceReadings& readings, const ProfileOptions& options)
      : measured_(measured), sites_(sites), advised_grains_(advised_grains), limits_(limits),
        prediction_(prediction), may_read_(may_read), readings_(readings),
        procs_(options.advised_procs) {
    const auto run = std::ranges::find(prediction.runs, procs_, &PredictedRun::procs);
    for (const SiteRow& site : sites)
      overhead_ += site.overhead.cost;
    // Without a simulation: what greedy schedules need at most.
    std::uint64_t limited = 0;
    for (const ConcurrencyLimit& limit : limits)
      if (!limit.like_machine && limit.width < procs_)
        limited = std::min(limited + limit.time_under(), measured.work() + overhead_);
    time_ = run != prediction.runs.end()
                ? run->time
                : least_time(0) + limited + measured.span() - measured.span() / procs_;
    const DagFold::Results& fold = measured.fold;
    for (const StepClassId id : ids_below(fold.classes.end_id()))
      if (const StepClass& of = fold.classes[id];
          of.closed.kind == BoundaryKind::Wait && fold.rows.contains(of.closed.row)) {
        Waits& waits = waits_.grown_to(of.closed.row);
        waits.all += fold.class_totals[id].steps;
        if (of.row != of.closed.row) {
          waits.by_others += fold.class_totals[id].steps;
          waits.by_main_only &= of.row == kMainRow;
        }
      }
  }
  std::vector<Finding> find();

private:
  std::vector<Code> codes_by_name() const;
  Shape shape_of(const Code& code) const;
  std::uint64_t tokens_of(const Finding& finding) const;
  const ConcurrencyLimit* limit_of_region(const Code& code) const;
  std::uint64_t cpus_of(Row row) const;
  void add_savings(std::vector<Code>& codes) const;
  void try_smaller_grains(std::vector<Code>& codes) const;
  // For the tasks of a site.
  struct Waits {
    std::uint64_t all = 0;
    std::uint64_t by_others = 0; // by code of other sites: without the barriers of a region's tasks
    bool by_main_only = true;    // of these
  };
  Waits waits_for(Row row) const { return waits_.contains(row) ? waits_[row] : Waits{}; }
  Finer finer_loop(const Code& code) const;
  bool is_region(const Code& code) const;
  bool is_uneven_region(const Code& code) const;
  std::uint64_t runs_of_region(const Finding& finding) const;
  std::uint64_t threads_missing_in(Row row) const;
  void add_teams(Finding& finding) const;
  bool asks_for_threads(Row row) const;
  bool runs_at_once(Row row) const;
  void add_schedule(Finding& finding) const;
  bool has_barriers(const Code& code) const;
  std::uint64_t runs_on_path(const Code& code) const;
  std::uint64_t saved_by_even_parts(const Code& code) const;
  std::uint64_t time_with_even_parts(const Code& code) const {
    return code.finding.time - std::min(saved_by_even_parts(code), code.finding.time);
  }
  bool are_even_for_cpus(const Code& code) const;
  bool has_single_iterations(const Code& code) const;
  bool is_shared_by_clang(Row row) const;
  Finer finer_region(const Code& code) const;
  std::vector<StepClassId> spawning_code(const SiteRow& site) const;
  Finding tiny_tasks_of(const SiteRow& site) const;
  void add_tiny_tasks(std::vector<Finding>& findings) const;
  void add_short_loops(std::vector<Finding>& findings) const;
  void add_off_cpu(std::vector<Finding>& findings, const std::vector<Code>& codes) const;
  void add_few_threads(std::vector<Finding>& findings) const;
  const SiteRow& site_of(Row row) const { return *std::ranges::find(sites_, row, &SiteRow::row); }
  bool is_simulated() const {
    return std::ranges::find(prediction_.runs, procs_, &PredictedRun::procs) !=
           prediction_.runs.end();
  }
  std::uint64_t least_time(std::uint64_t span, std::uint64_t less_overhead = 0) const {
    return std::max((measured_.work() + overhead_ - less_overhead) / procs_, span);
  }

  const Measured& measured_;
  const std::vector<SiteRow>& sites_;
  const std::vector<WhatIfCandidate>& advised_grains_;
  const std::vector<ConcurrencyLimit>& limits_;
  const Prediction& prediction_;
  const bool may_read_;
  const TraceReadings& readings_;
  const std::uint64_t procs_;
  std::uint64_t overhead_ = 0; // of all sites
  IdVector<Row, Waits> waits_;
  std::uint64_t time_;
};

// Main has no place of its own: that of what comes before the code, else after it.
SourcePlace place_of(const StepClass& of, const SiteTable& table) {
  if (of.row != kMainRow)
    return table.rows[of.row].place();
  return table
      .rows[names_row(of.opened) && of.opened.row != kMainRow ? of.opened.row : of.closed.row]
      .place();
}

std::vector<Code> Finder::codes_by_name() const {
  const DagFold::Results& fold = measured_.fold;
  std::map<std::pair<Row, std::string>, Code> by_name;
  for (const StepClassId id : ids_below(fold.classes.end_id())) {
    const StepClass& of = fold.classes[id];
    const DagFold::StepTotals& totals = fold.class_totals[id];
    if (totals.work == 0 && (totals.length == 0 || is_program_start(of)))
      continue; // the start may have been left out
    const std::string name = segment_name(of, measured_.table);
    Code& code = by_name[{of.row, name}];
    Finding& finding = code.finding;
    if (code.steps.classes.empty()) {
      finding.code = name;
      finding.row = of.row;
      finding.place = place_of(of, measured_.table);
    }
    if (is_program_start(of))
      finding.shape = Shape::SerialStart;
    code.is_body |= of.opened.kind == BoundaryKind::BodyBegin;
    code.has_edges |=
        of.opened.kind == BoundaryKind::Other || of.closed.kind == BoundaryKind::Other;
    code.steps.classes.push_back(id);
    code.longest = std::max(code.longest, totals.longest);
    code.steps_run += totals.steps;
    code.length += totals.length;
    code.asleep += totals.asleep;
    code.latency += totals.latency;
    if (const auto known = fold.class_sleep.find(id); known != fold.class_sleep.end())
      finding.slept_in += known->second;
    finding.work += totals.work;
    finding.critical_work += totals.critical_work;
  }
  std::vector<Code> codes;
  for (auto& [name, code] : by_name)
    codes.push_back(std::move(code));
  std::ranges::stable_sort(codes, std::ranges::greater(),
                           [](const Code& code) { return code.finding.critical_work; });
  return codes;
}

// Calls of one parallel filter in one pipeline come one after the other on a path only by tokens: a call of
// the input comes after the item that gave its token back. So if there are more of them on the path than
// pipelines: the greatest number of tokens of such a pipeline; else 0. Its input is in the row of
// the pipeline, or in one of its own.
std::uint64_t Finder::tokens_of(const Finding& finding) const {
  const SiteInfo& filter = measured_.table.rows[finding.row];
  if (filter.filter == 0 ||
      std::ranges::find(filter.filter_modes, "parallel") == filter.filter_modes.end())
    return 0;
  std::uint64_t pipelines = 0, most = 0;
  for (const auto& [row, tokens] : measured_.read.tokens)
    if (const SiteInfo& site = measured_.table.rows[row];
        (site.file == filter.file && site.line == filter.line) ||
        std::ranges::any_of(filter.pipelines, [&](const PipelineCall& call) {
          return site.file == call.file && site.line == call.line;
        })) {
      pipelines += tokens.pipelines;
      most = std::max(most, tokens.most);
    }
  return finding.critical_tasks > pipelines ? most : 0;
}

Shape Finder::shape_of(const Code& code) const {
  const Finding& finding = code.finding;
  if (finding.row == kMainRow)
    return finding.shape; // of its start or not
  // All of it is on the path, task after task.
  const bool serial =
      finding.critical_tasks > 1 && is_at_least(finding.critical_work, 90, finding.work);
  const SiteInfo& site = measured_.table.rows[finding.row];
  const std::string_view noun = noun_of(site);
  const bool is_serial_filter =
      site.filter != 0 &&
      std::ranges::find(site.filter_modes, "parallel") == site.filter_modes.end();
  if (serial && noun == kNode)
    return Shape::SerialNode;
  if (is_serial_filter || (serial && noun == kPipeline && site.filter == 0))
    return Shape::SerialFilter;
  // Tasks that only split a range are on the path as well, however many: what counts is the longest.
  const bool is_one = is_at_least(code.longest, 90, finding.critical_work);
  const bool is_split = noun == kLoop || noun == kReduction;
  if (!is_one && (serial || (finding.critical_tasks > kFewTasks && !is_split)))
    return Shape::SerialTasks;
  return Shape::LongTask;
}

// More threads may be part of what helps loops and regions of OpenMP, of which each thread has a part: the limit that is
// gone then. Null: none.
const ConcurrencyLimit* Finder::limit_of_region(const Code& code) const {
  const SiteInfo& info = site_of(code.finding.row).info;
  if (!is_of_openmp(info) || is_taskloop(info) || (!code.is_body && !is_region(code)))
    return nullptr;
  const auto limit = std::ranges::find_if(limits_, [](const ConcurrencyLimit& each) {
    return each.is_of_openmp && !each.like_machine;
  });
  return limit != limits_.end() ? &*limit : nullptr;
}

// The most that the row's code can be divided among: where all of it runs under limits, that is all that they let run.
std::uint64_t Finder::cpus_of(Row row) const {
  const ConcurrencyLimits& limits = measured_.read.concurrency;
  const auto most_of = [&](const auto& limit) {
    return limit.like_machine ? procs_ : std::min<std::uint64_t>(limit.width(), procs_);
  };
  std::uint64_t limited = 0, most = 1;
  for (const PoolId pool : ids_below(measured_.fold.pools.end_id())) {
    const auto& works = measured_.fold.pools[pool].work_of_rows;
    if (!works.contains(row) || works[row] == 0)
      continue;
    const ConcurrencyLimits::Pool& of = limits.pools[index_of(pool)];
    limited += works[row];
    most = std::max(most, std::min(of.arena > 0 ? most_of(limits.arenas[of.arena]) : procs_,
                                   of.allowed > 0 ? most_of(limits.allowed[of.allowed]) : procs_));
  }
  return limited < measured_.fold.rows[row].on_work.local.work ? procs_ : most;
}

void Finder::add_savings(std::vector<Code>& codes) const {
  for (Code& code : codes) {
    Finding& finding = code.finding;
    finding.procs = procs_;
    finding.time = time_;
    const ConcurrencyLimit* const without = limit_of_region(code);
    const std::uint64_t cpus = without ? procs_ : cpus_of(finding.row);
    const auto divided = [&](bool shortens_sections) {
      return predict_with({.divided = code.steps.classes,
                           .factor = cpus,
                           .shortens_sections = shortens_sections,
                           .without = without},
                          measured_, prediction_, procs_, readings_);
    };
    // The critical path becomes no shorter than this; another may be longer.
    finding.least_time = is_simulated()
                             ? divided(false)
                             : std::max(least_time(measured_.span() - finding.critical_work +
                                                   finding.critical_work / cpus),
                                        least_time_under_limits(measured_, procs_));
    // Sections of many tasks, and of the iterations of a loop, exclude each other, however these are divided. What other code does
    // while it holds a lock can be divided as well.
    if (is_simulated() && !prediction_.simulated_locks.empty() &&
        (finding.row == kMainRow || (finding.tasks == 1 && !code.is_body && !is_region(code)))) {
      const std::uint64_t with_sections = std::exchange(finding.least_time, divided(true));
      if (Wide{time_ - std::min(time_, with_sections)} * 2 < finding.saves_at_most())
        finding.time_with_sections = with_sections;
    }
    if (finding.finer == Finer::Even)
      finding.least_time = std::max(finding.least_time, time_with_even_parts(code));
    if ((finding.shape == Shape::SerialStart || finding.shape == Shape::SerialCode) &&
        is_simulated())
      finding.time_without = predict_with(
          {.divided = code.steps.classes, .factor = kNothingIsLeft, .is_removed = true}, measured_,
          prediction_, procs_, readings_);
  }
  if (may_read_)
    try_smaller_grains(codes);
}

// Threads that OpenMP's regions, or those around a loop, asked for and did not get.
std::uint64_t Finder::threads_missing_in(Row row) const {
  std::uint64_t missing = 0;
  for (const Row region : regions_of(row, measured_.table))
    if (const auto found = measured_.read.missing_threads.find(region);
        found != measured_.read.missing_threads.end())
      missing += found->second;
  return missing;
}

// Whether all of the row's work ran in parallel regions whose number of threads the program gave, other than the machine's.
bool Finder::asks_for_threads(Row row) const {
  const ConcurrencyLimits& limits = measured_.read.concurrency;
  std::uint64_t asked = 0;
  for (const PoolId pool : ids_below(measured_.fold.pools.end_id())) {
    const auto& works = measured_.fold.pools[pool].work_of_rows;
    const std::uint32_t arena = limits.pools[index_of(pool)].arena;
    if (works.contains(row) && std::ranges::any_of(limits_, [&](const ConcurrencyLimit& limit) {
          return limit.is_of_openmp && !limit.like_machine && limit.index == arena;
        }))
      asked += works[row];
  }
  return asked > 0 && asked >= measured_.fold.rows[row].on_work.local.work;
}

// Whether tasks or threads run the regions that the row is of, or is in, so that several runs of one may be at once.
bool Finder::runs_at_once(Row row) const {
  return std::ranges::any_of(regions_of(row, measured_.table), [&](Row region) {
    const Waits waits = waits_for(region);
    return waits.by_others > 0 && !waits.by_main_only;
  });
}

void Finder::add_teams(Finding& finding) const {
  finding.divided_for = divided_for(measured_, finding.row);
  finding.in_league = is_in_league(finding.row, measured_.table);
  finding.missing_threads = threads_missing_in(finding.row);
  finding.asks_for_threads = asks_for_threads(finding.row);
  finding.runs_at_once = runs_at_once(finding.row);
}

// Whether the threads of an OpenMP loop take its chunks while they run it.
void Finder::add_schedule(Finding& finding) const {
  const auto found = measured_.read.loop_parts.find(finding.row);
  if (found == measured_.read.loop_parts.end() || found->second.shared < found->second.all)
    return;
  const LoopCounts& loop = site_of(finding.row).loops;
  finding.shared_parts = found->second.shared;
  finding.may_be_guided = Wide{loop.largest_call} * loop.body_calls * 4 > Wide{loop.iterations} * 5;
}

// Threads take its chunks while they run it, and it was not g++ that compiled it.
bool Finder::is_shared_by_clang(Row row) const {
  const auto parts = measured_.read.loop_parts.find(row);
  return parts != measured_.read.loop_parts.end() && parts->second.shared > 0 &&
         std::ranges::none_of(regions_of(row, measured_.table), [&](Row region) {
           return may_hide_loops(measured_, site_of(region));
         });
}

// If smaller body calls save at least half of what dividing the code among the CPUs does, they are
// the remedy.
void Finder::try_smaller_grains(std::vector<Code>& codes) const {
  std::vector<GrainChange> changes;
  std::vector<Code*> loops;
  for (Code& code : codes) {
    const LoopCounts& loop = site_of(code.finding.row).loops;
    if (!code.is_body || !loop.is_flat || loop.iterations <= loop.body_calls)
      continue;
    changes.push_back({code.finding.row, 1});
    loops.push_back(&code);
  }
  const auto found = readings_.try_grains(changes, measured_.known_join_costs());
  for (std::size_t i = 0; i < found.size(); ++i) {
    Finding& finding = loops[i]->finding;
    const std::uint64_t least = std::max(
        finding.least_time, least_time(std::min(found[i].divisible_span, measured_.span())));
    if (finding.time <= least || (finding.time - least) * 2 < finding.saves_at_most())
      continue;
    finding.shape = Shape::Imbalance;
    finding.least_time = least;
    add_teams(finding);
    add_schedule(finding);
    finding.finer = finer_loop(*loops[i]);
    if (finding.finer == Finer::Even)
      finding.least_time = std::max(least, time_with_even_parts(*loops[i]));
    finding.runs = runs_of_region(finding);
  }
}

// Each run of the shared loop has at least as many chunks as there are CPUs.
bool has_chunks_for_all(const Finding& finding) {
  return Wide{finding.body_calls} * finding.divided_for.least >=
         Wide{finding.procs} * finding.shared_parts;
}

// Ranges are divided while they are larger than the grain size: by simple_partitioner, by others up to a
// number of parts that the number of threads decides. static_partitioner and OpenMP's static loops
// make one for each. OpenMP's shared chunks are as large as the schedule clause lets them be.
Finer Finder::finer_loop(const Code& code) const {
  const LoopCounts& loop = site_of(code.finding.row).loops;
  // Of a taskloop clauses decide, or else the number of threads, which clauses can replace.
  if (loop.iterations <= Wide{loop.body_calls} * loop.largest_grain ||
      is_taskloop(site_of(code.finding.row).info))
    return Finer::SmallerGrain;
  if (code.finding.missing_threads > 0)
    return Finer::MoreThreads;
  if (code.finding.shared_parts > 0 && !has_chunks_for_all(code.finding))
    return Finer::SmallerGrain;
  const bool one_per_thread =
      loop.body_calls <= Wide{code.finding.divided_for.most} *
                             std::max<std::uint64_t>(waits_for(code.finding.row).all, 1);
  // Of one part for each thread, the longest of each run are on the path.
  const bool even = Wide{code.longest} * loop.body_calls * 4 <= Wide{code.finding.work} * 5 ||
                    (one_per_thread && is_even(code.finding));
  if (procs_ > code.finding.divided_for.most && (even || !one_per_thread))
    return Finer::MoreThreads;
  if (code.finding.shared_parts > 0)
    return Finer::SmallerGrain;
  if (one_per_thread && even && are_even_for_cpus(code))
    return Finer::Even;
  return one_per_thread ? Finer::NotStatic : Finer::Simple;
}

// How often an OpenMP region was run in which each thread does one part: a chunk of its loop, or what g++'s code does.
std::uint64_t Finder::runs_of_region(const Finding& finding) const {
  const SiteInfo& info = site_of(finding.row).info;
  const bool is_one_part =
      finding.body_calls > 0 ? finding.body_calls <= finding.tasks : finding.may_hide_loops;
  if (!is_of_openmp(info) || is_taskloop(info) || finding.shared_parts > 0 || !is_one_part ||
      finding.divided_for.are_teams || finding.divided_for.most < 2)
    return 0;
  return (finding.body_calls > 0 ? finding.body_calls : finding.tasks) / finding.divided_for.most;
}

// The code of a parallel region outside of its loops and tasks.
bool Finder::is_region(const Code& code) const {
  return code.finding.row != kMainRow && !code.is_body &&
         analysis::is_region(measured_.table.rows[code.finding.row]);
}

// Of a parallel region in which all threads work: the longest of each run of it are on the path, and between barriers any
// of them.
bool Finder::is_uneven_region(const Code& code) const {
  const Finding& finding = code.finding;
  return is_region(code) && finding.critical_tasks > 0 && finding.tasks > 1 &&
         finding.divided_for.most != 1 && !is_at_least(finding.critical_work, 90, finding.work);
}

bool Finder::has_barriers(const Code& code) const {
  const Boundary barrier{BoundaryKind::Wait, code.finding.row};
  return std::ranges::any_of(code.steps.classes, [&](StepClassId id) {
    const StepClass& of = measured_.fold.classes[id];
    return of.opened == barrier || of.closed == barrier;
  });
}

// How often the critical path comes through a region: each time, if only main() runs it. Other code may run it several times
// at once: then it is at least as often as there are tasks of it on the path, of which each run has one, with barriers at most
// one more than it has steps of a thread; and as often as there are steps of it, if they are all as long as the longest.
std::uint64_t Finder::runs_on_path(const Code& code) const {
  const Finding& finding = code.finding;
  const Waits waits = waits_for(finding.row);
  const std::uint64_t runs = std::max<std::uint64_t>(waits.by_others, 1);
  const DagFold::Results& fold = measured_.fold;
  if (waits.by_main_only)
    return runs;
  const std::uint64_t tasks = std::max<std::uint64_t>(finding.tasks, 1);
  const std::uint64_t steps = (fold.rows[finding.row].steps + tasks - 1) / tasks;
  const std::uint64_t by_tasks = finding.critical_tasks / (steps > 1 ? steps + 1 : 1);
  const Wide by_steps =
      Wide{finding.critical_steps_at_least} * tasks / std::max<std::uint64_t>(code.steps_run, 1);
  return std::clamp<std::uint64_t>(
      std::max(by_tasks, static_cast<std::uint64_t>(std::min<Wide>(by_steps, runs))), 1, runs);
}

Finer Finder::finer_region(const Code& code) const {
  const Finding& finding = code.finding;
  if (finding.missing_threads > 0)
    return Finer::MoreThreads;
  const std::uint64_t runs = runs_on_path(code);
  const bool has_its_share =
      Wide{finding.critical_work} * finding.tasks * 4 <= Wide{finding.work} * runs * 5;
  if (!has_its_share || !is_even(finding))
    return Finer::NotStatic;
  return procs_ > finding.divided_for.most ? Finer::MoreThreads
         : are_even_for_cpus(code)         ? Finer::Even
                                           : Finer::NotStatic;
}

// Of the critical work of a loop or region, one part of each run of which is on the path: what would not be there if all parts
// cost the same.
std::uint64_t Finder::saved_by_even_parts(const Code& code) const {
  const Finding& finding = code.finding;
  const Wide parts = is_region(code) ? runs_on_path(code) : finding.critical_tasks;
  const Wide share = finding.work * parts / std::max<std::uint64_t>(finding.tasks, 1);
  return finding.critical_work -
         static_cast<std::uint64_t>(std::min<Wide>(share, finding.critical_work));
}

// All threads have a part, as many CPUs, or a fraction of them, have the same number of parts each, and to make these more equal
// saves less than a tenth of the time.
bool Finder::are_even_for_cpus(const Code& code) const {
  const Finding& finding = code.finding;
  const ThreadRange& threads = finding.divided_for;
  return procs_ > 0 && threads.least == threads.most && threads.most > 0 &&
         threads.most % procs_ == 0 &&
         Wide{finding.critical_work} * threads.most * 4 <= Wide{finding.work} * 5 &&
         Wide{saved_by_even_parts(code)} * 10 < time_;
}

// Chunks of an OpenMP loop, of one iteration each, of which threads have several.
bool Finder::has_single_iterations(const Code& code) const {
  const Finding& finding = code.finding;
  return code.is_body && !finding.waits_for_iterations &&
         is_of_openmp(measured_.table.rows[finding.row]) &&
         finding.body_calls == finding.iterations && finding.body_calls >= 2 * finding.tasks &&
         finding.tasks > finding.critical_tasks;
}

// The code between two spawns of the site's tasks, if it does little more than spawn: of fewer tasks
// there is less.
std::vector<StepClassId> Finder::spawning_code(const SiteRow& site) const {
  const DagFold::Results& fold = measured_.fold;
  const Boundary spawn{BoundaryKind::Spawn, site.row};
  std::vector<StepClassId> code;
  for (const StepClassId id : ids_below(fold.classes.end_id())) {
    const StepClass& of = fold.classes[id];
    const DagFold::StepTotals& totals = fold.class_totals[id];
    if (of.opened == spawn && of.closed == spawn &&
        Wide{totals.work} * site.invocations <=
            Wide{totals.steps} * site.overhead.cost * kSpawningCosts)
      code.push_back(id);
  }
  return code;
}

Finding Finder::tiny_tasks_of(const SiteRow& site) const {
  return {.shape = Shape::TinyTasks,
          .code = code_of_row(site.row, measured_.table),
          .place = site.info.place(),
          .row = site.row,
          .work = site.exclusive_work,
          .critical_work = site.critical_work,
          .tasks = site.invocations,
          .body_calls = site.loops.body_calls,
          .iterations = site.loops.iterations,
          .procs = procs_,
          .time = time_};
}

// Sites whose tasks cost much compared to what they do. How large tasks can be made is known of
// loops with an advised grain size; of others ten times is asked about.
void Finder::add_tiny_tasks(std::vector<Finding>& findings) const {
  // A reading that takes a system call costs more between tasks than where its cost was measured.
  constexpr std::uint64_t kSystemCallNs = 200;
  const std::uint64_t reading_ns = measured_.run().gap_cost_ns;
  const std::uint64_t uncertain =
      reading_ns >= kSystemCallNs ? work_of_ns(measured_, reading_ns / 2) : 0;
  for (const SiteRow& site : sites_) {
    const SiteOverhead& overhead = site.overhead;
    if (site.row == kMainRow || Wide{overhead.cost} <= Wide{site.steps} * uncertain ||
        !is_at_least(overhead.share.numerator, kTinyPercent, overhead.share.denominator) ||
        !is_at_least(overhead.cost, kLeastOverheadPercent, measured_.work()))
      continue;
    Finding finding = tiny_tasks_of(site);
    const auto grain = std::ranges::find_if(advised_grains_, [&](const WhatIfCandidate& each) {
      return each.place.file == site.info.file && each.place.line == site.info.line;
    });
    Ratio left = {1, 10};
    if (grain != advised_grains_.end() && grain->loop) {
      const Ratio share = grain->loop->overhead; // of overhead and work
      const Wide cost = Wide{overhead.net_work} * share.numerator /
                        std::max<std::uint64_t>(share.denominator - share.numerator, 1);
      left = shortened_ratio(std::min<Wide>(cost, overhead.cost), overhead.cost);
    }
    const auto removed = [&left](std::uint64_t amount) {
      return static_cast<std::uint64_t>(Wide{amount} * (left.denominator - left.numerator) /
                                        left.denominator);
    };
    Remedy remedy{.divided = spawning_code(site),
                  .factor = left.denominator / std::max<std::uint64_t>(left.numerator, 1),
                  .less_overhead = site.row,
                  .overhead_left = left};
    std::uint64_t critical = 0;
    for (const StepClassId id : remedy.divided)
      critical += measured_.fold.class_totals[id].critical_work;
    finding.least_time =
        is_simulated() ? predict_with(remedy, measured_, prediction_, procs_, readings_)
                       : least_time(measured_.span() - removed(critical), removed(overhead.cost));
    findings.push_back(std::move(finding));
  }
}

// Loops that are run often, for a few microseconds each, and are half of the work: what it takes until other threads have found
// a part of them is as long.
void Finder::add_short_loops(std::vector<Finding>& findings) const {
  constexpr std::uint64_t kShortNs = 10'000, kFewRuns = 100;
  for (const SiteRow& site : sites_) {
    const std::string_view noun = noun_of(site.info);
    const std::uint64_t runs = waits_for(site.row).all;
    if ((noun != kLoop && noun != kReduction) || is_of_openmp(site.info) || runs < kFewRuns ||
        !is_at_least(site.exclusive_work, 50, measured_.work()) ||
        site.exclusive_work > Wide{work_of_ns(measured_, kShortNs)} * runs)
      continue;
    Finding finding = tiny_tasks_of(site);
    finding.runs = runs;
    finding.least_time = least_time(measured_.span(), site.overhead.cost);
    findings.push_back(std::move(finding));
  }
}

// Only of clocks of time: the steps of others say nothing about it. The sleep of threads that the program
// creates does not count: one that sleeps until others have work for it costs nothing, and the recording
// does not say what it waits for.
void Finder::add_off_cpu(std::vector<Finding>& findings, const std::vector<Code>& codes) const {
  if (!measured_.run().same_as_time)
    return;
  for (const Code& code : codes) {
    // What was before the recording has work and sleep, and no length in it.
    std::uint64_t length = std::max(code.length, code.finding.work + code.latency);
    std::uint64_t off = length - code.finding.work, asleep = std::min(code.asleep, off);
    if (is_thread(site_of(code.finding.row).info)) {
      if (!measured_.run().sleep_seen)
        continue;
      length -= asleep;
      off -= std::exchange(asleep, 0);
    }
    const bool on_path =
        code.finding.row == kMainRow && measured_.knows_latency() &&
        is_at_least(code.latency, kLeastOffCpuPercent, measured_.fold.span_with_latency);
    if (off == 0 || !is_at_least(off, kOffCpuPercent, length) ||
        (!on_path && !is_at_least(off, kLeastOffCpuPercent, measured_.read.thread_time)))
      continue;
    // Iterations that wait for each other have no CPU meanwhile: what limits them is their order, which has a finding.
    if (code.finding.waits_for_iterations &&
        Wide{asleep - std::min(asleep, code.latency)} * 2 >= off)
      continue;
    Finding finding = code.finding;
    finding.shape = Shape::OffCpu;
    finding.procs = procs_;
    finding.ticks = length;
    finding.off_cpu_ticks = off;
    if (measured_.run().sleep_seen)
      finding.asleep_ticks = asleep;
    if (measured_.knows_latency())
      finding.waited_ticks = *finding.asleep_ticks - std::min(*finding.asleep_ticks, code.latency);
    findings.push_back(std::move(finding));
  }
}

// Limits that cost at least a twentieth of the time: if one of two is gone, the other one may still
// be there.
void Finder::add_few_threads(std::vector<Finding>& findings) const {
  std::size_t added = 0;
  for (const ConcurrencyLimit& limit : limits_) {
    if (limit.like_machine || limit.width >= procs_ || added == kMostFewThreads ||
        !is_at_least(limit.time_under(), kLeastLimitedPercent, time_))
      continue;
    Finding finding{.shape = Shape::FewThreads,
                    .code = code_of_row(limit.row, measured_.table),
                    .place = limit.place,
                    .row = limit.row,
                    .work = limit.work,
                    .procs = procs_,
                    .time = time_,
                    .limit = static_cast<std::size_t>(&limit - limits_.data())};
    // Without a simulation: what all CPUs, the longest path and the other limits need.
    finding.least_time = least_time(measured_.span());
    for (const ConcurrencyLimit& other : limits_)
      if (&other != &limit && !other.like_machine && other.width < procs_)
        finding.least_time = std::max(finding.least_time, other.least_time());
    if (is_simulated())
      finding.least_time =
          predict_with({.without = &limit}, measured_, prediction_, procs_, readings_);
    if (!is_at_least(finding.saves_at_most(), kLeastSavedPercent, time_))
      continue;
    findings.push_back(std::move(finding));
    ++added;
  }
}

std::vector<Finding> Finder::find() {
  std::vector<Code> codes = codes_by_name();
  for (Code& code : codes) {
    const RowTotals& row = measured_.fold.rows[code.finding.row];
    code.finding.tasks = row.on_work.local.count;
    code.finding.critical_tasks = row.on_span.local.count;
    // A tenth of a step more or less is none.
    if (code.longest > 0)
      code.finding.critical_steps_at_least = std::max<std::uint64_t>(
          (code.finding.critical_work + code.longest - code.longest / 10 - 1) / code.longest, 1);
    if (code.is_body) {
      code.finding.body_calls = row.loops.body_calls;
      code.finding.iterations = row.loops.iterations;
    }
    code.finding.waits_for_iterations = code.has_edges && row.loops.ordered_iterations > 0;
    code.finding.may_be_nonmonotonic =
        code.finding.waits_for_iterations && is_shared_by_clang(code.finding.row);
    if (code.finding.shape != Shape::SerialStart)
      code.finding.shape = shape_of(code);
    if (const SiteInfo& info = measured_.table.rows[code.finding.row];
        is_region(code) || (code.is_body && is_of_openmp(info) && !is_taskloop(info))) {
      add_teams(code.finding);
    }
    if (has_single_iterations(code) && is_even(code.finding) && are_even_for_cpus(code))
      code.finding.finer = Finer::Even;
    if (is_uneven_region(code)) {
      code.finding.shape = Shape::Imbalance;
      code.finding.finer = finer_region(code);
      code.finding.has_barriers = has_barriers(code);
    }
    code.finding.may_hide_loops =
        is_region(code) && may_hide_loops(measured_, site_of(code.finding.row));
    if (code.finding.shape == Shape::Imbalance)
      code.finding.runs = runs_of_region(code.finding);
    if (code.finding.shape == Shape::SerialTasks || code.finding.shape == Shape::LongTask)
      code.finding.tokens = tokens_of(code.finding);
    if (code.finding.tokens > 0)
      code.finding.shape = Shape::FewTokens;
  }
  std::vector<Finding> findings;
  add_off_cpu(findings, codes);
  std::erase_if(codes, [&](const Code& code) {
    return code.finding.critical_work == 0 ||
           !is_at_least(code.finding.critical_work, kLeastCriticalPercent, measured_.span());
  });
  codes.resize(std::min(codes.size(), kMost));
  if (!codes.empty())
    add_savings(codes);
  for (Code& code : codes) {
    code.finding.classes = code.steps.classes;
    findings.push_back(std::move(code.finding));
  }
  add_tiny_tasks(findings);
  add_short_loops(findings);
  add_few_threads(findings);
  // What a limit makes vain does not come before it.
  std::ranges::stable_sort(findings, std::ranges::greater(), [](const Finding& finding) {
    return std::pair(finding.saves_at_most(), finding.shape == Shape::FewThreads);
  });
  return findings;
}

} // namespace

bool is_even(const Finding& finding) {
  return finding.critical_tasks > 0 && Wide{finding.critical_work} * finding.tasks * 4 <=
                                           Wide{finding.work} * finding.critical_tasks * 5;
}

std::vector<Finding> find_problems(const Measured& measured, const std::vector<SiteRow>& sites,
                                   const std::vector<WhatIfCandidate>& advised_grains,
                                   const std::vector<ConcurrencyLimit>& limits,
                                   const Prediction& prediction, bool may_read,
                                   const TraceReadings& readings, const ProfileOptions& options) {
  if (measured.work() == 0)
    return {};
  return Finder(measured, sites, advised_grains, limits, prediction, may_read, readings, options)
      .find();
}

} // namespace tp::analysis
