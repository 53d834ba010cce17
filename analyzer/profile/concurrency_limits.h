// SPDX-License-Identifier: Apache-2.0
// CONCURRENCY LIMITS: what arenas and global_control let run at a time, as a bound of the time on any
// number of CPUs, and for simulations. Concurrency limits of pipelines (tokens) and of nodes of flow
// graphs are edges of the DAG: the span contains them.
#pragma once

#include "model/concurrency_limit.h"
#include "passes/lock_law.h"
#include "profile/measured.h"
#include "simulate/dag_limits.h"

#include <cstdint>
#include <vector>

namespace tp::analysis {

class TraceReadings;

// For Measured::limits: without what comes before and after what runs under them.
std::vector<ConcurrencyLimit> concurrency_limits(const Measured& measured);
// Those of which ConcurrencyLimit::has_ends, for the law of locks (passes/lock_law.h): by index.
LimitsOfPools limits_with_ends(const std::vector<ConcurrencyLimit>& limits,
                               const ConcurrencyLimits& concurrency);
// Adds that to Measured::limits, of those that matter. Reads the trace again, if there are any.
void add_ends_of_limits(Measured& measured, const TraceReadings& readings);
// The limit that needs most time; null: there is none that limits anything.
const ConcurrencyLimit* longest_limit(const std::vector<ConcurrencyLimit>& limits);
// What runs under limits of fewer threads than `procs` takes at least, whatever comes before and after it; `without`: as below.
std::uint64_t least_time_under_limits(const Measured& measured, std::uint64_t procs,
                                      const ConcurrencyLimit* without = nullptr);
// What the program takes at least with limits of fewer threads than `procs`.
std::uint64_t least_time_of_limits(const Measured& measured, std::uint64_t procs);
// Sets ConcurrencyLimit::wider. `greatest_lock`: what the sections of one lock need at least.
void widen_limits(std::vector<ConcurrencyLimit>& limits, const Measured& measured,
                  std::uint64_t greatest_lock, const std::vector<std::uint64_t>& factors);
// Of a simulation on `procs` CPUs. `without`: as if this limit did not exist; null: all are.
DagLimits limits_of_simulation(const Measured& measured, std::uint64_t procs,
                               const ConcurrencyLimit* without = nullptr);

} // namespace tp::analysis
