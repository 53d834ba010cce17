// SPDX-License-Identifier: Apache-2.0
// What both schedulers share: events, joins that are counted down, and queues of tasks. Events at
// equal times are processed in the order of (time, worker), so that nothing depends on the library's
// heap.
#pragma once

#include "simulate/recorded_dag.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tp::analysis {

using Worker = std::uint32_t;
inline constexpr Worker kNobody = ~Worker{0}, kAsleep = kNobody - 1;

// The end of a node, or of an attempt to steal; with kAsleep, of a node without a worker.
struct Event {
  std::uint64_t time;
  Worker worker;
  std::uint32_t epoch; // of the worker when the event was made: if it has changed, the event is
                       // void; kAsleep: the node
};

// The order of the heap. An object, so that it is inlined.
struct Later {
  bool operator()(const Event& a, const Event& b) const {
    if (a.time != b.time) [[likely]]
      return a.time > b.time;
    return a.worker != b.worker ? a.worker > b.worker : a.worker == kAsleep && a.epoch > b.epoch;
  }
};

class Events {
public:
  void push(const Event& event) {
    heap_.push_back(event);
    std::push_heap(heap_.begin(), heap_.end(), Later());
  }
  bool empty() const { return heap_.empty(); }
  Event pop() {
    std::pop_heap(heap_.begin(), heap_.end(), Later());
    const Event event = heap_.back();
    heap_.pop_back();
    return event;
  }

private:
  std::vector<Event> heap_;
};

// The waiters of each join: lists of numbers.
class JoinWaiters {
public:
  explicit JoinWaiters(std::size_t joins) : heads_(joins, kNoDagId) {}
  void add(DagJoinId join, std::uint32_t waiter) {
    std::uint32_t cell = free_;
    if (cell == kNoDagId) {
      cell = static_cast<std::uint32_t>(cells_.size());
      cells_.emplace_back();
    } else {
      free_ = cells_[cell].next;
    }
    cells_[cell] = {waiter, heads_[join]};
    heads_[join] = cell;
  }
  // Empties the list of `join`. `function` may add to other lists.
  template <typename Function>
  void take(DagJoinId join, Function&& function) {
    std::uint32_t cell = heads_[join];
    heads_[join] = kNoDagId;
    while (cell != kNoDagId) {
      const Cell taken = cells_[cell];
      cells_[cell].next = free_;
      free_ = cell;
      function(taken.waiter);
      cell = taken.next;
    }
  }

private:
  struct Cell {
    std::uint32_t waiter, next;
  };
  std::vector<std::uint32_t> heads_;
  std::vector<Cell> cells_;
  std::uint32_t free_ = kNoDagId;
};

// Who runs which chunk of the shared loops.
class SharedLoops {
public:
  explicit SharedLoops(const Dag& dag)
      : dag_(dag), taken_(dag.loops.size()), member_of_(dag.turns.size()) {
    for (DagTurnId turn = 0; turn < member_of_.size(); ++turn)
      member_of_[turn] = turn;
  }
  // The node with which the task of `node`, which has ended, goes on. Once for each node.
  DagNodeId next(DagNodeId node) {
    const DagNodeId next = dag_.nodes[node].next;
    return Dag::ends_turn(next) ? take(Dag::turn_of(next)) : next;
  }

private:
  DagNodeId take(DagTurnId ended) {
    const DagTurnId member = member_of_[ended];
    const std::uint32_t loop = dag_.turns[ended].loop;
    if (taken_[loop] == dag_.loops[loop].size())
      return dag_.turns[member].node;
    const DagTurnId chunk = dag_.loops[loop][taken_[loop]++];
    member_of_[chunk] = member;
    return dag_.turns[chunk].node;
  }
  const Dag& dag_;
  std::vector<std::size_t> taken_; // of each loop
  std::vector<DagTurnId>
      member_of_; // by turn; of chunks: once they are taken. A member is its first turn
};

// What both schedulers share: counting down joins.
class Progress {
public:
  explicit Progress(const Dag& dag) : dag_(dag), waiters_(dag.joins.size()) {
    left_.reserve(dag.joins.size());
    for (const Dag::Join& join : dag.joins)
      left_.push_back(join.count);
  }
  // The effects of a node's end: calls `start(node)` for a node that becomes ready, and
  // `wake(waiter)` for each waiter of a join that is over. Returns the join that the node's task
  // has to wait for now, or kNoDagId.
  template <typename Start, typename Wake>
  DagJoinId complete(DagNodeId node, Start&& start, Wake&& wake) {
    DagJoinId awaited = kNoDagId;
    apply(dag_.nodes[node].effect, start, awaited);
    // Joins that signal joins: the program decides how deep the chain is.
    while (!over_.empty()) {
      const DagJoinId join = over_.back();
      over_.pop_back();
      DagJoinId none = kNoDagId;
      apply(dag_.joins[join].effect, start, none);
      waiters_.take(join, wake);
    }
    return awaited != kNoDagId && left_[awaited] > 0 ? awaited : kNoDagId;
  }
  bool is_over(DagJoinId join) const { return left_[join] == 0; }
  void wait(DagJoinId join, std::uint32_t waiter) { waiters_.add(join, waiter); }

private:
  template <typename Start>
  void apply(Effect effect, Start&& start, DagJoinId& awaited) {
    dag_.for_each(effect, [&](Effect each) {
      if (each.kind() == Effect::Kind::Start)
        start(each.id());
      else if (each.kind() == Effect::Kind::Await)
        awaited = each.id();
      else if (--left_[each.id()] == 0)
        over_.push_back(each.id());
    });
  }
  const Dag& dag_;
  std::vector<std::uint32_t> left_;
  std::vector<DagJoinId> over_;
  JoinWaiters waiters_;
};

// The newest at the back, the oldest at the front.
class Deque {
public:
  bool empty() const { return first_ == tasks_.size(); }
  void push(DagNodeId task) { tasks_.push_back(task); }
  // One behind the place of the newest, counted from the first one ever.
  std::uint64_t end() const { return freed_ + tasks_.size(); }
  DagNodeId oldest() const { return tasks_[first_]; }
  DagNodeId pop_newest() {
    const DagNodeId task = tasks_.back();
    tasks_.pop_back();
    tidy();
    return task;
  }
  DagNodeId pop_oldest() {
    const DagNodeId task = tasks_[first_++];
    tidy();
    return task;
  }

private:
  // Frees what was taken from the front: constant cost per node.
  void tidy() {
    if (first_ * 2 > tasks_.size() + 64) {
      tasks_.erase(tasks_.begin(), tasks_.begin() + static_cast<std::ptrdiff_t>(first_));
      freed_ += first_;
      first_ = 0;
    } else if (empty()) {
      freed_ += tasks_.size();
      tasks_.clear();
      first_ = 0;
    }
  }
  std::vector<DagNodeId> tasks_;
  std::size_t first_ = 0;
  std::uint64_t freed_ = 0; // taken, and no longer in tasks_
};

} // namespace tp::analysis
