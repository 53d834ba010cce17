// SPDX-License-Identifier: Apache-2.0
// The only events are ends of nodes and attempts to steal. Events at equal times are processed in
// the order of (time, worker), so that nothing depends on the library's heap.
#include "simulate/simulation.h"

#include <algorithm>
#include <cassert>

namespace tp::analysis {
namespace {

using Worker = std::uint32_t;
constexpr Worker kNobody = ~Worker{0};

struct Event {
  std::uint64_t time;
  Worker worker;
  std::uint32_t epoch; // of the worker when the event was made: if it has changed, the event is
                       // void
  static bool later(const Event& a, const Event& b) {
    return a.time != b.time ? a.time > b.time : a.worker > b.worker;
  }
};

class Events {
public:
  void push(const Event& event) {
    heap_.push_back(event);
    std::push_heap(heap_.begin(), heap_.end(), Event::later);
  }
  bool empty() const { return heap_.empty(); }
  Event pop() {
    std::pop_heap(heap_.begin(), heap_.end(), Event::later);
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
      first_ = 0;
    } else if (empty()) {
      tasks_.clear();
      first_ = 0;
    }
  }
  std::vector<DagNodeId> tasks_;
  std::size_t first_ = 0;
};

// ---- greedy

class Greedy {
public:
  Greedy(const Dag& dag, std::uint64_t procs)
      : dag_(dag), progress_(dag),
        idle_(std::min<std::uint64_t>(procs, std::max<std::size_t>(dag.nodes.size(), 1))) {}
  Simulated run() {
    for (const DagNodeId root : dag_.roots)
      make_ready(root);
    start_ready();
    while (!events_.empty()) {
      const Event event = events_.pop();
      now_ = event.time;
      ++idle_;
      finish(event.worker);
      start_ready();
    }
    return {now_, 0};
  }

private:
  void make_ready(DagNodeId node) { ready_.push(node); }
  // Ends a node: its continuation is the first in line.
  void finish(DagNodeId node) {
    const DagJoinId awaited = progress_.complete(
        node, [&](DagNodeId fresh) { make_ready(fresh); },
        [&](DagNodeId waiting) { make_ready(dag_.nodes[waiting].next); });
    if (dag_.nodes[node].next == kNoDagId)
      return;
    if (awaited == kNoDagId)
      start(dag_.nodes[node].next);
    else
      progress_.wait(awaited, node);
  }
  void start(DagNodeId node) {
    --idle_;
    events_.push({now_ + dag_.nodes[node].cost, node, 0});
  }
  void start_ready() {
    while (idle_ > 0 && !ready_.empty())
      start(ready_.pop_oldest());
  }

  const Dag& dag_;
  Progress progress_;
  Events events_; // their "worker" is the node
  std::uint64_t idle_;
  std::uint64_t now_ = 0;
  Deque ready_; // in the order in which they became ready
};

// ---- work stealing

// A set of workers from which one can be drawn.
class WorkerSet {
public:
  explicit WorkerSet(std::size_t workers) : place_(workers, kNobody) {}
  bool empty() const { return members_.empty(); }
  bool has(Worker worker) const { return place_[worker] != kNobody; }
  void insert(Worker worker) {
    if (has(worker))
      return;
    place_[worker] = static_cast<std::uint32_t>(members_.size());
    members_.push_back(worker);
  }
  void erase(Worker worker) {
    if (!has(worker))
      return;
    const Worker last = members_.back();
    members_[place_[worker]] = last;
    place_[last] = place_[worker];
    members_.pop_back();
    place_[worker] = kNobody;
  }
  Worker draw(std::uint64_t random) const { return members_[random % members_.size()]; }

private:
  std::vector<Worker> members_;
  std::vector<std::uint32_t> place_;
};

class WorkStealing {
public:
  WorkStealing(const Dag& dag, std::size_t procs, std::uint64_t burden)
      : dag_(dag), burden_(burden), progress_(dag), workers_(procs), idle_(procs), rich_(procs) {}
  Simulated run() {
    for (Worker worker = 0; worker < workers_.size(); ++worker)
      idle_.insert(worker);
    // The newest is taken first: so the first root runs first.
    for (std::size_t i = dag_.roots.size(); i-- > 0;)
      push(0, dag_.roots[i]);
    idle_.erase(0);
    seek(0);
    do {
      while (!events_.empty()) {
        const Event event = events_.pop();
        if (event.epoch != workers_[event.worker].epoch)
          continue;
        now_ = event.time;
        if (workers_[event.worker].node == kNoDagId)
          steal(event.worker);
        else
          finish(event.worker);
      }
    } while (unearth());
    return {last_end_, steals_};
  }

private:
  struct State {
    Deque deque;
    std::vector<DagNodeId> blocked;  // tasks that wait, by their last node; the innermost last
    std::vector<DagJoinId> awaited;  // the joins that they wait for
    DagNodeId node = kNoDagId;       // running
    DagJoinId listens_to = kNoDagId; // without a node: the join that would let it continue
    std::uint32_t epoch = 0;
  };

  std::uint64_t random() { // xorshift64*, Vigna
    random_ ^= random_ >> 12;
    random_ ^= random_ << 25;
    random_ ^= random_ >> 27;
    return random_ * 0x2545f4914f6cdd1dull >> 16;
  }

  void push(Worker worker, DagNodeId task) {
    workers_[worker].deque.push(task);
    rich_.insert(worker);
    if (idle_.empty())
      return;
    const Worker thief = idle_.draw(random());
    idle_.erase(thief);
    attempt(thief);
  }
  void attempt(Worker thief) {
    State& state = workers_[thief];
    events_.push({now_ + burden_, thief, ++state.epoch});
  }
  void start(Worker worker, DagNodeId node) {
    State& state = workers_[worker];
    state.node = node;
    state.listens_to = kNoDagId;
    events_.push({now_ + dag_.nodes[node].cost, worker, ++state.epoch});
  }
  DagNodeId take(Worker victim, bool newest) {
    Deque& deque = workers_[victim].deque;
    const DagNodeId task = newest ? deque.pop_newest() : deque.pop_oldest();
    if (deque.empty())
      rich_.erase(victim);
    return task;
  }

  void finish(Worker worker) {
    const DagNodeId node = workers_[worker].node;
    last_end_ = now_;
    const DagJoinId awaited = progress_.complete(
        node, [&](DagNodeId task) { push(worker, task); }, [&](Worker waiting) { wake(waiting); });
    State& state = workers_[worker];
    const DagNodeId next = dag_.nodes[node].next;
    if (next != kNoDagId && awaited == kNoDagId)
      return start(worker, next);
    if (next != kNoDagId) {
      state.blocked.push_back(node);
      state.awaited.push_back(awaited);
    }
    state.node = kNoDagId;
    seek(worker);
  }
  // The worker has no node. It takes its innermost waiting task, if that can continue; else its own
  // newest task; else it has to steal.
  void seek(Worker worker) {
    State& state = workers_[worker];
    if (!state.blocked.empty()) {
      if (progress_.is_over(state.awaited.back()))
        return resume(worker, state.blocked.size() - 1);
      if (state.deque.empty()) {
        state.listens_to = state.awaited.back();
        progress_.wait(state.listens_to, worker);
      }
    }
    if (!state.deque.empty())
      start(worker, take(worker, true));
    else if (!rich_.empty())
      attempt(worker);
    else
      idle_.insert(worker);
  }
  void steal(Worker thief) {
    if (rich_.empty()) {
      idle_.insert(thief);
      return;
    }
    const Worker victim = rich_.draw(random());
    ++steals_;
    start(thief, take(victim, false));
  }
  // A join that a worker listened to is over; the worker may have started another node since.
  void wake(Worker worker) {
    State& state = workers_[worker];
    if (state.node != kNoDagId || state.listens_to == kNoDagId ||
        !progress_.is_over(state.listens_to))
      return;
    idle_.erase(worker);
    resume(worker, state.blocked.size() - 1);
  }
  void resume(Worker worker, std::size_t which) {
    State& state = workers_[worker];
    const DagNodeId next = dag_.nodes[state.blocked[which]].next;
    state.blocked.erase(state.blocked.begin() + static_cast<std::ptrdiff_t>(which));
    state.awaited.erase(state.awaited.begin() + static_cast<std::ptrdiff_t>(which));
    start(worker, next);
  }
  // No worker can continue: a task that could is below a task that waits for it in turn. (Waits
  // that cross; a real thread would hang here, so the program's own schedule must have been another
  // one.)
  bool unearth() {
    for (Worker worker = 0; worker < workers_.size(); ++worker)
      for (std::size_t i = 0; i < workers_[worker].blocked.size(); ++i)
        if (progress_.is_over(workers_[worker].awaited[i])) {
          idle_.erase(worker);
          resume(worker, i);
          return true;
        }
    return false;
  }

  const Dag& dag_;
  const std::uint64_t burden_;
  Progress progress_;
  std::vector<State> workers_;
  WorkerSet idle_; // nothing to steal, and not woken yet
  WorkerSet rich_; // have a task in their deque
  Events events_;
  std::uint64_t now_ = 0, last_end_ = 0, steals_ = 0;
  std::uint64_t random_ = 0x9e3779b97f4a7c15ull;
};

} // namespace

Simulated simulate_greedy(const Dag& dag, std::uint64_t procs) {
  return Greedy(dag, procs).run();
}

Simulated simulate_work_stealing(const Dag& dag, std::uint64_t procs, std::uint64_t burden) {
  const std::uint64_t useful =
      std::min<std::uint64_t>(procs, std::max<std::size_t>(dag.nodes.size(), 1));
  return WorkStealing(dag, static_cast<std::size_t>(useful), burden).run();
}

} // namespace tp::analysis
