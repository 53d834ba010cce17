// SPDX-License-Identifier: Apache-2.0
// PREDICTION: elapsed time, speedup and efficiency on P worker threads, by simulation of the
// recorded DAG (simulate/simulation.h) with the tasking overhead that this run shows.
//
// Measured: the work of each step; the time between two steps, per kind of boundary; the duration
// of steals. Modeled: recording adds one reading of the clock to each step and two between steps
// (both are subtracted); overhead is the same at any P, and so is work: caches and memory bandwidth
// are not modeled. Locks that may matter are resources of the simulation (simulated_locks.h).
#pragma once

#include "model/concurrency_limit.h"
#include "model/lock.h"
#include "model/prediction.h"
#include "profile/measured.h"
#include "profile/profile_options.h"
#include "profile/tasking_overhead.h"
#include "profile/trace_readings.h"
#include "simulate/dag_recorder.h"

#include <optional>
#include <string>
#include <vector>

namespace tp::analysis {

// Why a question that needs another reading for the times of a run is skipped; empty if it is not.
std::string reason_not_to_simulate(const Measured& measured, const ProfileOptions& options);

// Steps that a remedy makes shorter.
struct Remedy {
  std::vector<StepClassId> divided; // their work is divided by `factor`, and done by others
  std::uint64_t factor = 1;
  std::vector<RegionId> regions = {}; // the same for what is inside them
  StepSet code = {};                  // the same for code, by samples
  bool is_removed = false;            // the work that is left out is not done at all
  // Sections of locks in that code become shorter; else others do as many of the same length, and of tasks inside of
  // sections those do a part that do not wait for the lock.
  bool shortens_sections = true;
  std::optional<Row> less_overhead; // overhead of tasks of this row becomes `overhead_left` of it
  Ratio overhead_left = {1, 1};
  const ConcurrencyLimit* without = nullptr; // a limit that is no longer there
};
// The least time of a run on `procs` CPUs with the remedy: that of the simulation without the work
// that others do, but at least what all CPUs together need. `prediction` has been made.
std::uint64_t predict_with(const Remedy& remedy, const Measured& measured,
                           const Prediction& prediction, std::uint64_t procs,
                           const TraceReadings& readings);
// The same for several numbers of CPUs.
std::vector<std::uint64_t> predict_with(const Remedy& remedy, const Measured& measured,
                                        const Prediction& prediction,
                                        const std::vector<std::uint64_t>& procs,
                                        const TraceReadings& readings);

// For what else simulates the recorded DAG: what its steps cost, and what sections of locks are without
// what recording added to them.
StepCosts step_costs(const Prediction& prediction);
std::uint64_t without_recording(std::uint64_t work, const Measured& measured,
                                const Prediction& prediction);

// The largest number of CPUs in `scaling` with an efficiency that makes them worth having, and not slower than fewer
// of them; 0: none.
std::uint64_t worth_procs(const Prediction& prediction);

// The time on the CPUs of this run if steps waited for other threads, or slept for a reason that is not
// known, as long as they did in this run. Reads the trace once more. `prediction` has been made, and has
// its `own`. Null: the DAG is too large.
std::optional<std::uint64_t> predict_own_with_waits(const Measured& measured,
                                                    const Prediction& prediction,
                                                    const TraceReadings& readings);

// Reads the trace once more, unless `skipped_because` gives a reason not to. No time is below what the
// sections of one lock take at least, with sleep.
Prediction predict(const Measured& measured, const TaskingCosts& costs, const Locks& locks,
                   const std::string& skipped_because, const TraceReadings& readings,
                   const ProfileOptions& options);

} // namespace tp::analysis
