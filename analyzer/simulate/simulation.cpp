// SPDX-License-Identifier: Apache-2.0
// The only events are ends of nodes and attempts to steal. Events at equal times are processed in
// the order of (time, worker), so that nothing depends on the library's heap.
#include "simulate/simulation.h"

#include <algorithm>
#include <cassert>
#include <optional>

namespace tp::analysis {
namespace {

using Worker = std::uint32_t;
constexpr Worker kNobody = ~Worker{0}, kAsleep = kNobody - 1;

// The end of a node, or of an attempt to steal; with kAsleep, of a node without a worker.
struct Event {
  std::uint64_t time;
  Worker worker;
  std::uint32_t epoch; // of the worker when the event was made: if it has changed, the event is
                       // void; kAsleep: the node
  static bool later(const Event& a, const Event& b) {
    if (a.time != b.time) [[likely]]
      return a.time > b.time;
    return a.worker != b.worker ? a.worker > b.worker : a.worker == kAsleep && a.epoch > b.epoch;
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
  Greedy(const Dag& dag, std::uint64_t procs, const DagLimits& limits)
      : dag_(dag), progress_(dag), slots_(limits),
        idle_(std::min<std::uint64_t>(procs, std::max<std::size_t>(dag.nodes.size(), 1))),
        ready_(limits.pools.size()), numbers_(limits.any() ? limits.pools.size() : 0) {}
  Simulated run() {
    for (const DagNodeId root : dag_.roots)
      make_ready(root);
    start_ready();
    while (!events_.empty()) {
      const Event event = events_.pop();
      now_ = event.time;
      if (dag_.nodes[event.worker].sleeps()) {
        make_ready(dag_.nodes[event.worker].next);
      } else {
        ++idle_;
        ++ended_;
        slots_.give(pool_of(event.worker));
        finish(event.worker);
      }
      start_ready();
    }
    return {now_, 0, ended_};
  }

private:
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
    if (dag_.nodes[node].next == kNoDagId)
      return;
    if (awaited == kNoDagId && dag_.nodes[dag_.nodes[node].next].sleeps())
      events_.push({now_ + dag_.nodes[dag_.nodes[node].next].time(), dag_.nodes[node].next, 0});
    else if (awaited == kNoDagId && slots_.has_room(pool_of(dag_.nodes[node].next)))
      start(dag_.nodes[node].next);
    else if (awaited == kNoDagId)
      make_ready(dag_.nodes[node].next);
    else
      progress_.wait(awaited, node);
  }
  void start(DagNodeId node) {
    --idle_;
    slots_.take(pool_of(node));
    events_.push({now_ + dag_.nodes[node].cost, node, 0});
  }
  void start_ready() {
    while (idle_ > 0) {
      const std::optional<DagPool> pool = first_ready();
      if (!pool)
        return;
      if (!numbers_.empty())
        numbers_[*pool].pop_oldest();
      start(ready_[*pool].pop_oldest());
    }
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
  DagSlots slots_;
  Events events_; // their "worker" is the node
  std::uint64_t idle_;
  std::uint64_t now_ = 0, ended_ = 0;
  std::vector<Deque> ready_;   // by pool, in the order in which they became ready
  std::vector<Deque> numbers_; // the places of these nodes in the order of all; empty: one pool
  std::uint32_t next_number_ = 0;
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
  WorkStealing(const Dag& dag, std::size_t procs, std::uint64_t burden, const DagLimits& limits)
      : dag_(dag), burden_(burden), progress_(dag), slots_(limits), limited_(limits.any()),
        workers_(procs), rich_(limits.pools.size(), WorkerSet(procs)),
        idle_(limited_ ? limits.pools.size() + 1 : 1, WorkerSet(procs)) {
    for (State& worker : workers_)
      worker.deques.resize(limits.pools.size());
  }
  Simulated run() {
    for (Worker worker = 0; worker < workers_.size(); ++worker)
      idle_[0].insert(worker);
    // The newest is taken first: so the first root runs first.
    for (std::size_t i = dag_.roots.size(); i-- > 0;)
      push(0, dag_.roots[i]);
    stop_idling(0);
    seek(0);
    do {
      while (!events_.empty()) {
        const Event event = events_.pop();
        if (event.worker == kAsleep) {
          now_ = event.time;
          push(0, dag_.nodes[event.epoch].next);
          continue;
        }
        if (event.epoch != workers_[event.worker].epoch)
          continue;
        now_ = event.time;
        if (workers_[event.worker].node == kNoDagId)
          steal(event.worker);
        else
          finish(event.worker);
      }
    } while (force_entry() || unearth() || force_steal());
    return {last_end_, steals_, ended_, forced_};
  }

private:
  struct Blocked {     // a task that waits
    DagNodeId node;    // its last
    DagJoinId awaited; // the join that it waits for
    std::size_t depth; // pools that its worker had then
  };
  struct State {
    std::vector<Deque> deques;    // by pool
    std::vector<Blocked> blocked; // the innermost last
    // With limits: the pools whose slots it has: that of the task that it took first, and those that
    // this task has called since; and so on for each task that waits. Empty: it has no task.
    std::vector<DagPool> held;
    DagNodeId node = kNoDagId;       // running
    DagJoinId listens_to = kNoDagId; // without a node: the join that would let it continue
    std::uint32_t epoch = 0;
  };
  struct Entry { // a task that sleeps until there is a slot
    Worker worker;
    DagNodeId node;
  };

  std::uint64_t random() { // xorshift64*, Vigna
    random_ ^= random_ >> 12;
    random_ ^= random_ << 25;
    random_ ^= random_ >> 27;
    return random_ * 0x2545f4914f6cdd1dull >> 16;
  }

  // ---- pools

  DagPool pool_of(DagNodeId node) const {
    const std::size_t pool = dag_.pool_of(node);
    const std::vector<DagPool>& pools = slots_.limits().pool_of;
    return pool < pools.size() ? pools[pool] : 0;
  }
  DagPool current(const State& state) const { return state.held.empty() ? 0 : state.held.back(); }
  // How many of its pools the worker has to keep without a running task.
  static std::size_t depth_of(const State& state) {
    return state.blocked.empty() ? 0 : state.blocked.back().depth;
  }
  void give_down_to(Worker worker, std::size_t depth) {
    if (give_quietly(workers_[worker], depth))
      use_free_slots();
  }
  // True: there are slots again, which the caller has to use.
  bool give_quietly(State& state, std::size_t depth) {
    bool any = false;
    while (state.held.size() > depth)
      any |= slots_.give(state.held);
    return any;
  }
  // Who waits for a slot, then who could steal.
  void use_free_slots() {
    for (std::size_t i = 0; i < entries_.size();) {
      const Entry entry = entries_[i];
      State& state = workers_[entry.worker];
      if (!slots_.has_room(pool_of(entry.node), state.held)) {
        ++i;
        continue;
      }
      entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
      slots_.take(pool_of(entry.node), state.held);
      start(entry.worker, entry.node);
    }
    for (DagPool pool = 1; pool < rich_.size(); ++pool)
      if (!rich_[pool].empty())
        wake_thief(pool);
  }
  // Runs `node` next, after a node of the same task, in the pool of `node`.
  void go_on(Worker worker, DagNodeId node) {
    if (limited_ && !enter(worker, node))
      return;
    start(worker, node);
  }
  // False: the task has to sleep until there is a slot.
  bool enter(Worker worker, DagNodeId node) {
    State& state = workers_[worker];
    const DagPool pool = pool_of(node);
    if (current(state) == pool)
      return true;
    // It returns, if the task was there before.
    const std::size_t depth = depth_of(state);
    for (std::size_t i = state.held.size(); i-- > (depth > 0 ? depth - 1 : 0);)
      if (state.held[i] == pool) {
        give_down_to(worker, i + 1);
        return true;
      }
    if (!slots_.has_room(pool, state.held)) {
      state.node = kNoDagId;
      ++state.epoch;
      entries_.push_back({worker, node});
      return false;
    }
    slots_.take(pool, state.held);
    return true;
  }

  // ---- thieves

  // The set of idle workers that the worker belongs to.
  WorkerSet& idle_with(Worker worker) {
    const State& state = workers_[worker];
    return idle_[limited_ && !state.blocked.empty() ? current(state) + 1 : 0];
  }
  void stop_idling(Worker worker) { idle_with(worker).erase(worker); }
  void push(Worker worker, DagNodeId task) {
    const DagPool pool = pool_of(task);
    workers_[worker].deques[pool].push(task);
    rich_[pool].insert(worker);
    wake_thief(pool);
  }
  // One that waits in the pool, or one that has none.
  void wake_thief(DagPool pool) {
    WorkerSet* idle = &idle_[0];
    if (limited_ && !idle_[pool + 1].empty())
      idle = &idle_[pool + 1];
    else if (limited_ && !slots_.has_room(pool))
      return;
    if (idle->empty())
      return;
    const Worker thief = idle->draw(random());
    idle->erase(thief);
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
  DagNodeId take(Worker victim, DagPool pool, bool newest) {
    Deque& deque = workers_[victim].deques[pool];
    const DagNodeId task = newest ? deque.pop_newest() : deque.pop_oldest();
    if (deque.empty())
      rich_[pool].erase(victim);
    return task;
  }
  // A pool with a task for a worker that runs none.
  std::optional<DagPool> pool_to_rob(const State& thief) const {
    if (!limited_)
      return rich_[0].empty() ? std::nullopt : std::optional<DagPool>(0);
    if (!rich_[current(thief)].empty())
      return current(thief);
    if (!thief.blocked.empty())
      return std::nullopt;
    for (DagPool pool = 0; pool < rich_.size(); ++pool)
      if (!rich_[pool].empty() && slots_.has_room(pool))
        return pool;
    return std::nullopt;
  }
  // The worker, which waits nowhere, gets a slot of the pool.
  void join_pool(Worker worker, DagPool pool) {
    State& state = workers_[worker];
    if (!limited_ || !state.blocked.empty() || (state.held.size() == 1 && state.held[0] == pool))
      return;
    const bool any = give_quietly(state, 0);
    slots_.take(pool, state.held);
    if (any)
      use_free_slots();
  }

  void finish(Worker worker) {
    const DagNodeId node = workers_[worker].node;
    last_end_ = now_;
    ++ended_;
    const DagJoinId awaited = progress_.complete(
        node, [&](DagNodeId task) { push(worker, task); }, [&](Worker waiting) { wake(waiting); });
    State& state = workers_[worker];
    const DagNodeId next = dag_.nodes[node].next;
    if (next != kNoDagId && awaited == kNoDagId && !dag_.nodes[next].sleeps())
      return go_on(worker, next);
    if (next != kNoDagId && awaited == kNoDagId) {
      events_.push({now_ + dag_.nodes[next].time(), kAsleep, next});
    } else if (next != kNoDagId) {
      state.blocked.push_back({node, awaited, state.held.size()});
    }
    state.node = kNoDagId;
    seek(worker);
  }
  // The worker has no node. It takes its innermost waiting task, if that can continue; else its own
  // newest task; else it has to steal.
  void seek(Worker worker) {
    State& state = workers_[worker];
    if (limited_) // a task that waits nowhere keeps the slot of the pool that it came to
      give_down_to(worker, state.blocked.empty() ? std::min<std::size_t>(state.held.size(), 1)
                                                 : depth_of(state));
    Deque& own = state.deques[current(state)];
    if (!state.blocked.empty()) {
      if (progress_.is_over(state.blocked.back().awaited))
        return resume(worker, state.blocked.size() - 1);
      if (own.empty()) {
        state.listens_to = state.blocked.back().awaited;
        progress_.wait(state.listens_to, worker);
      }
    }
    if (!own.empty()) {
      const DagPool pool = current(state);
      const DagNodeId task = take(worker, pool, true);
      join_pool(worker, pool);
      return start(worker, task);
    }
    if (limited_ && state.blocked.empty() && rich_[current(state)].empty()) {
      give_down_to(worker, 0);
      for (DagPool pool = 0; pool < state.deques.size(); ++pool)
        if (!state.deques[pool].empty() && slots_.has_room(pool)) {
          const DagNodeId task = take(worker, pool, true);
          join_pool(worker, pool);
          return start(worker, task);
        }
    }
    if (pool_to_rob(state))
      attempt(worker);
    else
      idle(worker);
  }
  void idle(Worker worker) {
    if (limited_ && workers_[worker].blocked.empty())
      give_down_to(worker, 0);
    idle_with(worker).insert(worker);
  }
  void steal(Worker thief) {
    const std::optional<DagPool> pool = pool_to_rob(workers_[thief]);
    if (!pool)
      return idle(thief);
    const Worker victim = rich_[*pool].draw(random());
    ++steals_;
    const DagNodeId task = take(victim, *pool, false);
    join_pool(thief, *pool);
    if (limited_ && !rich_[*pool].empty())
      wake_thief(*pool);
    start(thief, task);
  }
  // A join that a worker listened to is over; the worker may have started another node since.
  void wake(Worker worker) {
    State& state = workers_[worker];
    if (state.node != kNoDagId || state.listens_to == kNoDagId ||
        !progress_.is_over(state.listens_to))
      return;
    stop_idling(worker);
    resume(worker, state.blocked.size() - 1);
  }
  void resume(Worker worker, std::size_t which) {
    State& state = workers_[worker];
    const DagNodeId next = dag_.nodes[state.blocked[which].node].next;
    state.blocked.erase(state.blocked.begin() + static_cast<std::ptrdiff_t>(which));
    state.listens_to = kNoDagId;
    go_on(worker, next);
  }
  // No worker can continue, and one waits for a slot: those who have the slots wait in turn. A thread
  // that waits inside the arena would run the task.
  bool force_entry() {
    if (entries_.empty())
      return false;
    const Entry entry = entries_.front();
    entries_.erase(entries_.begin());
    forced_ = true;
    slots_.take(pool_of(entry.node), workers_[entry.worker].held);
    start(entry.worker, entry.node);
    return true;
  }
  // No worker can continue, and none that may runs the tasks of a pool: with so few CPUs a thread of
  // its own would run them, in turn with those that wait elsewhere.
  bool force_steal() {
    if (!limited_)
      return false;
    for (DagPool pool = 0; pool < rich_.size(); ++pool) {
      if (rich_[pool].empty())
        continue;
      const Worker victim = rich_[pool].draw(0);
      const DagNodeId task = take(victim, pool, false);
      stop_idling(victim);
      forced_ = true;
      slots_.take(pool, workers_[victim].held);
      start(victim, task);
      return true;
    }
    return false;
  }
  // No worker can continue: a task that could is below a task that waits for it in turn. (Waits
  // that cross; a real thread would hang here, so the program's own schedule must have been another
  // one.)
  bool unearth() {
    for (Worker worker = 0; worker < workers_.size(); ++worker)
      for (std::size_t i = 0; i < workers_[worker].blocked.size(); ++i)
        if (progress_.is_over(workers_[worker].blocked[i].awaited)) {
          stop_idling(worker);
          resume(worker, i);
          return true;
        }
    return false;
  }

  const Dag& dag_;
  const std::uint64_t burden_;
  Progress progress_;
  DagSlots slots_;
  const bool limited_;
  std::vector<State> workers_;
  std::vector<WorkerSet> rich_; // by pool: have a task of it in their deque
  // Nothing to steal, and not woken yet: [0] workers without a task that waits, with limits [pool + 1]
  // those with one, in the pool in which it waits.
  std::vector<WorkerSet> idle_;
  std::vector<Entry> entries_; // in the order in which they came
  Events events_;
  std::uint64_t now_ = 0, last_end_ = 0, steals_ = 0, ended_ = 0;
  bool forced_ = false;
  std::uint64_t random_ = 0x9e3779b97f4a7c15ull;
};

} // namespace

Simulated simulate_greedy(const Dag& dag, std::uint64_t procs, const DagLimits& limits) {
  return Greedy(dag, procs, limits).run();
}

Simulated simulate_work_stealing(const Dag& dag, std::uint64_t procs, std::uint64_t burden,
                                 const DagLimits& limits) {
  const std::uint64_t useful =
      std::min<std::uint64_t>(procs, std::max<std::size_t>(dag.nodes.size(), 1));
  return WorkStealing(dag, static_cast<std::size_t>(useful), burden, limits).run();
}

} // namespace tp::analysis
