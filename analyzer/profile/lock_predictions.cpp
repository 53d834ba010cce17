// SPDX-License-Identifier: Apache-2.0
// See lock_predictions.h.
#include "profile/lock_predictions.h"

#include "base/parallel.h"
#include "profile/concurrency_limits.h"
#include "profile/prediction.h"
#include "profile/simulated_locks.h"
#include "simulate/dag_recorder.h"
#include "simulate/lock_changes.h"
#include "simulate/simulation.h"

#include <algorithm>

namespace tp::analysis {
namespace {

constexpr std::uint64_t kMostNodes = 40'000'000; // of all simulations together

// CPUs of this run, and those that advice is about, so that what a remedy saves is the same whatever else is
// predicted; if they were not simulated, the most that were.
std::vector<std::uint64_t> procs_of(const Measured& measured, const Prediction& prediction,
                                    std::uint64_t advised_procs) {
  const bool is_simulated = std::ranges::find(prediction.runs, advised_procs,
                                              &PredictedRun::procs) != prediction.runs.end();
  std::vector<std::uint64_t> procs = {
      is_simulated ? advised_procs
                   : std::ranges::max(prediction.runs, {}, &PredictedRun::procs).procs};
  if (prediction.own && prediction.own->procs != procs.front())
    procs.insert(procs.begin(), measured.run().cpus);
  return procs;
}

struct Question {
  std::size_t row;
  std::size_t change;
};

// The rows that limit most first.
std::vector<Question> questions_of(const Locks& locks, std::uint64_t nodes_each) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < locks.rows.size(); ++i)
    if (!locks.rows[i].what_if.empty())
      rows.push_back(i);
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [&](std::size_t i) { return locks.rows[i].bound.length(); });
  std::vector<Question> questions;
  std::uint64_t nodes = 0;
  for (const std::size_t row : rows)
    for (std::size_t i = 0; i < locks.rows[row].what_if.size(); ++i) {
      nodes += nodes_each;
      if (nodes <= kMostNodes)
        questions.push_back({row, i});
    }
  return questions;
}

// No schedule takes less.
std::uint64_t least_time(const LockWhatIf& change) {
  return change.parallelism.denominator /
         (change.change == LockChange::Shorter ? change.factor : 1);
}

// What shorter sections leave out is done outside of them, unless it is not done at all.
std::uint64_t work_with(const LockWhatIf& change, const Measured& measured,
                        const Prediction& prediction, WhatIfMode mode) {
  if (change.change != LockChange::Shorter || mode != WhatIfMode::Optimize)
    return prediction.work;
  return without_recording(change.parallelism.numerator / change.factor, measured, prediction);
}

} // namespace

void predict_lock_changes(Locks& locks, const Measured& measured, const Prediction& prediction,
                          const TraceReadings& readings, std::uint64_t advised_procs) {
  if (prediction.runs.empty() || prediction.simulated_locks.empty() ||
      std::ranges::all_of(locks.rows, [](const LockRow& row) { return row.what_if.empty(); }))
    return;
  const LockChoice choice = choice_of(prediction.simulated_locks);
  DagRecorder recorder(step_costs(prediction), measured.read.steps, &choice);
  readings.read(recorder);
  if (!recorder.fits())
    return;
  const Dag& dag = recorder.dag();
  if (dag.lock_ops.empty())
    return;
  const std::vector<std::uint64_t> procs = procs_of(measured, prediction, advised_procs);
  const LockCosts costs = lock_costs(measured, prediction.simulated_locks);
  const std::vector<Question> questions = questions_of(locks, dag.nodes.size() * procs.size());
  parallel_for_index(readings.jobs(), questions.size(), [&](std::size_t q) {
    LockWhatIf& change = locks.rows[questions[q].row].what_if[questions[q].change];
    std::vector<std::uint8_t> chosen(dag.locks.size());
    for (const LockObjectUse& each : prediction.simulated_locks)
      if (each.lock == questions[q].row)
        chosen[choice.number[each.id] - 1] = 1;
    if (std::ranges::find(chosen, 1) == chosen.end())
      return;
    const Dag changed = with_locks_changed(dag, chosen, change.change, change.factor);
    for (const std::uint64_t each : procs) {
      const std::uint64_t simulated =
          simulate_work_stealing(changed, each, prediction.steal.work,
                                 limits_of_simulation(measured, each), &costs)
              .time;
      const std::uint64_t work = work_with(change, measured, prediction, readings.mode()) +
                                 prediction.overhead + prediction.latency;
      change.predicted.push_back(
          {each, std::max({simulated, work / each + (work % each > 0),
                           without_recording(least_time(change), measured, prediction),
                           without_recording(least_time_under_limits(measured, each), measured,
                                             prediction)})});
    }
  });
}

} // namespace tp::analysis
