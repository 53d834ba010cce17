// SPDX-License-Identifier: Apache-2.0
// Which locks a simulation has as resources, how each kind of lock is handed over, and what that costs.
#pragma once

#include "model/lock.h"
#include "profile/measured.h"
#include "simulate/dag_locks.h"
#include "simulate/lock_cuts.h"

#include <cstdint>
#include <vector>

namespace tp::analysis {

// Nanoseconds: where a run does not show them. Measured on a virtual machine with 2 CPUs; how long waking a
// thread takes differs between machines, and predicted times with locks that sleep differ with it
// (docs/explanation/prediction.md): what tp-run has measured counts more, and what the run shows most.
struct LockTimes {
  std::uint64_t hand_over = 300; // queuing locks: from a release until the next one has seen it
  std::uint64_t retry = 300;     // of a thread that spins, by its back-off
  std::uint64_t spin = 18'000;   // oneTBB's mutex and rw_mutex, before they sleep
  std::uint64_t wake_latency = 21'000;
  std::uint64_t wake_call = 7'000;
};

// More steps than CPUs at a time, on average, those that wait for locks included: who should get a lock often has no CPU then.
// Predicted is one thread per CPU, for which such hand-overs of this run say nothing.
bool is_crowded(const Measured& measured);

// A thread that is sampled wakes up more slowly: in this run, but not in those that are predicted.
enum class WakeUps : std::uint8_t { WithoutSamples, AsInRun };

// Of a simulation with these locks, whose choice_of() it belongs to. All 0 if the unit of work is not time.
LockCosts lock_costs(const Measured& measured, const std::vector<LockObjectUse>& objects,
                     WakeUps wake_ups = WakeUps::WithoutSamples);

// Of Locks::exclusive the objects that are held longest, until the others together are held for at most a
// hundredth of `time`, which no simulated run is below: as long as a lock is handed over at once, those
// cannot add more to it. (Of 100,000 items with a lock each, hardly two threads want the same.) Not more
// than kMostLocks, or kMostSections.
std::vector<LockObjectUse> locks_that_matter(const Locks& locks, std::uint64_t time);

LockChoice choice_of(const std::vector<LockObjectUse>& objects);

} // namespace tp::analysis
