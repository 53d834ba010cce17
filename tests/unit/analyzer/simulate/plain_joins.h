// SPDX-License-Identifier: Apache-2.0
// What the end of a node does, by the definition of a recorded DAG: for schedulers that are written
// without the simulation's code, to compare with it.
#pragma once

#include "simulate/recorded_dag.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace tp::analysis {

class PlainJoins {
public:
  explicit PlainJoins(const Dag& dag) : dag_(dag) {
    for (const Dag::Join& join : dag.joins)
      left_.push_back(join.count);
  }
  // Appends what becomes ready. Returns the next node of the task; kNoDagId: there is none, or the
  // task waits.
  DagNodeId end(DagNodeId node, std::deque<DagNodeId>& ready) {
    ++ended_;
    std::optional<DagJoinId> awaited;
    std::vector<DagJoinId> over;
    const std::function<void(Effect)> apply = [&](Effect effect) {
      if (effect.kind() == Effect::Kind::Start)
        ready.push_back(effect.id());
      else if (effect.kind() == Effect::Kind::Await)
        awaited = effect.id();
      else if (--left_[effect.id()] == 0)
        over.push_back(effect.id());
    };
    dag_.for_each(dag_.nodes[node].effect, apply);
    while (!over.empty()) {
      const DagJoinId join = over.back();
      over.pop_back();
      dag_.for_each(dag_.joins[join].effect, apply);
      for (auto waiter = waiters_.begin(); waiter != waiters_.end();)
        if (waiter->second == join) {
          ready.push_back(dag_.nodes[waiter->first].next);
          waiter = waiters_.erase(waiter);
        } else {
          ++waiter;
        }
    }
    const DagNodeId next = dag_.nodes[node].next;
    if (next == kNoDagId || !awaited || left_[*awaited] == 0)
      return next;
    waiters_.push_front({node, *awaited}); // the last one is woken first
    return kNoDagId;
  }
  std::uint64_t ended() const { return ended_; }

private:
  const Dag& dag_;
  std::vector<std::uint64_t> left_;
  std::deque<std::pair<DagNodeId, DagJoinId>> waiters_;
  std::uint64_t ended_ = 0;
};

} // namespace tp::analysis
