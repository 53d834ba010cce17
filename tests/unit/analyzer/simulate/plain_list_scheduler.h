// SPDX-License-Identifier: Apache-2.0
// List scheduling with limits of concurrency, written without the simulation's code, to compare with it.
#pragma once

#include "plain_joins.h"
#include "simulate/dag_limits.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <optional>
#include <vector>

namespace tp::analysis {

// List scheduling from its definition, without queues: at each moment, nodes that end do so in the
// order of their numbers; a task continues at once if it may; then the node that has been ready
// longest and may run starts, as long as a worker is free.
class PlainListScheduler {
public:
  PlainListScheduler(const Dag& dag, std::uint64_t procs, const DagLimits& limits)
      : dag_(dag), limits_(limits), procs_(procs), ends_(dag.nodes.size()), joins_(dag) {}
  std::uint64_t time() {
    std::ranges::copy(dag_.roots, std::back_inserter(ready_));
    start_ready();
    for (;;) {
      std::optional<DagNodeId> first;
      for (DagNodeId node = 0; node < ends_.size(); ++node)
        if (ends_[node] && (!first || *ends_[node] < *ends_[*first]))
          first = node;
      if (!first)
        return now_;
      now_ = *ends_[*first];
      ends_[*first].reset();
      end(*first);
      start_ready();
    }
  }
  std::uint64_t ended() const { return joins_.ended(); }

private:
  DagPool pool_of(DagNodeId node) const { return limits_.pool_of[dag_.pool_of(node)]; }
  bool may_run(DagNodeId of) const {
    for (const std::uint32_t resource : limits_.pools[pool_of(of)]) {
      std::uint64_t running = 0;
      for (DagNodeId node = 0; node < ends_.size(); ++node)
        running += ends_[node] && std::ranges::count(limits_.pools[pool_of(node)], resource) > 0;
      if (resource != 0 && running >= limits_.widths[resource])
        return false;
    }
    return true;
  }
  std::uint64_t running() const {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(ends_, [](const auto& end) { return end.has_value(); }));
  }
  void start_ready() {
    while (running() < procs_) {
      const auto next = std::ranges::find_if(ready_, [&](DagNodeId node) { return may_run(node); });
      if (next == ready_.end())
        return;
      const DagNodeId node = *next;
      ready_.erase(next);
      ends_[node] = now_ + dag_.nodes[node].cost;
    }
  }
  void end(DagNodeId node) {
    const DagNodeId next = joins_.end(node, ready_);
    if (next == kNoDagId)
      return;
    if (may_run(next))
      ends_[next] = now_ + dag_.nodes[next].cost;
    else
      ready_.push_back(next);
  }

  const Dag& dag_;
  const DagLimits& limits_;
  const std::uint64_t procs_;
  std::vector<std::optional<std::uint64_t>> ends_; // of running nodes
  PlainJoins joins_;
  std::deque<DagNodeId> ready_;
  std::uint64_t now_ = 0;
};

} // namespace tp::analysis
