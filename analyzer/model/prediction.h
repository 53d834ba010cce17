// SPDX-License-Identifier: Apache-2.0
// Speedups: bounds, and times predicted by simulation.
#pragma once

#include "model/lock.h"
#include "model/ratio.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tp::analysis {

struct SpeedupBound {
  std::uint64_t procs = 1;
  Ratio lower; // greedy scheduling (Brent): T1 / (T1/P + Tinf)
  Ratio upper; // min(P, T1/Tinf)
  Ratio divisible_upper;
  Ratio estimate_cilk, estimate_tbb; // Cilkview's estimate with the burdened span of each model
};

enum class BurdenOrigin : std::uint8_t { Default, Given, Measured };
struct Burden {
  BurdenOrigin origin = BurdenOrigin::Default;
  std::uint64_t ns = 0;
  std::uint64_t work = 0;   // in the unit of work
  std::uint64_t steals = 0; // measured
};

// Tasking overhead of the event that opens a step: the mean of the lowest 99 % of the times
// recorded between two steps, minus what recording itself takes there.
struct EventCost {
  std::string event;
  std::uint64_t count = 0;
  std::uint64_t measured_ticks = 0; // with recording
  std::uint64_t cost = 0;           // in the unit of work
  std::uint64_t cost_ns = 0;
};

// What keeps P worker threads from being faster: all of them are busy with work; the heaviest path;
// tasking overhead and steals; loops that are not split far enough, and would allow more; the sections
// of one lock; a limit of concurrency (concurrency_limit.h).
enum class Limiter : std::uint8_t { Work, Span, Overhead, Grain, Lock, Concurrency };

struct PredictedRun {
  std::uint64_t procs = 1;
  std::uint64_t greedy = 0;        // time of greedy list scheduling, without steals
  std::uint64_t time = 0;          // time of work stealing, at least the bound of each lock
  std::uint64_t without_locks = 0; // as if there were none
  std::uint64_t steals = 0;
  // Parts of procs x time, in addition to the work and the latency.
  std::uint64_t overhead = 0, stealing = 0, idle = 0;
  std::uint64_t lock_waits = 0; // of `idle`: for a lock, and to wake others that do
  Ratio speedup;                // over one worker thread without any overhead
  Ratio efficiency;             // speedup / procs
  Limiter limiter = Limiter::Work;
};

// The simulation of the recorded DAG. Times and costs in the unit of work.
struct Prediction {
  std::string skipped_because; // empty if it was not skipped
  std::uint64_t work = 0;
  std::uint64_t overhead = 0; // of all tasks together
  std::uint64_t latency = 0;  // in which workers sleep
  std::uint64_t serial = 0;   // time on one worker thread, without overhead
  // Of what threads of the program sleep, what passes on one CPU while it runs other code.
  std::uint64_t asleep_beside_work = 0;
  std::uint64_t on_one_cpu = 0; // the time there, if such threads sleep; else 0
  std::uint64_t span = 0;       // with overhead and latency
  // Some chunks of loops are dealt out in another way than in this run: the least predicted time.
  std::optional<std::uint64_t> least_dealt;
  // What the sections of one lock take at least (model/lock.h); 0: there is none.
  std::uint64_t locks = 0;
  std::uint64_t lock_sections =
      0; // the same without what comes before and after the sections of a lock
  std::vector<LockObjectUse> simulated_locks; // that are resources of the simulation
  std::uint64_t nodes = 0, bytes = 0;
  std::vector<EventCost> costs;
  std::uint64_t recording = 0; // cost of recording, subtracted from each step
  Burden steal;
  std::vector<PredictedRun> runs;
  // On 1, 2, 4, .. 128 CPUs, until at most a quarter of them can be used, and on the number between
  // two of them where efficiency falls below a half. Ordered by procs; `greedy` is 0.
  std::vector<PredictedRun> scaling;
  std::optional<PredictedRun> own; // on as many CPUs as this run had; `greedy` is 0
  // Its time if threads wake up as slowly as sampled ones; null: nothing is known of that.
  std::optional<std::uint64_t> own_sampled;
};

} // namespace tp::analysis
