// Costs, the DAG, the simulations, and what binds at each P.
#include "profile/prediction.h"

#include "base/parallel.h"
#include "base/rounding.h"
#include "model/speedup_bounds.h"
#include "profile/tasking_overhead.h"
#include "simulate/dag_recorder.h"
#include "simulate/simulation.h"

#include <fmt/format.h>

#include <algorithm>

namespace tp::analysis {
namespace {

// A trace with more steps than this is not simulated unasked.
constexpr std::uint64_t kMostSteps = 2'000'000;
constexpr std::uint64_t kMostWorkers = 1024;
constexpr std::uint64_t kFewSteals = 20;

// A steal costs what the user says, what this run's steals show, or what is assumed.
Burden steal_burden(const Profile& profile) {
  Burden burden = profile.burden;
  if (burden.origin != BurdenOrigin::Default || profile.run.work.name == "virtual")
    return burden;
  burden.steals = profile.read.steal_delay.total();
  if (burden.steals < kFewSteals)
    return burden;
  burden.origin = BurdenOrigin::Measured;
  burden.ns = to_ns(profile.read.steal_delay.median(), profile.read.time_hz);
  burden.work = work_of_ns(profile, burden.ns);
  return burden;
}

StepCosts step_costs(const Prediction& prediction) {
  StepCosts costs;
  costs.recording = prediction.recording;
  for (std::size_t kind = 0; kind < kBoundaryKinds; ++kind)
    costs.overhead[kind] = prediction.costs[kind].cost;
  return costs;
}

// The largest loss, if there is any to speak of.
Binding binding_of(const Profile& profile, const PredictedRun& run, std::uint64_t work) {
  const Wide whole = Wide{run.procs} * run.time;
  const Wide lost_to_tasks = Wide{run.overhead} + run.stealing;
  if ((lost_to_tasks + run.idle) * 10 < whole)
    return Binding::Work;
  if (lost_to_tasks >= run.idle)
    return Binding::Overhead;
  const std::uint64_t share = work / run.procs;
  const Wide as_divisible = std::max(share, profile.divisible_span);
  return as_divisible * 10 < Wide{std::max(share, profile.span)} * 8 ? Binding::Grain
                                                                     : Binding::Span;
}

void complete(const Profile& profile, const Prediction& prediction, PredictedRun& run) {
  run.speedup = {prediction.work, run.time};
  run.efficiency = shortened_ratio(prediction.work, Wide{run.procs} * run.time);
  run.overhead = prediction.overhead;
  run.stealing = run.steals * prediction.steal.work;
  const Wide busy = Wide{prediction.work} + run.overhead + run.stealing;
  const Wide whole = Wide{run.procs} * run.time;
  run.idle = static_cast<std::uint64_t>(
      std::min<Wide>(whole > busy ? whole - busy : Wide{0}, ~std::uint64_t{0}));
  run.binds = binding_of(profile, run, prediction.work);
}

} // namespace

std::string reason_not_to_simulate(const Profile& profile, const ProfileOptions& options) {
  if (options.simulate == Explore::Never)
    return "--simulate never";
  if (options.simulate == Explore::Auto && profile.read.steps > kMostSteps)
    return fmt::format("more than {} steps: --simulate always", kMostSteps);
  if (profile.read.steps >= kMostDagNodes)
    return fmt::format("more than {} steps", kMostDagNodes);
  return profile.work == 0 ? "no work was recorded" : "";
}

void add_costs(Profile& profile, const Analysis::Results& first) {
  profile.prediction.costs = event_costs(profile, first);
  profile.prediction.recording = profile.run.step_cost;
  profile.prediction.steal = steal_burden(profile);
}

void predict(Profile& profile, const Readings& readings, const ProfileOptions& options) {
  Prediction& prediction = profile.prediction;
  prediction.not_made = reason_not_to_simulate(profile, options);
  if (!prediction.not_made.empty())
    return;
  for (const std::uint64_t procs : options.procs)
    if (procs <= kMostWorkers)
      prediction.runs.push_back({.procs = procs});
  if (prediction.runs.empty()) {
    prediction.not_made =
        fmt::format("{} cpus or more were asked for, simulated are at most {}",
                    *std::min_element(options.procs.begin(), options.procs.end()), kMostWorkers);
    return;
  }
  DagRecorder recorder(step_costs(prediction), profile.read.steps);
  readings.read(recorder);
  if (!recorder.fits()) {
    prediction.runs.clear();
    prediction.not_made = "the DAG is too large";
    return;
  }
  const Dag& dag = recorder.dag();
  prediction.work = recorder.work();
  prediction.overhead = recorder.overhead();
  prediction.nodes = dag.nodes.size();
  prediction.bytes = dag.bytes();
  // The last is the span: as many workers as there can be nodes ready.
  const std::size_t count = prediction.runs.size();
  side_by_side(readings.jobs(), 2 * count + 1, [&](std::size_t i) {
    if (i == 2 * count) {
      prediction.span = simulate_greedy(dag, kMostDagNodes).time;
    } else if (PredictedRun& run = prediction.runs[i / 2]; i % 2 == 0) {
      run.greedy = simulate_greedy(dag, run.procs).time;
    } else {
      const Simulated found = simulate_work_stealing(dag, run.procs, prediction.steal.work);
      run.time = found.time;
      run.steals = found.steals;
    }
  });
  for (PredictedRun& run : prediction.runs)
    complete(profile, prediction, run);
}

} // namespace tp::analysis
