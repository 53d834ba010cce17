// SPDX-License-Identifier: Apache-2.0
// What the end of a node does, by the definition of a recorded DAG: for schedulers that are written
// without the simulation's code, to compare with it.
#pragma once

#include "simulate/recorded_dag.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tp::analysis {

class PlainJoins {
public:
  explicit PlainJoins(const Dag& dag) : dag_(dag) {
    for (const Dag::Join& join : dag.joins)
      left_.push_back(join.count);
    for (const std::vector<DagTurnId>& chunks : dag.loops)
      chunks_.emplace_back(chunks.begin(), chunks.end());
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
    const DagNodeId next = after(node);
    if (next == kNoDagId || !awaited || left_[*awaited] == 0)
      return next;
    waiters_.push_front({node, *awaited}); // the last one is woken first
    return kNoDagId;
  }
  std::uint64_t ended() const { return ended_; }

private:
  // The next node of the task: of a shared loop, the first one of the chunk that it takes.
  DagNodeId after(DagNodeId node) {
    const DagNodeId next = dag_.nodes[node].next;
    if (!Dag::ends_turn(next))
      return next;
    const DagTurnId ended = Dag::turn_of(next);
    const auto taker = taker_.find(ended);
    const DagTurnId member = taker == taker_.end() ? ended : taker->second;
    std::deque<DagTurnId>& chunks = chunks_[dag_.turns[ended].loop];
    if (chunks.empty())
      return dag_.turns[member].node;
    taker_[chunks.front()] = member;
    const DagNodeId first = dag_.turns[chunks.front()].node;
    chunks.pop_front();
    return first;
  }

  const Dag& dag_;
  std::vector<std::deque<DagTurnId>> chunks_; // by loop: not taken yet
  std::map<DagTurnId, DagTurnId> taker_;      // of chunks: the first turn of who took it
  std::vector<std::uint64_t> left_;
  std::deque<std::pair<DagNodeId, DagJoinId>> waiters_;
  std::uint64_t ended_ = 0;
};

} // namespace tp::analysis
