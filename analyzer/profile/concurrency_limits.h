// SPDX-License-Identifier: Apache-2.0
// CONCURRENCY LIMITS: what arenas and global_control let run at a time, as a bound of the time on any
// number of CPUs, and for simulations. Concurrency limits of pipelines (tokens) and of nodes of flow
// graphs are edges of the DAG: the span contains them.
#pragma once

#include "model/concurrency_limit.h"
#include "profile/measured.h"
#include "simulate/dag_limits.h"

#include <cstdint>
#include <vector>

namespace tp::analysis {

// Those that work ran under; the one that needs most time first, and those like the machine last.
std::vector<ConcurrencyLimit> concurrency_limits(const Measured& measured);
// The limit that needs most time; null: there is none that limits anything.
const ConcurrencyLimit* longest_limit(const std::vector<ConcurrencyLimit>& limits);
// What limits of fewer threads than `procs` need at least; `without`: as below.
std::uint64_t least_time_of_limits(const Measured& measured, std::uint64_t procs,
                                   const ConcurrencyLimit* without = nullptr);
// Sets ConcurrencyLimit::wider. `greatest_lock`: what the sections of one lock need at least.
void widen_limits(std::vector<ConcurrencyLimit>& limits, const Measured& measured,
                  std::uint64_t greatest_lock, const std::vector<std::uint64_t>& factors);
// Of a simulation on `procs` CPUs. `without`: as if this limit did not exist; null: all are.
DagLimits limits_of_simulation(const Measured& measured, std::uint64_t procs,
                               const ConcurrencyLimit* without = nullptr);

} // namespace tp::analysis
