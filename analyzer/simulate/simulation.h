// SPDX-License-Identifier: Apache-2.0
// SPEEDUP SIMULATION: the recorded DAG on P workers, under two schedulers.
//
//   greedy         list scheduling (Graham; Brent's bounds): no worker is idle while a node is
//                  ready. A worker continues with its own task if it can, else takes the node that
//                  has been ready longest. Without cost: max(T1/P, Tinf) <= TP <= T1/P + Tinf.
//   work stealing  as in oneTBB. One deque per worker; a worker that spawns continues with its
//                  own task (help-first) and takes back its newest child when it waits. A worker
//                  without work becomes a thief: `burden` later it takes the oldest task of a
//                  victim that has any, chosen at random. A wait blocks the task: its worker runs
//                  others on top of it, and continues with it once the wait is over and those have
//                  ended.
//
// Limits of concurrency (dag_limits.h): under list scheduling, a node of a pool runs in a free slot of
// each resource of it. Under work stealing a worker has its slot from the first task that it takes of
// the pool until it finds none there; a task that it called from elsewhere keeps the slots around it,
// and sleeps if there is none for it; a worker that waits in a pool runs tasks of that pool only.
//
// Locks (dag_locks.h): under list scheduling each is handed over in order, at once, and a task that waits
// for one needs no worker. Under
// work stealing the worker of such a task runs nothing else. A worker that waits for tasks while it holds
// a lock takes only tasks that it has spawned since: others may need that lock.
//
// Both are discrete-event simulations: O(nodes x log P) time. Random numbers are a fixed sequence,
// so the same DAG gives the same times. Not modeled: failed attempts to steal, caches, memory
// bandwidth.
#pragma once

#include "simulate/dag_limits.h"
#include "simulate/dag_locks.h"
#include "simulate/recorded_dag.h"

#include <cstdint>

namespace tp::analysis {

struct Simulated {
  std::uint64_t time = 0; // of the last node's end, in the unit of costs
  std::uint64_t steals = 0;
  std::uint64_t nodes = 0; // that were run: all
  // Limits were exceeded (work stealing), or locks held by several, because nothing could continue: all
  // that had a slot, or a lock, waited for what had none.
  bool forced = false;
  // Work stealing: time of workers that waited for locks, and that waking others took.
  std::uint64_t lock_waits = 0;
};

// `procs` is at least 1; more workers than nodes give the result of as many workers as nodes.
// Without `with_locks`, or costs of locks, as if there were none.
Simulated simulate_greedy(const Dag& dag, std::uint64_t procs, const DagLimits& limits = {},
                          bool with_locks = false);
Simulated simulate_work_stealing(const Dag& dag, std::uint64_t procs, std::uint64_t burden,
                                 const DagLimits& limits = {}, const LockCosts* locks = nullptr);

} // namespace tp::analysis
