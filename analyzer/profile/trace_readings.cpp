// SPDX-License-Identifier: Apache-2.0
// Threads share only the trace and the tables, which are constant.
#include "profile/trace_readings.h"

#include "base/parallel.h"
#include "base/wide.h"
#include "dag/dag_reader.h"
#include "profile/code_names.h"
#include "profile/concurrency_limits.h"
#include "sites/constructs.h"
#include "trace/step_sequence.h"

#include <algorithm>

namespace tp::analysis {

namespace {

std::vector<LockScenario> lock_scenarios(const WhatIfPlan& plan) {
  std::vector<LockScenario> scenarios;
  for (const Scenario& each : plan.scenarios)
    scenarios.push_back({.code = plan.sets[each.set], .factor = each.factor});
  return scenarios;
}

} // namespace

void TraceReadings::begin_phase(const std::string& name) const {
  if (progress_)
    progress_->begin(name);
}

void TraceReadings::expect(std::size_t readings) const {
  if (progress_)
    progress_->expect(readings, source_.bytes());
}

TraceReadings::Result TraceReadings::read(const WhatIfPlan& plan, const Wanted& wanted) const {
  expect(1);
  return read_once(plan, wanted);
}

void TraceReadings::read(DagVisitor& visitor) const {
  expect(1);
  read_once(visitor);
}

TraceReadings::Result TraceReadings::read_once(const WhatIfPlan& plan, const Wanted& wanted) const {
  const bool divides = wanted.code || std::ranges::any_of(plan.sets, [](const StepSet& set) {
                         return !set.code.empty() || !set.rests.empty();
                       });
  DagFold fold({.plan = plan,
                .callers = table_.callers,
                .regions = table_.regions.size(),
                .mode = mode_,
                .sites = wanted.sites,
                .chains = wanted.chains,
                .composition = wanted.composition,
                .pools = wanted.pools,
                .burden = wanted.burden,
                .contexts = wanted.contexts,
                .samples = wanted.samples || divides ? samples_ : nullptr,
                .weights = divides ? weights_ : nullptr,
                .join_costs = wanted.join_costs});
  Result result;
  result.summary = DagReader(source_, info_, table_.maps, fold, from_first_use_).run();
  result.fold = fold.results();
  return result;
}

void TraceReadings::read_once(DagVisitor& visitor) const {
  DagReader(source_, info_, table_.maps, visitor, from_first_use_).run();
}

IdleTime TraceReadings::idle_time(std::uint64_t workers, const ReadSummary& summary) const {
  expect(1);
  return {step_sequences(source_, info_.run), workers, summary.first_time, summary.last_time};
}

std::vector<WhatIfLength> TraceReadings::evaluate_paths(const WhatIfPlan& plan,
                                                        WorkUnderLimits* under) const {
  std::vector<WhatIfLength> lengths(plan.scenarios.size());
  if (under)
    under->resize(plan.scenarios.size());
  const std::size_t batches =
      (plan.scenarios.size() + kScenariosPerReading - 1) / kScenariosPerReading;
  expect(batches);
  parallel_for_index(jobs_, batches, [&](std::size_t batch) {
    const std::size_t begin = batch * kScenariosPerReading;
    const std::size_t end = std::min(begin + kScenariosPerReading, plan.scenarios.size());
    const WhatIfPlan part = plan.part(begin, end);
    const DagFold::Results found = read_once(part, {.pools = under != nullptr}).fold;
    std::ranges::copy(found.what_if, lengths.begin() + static_cast<std::ptrdiff_t>(begin));
    if (under)
      std::ranges::move(work_under_limits(part, found),
                        under->begin() + static_cast<std::ptrdiff_t>(begin));
  });
  return lengths;
}

// Whether less of this code is as good as more threads. If it is divided among CPUs, its work stays. But a team of
// OpenMP has a part of a loop or region for each of its threads: with more parts it has more threads.
bool TraceReadings::becomes_less(const ConcurrencyLimit& limit, Row row) const {
  if (mode_ == WhatIfMode::Optimize)
    return true;
  const SiteInfo& site = table_.rows[row];
  const bool is_loop = std::ranges::find(site.constructs, name_of(trace::Construct::OmpFor)) !=
                       site.constructs.end();
  return limit.is_of_openmp && !is_taskloop(site) && (is_loop || is_region(site));
}

void TraceReadings::know_limits(std::vector<ConcurrencyLimit> limits,
                                const ConcurrencyLimits& concurrency) {
  limits_ = std::move(limits);
  concurrency_ = &concurrency;
  with_ends_ = limits_with_ends(limits_, concurrency);
}

TraceReadings::WorkUnderLimits
TraceReadings::work_under_limits(const WhatIfPlan& plan, const DagFold::Results& found) const {
  WorkUnderLimits under(plan.scenarios.size());
  for (const ConcurrencyLimit& limit : limits_) {
    std::vector<std::uint64_t> inside(plan.sets.size());
    for (const PoolId pool : ids_below(found.sets_in_pools.end_id())) {
      const ConcurrencyLimits::Pool& of = concurrency_->pools[index_of(pool)];
      if ((limit.is_arena ? of.arena : of.allowed) != limit.index)
        continue;
      for (const auto& [row, sets] : found.sets_in_pools[pool])
        for (std::size_t set = 0; becomes_less(limit, row) && set < sets.size(); ++set)
          inside[set] += sets[set];
    }
    for (std::size_t i = 0; i < plan.scenarios.size(); ++i) {
      const Scenario& scenario = plan.scenarios[i];
      under[i].push_back(limit.work * scenario.factor -
                         std::min(inside[scenario.set], limit.work) * (scenario.factor - 1));
    }
  }
  return under;
}

void TraceReadings::limit_by_threads(const WorkUnderLimits& under,
                                     std::vector<WhatIfLength>& lengths) const {
  for (std::size_t i = 0; i < lengths.size(); ++i)
    for (std::size_t limit = 0; limit < under[i].size(); ++limit)
      if (!limits_[limit].like_machine)
        lengths[i].span = std::max(lengths[i].span, limits_[limit].time_of(under[i][limit]));
}

std::vector<WhatIfLength> TraceReadings::evaluate(const WhatIfPlan& plan,
                                                  bool within_threads) const {
  WorkUnderLimits under;
  std::vector<WhatIfLength> lengths =
      evaluate_paths(plan, limits_.empty() || !within_threads ? nullptr : &under);
  under.resize(lengths.size());
  limit_by_threads(under, lengths);
  limit_by_law(plan, &under, lengths);
  return lengths;
}

void TraceReadings::limit_by_law(const WhatIfPlan& plan, const WorkUnderLimits* under,
                                 std::vector<WhatIfLength>& lengths) const {
  const auto may_be_limited = [&](std::size_t i) {
    const std::uint64_t factor = plan.scenarios[i].factor;
    if (lengths[i].span < Wide{greatest_lock_} * factor)
      return true;
    for (std::size_t limit = 0; under && limit < (*under)[i].size(); ++limit)
      if (limits_[limit].has_ends &&
          lengths[i].span < Wide{limits_[limit].ends.length()} * factor +
                                limits_[limit].time_of((*under)[i][limit]))
        return true;
    return false;
  };
  WhatIfPlan limited;
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    if (may_be_limited(i)) {
      limited.scenarios.push_back(plan.scenarios[i]);
      which.push_back(i);
    }
  if (which.empty())
    return;
  limited.sets = plan.sets;
  read_law(lock_scenarios(limited), Ends::With,
           [&](const LockLaw::Results& found, std::size_t begin, std::size_t end) {
             for (std::size_t i = begin; i < end; ++i) {
               const std::size_t measure = LockLaw::kFirstScenario + i - begin;
               std::uint64_t& span = lengths[which[i]].span;
               // Without a wait, what comes before and after the sections may be less.
               if (limited.scenarios[i].removed_wait) {
                 span = std::max(span, found.greatest_sections(measure, no_limits_));
                 continue;
               }
               span = std::max(span, found.greatest_bound(measure, no_limits_));
               for (std::size_t limit = 0; under && limit < found.limit_ends.size(); ++limit)
                 if (!limits_[limit].like_machine)
                   span = std::max(span, found.limit_ends[limit][measure].length() +
                                             limits_[limit].time_of((*under)[which[i]][limit]));
             }
           });
}

std::vector<std::uint64_t> TraceReadings::sections_with(const WhatIfPlan& plan) const {
  std::vector<std::uint64_t> sections(plan.scenarios.size());
  read_law(lock_scenarios(plan), Ends::Without,
           [&](const LockLaw::Results& found, std::size_t begin, std::size_t end) {
             for (std::size_t i = begin; i < end; ++i)
               sections[i] =
                   found.greatest_sections(LockLaw::kFirstScenario + i - begin, no_limits_);
           });
  return sections;
}

void TraceReadings::read_law(const std::vector<LockScenario>& scenarios, Ends ends,
                             const FoundLaw& found) const {
  constexpr std::size_t kAtOnce = 32; // scenarios
  const std::size_t batches = (scenarios.size() + kAtOnce - 1) / kAtOnce;
  expect(batches);
  parallel_for_index(jobs_, batches, [&](std::size_t batch) {
    const std::size_t begin = batch * kAtOnce;
    const std::size_t end = std::min(begin + kAtOnce, scenarios.size());
    LockLaw law({.scenarios = {scenarios.begin() + static_cast<std::ptrdiff_t>(begin),
                               scenarios.begin() + static_cast<std::ptrdiff_t>(end)},
                 .ends_of = ends == Ends::With ? ends_of_ : std::vector<LockObjectId>(),
                 .limits = ends == Ends::With ? with_ends_ : LimitsOfPools{},
                 .samples = samples_,
                 .weights = weights_});
    read_once(law);
    found(law.results(), begin, end);
  });
}

std::vector<std::uint64_t> TraceReadings::chains_of(const std::vector<Row>& rows) const {
  std::vector<std::uint64_t> chains(rows.size());
  const std::size_t batches = (rows.size() + kScenariosPerReading - 1) / kScenariosPerReading;
  expect(batches);
  parallel_for_index(jobs_, batches, [&](std::size_t batch) {
    const std::size_t begin = batch * kScenariosPerReading;
    const std::size_t end = std::min(begin + kScenariosPerReading, rows.size());
    const std::span<const Row> part(rows.data() + begin, end - begin);
    const auto found = read_once({}, {.sites = true, .chains = part}).fold;
    for (std::size_t i = begin; i < end; ++i)
      chains[i] = found.rows[rows[i]].longest_chain.value_or(0);
  });
  return chains;
}

std::vector<GrainTrials::Result>
TraceReadings::try_grains(const std::vector<GrainChange>& changes,
                          const IdVector<Row, std::uint64_t>* join_costs) const {
  std::vector<GrainTrials::Result> results(changes.size());
  const std::size_t batches = (changes.size() + GrainTrials::kMost - 1) / GrainTrials::kMost;
  expect(batches);
  parallel_for_index(jobs_, batches, [&](std::size_t batch) {
    const std::size_t begin = batch * GrainTrials::kMost;
    const std::size_t count = std::min(changes.size() - begin, GrainTrials::kMost);
    GrainTrials trials({changes.data() + begin, count}, join_costs);
    read_once(trials);
    std::ranges::copy(trials.results(), results.begin() + static_cast<std::ptrdiff_t>(begin));
  });
  return results;
}

} // namespace tp::analysis
