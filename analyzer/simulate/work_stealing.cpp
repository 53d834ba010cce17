// SPDX-License-Identifier: Apache-2.0
// Work stealing. The only events are ends of nodes, attempts to steal, and attempts to take a lock.
#include "simulate/simulation.h"
#include "simulate/simulation_parts.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tp::analysis {
namespace {

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
  WorkStealing(const Dag& dag, std::size_t procs, std::uint64_t burden, const DagLimits& limits,
               const LockCosts* locks)
      : dag_(dag), burden_(burden), progress_(dag), loops_(dag), slots_(limits),
        limited_(limits.any()), has_locks_(locks && !dag.lock_ops.empty()),
        locks_(has_locks_ ? dag.locks : std::vector<LockRules>(), locks ? *locks : LockCosts{}),
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
        if (std::exchange(workers_[event.worker].looks_on, false))
          seek(event.worker);
        else if (workers_[event.worker].node == kNoDagId)
          steal(event.worker);
        else if (workers_[event.worker].waits_for_lock)
          retry(event.worker);
        else
          finish(event.worker);
      }
    } while (force_entry() || unearth() || force_lock() || force_steal());
    return {last_end_, steals_, ended_, forced_, locks_.waited()};
  }

private:
  struct Blocked {           // a task that waits
    DagNodeId node;          // its last
    DagJoinId awaited;       // the join that it waits for
    std::size_t depth;       // pools that its worker had then
    std::uint32_t locks = 0; // that it holds
  };
  // While a task that holds a lock waits, its worker takes only tasks that it spawned since.
  struct Floor {
    std::size_t waiting;              // tasks of the worker that wait, with this one
    std::vector<std::uint64_t> since; // by pool: ends of its deques when it took the lock
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
    bool waits_for_lock = false; // before `node`
    bool looks_on = false;       // without a node: the task that it has found may not begin yet
    std::uint32_t locks = 0;     // that the running task holds
    std::vector<std::uint64_t> since = {}; // if any: as in Floor
    std::vector<Floor> floors = {};
  };
  struct Entry { // a task that sleeps until there is a slot
    Worker worker;
    DagNodeId node;
  };

  // Of a task that waits at a barrier, in the place of the worker. Each task of a team has a thread of its own, which
  // needs no CPU meanwhile: a worker that stayed with one could have begun another one that the first waits for.
  static constexpr std::uint32_t kAtBarrier = std::uint32_t{1} << 31;

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
    std::uint64_t delay = 0;
    if (!has_locks_ || begin(worker, node, delay))
      return run(worker, now_ + delay);
    ++state.epoch;
    if (!may_begin_later(node)) {
      state.waits_for_lock = true;
      return;
    }
    // By an event: it may find many of them.
    state.node = kNoDagId;
    state.locks = 0;
    state.looks_on = true;
    events_.push({now_, worker, state.epoch});
  }
  void run(Worker worker, std::uint64_t from) {
    State& state = workers_[worker];
    events_.push({from + dag_.nodes[state.node].cost, worker, ++state.epoch});
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
        node, [&](DagNodeId task) { push(worker, task); },
        [&](std::uint32_t waiting) {
          (waiting & kAtBarrier) != 0 ? go_on_after(waiting & ~kAtBarrier) : wake(waiting);
        });
    State& state = workers_[worker];
    const DagNodeId next = loops_.next(node);
    if (next != kNoDagId && awaited == kNoDagId && !dag_.nodes[next].sleeps())
      return go_on(worker, next);
    if (next != kNoDagId && awaited == kNoDagId) {
      events_.push({now_ + dag_.nodes[next].time(), kAsleep, next});
    } else if (next != kNoDagId && dag_.is_barrier(awaited) && state.locks == 0) {
      at_barriers_.emplace(node, worker);
      progress_.wait(awaited, kAtBarrier | node);
    } else if (next != kNoDagId) {
      state.blocked.push_back({node, awaited, state.held.size(), state.locks});
      if (state.locks > 0)
        state.floors.push_back({state.blocked.size(), std::move(state.since)});
    }
    state.locks = 0;
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
    const bool has_own = !own.empty() && (state.floors.empty() ||
                                          own.end() > state.floors.back().since[current(state)]);
    if (!state.blocked.empty()) {
      if (progress_.is_over(state.blocked.back().awaited))
        return resume(worker, state.blocked.size() - 1);
      if (!has_own) {
        state.listens_to = state.blocked.back().awaited;
        progress_.wait(state.listens_to, worker);
      }
    }
    if (has_own) {
      const DagPool pool = current(state);
      const DagNodeId task = take(worker, pool, true);
      join_pool(worker, pool);
      return start(worker, task);
    }
    if (!state.floors.empty())
      return;
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
  // The barrier that the task waited for after `node` is over. It has its CPU, or the first one that is free.
  void go_on_after(DagNodeId node) {
    const Worker worker = at_barriers_.extract(node).mapped();
    const DagNodeId next = dag_.nodes[node].next;
    if (!idle_with(worker).has(worker))
      return push(worker, next);
    stop_idling(worker);
    go_on(worker, next);
  }
  void resume(Worker worker, std::size_t which) {
    State& state = workers_[worker];
    const DagNodeId next = dag_.nodes[state.blocked[which].node].next;
    state.locks = state.blocked[which].locks;
    const auto floor = std::ranges::find(state.floors, which + 1, &Floor::waiting);
    if (floor != state.floors.end()) {
      state.since = std::move(floor->since);
      state.floors.erase(floor);
    }
    for (Floor& each : state.floors)
      each.waiting -= each.waiting > which;
    state.blocked.erase(state.blocked.begin() + static_cast<std::ptrdiff_t>(which));
    state.listens_to = kNoDagId;
    go_on(worker, next);
  }

  // ---- locks

  // Of a task that comes in vain, in the place of the worker.
  static constexpr LockTable::Waiter kIsTask = LockTable::Waiter{1} << 31;

  // It takes a lock that no worker waits for.
  bool may_begin_later(DagNodeId node) const {
    const LockOp op = dag_.lock_ops[node];
    return op.kind() == LockOp::Kind::Take && locks_.lets_begin(op.lock());
  }
  // False: the worker, or the task, has to wait for a lock.
  bool begin(Worker worker, DagNodeId node, std::uint64_t& delay) {
    const LockOp op = dag_.lock_ops[node];
    if (op.kind() == LockOp::Kind::None)
      return true;
    if (op.kind() == LockOp::Kind::Take && locks_.lets_begin(op.lock()))
      return let_in_.erase(node) > 0 || locks_.take(op.lock(), kIsTask | node, op.shared(), now_);
    if (op.kind() == LockOp::Kind::Take) {
      if (!locks_.take(op.lock(), worker, op.shared(), now_))
        return false;
      hold(worker);
      return true;
    }
    State& state = workers_[worker];
    if (!locks_.lets_begin(op.lock()))
      state.locks -= state.locks > 0; // another worker may have taken it
    delay = locks_.give(op.lock(), op.shared(), now_, calls_);
    answer_calls(worker);
    return true;
  }
  void hold(Worker worker) {
    State& state = workers_[worker];
    state.waits_for_lock = false;
    if (state.locks++ > 0)
      return;
    state.since.clear();
    for (const Deque& deque : state.deques)
      state.since.push_back(deque.end());
  }
  // `by`: what it lets begin comes next there.
  void answer_calls(Worker by) {
    for (const LockTable::Call& call : calls_) {
      if ((call.waiter & kIsTask) != 0) {
        let_in_.insert(call.waiter & ~kIsTask);
        push(by, call.waiter & ~kIsTask);
      } else if (call.has_it) {
        hold(call.waiter);
        run(call.waiter, call.time);
      } else {
        events_.push({call.time, call.waiter, ++workers_[call.waiter].epoch});
      }
    }
    calls_.clear();
  }
  void retry(Worker worker) {
    const LockOp op = dag_.lock_ops[workers_[worker].node];
    if (locks_.retry(op.lock(), worker, now_, calls_)) {
      hold(worker);
      run(worker, now_);
    }
    answer_calls(worker);
  }
  // No worker can continue: tasks wait for locks of each other.
  bool force_lock() {
    forced_ |= locks_.force(now_, calls_);
    const bool any = !calls_.empty();
    const bool lets_begin = any && (calls_.front().waiter & kIsTask) != 0 && idle_with(0).has(0);
    if (lets_begin)
      stop_idling(0);
    answer_calls(0);
    if (lets_begin)
      seek(0);
    return any;
  }

  // ---- where nothing can continue

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
    if (!limited_ && !has_locks_)
      return false;
    for (DagPool pool = 0; pool < rich_.size(); ++pool) {
      if (rich_[pool].empty())
        continue;
      const Worker victim = rich_[pool].draw(0);
      const DagNodeId task = take(victim, pool, false);
      stop_idling(victim);
      forced_ = true;
      if (limited_)
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
        if (!workers_[worker].waits_for_lock &&
            progress_.is_over(workers_[worker].blocked[i].awaited)) {
          stop_idling(worker);
          resume(worker, i);
          return true;
        }
    return false;
  }

  const Dag& dag_;
  const std::uint64_t burden_;
  Progress progress_;
  SharedLoops loops_;
  DagSlots slots_;
  const bool limited_, has_locks_;
  LockTable locks_;
  std::vector<State> workers_;
  std::vector<WorkerSet> rich_; // by pool: have a task of it in their deque
  // Nothing to steal, and not woken yet: [0] workers without a task that waits, with limits [pool + 1]
  // those with one, in the pool in which it waits.
  std::vector<WorkerSet> idle_;
  std::vector<Entry> entries_; // in the order in which they came
  std::vector<LockTable::Call> calls_;
  std::unordered_set<DagNodeId> let_in_; // tasks that have a lock and may begin
  std::unordered_map<DagNodeId, Worker>
      at_barriers_; // tasks that wait there, by their last node: who ran it
  Events events_;
  std::uint64_t now_ = 0, last_end_ = 0, steals_ = 0, ended_ = 0;
  bool forced_ = false;
  std::uint64_t random_ = 0x9e3779b97f4a7c15ull;
};

} // namespace

Simulated simulate_work_stealing(const Dag& dag, std::uint64_t procs, std::uint64_t burden,
                                 const DagLimits& limits, const LockCosts* locks) {
  const std::uint64_t useful =
      std::min<std::uint64_t>(procs, std::max<std::size_t>(dag.nodes.size(), 1));
  return WorkStealing(dag, static_cast<std::size_t>(useful), burden, limits, locks).run();
}

} // namespace tp::analysis
