// SPDX-License-Identifier: Apache-2.0
// Costs, the DAG, the simulations, and what limits the speedup at each P.
#include "profile/prediction.h"

#include "base/parallel.h"
#include "base/rounding.h"
#include "model/speedup_bounds.h"
#include "model/verdict.h"
#include "profile/concurrency_limits.h"
#include "profile/simulated_locks.h"
#include "profile/tasking_overhead.h"
#include "simulate/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace tp::analysis {
namespace {

// A trace with more steps than this is simulated only on request.
constexpr std::uint64_t kMostSteps = 2'000'000;
constexpr std::uint64_t kMostWorkers = 1024;

// The largest loss, if it is significant.
Limiter limiter_of(const Measured& measured, const PredictedRun& run, std::uint64_t work,
                   std::uint64_t locks) {
  const Wide whole = Wide{run.procs} * run.time;
  const Wide lost_to_tasks = Wide{run.overhead} + run.stealing;
  if ((lost_to_tasks + run.idle) * 10 < whole)
    return Limiter::Work;
  const Wide lost_to_locks = Wide{run.procs} * (run.time - run.without_locks);
  if (locks > run.without_locks ||
      (lost_to_locks >= lost_to_tasks && lost_to_locks * 2 >= run.idle && lost_to_locks > 0))
    return Limiter::Lock;
  if (lost_to_tasks >= run.idle)
    return Limiter::Overhead;
  const std::uint64_t share = work / run.procs;
  if (least_time_of_limits(measured, run.procs) >
      std::max(share, std::max(measured.span(), measured.fold.span_with_latency)))
    return Limiter::Concurrency;
  const Wide as_divisible = std::max(share, measured.fold.divisible_span_at_most);
  return as_divisible * 10 < Wide{std::max(share, measured.span())} * 8 ? Limiter::Grain
                                                                        : Limiter::Span;
}

void complete(const Measured& measured, const Prediction& prediction, PredictedRun& run) {
  run.speedup = {prediction.serial, run.time};
  run.efficiency = shortened_ratio(prediction.serial, Wide{run.procs} * run.time);
  run.overhead = prediction.overhead;
  run.stealing = run.steals * prediction.steal.work;
  const Wide busy = Wide{prediction.work} + prediction.latency + run.overhead + run.stealing;
  const Wide whole = Wide{run.procs} * run.time;
  run.idle = static_cast<std::uint64_t>(
      std::min<Wide>(whole > busy ? whole - busy : Wide{0}, ~std::uint64_t{0}));
  run.limiter = limiter_of(measured, run, prediction.work + prediction.latency, prediction.locks);
}

// What the sections of one lock take at least with the remedy.
std::uint64_t locks_with(const Remedy& remedy, const Measured& measured,
                         const Prediction& prediction, const TraceReadings& readings) {
  if (!remedy.shortens_sections)
    return prediction.lock_sections;
  if (prediction.lock_sections == 0 || measured.work() > ~std::uint64_t{0} / 2 / remedy.factor)
    return 0;
  WhatIfPlan plan;
  plan.add({remedy.regions, remedy.divided}, {remedy.factor});
  return without_recording(readings.sections_with(plan).front() / remedy.factor, measured,
                           prediction);
}

void run_work_stealing(const Dag& dag, const Measured& measured, const Prediction& prediction,
                       PredictedRun& run, WakeUps wake_ups = WakeUps::WithoutSamples) {
  const DagLimits limits = limits_of_simulation(measured, run.procs);
  const auto simulated = [&](const LockCosts* locks) {
    const Simulated found =
        simulate_work_stealing(dag, run.procs, prediction.steal.work, limits, locks);
    run.steals = found.steals;
    run.lock_waits = found.lock_waits;
    // Where all threads inside an arena wait for one outside, the simulation lets it in.
    return std::max(found.time, found.forced ? least_time_under_limits(measured, run.procs) : 0);
  };
  run.time = run.without_locks = simulated(nullptr);
  if (!dag.lock_ops.empty()) {
    const LockCosts costs = lock_costs(measured, prediction.simulated_locks, wake_ups);
    run.time = simulated(&costs);
  }
  // The system shares out one CPU: a thread does not begin only when the others wait, as a stolen task would.
  if (run.procs == 1 && prediction.on_one_cpu > 0)
    run.time = std::min(run.time, prediction.on_one_cpu);
  run.time = std::max(run.time, prediction.locks);
  run.without_locks = std::min(run.without_locks, run.time); // by chance it may take longer
}

// Adds these numbers of CPUs.
void simulate(const std::vector<std::uint64_t>& procs, const Dag& dag, const Measured& measured,
              unsigned jobs, Prediction& prediction) {
  std::vector<PredictedRun>& scaling = prediction.scaling;
  const std::size_t old = scaling.size();
  for (const std::uint64_t each : procs)
    scaling.push_back({.procs = each});
  parallel_for_index(jobs, procs.size(), [&](std::size_t i) {
    PredictedRun& run = scaling[old + i];
    const auto known = std::ranges::find(prediction.runs, run.procs, &PredictedRun::procs);
    if (known == prediction.runs.end()) {
      run_work_stealing(dag, measured, prediction, run);
    } else {
      run.time = known->time;
      run.without_locks = known->without_locks;
      run.steals = known->steals;
      run.lock_waits = known->lock_waits;
    }
  });
  for (std::size_t i = old; i < scaling.size(); ++i)
    complete(measured, prediction, scaling[i]);
  std::ranges::sort(scaling, {}, &PredictedRun::procs);
}

void add_scaling(const Dag& dag, const Measured& measured, unsigned jobs, Prediction& prediction) {
  std::vector<std::uint64_t> procs;
  for (std::uint64_t each = 1; each <= kMostVerdictProcs; each *= 2)
    if (Wide{each} * prediction.span <= Wide{prediction.serial} * 4 || each <= 4)
      procs.push_back(each);
  simulate(procs, dag, measured, jobs, prediction);
  const std::uint64_t worth = worth_procs(prediction);
  if (worth >= 2 && worth < prediction.scaling.back().procs)
    simulate({worth + worth / 2}, dag, measured, jobs, prediction);
}

std::uint64_t least_time(const Prediction& prediction) {
  std::uint64_t least = prediction.runs.front().time;
  for (const std::vector<PredictedRun>* const runs : {&prediction.runs, &prediction.scaling})
    for (const PredictedRun& run : *runs)
      least = std::min(least, run.time);
  return least;
}

// Adds that of the CPUs of this run, which the user may not have asked for.
void add_own(const Dag& dag, const Measured& measured, Prediction& prediction) {
  const std::uint64_t procs = measured.run().cpus;
  if (procs <= kMostWorkers && measured.run().wake_sampled_ns > 0 && !dag.lock_ops.empty()) {
    PredictedRun sampled{.procs = procs};
    run_work_stealing(dag, measured, prediction, sampled, WakeUps::AsInRun);
    prediction.own_sampled = sampled.time;
  }
  for (const std::vector<PredictedRun>* const runs : {&prediction.runs, &prediction.scaling})
    if (const auto known = std::ranges::find(*runs, procs, &PredictedRun::procs);
        known != runs->end()) {
      prediction.own = *known;
      return;
    }
  if (procs > kMostWorkers)
    return;
  PredictedRun run{.procs = procs};
  run_work_stealing(dag, measured, prediction, run);
  complete(measured, prediction, run);
  prediction.own = run;
}

// Records the DAG that the remedy would leave.
class RemedyRecorder final : public DagRecorder {
public:
  RemedyRecorder(const StepCosts& costs, const Remedy& remedy, std::uint64_t steal,
                 std::size_t nodes_expected, const LockChoice* locks, const TraceReadings& readings)
      : DagRecorder(costs, nodes_expected, locks), remedy_(remedy), steal_(steal) {
    if (!remedy.code.rests.empty() && readings.samples())
      samples_.emplace(*readings.samples(), readings.weights());
    for (const CodeId id : remedy.code.code)
      is_divided_code_.grown_to(id) = 1;
    for (const CodeShare& rest : remedy.code.rests)
      rests_.grown_to(rest.of) = rest.share;
    for (const StepClassId id : remedy.divided)
      is_divided_.grown_to(id) = 1;
    for (const RegionId id : remedy.regions)
      is_divided_region_.grown_to(id) = 1;
  }
  void step(FrameState& frame, const Step& step) override {
    const StepClassId of = classes_.id_of({frame.row, step.opened, step.closed});
    const std::uint64_t all = work_of(step);
    std::uint64_t work = all, overhead = overhead_of(frame, step);
    const bool is_divided = is_divided_.contains(of) && is_divided_[of];
    // Others would do it if they did not wait for the lock.
    if (is_divided && is_inside(frame) && !remedy_.shortens_sections && !remedy_.is_removed &&
        tasks_ < kMostTasks) {
      tasks_ += std::min(remedy_.factor, work / steal_ + 1);
      add_divided_step(frame, step, work, overhead, remedy_.factor, steal_);
      return;
    }
    if (is_divided)
      work /= remedy_.factor;
    else if (const std::uint64_t inside = std::min(work, inside_of(step) + inside_code(of, step));
             inside > 0)
      work -= inside - inside / remedy_.factor;
    const bool names_row =
        step.opened.kind == BoundaryKind::Spawn || step.opened.kind == BoundaryKind::Wait;
    if (remedy_.less_overhead == (names_row ? step.opened.row : frame.row))
      overhead = static_cast<std::uint64_t>(Wide{overhead} * remedy_.overhead_left.numerator /
                                            remedy_.overhead_left.denominator);
    add_step(frame, step, work, overhead, remedy_.shortens_sections ? work : all);
  }

private:
  std::uint64_t inside_of(const Step& step) const {
    std::uint64_t inside = 0;
    for (const RegionWork& part : step.regions)
      if (is_divided_region_.contains(part.region) && is_divided_region_[part.region])
        inside += part.work;
    return inside;
  }

  std::uint64_t inside_code(StepClassId of, const Step& step) {
    if (!samples_)
      return 0;
    std::uint64_t inside = 0, rest = step.work;
    for (const CodeWork& part : samples_->file(of, step)) {
      rest -= part.work;
      if (is_divided_code_.contains(part.code) && is_divided_code_[part.code])
        inside += part.work;
    }
    return inside +
           (rests_.contains(of) ? static_cast<std::uint64_t>(Wide{rest} * rests_[of] >> 16) : 0);
  }

  static constexpr std::uint64_t kMostTasks = 8'000'000;

  const Remedy& remedy_;
  const std::uint64_t steal_; // what it takes until another thread has begun a task
  std::uint64_t tasks_ = 0;   // that the remedy adds, at most
  StepClassTable classes_;
  std::optional<StepSamples> samples_;
  IdVector<CodeId, std::uint8_t> is_divided_code_;
  IdVector<StepClassId, std::uint32_t> rests_; // of 65536
  IdVector<StepClassId, std::uint8_t> is_divided_;
  IdVector<RegionId, std::uint8_t> is_divided_region_;
};

// Records the DAG in which all sleep is latency.
class WaitsRecorder final : public DagRecorder {
public:
  using DagRecorder::DagRecorder;
  void step(FrameState& frame, const Step& step) override {
    Step sleeping = step;
    sleeping.latency = step.asleep;
    if (!step.waits.empty()) [[unlikely]]
      sleeping.moves = with_waits(step);
    DagRecorder::step(frame, sleeping);
  }

private:
  // A wait keeps the pool, but states what was slept before.
  std::span<const PoolChange> with_waits(const Step& step) {
    moves_.clear();
    PoolChange before{0, 0, step.pool};
    const auto add = [&](std::uint64_t work, std::uint64_t latency, PoolId pool) {
      before = {std::max(before.work, work), std::max(before.latency, latency), pool};
      moves_.push_back(before);
    };
    auto wait = step.waits.begin();
    for (const PoolChange& move : step.moves) {
      for (; wait != step.waits.end() && wait->work <= move.work; ++wait)
        add(wait->work, wait->asleep, before.pool);
      add(move.work, move.latency, move.pool);
    }
    for (; wait != step.waits.end(); ++wait)
      add(wait->work, wait->asleep, before.pool);
    return moves_;
  }

  std::vector<PoolChange> moves_; // valid until the next step
};

} // namespace

StepCosts step_costs(const Prediction& prediction) {
  StepCosts costs;
  costs.recording = prediction.recording;
  for (std::size_t kind = 0; kind < kBoundaryKinds; ++kind)
    costs.overhead[kind] = prediction.costs[kind].cost;
  return costs;
}

// Recording adds as much to sections as to all steps.
std::uint64_t without_recording(std::uint64_t work, const Measured& measured,
                                const Prediction& prediction) {
  return static_cast<std::uint64_t>(Wide{work} * prediction.work /
                                    std::max({measured.work(), prediction.work, std::uint64_t{1}}));
}

std::uint64_t worth_procs(const Prediction& prediction) {
  std::uint64_t worth = 0, least = std::numeric_limits<std::uint64_t>::max();
  for (const PredictedRun& run : prediction.scaling) {
    // Where tasks hand a lock over more often on more CPUs, fewer may be faster.
    if (run.time <= least &&
        Wide{prediction.serial} * 100 >= Wide{run.procs} * run.time * kWorthEfficiencyPercent)
      worth = run.procs;
    least = std::min(least, run.time);
  }
  return worth;
}

std::uint64_t predict_with(const Remedy& remedy, const Measured& measured,
                           const Prediction& prediction, std::uint64_t procs,
                           const TraceReadings& readings) {
  return predict_with(remedy, measured, prediction, std::vector<std::uint64_t>{procs}, readings)
      .front();
}

std::vector<std::uint64_t> predict_with(const Remedy& remedy, const Measured& measured,
                                        const Prediction& prediction,
                                        const std::vector<std::uint64_t>& procs,
                                        const TraceReadings& readings) {
  const LockChoice choice = choice_of(prediction.simulated_locks);
  RemedyRecorder recorder(step_costs(prediction), remedy,
                          std::max<std::uint64_t>(prediction.steal.work, 1), measured.read.steps,
                          choice.rules.empty() ? nullptr : &choice, readings);
  readings.read(recorder);
  const Dag& dag = recorder.dag();
  const LockCosts lock_times = lock_costs(measured, prediction.simulated_locks);
  const std::uint64_t locks = locks_with(remedy, measured, prediction, readings);
  const Wide work = Wide{remedy.is_removed ? recorder.work() : prediction.work} +
                    recorder.overhead() + recorder.latency();
  std::vector<std::uint64_t> times(procs.size());
  parallel_for_index(readings.jobs(), procs.size(), [&](std::size_t i) {
    times[i] = static_cast<std::uint64_t>((work + procs[i] - 1) / procs[i]);
    if (recorder.fits())
      times[i] = std::max(
          times[i], simulate_work_stealing(dag, procs[i], prediction.steal.work,
                                           limits_of_simulation(measured, procs[i], remedy.without),
                                           &lock_times)
                        .time);
    times[i] = std::max(times[i], locks);
    // What others do of it they do under the same limits.
    if (!remedy.is_removed)
      times[i] = std::max(
          times[i], without_recording(least_time_under_limits(measured, procs[i], remedy.without),
                                      measured, prediction));
  });
  return times;
}

std::optional<std::uint64_t> predict_own_with_waits(const Measured& measured,
                                                    const Prediction& prediction,
                                                    const TraceReadings& readings) {
  const LockChoice choice = choice_of(prediction.simulated_locks);
  WaitsRecorder recorder(step_costs(prediction), measured.read.steps,
                         choice.rules.empty() ? nullptr : &choice);
  readings.read(recorder);
  if (!recorder.fits())
    return std::nullopt;
  PredictedRun run{.procs = prediction.own->procs};
  run_work_stealing(recorder.dag(), measured, prediction, run, WakeUps::AsInRun);
  return run.time;
}

std::string reason_not_to_simulate(const Measured& measured, const ProfileOptions& options) {
  if (options.simulate == Ask::Never)
    return "--simulate never";
  if (options.simulate == Ask::Auto && measured.read.steps > kMostSteps)
    return fmt::format("more than {} million steps (only with --simulate always)",
                       kMostSteps / 1'000'000);
  if (measured.read.steps >= kMostDagNodes)
    return fmt::format("more than {} steps", kMostDagNodes);
  return measured.work() == 0 ? "no work was recorded" : "";
}

Prediction predict(const Measured& measured, const TaskingCosts& costs, const Locks& locks,
                   const std::string& skipped_because, const TraceReadings& readings,
                   const ProfileOptions& options) {
  Prediction prediction{.skipped_because = skipped_because,
                        .costs = costs.events,
                        .recording = costs.recording,
                        .steal = costs.steal};
  if (!skipped_because.empty())
    return prediction;
  for (const std::uint64_t procs : options.procs)
    if (procs <= kMostWorkers)
      prediction.runs.push_back({.procs = procs});
  if (prediction.runs.empty()) {
    prediction.skipped_because =
        fmt::format("at most {1} CPUs can be simulated, the smallest number asked for is {0}",
                    *std::min_element(options.procs.begin(), options.procs.end()), kMostWorkers);
    return prediction;
  }
  const std::uint64_t most_procs = std::max(kMostVerdictProcs, std::ranges::max(options.procs));
  prediction.simulated_locks = locks_that_matter(
      locks, std::max(measured.fold.span_with_latency, measured.work() / most_procs));
  const LockChoice choice = choice_of(prediction.simulated_locks);
  DagRecorder recorder(step_costs(prediction), measured.read.steps,
                       choice.rules.empty() ? nullptr : &choice);
  readings.read(recorder);
  if (!recorder.fits()) {
    prediction.runs.clear();
    prediction.skipped_because = "the DAG is too large";
    return prediction;
  }
  const Dag& dag = recorder.dag();
  prediction.work = recorder.work();
  prediction.overhead = recorder.overhead();
  prediction.latency = recorder.latency();
  prediction.serial = prediction.work + prediction.latency;
  // While a thread sleeps, one worker may have nothing to do.
  if (recorder.asleep() > 0) {
    prediction.on_one_cpu = simulate_greedy(dag, 1).time;
    const std::uint64_t in_turn = prediction.serial + recorder.asleep();
    prediction.serial =
        std::clamp(prediction.on_one_cpu - prediction.overhead, prediction.serial, in_turn);
    prediction.asleep_beside_work = in_turn - prediction.serial;
  }
  prediction.locks = without_recording(locks.greatest_with_latency, measured, prediction);
  prediction.lock_sections =
      without_recording(locks.greatest_sections_with_latency, measured, prediction);
  prediction.nodes = dag.nodes.size();
  prediction.bytes = dag.bytes();
  // There are as many worker threads as nodes can be ready at once, and no limit of concurrency.
  prediction.span = simulate_greedy(dag, kMostDagNodes).time;
  const std::size_t count = prediction.runs.size();
  parallel_for_index(readings.jobs(), 2 * count, [&](std::size_t i) {
    if (PredictedRun& run = prediction.runs[i / 2]; i % 2 == 0)
      run.greedy = std::max(
          simulate_greedy(dag, run.procs, limits_of_simulation(measured, run.procs), true).time,
          prediction.locks);
    else
      run_work_stealing(dag, measured, prediction, run);
  });
  for (PredictedRun& run : prediction.runs)
    complete(measured, prediction, run);
  add_scaling(dag, measured, readings.jobs(), prediction);
  add_own(dag, measured, prediction);
  if (!dag.loops.empty())
    prediction.least_dealt = least_time(prediction);
  return prediction;
}

} // namespace tp::analysis
