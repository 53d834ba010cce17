// SPDX-License-Identifier: Apache-2.0
// Greedy list scheduling. The only events are ends of nodes. A task that waits for a lock has no worker;
// once it has the lock, it comes before all tasks that are ready.
#include "simulate/dag_locks.h"
#include "simulate/simulation.h"
#include "simulate/simulation_parts.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

namespace tp::analysis {
namespace {

class Greedy {
public:
  Greedy(const Dag& dag, std::uint64_t procs, const DagLimits& limits, bool with_locks)
      : dag_(dag), progress_(dag), loops_(dag), slots_(limits),
        locks_(std::vector<LockRules>(dag.locks.size()), {}),
        idle_(std::min<std::uint64_t>(procs, std::max<std::size_t>(dag.nodes.size(), 1))),
        has_locks_(with_locks && !dag.lock_ops.empty()), ready_(limits.pools.size()),
        numbers_(limits.any() ? limits.pools.size() : 0) {}
  Simulated run() {
    for (const DagNodeId root : dag_.roots)
      make_ready(root);
    start_ready();
    do {
      while (!events_.empty()) {
        end(events_.pop());
        start_ready();
      }
    } while (force());
    return {.time = now_, .nodes = ended_, .forced = forced_};
  }

private:
  void end(const Event& event) {
    now_ = event.time;
    if (dag_.nodes[event.worker].sleeps()) {
      make_ready(dag_.nodes[event.worker].next);
      return;
    }
    ++idle_;
    ++ended_;
    slots_.give(pool_of(event.worker));
    finish(event.worker);
  }
  void make_ready(DagNodeId node) {
    const DagPool pool = pool_of(node);
    ready_[pool].push(node);
    if (!numbers_.empty())
      numbers_[pool].push(next_number_++);
  }
  DagPool pool_of(DagNodeId node) const {
    const std::size_t pool = dag_.pool_of(node);
    const std::vector<DagPool>& pools = slots_.limits().pool_of;
    return pool < pools.size() ? pools[pool] : 0;
  }
  // Ends a node: its continuation is the first in line.
  void finish(DagNodeId node) {
    const DagJoinId awaited = progress_.complete(
        node, [&](DagNodeId fresh) { make_ready(fresh); },
        [&](DagNodeId waiting) { make_ready(dag_.nodes[waiting].next); });
    const DagNodeId next = loops_.next(node);
    if (next == kNoDagId)
      return;
    if (awaited == kNoDagId && dag_.nodes[next].sleeps())
      events_.push({now_ + dag_.nodes[next].time(), next, 0});
    else if (awaited == kNoDagId && slots_.has_room(pool_of(next)))
      start(next);
    else if (awaited == kNoDagId)
      make_ready(next);
    else
      progress_.wait(awaited, node);
  }
  void start(DagNodeId node) {
    if (has_locks_ && !begin(node))
      return;
    run(node);
  }
  void run(DagNodeId node) {
    --idle_;
    slots_.take(pool_of(node));
    events_.push({now_ + dag_.nodes[node].cost, node, 0});
  }
  void start_ready() {
    while (idle_ > 0) {
      if (start_with_lock())
        continue;
      const std::optional<DagPool> pool = first_ready();
      if (!pool)
        return;
      if (!numbers_.empty())
        numbers_[*pool].pop_oldest();
      start(ready_[*pool].pop_oldest());
    }
  }

  // ---- locks

  // False: the node has to wait for a lock.
  bool begin(DagNodeId node) {
    const LockOp op = dag_.lock_ops[node];
    if (op.kind() == LockOp::Kind::Take)
      return locks_.take(op.lock(), node, op.shared(), now_);
    if (op.kind() == LockOp::Kind::Give) {
      locks_.give(op.lock(), op.shared(), now_, calls_);
      let_in();
    }
    return true;
  }
  void let_in() {
    for (const LockTable::Call& call : calls_)
      with_lock_.push_back(call.waiter);
    calls_.clear();
  }
  bool start_with_lock() {
    const auto node = std::ranges::find_if(
        with_lock_, [&](DagNodeId each) { return slots_.has_room(pool_of(each)); });
    if (node == with_lock_.end())
      return false;
    run(*node);
    with_lock_.erase(node);
    return true;
  }
  // Nothing runs: tasks wait for locks of each other.
  bool force() {
    if (!locks_.force(now_, calls_))
      return false;
    forced_ = true;
    let_in();
    start_ready();
    return true;
  }

  // The pool of the node that has been ready longest, of those with room.
  std::optional<DagPool> first_ready() const {
    if (numbers_.empty())
      return ready_[0].empty() ? std::nullopt : std::optional<DagPool>(0);
    std::optional<DagPool> first;
    for (DagPool pool = 0; pool < ready_.size(); ++pool)
      if (!ready_[pool].empty() && slots_.has_room(pool) &&
          (!first || numbers_[pool].oldest() < numbers_[*first].oldest()))
        first = pool;
    return first;
  }

  const Dag& dag_;
  Progress progress_;
  SharedLoops loops_;
  DagSlots slots_;
  LockTable locks_;
  Events events_; // their "worker" is the node
  std::uint64_t idle_;
  std::uint64_t now_ = 0, ended_ = 0;
  const bool has_locks_;
  bool forced_ = false;
  std::vector<Deque> ready_;   // by pool, in the order in which they became ready
  std::vector<Deque> numbers_; // the places of these nodes in the order of all; empty: one pool
  std::uint32_t next_number_ = 0;
  std::deque<DagNodeId> with_lock_; // have got their lock, and no worker yet
  std::vector<LockTable::Call> calls_;
};

} // namespace

Simulated simulate_greedy(const Dag& dag, std::uint64_t procs, const DagLimits& limits,
                          bool with_locks) {
  return Greedy(dag, procs, limits, with_locks).run();
}

} // namespace tp::analysis
