// SPDX-License-Identifier: Apache-2.0
// Costs, the DAG, the simulations, and what limits the speedup at each P.
#include "profile/prediction.h"

#include "base/parallel.h"
#include "base/rounding.h"
#include "model/speedup_bounds.h"
#include "model/verdict.h"
#include "profile/tasking_overhead.h"
#include "simulate/dag_recorder.h"
#include "simulate/simulation.h"

#include <fmt/format.h>

#include <algorithm>

namespace tp::analysis {
namespace {

// A trace with more steps than this is simulated only on request.
constexpr std::uint64_t kMostSteps = 2'000'000;
constexpr std::uint64_t kMostWorkers = 1024;

StepCosts step_costs(const Prediction& prediction) {
  StepCosts costs;
  costs.recording = prediction.recording;
  for (std::size_t kind = 0; kind < kBoundaryKinds; ++kind)
    costs.overhead[kind] = prediction.costs[kind].cost;
  return costs;
}

// The largest loss, if it is significant.
Limiter limiter_of(const Measured& measured, const PredictedRun& run, std::uint64_t work) {
  const Wide whole = Wide{run.procs} * run.time;
  const Wide lost_to_tasks = Wide{run.overhead} + run.stealing;
  if ((lost_to_tasks + run.idle) * 10 < whole)
    return Limiter::Work;
  if (lost_to_tasks >= run.idle)
    return Limiter::Overhead;
  const std::uint64_t share = work / run.procs;
  const Wide as_divisible = std::max(share, measured.fold.divisible_span_at_most);
  return as_divisible * 10 < Wide{std::max(share, measured.span())} * 8 ? Limiter::Grain
                                                                        : Limiter::Span;
}

void complete(const Measured& measured, const Prediction& prediction, PredictedRun& run) {
  run.speedup = {prediction.work, run.time};
  run.efficiency = shortened_ratio(prediction.work, Wide{run.procs} * run.time);
  run.overhead = prediction.overhead;
  run.stealing = run.steals * prediction.steal.work;
  const Wide busy = Wide{prediction.work} + run.overhead + run.stealing;
  const Wide whole = Wide{run.procs} * run.time;
  run.idle = static_cast<std::uint64_t>(
      std::min<Wide>(whole > busy ? whole - busy : Wide{0}, ~std::uint64_t{0}));
  run.limiter = limiter_of(measured, run, prediction.work);
}

void run_work_stealing(const Dag& dag, const Prediction& prediction, PredictedRun& run) {
  const Simulated found = simulate_work_stealing(dag, run.procs, prediction.steal.work);
  run.time = found.time;
  run.steals = found.steals;
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
      run_work_stealing(dag, prediction, run);
    } else {
      run.time = known->time;
      run.steals = known->steals;
    }
  });
  for (std::size_t i = old; i < scaling.size(); ++i)
    complete(measured, prediction, scaling[i]);
  std::ranges::sort(scaling, {}, &PredictedRun::procs);
}

void add_scaling(const Dag& dag, const Measured& measured, unsigned jobs, Prediction& prediction) {
  std::vector<std::uint64_t> procs;
  for (std::uint64_t each = 1; each <= kMostVerdictProcs; each *= 2)
    if (Wide{each} * prediction.span <= Wide{prediction.work} * 4 || each <= 4)
      procs.push_back(each);
  simulate(procs, dag, measured, jobs, prediction);
  const std::uint64_t worth = worth_procs(prediction);
  if (worth >= 2 && worth < prediction.scaling.back().procs)
    simulate({worth + worth / 2}, dag, measured, jobs, prediction);
}

// Records the DAG that the remedy would leave.
class RemedyRecorder final : public DagRecorder {
public:
  RemedyRecorder(const StepCosts& costs, const Remedy& remedy, std::size_t nodes_expected)
      : DagRecorder(costs, nodes_expected), remedy_(remedy) {
    for (const StepClassId id : remedy.divided)
      is_divided_.grown_to(id) = 1;
  }
  void step(FrameState& frame, const Step& step) override {
    const StepClassId of = classes_.id_of({frame.row, step.opened, step.closed});
    std::uint64_t work = work_of(step), overhead = overhead_of(frame, step);
    if (is_divided_.contains(of) && is_divided_[of])
      work /= remedy_.factor;
    const bool names_row =
        step.opened.kind == BoundaryKind::Spawn || step.opened.kind == BoundaryKind::Wait;
    if (remedy_.less_overhead == (names_row ? step.opened.row : frame.row))
      overhead = static_cast<std::uint64_t>(Wide{overhead} * remedy_.overhead_left.numerator /
                                            remedy_.overhead_left.denominator);
    add_step(frame, work, overhead);
  }

private:
  const Remedy& remedy_;
  StepClassTable classes_;
  IdVector<StepClassId, std::uint8_t> is_divided_;
};

} // namespace

std::uint64_t worth_procs(const Prediction& prediction) {
  std::uint64_t worth = 0;
  for (const PredictedRun& run : prediction.scaling)
    if (Wide{prediction.work} * 100 >= Wide{run.procs} * run.time * kWorthEfficiencyPercent)
      worth = run.procs;
  return worth;
}

std::uint64_t predict_with(const Remedy& remedy, const Measured& measured,
                           const Prediction& prediction, std::uint64_t procs,
                           const TraceReadings& readings) {
  RemedyRecorder recorder(step_costs(prediction), remedy, measured.read.steps);
  readings.read(recorder);
  const auto share =
      static_cast<std::uint64_t>((Wide{prediction.work} + recorder.overhead() + procs - 1) / procs);
  if (!recorder.fits())
    return share;
  return std::max(share, simulate_work_stealing(recorder.dag(), procs, prediction.steal.work).time);
}

std::string reason_not_to_simulate(const Measured& measured, const ProfileOptions& options) {
  if (options.simulate == Ask::Never)
    return "--simulate never";
  if (options.simulate == Ask::Auto && measured.read.steps > kMostSteps)
    return fmt::format("more than {} steps: --simulate always", kMostSteps);
  if (measured.read.steps >= kMostDagNodes)
    return fmt::format("more than {} steps", kMostDagNodes);
  return measured.work() == 0 ? "no work was recorded" : "";
}

Prediction predict(const Measured& measured, const TaskingCosts& costs,
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
  DagRecorder recorder(step_costs(prediction), measured.read.steps);
  readings.read(recorder);
  if (!recorder.fits()) {
    prediction.runs.clear();
    prediction.skipped_because = "the DAG is too large";
    return prediction;
  }
  const Dag& dag = recorder.dag();
  prediction.work = recorder.work();
  prediction.overhead = recorder.overhead();
  prediction.nodes = dag.nodes.size();
  prediction.bytes = dag.bytes();
  // There are as many worker threads as nodes can be ready at once.
  prediction.span = simulate_greedy(dag, kMostDagNodes).time;
  const std::size_t count = prediction.runs.size();
  parallel_for_index(readings.jobs(), 2 * count, [&](std::size_t i) {
    if (PredictedRun& run = prediction.runs[i / 2]; i % 2 == 0)
      run.greedy = simulate_greedy(dag, run.procs).time;
    else
      run_work_stealing(dag, prediction, run);
  });
  for (PredictedRun& run : prediction.runs)
    complete(measured, prediction, run);
  add_scaling(dag, measured, readings.jobs(), prediction);
  return prediction;
}

} // namespace tp::analysis
