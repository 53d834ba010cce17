// SPDX-License-Identifier: Apache-2.0
// Simulations with locks: random programs with random sections against a second list scheduler, and
// threads with random sections against a second model of locks, which looks at them as often as their
// threads do; bounds; small cases by hand.
#include "dag/dag_reader.h"
#include "fork_join.h"
#include "oracle_runs.h"
#include "plain_joins.h"
#include "random_program.h"
#include "row_maps.h"
#include "simulate/dag_recorder.h"
#include "simulate/lock_changes.h"
#include "simulate/simulation.h"
#include "trace/metadata_reader.h"
#include "trace_script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace tp::analysis {
namespace {

constexpr std::uint64_t kManyWorkers = std::uint64_t{1} << 20; // worker threads: more than tasks

// All objects, with the same rules.
LockChoice all_locks(std::size_t objects, LockRules rules = {}) {
  LockChoice choice;
  for (std::uint32_t i = 0; i < objects; ++i)
    choice.number.grown_to(static_cast<LockObjectId>(i)) = i + 1;
  choice.rules.assign(objects, rules);
  return choice;
}

Dag dag_with_locks(const TraceSource& source, const LockChoice* locks = nullptr) {
  const TraceInfo info = read_info(source);
  const RowMaps rows = test::row_maps_of(info.sites);
  DagRecorder recorder(StepCosts{}, 0, locks);
  DagReader(source, info, rows, recorder).run();
  EXPECT_TRUE(recorder.fits());
  return std::move(recorder.dag());
}

std::uint64_t greedy_time(const Dag& dag, std::uint64_t procs) {
  return simulate_greedy(dag, procs, {}, true).time;
}
Simulated stealing(const Dag& dag, std::uint64_t procs, const LockCosts& costs = {},
                   std::uint64_t burden = 0) {
  return simulate_work_stealing(dag, procs, burden, {}, &costs);
}

// ---- a second list scheduler

// From its definition, without counters: at each moment, nodes that end do so in the order of their
// numbers. A task continues at once; then those that have got a lock, in the order in which they did;
// then what has been ready longest. Who comes to a lock gets it if the others that have it, or came
// before, allow it.
class ListSchedulerWithLocks {
public:
  ListSchedulerWithLocks(const Dag& dag, std::uint64_t procs)
      : dag_(dag), procs_(procs), ends_(dag.nodes.size()), joins_(dag) {}
  std::uint64_t time() {
    std::ranges::copy(dag_.roots, std::back_inserter(ready_));
    for (;;) {
      while (running() < procs_ && !(with_lock_.empty() && ready_.empty())) {
        std::deque<DagNodeId>& from = with_lock_.empty() ? ready_ : with_lock_;
        const bool has_it = !with_lock_.empty();
        const DagNodeId node = from.front();
        from.pop_front();
        if (has_it)
          ends_[node] = now_ + dag_.nodes[node].cost;
        else
          begin(node);
      }
      std::optional<DagNodeId> first;
      for (DagNodeId node = 0; node < ends_.size(); ++node)
        if (ends_[node] && (!first || *ends_[node] < *ends_[*first]))
          first = node;
      if (first) {
        now_ = *ends_[*first];
        ends_[*first].reset();
        end(*first);
      } else if (!came_.empty()) { // all wait for each other: the first one gets what it wants
        forced_ = true;
        admit(came_.begin());
      } else {
        return now_;
      }
    }
  }
  std::uint64_t ended() const { return joins_.ended(); }
  bool forced() const { return forced_; }

private:
  struct Holder {
    DagLockId lock;
    bool shared;
  };
  using Came = std::deque<DagNodeId>;

  std::uint64_t running() const {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(ends_, [](const auto& end) { return end.has_value(); }));
  }
  bool clashes(DagLockId lock, bool shared) const {
    return std::ranges::any_of(holders_, [&](const Holder& holder) {
      return holder.lock == lock && !(shared && holder.shared);
    });
  }
  void admit(Came::iterator who) {
    holders_.push_back({dag_.lock_ops[*who].lock(), dag_.lock_ops[*who].shared()});
    with_lock_.push_back(*who);
    came_.erase(who);
  }
  void begin(DagNodeId node) {
    const LockOp op = dag_.lock_ops[node];
    const auto waits_for_it = [&](DagNodeId other) {
      return dag_.lock_ops[other].lock() == op.lock();
    };
    if (op.kind() == LockOp::Kind::Take) {
      if (clashes(op.lock(), op.shared()) || std::ranges::any_of(came_, waits_for_it)) {
        came_.push_back(node);
        return;
      }
      holders_.push_back({op.lock(), op.shared()});
    } else if (op.kind() == LockOp::Kind::Give) {
      holders_.erase(std::ranges::find_if(holders_, [&](const Holder& holder) {
        return holder.lock == op.lock() && holder.shared == op.shared();
      }));
      for (;;) {
        const auto first = std::ranges::find_if(came_, waits_for_it);
        if (first == came_.end() || clashes(op.lock(), dag_.lock_ops[*first].shared()))
          break;
        admit(first);
      }
    }
    ends_[node] = now_ + dag_.nodes[node].cost;
  }
  void end(DagNodeId node) {
    if (const DagNodeId next = joins_.end(node, ready_); next != kNoDagId)
      begin(next);
  }

  const Dag& dag_;
  const std::uint64_t procs_;
  std::vector<std::optional<std::uint64_t>> ends_; // of running nodes
  PlainJoins joins_;
  std::deque<DagNodeId> ready_, with_lock_;
  Came came_; // wait for a lock, in the order in which they came
  std::vector<Holder> holders_;
  std::uint64_t now_ = 0;
  bool forced_ = false;
};

// ---- random sections

// Divides nodes of a DAG, and lets its tasks take and give back locks, in any order if not `ordered`.
void add_sections(std::mt19937_64& random, Dag& dag, std::size_t locks, bool ordered) {
  dag.locks.resize(locks);
  dag.lock_ops.resize(dag.nodes.size());
  std::vector<bool> continues(dag.nodes.size());
  for (const Dag::Node& node : dag.nodes)
    if (node.next != kNoDagId)
      continues[node.next] = true;
  const std::size_t nodes = dag.nodes.size();
  const auto divide = [&](DagNodeId node) {
    const auto rest = static_cast<DagNodeId>(dag.nodes.size());
    const std::uint64_t part = random() % (dag.nodes[node].cost + 1);
    dag.nodes.push_back({part, dag.nodes[node].next, dag.nodes[node].effect});
    dag.lock_ops.emplace_back();
    dag.nodes[node].cost -= part;
    dag.nodes[node].next = rest;
    dag.nodes[node].effect = {};
    return rest;
  };
  for (DagNodeId first = 0; first < nodes; ++first) {
    if (continues[first])
      continue;
    std::vector<LockOp> held;
    for (DagNodeId node = first; node != kNoDagId; node = dag.nodes[node].next) {
      DagNodeId last = node;
      for (std::uint64_t i = random() % 5; i > 0; --i) {
        const bool takes = held.empty() || (random() % 2 == 0 && held.size() < locks);
        if (takes) {
          const auto lock = static_cast<DagLockId>(random() % locks);
          const bool may = ordered ? held.empty() || held.back().lock() < lock
                                   : std::ranges::find(held, lock, &LockOp::lock) == held.end();
          if (!may)
            continue;
          held.push_back({LockOp::Kind::Take, lock, random() % 3 == 0});
          last = divide(last);
          dag.lock_ops[last] = held.back();
        } else {
          const std::size_t which = ordered ? held.size() - 1 : random() % held.size();
          last = divide(last);
          dag.lock_ops[last] = {LockOp::Kind::Give, held[which].lock(), held[which].shared()};
          held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
        }
      }
      if (dag.nodes[last].next == kNoDagId)
        for (; !held.empty(); held.pop_back()) {
          last = divide(last);
          dag.lock_ops[last] = {LockOp::Kind::Give, held.back().lock(), held.back().shared()};
        }
      node = last;
    }
  }
}

// Of sections that begin and end in one chain of nodes: what those of each lock take at least.
std::vector<std::uint64_t> sums_of_sections(const Dag& dag) {
  std::vector<std::uint64_t> exclusive(dag.locks.size()), shared(dag.locks.size());
  for (DagNodeId first = 0; first < dag.nodes.size(); ++first) {
    const LockOp op = dag.lock_ops[first];
    if (op.kind() != LockOp::Kind::Take)
      continue;
    std::uint64_t length = 0;
    DagNodeId node = first;
    while (node != kNoDagId && (dag.lock_ops[node].kind() != LockOp::Kind::Give ||
                                dag.lock_ops[node].lock() != op.lock())) {
      length += dag.nodes[node].cost;
      node = dag.nodes[node].next;
    }
    if (node == kNoDagId)
      continue;
    if (op.shared())
      shared[op.lock()] = std::max(shared[op.lock()], length);
    else
      exclusive[op.lock()] += length;
  }
  for (std::size_t i = 0; i < exclusive.size(); ++i)
    exclusive[i] += shared[i];
  return exclusive;
}

std::uint64_t work_of(const Dag& dag) {
  std::uint64_t work = 0;
  for (const Dag::Node& node : dag.nodes)
    work += node.cost;
  return work;
}

// Returns the number of simulations in which tasks waited for each other.
unsigned expect_right(const Dag& dag) {
  const std::uint64_t work = work_of(dag), span = simulate_greedy(dag, kManyWorkers).time;
  const std::uint64_t sections = std::ranges::max(sums_of_sections(dag));
  unsigned forced = 0;
  EXPECT_EQ(work, greedy_time(dag, 1));
  EXPECT_EQ(work, stealing(dag, 1, {}, 3).time);
  for (const std::uint64_t procs : {2, 3, 8, 100}) {
    ListSchedulerWithLocks plain(dag, procs);
    const std::uint64_t time = plain.time();
    EXPECT_EQ(dag.nodes.size(), plain.ended()) << procs;
    const Simulated greedy = simulate_greedy(dag, procs, {}, true);
    EXPECT_EQ(time, greedy.time) << procs;
    EXPECT_EQ(plain.forced(), greedy.forced) << procs;
    EXPECT_EQ(dag.nodes.size(), greedy.nodes) << procs;
    const std::uint64_t least = std::max((work + procs - 1) / procs, span);
    EXPECT_GE(time, least) << procs;
    EXPECT_LE(time, work) << procs;
    if (!greedy.forced) {
      EXPECT_GE(time, sections) << procs;
    }
    for (const std::uint64_t cost : {0, 5}) {
      const LockCosts costs{cost, cost, 3 * cost, 4 * cost, 2 * cost};
      const Simulated found = stealing(dag, procs, costs, cost);
      EXPECT_EQ(dag.nodes.size(), found.nodes) << procs;
      EXPECT_GE(found.time, least) << procs;
      if (!found.forced) {
        EXPECT_GE(found.time, sections) << procs;
      }
      EXPECT_EQ(found.time, stealing(dag, procs, costs, cost).time) << procs;
    }
    forced += greedy.forced;
  }
  return forced;
}

void set_rules(std::mt19937_64& random, Dag& dag) {
  for (LockRules& rules : dag.locks)
    rules = {static_cast<HandOver>(random() % 6), static_cast<Prefers>(random() % 4)};
}

// With TP_ORACLE_RUNS=10000: 20,000 programs.
TEST(SimulatedLocks, RandomProgramsAsByAPlainSimulator) {
  unsigned compared = 0, forced = 0;
  for (std::uint64_t seed = 1; compared < test::oracle_runs(500); ++seed) {
    const auto program =
        test::make_random_program({.seed = seed,
                                   .late = seed % 2 == 0,
                                   .most_tasks = 1 + static_cast<unsigned>(seed % 40),
                                   .restarts = false});
    ASSERT_LT(seed, 40u * test::oracle_runs(500) + 100) << "too few programs end";
    if (!program.valid)
      continue;
    ++compared;
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dag dag = dag_with_locks(program.trace.source());
    std::mt19937_64 random(seed);
    add_sections(random, dag, random() % 4 + 1, seed % 3 == 0);
    set_rules(random, dag);
    forced += expect_right(dag);
    if (::testing::Test::HasFailure())
      return;
  }
  EXPECT_GT(forced, 0u);
}

TEST(SimulatedLocks, ForkJoinProgramsAsByAPlainSimulator) {
  unsigned free = 0;
  for (std::uint64_t seed = 1; seed <= test::oracle_runs(500); ++seed) {
    const test::ForkJoinProgram program = test::make_fork_join(seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dag dag = dag_with_locks(program.trace().source());
    std::mt19937_64 random(seed);
    add_sections(random, dag, random() % 4 + 1, seed % 3 == 0);
    set_rules(random, dag);
    free += expect_right(dag) == 0;
    if (::testing::Test::HasFailure())
      return;
  }
  EXPECT_GT(free, test::oracle_runs(500) / 10);
}

// Without its locks, a DAG that is cut at sections takes as long as one that is not.
TEST(SimulatedLocks, CutsAloneChangeNothing) {
  unsigned compared = 0, cut = 0;
  for (std::uint64_t seed = 1; compared < test::oracle_runs(500); ++seed) {
    const auto program =
        test::make_random_program({.seed = seed,
                                   .late = seed % 2 == 0,
                                   .most_tasks = 1 + static_cast<unsigned>(seed % 40),
                                   .locks = true});
    ASSERT_LT(seed, 40u * test::oracle_runs(500) + 100) << "too few programs end";
    if (!program.valid)
      continue;
    ++compared;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const LockChoice all = all_locks(test::kOracleLocks), none = all_locks(0);
    const TraceSource source = program.trace.source();
    const Dag plain = dag_with_locks(source), with_none = dag_with_locks(source, &none),
              dag = dag_with_locks(source, &all);
    EXPECT_TRUE(with_none.lock_ops.empty());
    EXPECT_EQ(plain.bytes(), with_none.bytes());
    cut += dag.nodes.size() > plain.nodes.size();
    EXPECT_EQ(simulate_greedy(plain, kManyWorkers).time, simulate_greedy(dag, kManyWorkers).time);
    for (const std::uint64_t procs : {1, 2, 5}) {
      EXPECT_EQ(simulate_greedy(plain, procs).time, simulate_greedy(with_none, procs).time);
      EXPECT_EQ(simulate_work_stealing(plain, procs, 3).time,
                simulate_work_stealing(dag, procs, 3).time);
      EXPECT_EQ(simulate_work_stealing(plain, procs, 3).time,
                stealing(with_none, procs, {1, 1, 1, 1, 1}, 3).time);
    }
    if (!dag.lock_ops.empty()) {
      std::map<DagLockId, std::uint64_t> left;
      for (const LockOp op : dag.lock_ops)
        if (op.kind() != LockOp::Kind::None)
          left[op.lock()] += op.kind() == LockOp::Kind::Take ? 1 : ~std::uint64_t{0};
      for (const auto& [lock, count] : left)
        EXPECT_EQ(0u, count) << lock;
      expect_right(dag);
    }
    if (::testing::Test::HasFailure())
      return;
  }
  EXPECT_GT(cut, compared / 4);
}

// ---- a second model of locks

struct Action {
  std::uint64_t work; // before it
  LockOp op;
};
using Thread = std::vector<Action>;

// Threads on a CPU each, all there from time 0 on. Who waits looks at the lock as often as the model
// says.
class PlainLocks {
public:
  PlainLocks(const std::vector<Thread>& threads, const std::vector<LockRules>& locks,
             const LockCosts& costs)
      : threads_(threads), locks_(locks), costs_(costs), states_(threads.size()),
        asks_(locks.size()), marked_(locks.size()) {
    for (std::size_t i = 0; i < threads.size(); ++i)
      states_[i].next = threads[i].front().work;
  }
  // Nothing if two threads do something at the same time: the order would be anybody's.
  std::optional<std::uint64_t> time() {
    std::uint64_t now = 0;
    for (bool is_first = true;; is_first = false) {
      std::size_t who = threads_.size();
      for (std::size_t i = 0; i < threads_.size(); ++i)
        if (states_[i].next && (who == threads_.size() || *states_[i].next < *states_[who].next))
          who = i;
      if (who == threads_.size())
        return now;
      if (!is_first && *states_[who].next == now)
        return std::nullopt;
      now = *states_[who].next;
      act(who, now);
    }
  }
  std::uint64_t lost() const { return lost_; }

private:
  struct State {
    std::optional<std::uint64_t> next; // when it does something
    std::size_t done = 0;
    std::set<std::pair<DagLockId, bool>> holds;
    bool waits = false, asleep = false, woken = false;
    std::uint64_t came = 0, order = 0, since = 0;
  };
  LockOp op_of(std::size_t who) const { return threads_[who][states_[who].done].op; }
  bool is_waiting_for(std::size_t who, DagLockId lock) const {
    return states_[who].waits && op_of(who).lock() == lock;
  }
  bool is_free_for(DagLockId lock, bool shared) const {
    bool readers = false, writer_waits = false;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_[i].holds.contains({lock, false}))
        return false;
      readers |= states_[i].holds.contains({lock, true});
      writer_waits |= is_waiting_for(i, lock) && !op_of(i).shared();
    }
    if (shared && has_mark(lock))
      return !marked_[lock];
    const Prefers prefers =
        locks_[lock].hand_over == HandOver::Phases ? Prefers::Readers : locks_[lock].prefers;
    if (!shared || prefers == Prefers::Readers || !writer_waits)
      return shared || !readers;
    return !readers && prefers != Prefers::Writers;
  }
  bool has_mark(DagLockId lock) const {
    return locks_[lock].prefers == Prefers::Marked && locks_[lock].hand_over == HandOver::Spins;
  }
  void act(std::size_t who, std::uint64_t now) {
    State& state = states_[who];
    if (state.done == threads_[who].size()) {
      state.next.reset();
      return;
    }
    const LockOp op = op_of(who);
    if (op.kind() == LockOp::Kind::Give)
      return give(who, now);
    const HandOver hand_over = locks_[op.lock()].hand_over;
    bool others = false;
    for (std::size_t i = 0; i < states_.size(); ++i)
      others |= is_waiting_for(i, op.lock());
    if (state.waits || hand_over != HandOver::InOrder || !others)
      if (is_free_for(op.lock(), op.shared())) {
        if (state.waits)
          asks_[op.lock()] = true;
        return enter(who, now);
      }
    marked_[op.lock()] = marked_[op.lock()] || !op.shared();
    if (!state.waits) {
      state.waits = true;
      state.came = state.since = now;
      state.order = ++order_;
      state.asleep = sleeps_at_once(hand_over);
    } else if (state.woken) {
      state.since = now;
      state.asleep = sleeps_at_once(hand_over);
    }
    asks_[op.lock()] = true;
    state.woken = false;
    state.next.reset();
    if (hand_over == HandOver::InOrder || state.asleep)
      return;
    const std::uint64_t look = now + own(op.lock()).retry;
    if (hand_over == HandOver::SpinsThenSleeps && look > state.since + costs_.spin)
      state.asleep = true;
    else
      state.next = look;
  }
  static bool sleeps_at_once(HandOver hand_over) {
    return hand_over == HandOver::Sleeps || hand_over == HandOver::Phases;
  }
  void enter(std::size_t who, std::uint64_t now) {
    State& state = states_[who];
    if (state.waits)
      lost_ += now - state.came;
    state.holds.insert({op_of(who).lock(), op_of(who).shared()});
    state.waits = state.asleep = state.woken = false;
    go_on(who, now);
  }
  void go_on(std::size_t who, std::uint64_t now) {
    State& state = states_[who];
    const std::size_t next = ++state.done;
    state.next = now + (next < threads_[who].size() ? threads_[who][next].work : 1);
  }
  HandOverTimes own(DagLockId lock) const {
    const std::uint32_t times = locks_[lock].times;
    return times > 0 ? costs_.times[times - 1]
                     : HandOverTimes{.wake_latency = {},
                                     .wake_call = {},
                                     .retry = costs_.retry,
                                     .hand_over = costs_.hand_over};
  }
  // The waiters in the order in which they came.
  std::vector<std::size_t> waiters(DagLockId lock) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (is_waiting_for(i, lock))
        found.push_back(i);
    std::ranges::sort(found, {}, [&](std::size_t i) { return states_[i].order; });
    return found;
  }
  // {what it takes the one that wakes, when the other comes}, of the next wake-up of the lock. Which of the lock's times it is:
  // the position of the number's multiple of the golden ratio.
  std::pair<std::uint64_t, std::uint64_t> wake_up(DagLockId lock) {
    const std::uint64_t number = ++wakes_[lock];
    const auto one_of = [&](const std::vector<std::uint64_t>& times, std::uint64_t otherwise) {
      const auto position = static_cast<std::uint32_t>(2654435769u * number);
      return times.empty() ? otherwise : times[position * times.size() / 4294967296u];
    };
    return {one_of(own(lock).wake_call, costs_.wake_call),
            one_of(own(lock).wake_latency, costs_.wake_latency)};
  }
  // Who has a lock with phases next, if it is not free for anybody then. Nothing: somebody holds it.
  std::vector<std::size_t> next_of_phases(DagLockId lock, bool after_readers) const {
    std::vector<std::size_t> readers, writers;
    bool one_comes = false;
    for (const std::size_t waiter : waiters(lock)) {
      one_comes |= states_[waiter].woken;
      (op_of(waiter).shared() ? readers : writers).push_back(waiter);
    }
    for (const State& state : states_)
      if (state.holds.contains({lock, false}) || state.holds.contains({lock, true}))
        return {};
    if (!after_readers)
      return readers;
    if (one_comes)
      return {};
    writers.resize(std::min<std::size_t>(writers.size(), 1));
    return writers.empty() ? readers : writers;
  }
  void give(std::size_t who, std::uint64_t now) {
    const LockOp op = op_of(who);
    states_[who].holds.erase({op.lock(), op.shared()});
    marked_[op.lock()] = marked_[op.lock()] && op.shared();
    std::uint64_t delay = 0;
    const HandOver hand_over = locks_[op.lock()].hand_over;
    bool wakes = hand_over == HandOver::SpinsThenSleeps ||
                 (hand_over == HandOver::Sleeps && asks_[op.lock()]);
    if (hand_over == HandOver::Phases) {
      const std::vector<std::size_t> next = next_of_phases(op.lock(), op.shared());
      for (const std::size_t waiter : next) {
        const auto [call, latency] = wake_up(op.lock());
        delay += call;
        enter(waiter, now + latency);
      }
      wakes = next.empty() && !op.shared() && asks_[op.lock()];
    }
    bool wakes_readers = false;
    for (const std::size_t waiter : waiters(op.lock())) {
      const bool shared = op_of(waiter).shared();
      if (hand_over == HandOver::InOrder) {
        bool writer = false, reader = false;
        for (const State& state : states_) {
          writer |= state.holds.contains({op.lock(), false});
          reader |= state.holds.contains({op.lock(), true});
        }
        if (writer || (reader && !shared))
          break;
        enter(waiter, now + own(op.lock()).hand_over);
      } else if (wakes && states_[waiter].asleep && !states_[waiter].woken &&
                 is_free_for(op.lock(), shared) && (shared || !wakes_readers)) {
        states_[waiter].woken = true;
        states_[waiter].asleep = false;
        const auto [call, latency] = wake_up(op.lock());
        states_[waiter].next = now + latency;
        asks_[op.lock()] = false;
        delay += call;
        wakes = wakes_readers = shared;
      }
    }
    lost_ += delay;
    go_on(who, now + delay);
  }

  const std::vector<Thread>& threads_;
  const std::vector<LockRules>& locks_;
  const LockCosts costs_;
  std::vector<State> states_;
  std::vector<bool> asks_;   // of each lock: whether a release would wake one that sleeps
  std::vector<bool> marked_; // of each lock: a writer has looked in vain since one has released it
  std::map<DagLockId, std::uint64_t> wakes_; // so far
  std::uint64_t lost_ = 0, order_ = 0;
};

// Each may be missing.
HandOverTimes random_times(std::mt19937_64& random) {
  HandOverTimes times{.wake_latency = {},
                      .wake_call = {},
                      .retry = random() % 400 + 50,
                      .hand_over = random() % 400};
  for (std::uint64_t i = random() % 6; i > 0; --i)
    times.wake_latency.push_back(random() % 40000 + 1);
  for (std::uint64_t i = random() % 6; i > 0; --i)
    times.wake_call.push_back(random() % 9000);
  std::ranges::sort(times.wake_latency);
  std::ranges::sort(times.wake_call);
  return times;
}

// Sections are short or long, and time between them as well.
std::vector<Thread> random_threads(std::mt19937_64& random, std::size_t locks) {
  std::vector<Thread> threads(random() % 4 + 2);
  const auto length = [&] {
    constexpr std::uint64_t kLengths[] = {300, 3000, 30000};
    return 1 + random() % kLengths[random() % 3];
  };
  for (Thread& thread : threads) {
    for (std::uint64_t i = random() % 30 + 1; i > 0; --i) {
      std::vector<LockOp> held;
      DagLockId lock = 0;
      for (std::uint64_t depth = random() % 2 + 1; depth > 0 && lock < locks; --depth) {
        lock += static_cast<DagLockId>(random() % (locks - lock));
        held.push_back({LockOp::Kind::Take, lock++, random() % 3 == 0});
        thread.push_back({length(), held.back()});
      }
      for (; !held.empty(); held.pop_back())
        thread.push_back(
            {length(), {LockOp::Kind::Give, held.back().lock(), held.back().shared()}});
    }
  }
  return threads;
}

Dag dag_of_threads(const std::vector<Thread>& threads, const std::vector<LockRules>& locks) {
  Dag dag;
  dag.locks = locks;
  for (const Thread& thread : threads) {
    dag.roots.push_back(static_cast<DagNodeId>(dag.nodes.size()));
    LockOp op;
    for (const Action& action : thread) {
      dag.nodes.push_back({action.work, static_cast<DagNodeId>(dag.nodes.size() + 1), {}});
      dag.lock_ops.push_back(op);
      op = action.op;
    }
    dag.nodes.push_back({1, kNoDagId, {}});
    dag.lock_ops.push_back(op);
  }
  return dag;
}

TEST(SimulatedLocks, ThreadsAsInAPlainModel) {
  unsigned compared = 0;
  std::uint64_t lost = 0;
  for (std::uint64_t seed = 1; compared < test::oracle_runs(1000); ++seed) {
    ASSERT_LT(seed, 100u * test::oracle_runs(1000) + 100) << "too many ties";
    std::mt19937_64 random(seed);
    std::vector<LockRules> locks(random() % 3 + 1);
    for (LockRules& lock : locks)
      lock = {static_cast<HandOver>(random() % 5), static_cast<Prefers>(random() % 4)};
    const std::vector<Thread> threads = random_threads(random, locks.size());
    LockCosts costs{random() % 400, random() % 400 + 50, random() % 9000, random() % 20000 + 1,
                    random() % 9000};
    for (LockRules& lock : locks)
      if (random() % 2 == 0) {
        costs.times.push_back(random_times(random));
        lock.times = static_cast<std::uint32_t>(costs.times.size());
      }
    PlainLocks plain(threads, locks, costs);
    const std::optional<std::uint64_t> time = plain.time();
    if (!time)
      continue;
    ++compared;
    lost += plain.lost();
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Simulated found = stealing(dag_of_threads(threads, locks), threads.size(), costs);
    EXPECT_FALSE(found.forced);
    EXPECT_EQ(*time, found.time);
    EXPECT_EQ(plain.lost(), found.lock_waits);
    if (::testing::Test::HasFailure())
      return;
  }
  EXPECT_GT(lost, compared * 1000);
}

// Without costs each kind is first come, first served.
TEST(SimulatedLocks, WithoutCostsAllKindsAreAlike) {
  unsigned compared = 0;
  for (std::uint64_t seed = 1; seed <= test::oracle_runs(500); ++seed) {
    const test::ForkJoinProgram program = test::make_fork_join(seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dag dag = dag_with_locks(program.trace().source());
    std::mt19937_64 random(seed);
    add_sections(random, dag, random() % 4 + 1, true);
    for (const std::uint64_t procs : {2, 3, 8}) {
      std::set<std::uint64_t> times;
      bool forced = false; // then several hold a lock
      for (const HandOver hand_over :
           {HandOver::InOrder, HandOver::Spins, HandOver::Sleeps, HandOver::SpinsThenSleeps}) {
        std::ranges::fill(dag.locks, LockRules{hand_over});
        const Simulated found = stealing(dag, procs);
        times.insert(found.time);
        forced |= found.forced;
      }
      if (!forced) {
        EXPECT_EQ(1u, times.size()) << procs;
        ++compared;
      }
    }
    if (::testing::Test::HasFailure())
      return;
  }
  EXPECT_GT(compared, test::oracle_runs(500) / 4);
}

// ---- by hand

// main: 10, two tasks of 100 each, of both a section of 60 that begins after 30 and after 20; 5.
std::string two_tasks(const std::string& first, const std::string& second) {
  return "run locks=all\n"
         "site 1 a.cpp 1\n"
         "lock-place 0 spin_mutex q.cpp 17\n"
         "stream 0\n"
         "thread role=main\n"
         "lock slot=0 address=64 kind=spin_mutex\n"
         "lock slot=1 address=128 kind=spin_mutex\n"
         "spawn work=10 site=1 ctx=new-exclusive\n"
         "spawn site=1 ctx=last\n"
         "wait ctx=last\n" +
         first + "task work=100\n" + second +
         "task task=-1 work=100\n"
         "wait-end\n"
         "end work=5\n"
         "thread-end\n";
}

Dag parsed_with_locks(const std::string& script, LockRules rules = {}) {
  const LockChoice choice = all_locks(2, rules);
  return dag_with_locks(test::parse_trace_script(script).source(), &choice);
}

TEST(SimulatedLocks, HandOver) {
  const std::string script = two_tasks("section slot=0 place=0 lead=30 work=60\n",
                                       "section slot=0 place=0 lead=20 work=60\n");
  const auto time = [&](HandOver hand_over, const LockCosts& costs) {
    return stealing(parsed_with_locks(script, {hand_over}), 2, costs).time;
  };
  // One has the lock from 30 to 90, the other comes at 40 and has it until 150, then 10 and 5.
  EXPECT_EQ(165u, greedy_time(parsed_with_locks(script), 2));
  for (const HandOver hand_over :
       {HandOver::InOrder, HandOver::Spins, HandOver::Sleeps, HandOver::SpinsThenSleeps})
    EXPECT_EQ(165u, time(hand_over, {}));
  EXPECT_EQ(172u, time(HandOver::InOrder, {.hand_over = 7}));
  // It looks at 40 + 14 x 4 = 96.
  EXPECT_EQ(171u, time(HandOver::Spins, {.retry = 14}));
  EXPECT_EQ(171u, time(HandOver::SpinsThenSleeps, {.retry = 14, .spin = 56, .wake_latency = 25}));
  EXPECT_EQ(190u, time(HandOver::SpinsThenSleeps, {.retry = 14, .spin = 55, .wake_latency = 25}));
  EXPECT_EQ(190u, time(HandOver::Sleeps, {.wake_latency = 25, .wake_call = 8}));
  EXPECT_EQ(215u, stealing(parsed_with_locks(script), 1, {7, 7, 7, 7, 7}).time);
  // One comes when the other releases: if it is before, it looks again after 14.
  const auto both = [](const std::string& first, const std::string& second) {
    return stealing(parsed_with_locks(two_tasks(first, second), {HandOver::Spins}), 2,
                    {.retry = 14})
        .time;
  };
  const std::string early = "section slot=0 place=0 lead=10 work=60\n",
                    late = "section slot=0 place=0 lead=70 work=10\n";
  EXPECT_EQ(2 * 115u + 14, both(early, late) + both(late, early));
  const Simulated found = stealing(parsed_with_locks(script), 2);
  EXPECT_EQ(50u, found.lock_waits);
  EXPECT_FALSE(found.forced);
}

// Three threads: the second one comes at 20, and has much to do afterwards; the third one comes at 30.
TEST(SimulatedLocks, FirstComeFirstServed) {
  const LockOp take{LockOp::Kind::Take, 0, false}, give{LockOp::Kind::Give, 0, false};
  const std::vector<Thread> threads = {
      {{10, take}, {100, give}}, {{20, take}, {100, give}, {500, {}}}, {{30, take}, {100, give}}};
  for (const HandOver hand_over :
       {HandOver::InOrder, HandOver::Spins, HandOver::Sleeps, HandOver::SpinsThenSleeps}) {
    const Dag dag = dag_of_threads(threads, {{hand_over}});
    EXPECT_EQ(711u, stealing(dag, 3).time);
    EXPECT_EQ(711u, greedy_time(dag, 3));
  }
}

// The thief finds tasks that may not begin yet, and goes on to the free ones: no worker waits for a task.
TEST(SimulatedLocks, TasksThatExcludeEachOther) {
  const LockOp take{LockOp::Kind::Take, 0, false}, give{LockOp::Kind::Give, 0, false};
  const Thread of_set = {{0, take}, {100, give}}, free = {{0, {}}, {100, {}}};
  const std::vector<Thread> threads = {of_set, free, free, free, of_set, of_set};
  const Dag sets = dag_of_threads(threads, {{HandOver::LetsBegin}});
  const Simulated found = stealing(sets, 2, {.hand_over = 50});
  // One worker runs those of the set, and their ends of 1, the other one the free ones.
  EXPECT_EQ(3 * 101u, found.time);
  EXPECT_EQ(0u, found.lock_waits);
  EXPECT_FALSE(found.forced);
  EXPECT_EQ(6 * 101u, stealing(sets, 1).time);
  // In the order of the list the last two of the set come when all else is done: at 202, and with the lock at 302.
  EXPECT_EQ(302 + 101u, greedy_time(sets, 2));
  // Locks make a worker wait, and the free tasks come later.
  EXPECT_LT(found.time, stealing(dag_of_threads(threads, {{HandOver::InOrder}}), 2).time);
}

// Of two sets: in turn, and in the order of their numbers.
TEST(SimulatedLocks, TasksOfTwoSets) {
  const auto op = [](LockOp::Kind kind, DagLockId lock) { return LockOp{kind, lock, false}; };
  const Thread of_both = {{0, op(LockOp::Kind::Take, 0)},
                          {0, op(LockOp::Kind::Take, 1)},
                          {100, op(LockOp::Kind::Give, 1)},
                          {0, op(LockOp::Kind::Give, 0)}};
  const std::vector<Thread> threads = {
      of_both, {{0, op(LockOp::Kind::Take, 1)}, {100, op(LockOp::Kind::Give, 1)}}, of_both};
  const Dag dag = dag_of_threads(threads, {{HandOver::LetsBegin}, {HandOver::LetsBegin}});
  for (const std::uint64_t procs : {2, 3}) {
    const Simulated found = stealing(dag, procs);
    EXPECT_EQ(301u, found.time) << procs;
    EXPECT_EQ(0u, found.lock_waits) << procs;
    EXPECT_FALSE(found.forced) << procs;
  }
}

// A reader that comes back does not overtake the writer that is being woken, however long that takes.
TEST(SimulatedLocks, WithPhasesTheLastReaderHandsTheLockToAWriter) {
  const LockOp read{LockOp::Kind::Take, 0, true}, read_end{LockOp::Kind::Give, 0, true};
  const LockOp write{LockOp::Kind::Take, 0, false}, write_end{LockOp::Kind::Give, 0, false};
  const std::vector<Thread> threads = {
      {{10, read}, {100, read_end}, {10, read}, {100, read_end}, {10, read}, {100, read_end}},
      {{20, write}, {50, write_end}}};
  const LockCosts costs{.wake_latency = 30, .wake_call = 5};
  // 10 + 100, 30 until the writer comes and its 50, 30 until the reader comes; then it reads twice, with 10 between,
  // and a last node of 1.
  EXPECT_EQ(110u + 30 + 50 + 30 + 100 + 10 + 100 + 1,
            stealing(dag_of_threads(threads, {{HandOver::Phases}}), 2, costs).time);
  // As a mutex that sleeps, which prefers readers: the writer comes in vain as long as the reader is there.
  EXPECT_EQ(
      110u + 5 + 10 + 100 + 5 + 10 + 100 + 30 + 50 + 1,
      stealing(dag_of_threads(threads, {{HandOver::Sleeps, Prefers::Readers}}), 2, costs).time);
}

// Who waits looks every 14. At 110 a writer releases the lock: the readers look at 116 and 118, the next writer at 121, when they are
// there. A reader that comes after that waits for it.
TEST(SimulatedLocks, MarkedByTheFirstLookOfAWriter) {
  const LockOp read{LockOp::Kind::Take, 0, true}, read_end{LockOp::Kind::Give, 0, true};
  const LockOp write{LockOp::Kind::Take, 0, false}, write_end{LockOp::Kind::Give, 0, false};
  const std::vector<Thread> threads = {{{10, write}, {100, write_end}},
                                       {{18, read}, {40, read_end}},
                                       {{20, read}, {40, read_end}},
                                       {{23, write}, {50, write_end}},
                                       {{130, read}, {20, read_end}}};
  const auto time = [&](LockRules rules, std::uint64_t retry) {
    return stealing(dag_of_threads(threads, {rules}), threads.size(), {.retry = retry}).time;
  };
  // The second reader until 118 + 40; the writer from 23 + 14 x 10 on, the last reader from 130 + 14 x 6 on: and 1.
  EXPECT_EQ(214u + 20 + 1, time({HandOver::Spins, Prefers::Marked}, 14));
  // One reader at a time: from 116, 158 and 188 on, the writer from 233.
  EXPECT_EQ(233u + 50 + 1, time({HandOver::Spins, Prefers::None}, 14));
  EXPECT_EQ(time({HandOver::Spins}, 0), time({HandOver::Spins, Prefers::Marked}, 0));
}

TEST(SimulatedLocks, ReadersShare) {
  const std::string shared = two_tasks("section slot=0 place=0 lead=30 work=60 shared=1\n",
                                       "section slot=0 place=0 lead=20 work=60 shared=1\n");
  EXPECT_EQ(115u, greedy_time(parsed_with_locks(shared), 2));
  EXPECT_EQ(115u, stealing(parsed_with_locks(shared), 2).time);
  const std::string writer = two_tasks("section slot=0 place=0 lead=30 work=60\n",
                                       "section slot=0 place=0 lead=20 work=60 shared=1\n");
  EXPECT_EQ(165u, stealing(parsed_with_locks(writer), 2).time);
}

// Each has what the other wants. Then one goes on without.
TEST(SimulatedLocks, DeadlockOfTheSimulation) {
  const std::string script = two_tasks("section slot=1 place=0 lead=20 work=10\n"
                                       "section slot=0 place=0 lead=10 work=60\n",
                                       "section slot=0 place=0 lead=20 work=10\n"
                                       "section slot=1 place=0 lead=10 work=60\n");
  const Dag dag = parsed_with_locks(script);
  for (const Simulated& found :
       {simulate_greedy(dag, 2, {}, true), stealing(dag, 2), stealing(dag, 2, {3, 3, 3, 3, 3})}) {
    EXPECT_TRUE(found.forced);
    EXPECT_EQ(dag.nodes.size(), found.nodes);
    EXPECT_LT(found.time, 215u);
  }
  EXPECT_FALSE(stealing(dag, 1).forced);
  EXPECT_EQ(215u, stealing(dag, 1).time);
}

// Another section of the lock inside of one is a part of it.
TEST(SimulatedLocks, TakenAgainInside) {
  const Dag dag = parsed_with_locks(two_tasks("section slot=0 place=0 lead=40 work=20\n"
                                              "section slot=0 place=0 lead=30 work=60\n",
                                              ""));
  EXPECT_EQ(2, std::ranges::count_if(dag.lock_ops,
                                     [](LockOp op) { return op.kind() != LockOp::Kind::None; }));
  EXPECT_FALSE(stealing(dag, 2).forced);
}

// A worker that waits while it holds a lock does not take another's task: that needs the lock, too.
TEST(SimulatedLocks, NoTasksOfOthersWhileHeld) {
  Dag dag;
  dag.locks.resize(1);
  dag.joins = {{1, {}}};
  dag.roots = {0};
  dag.nodes = {{1, 1, {}},
               {1, 2, {Effect::Kind::Start, 4}},
               {5, 3, {Effect::Kind::Await, 0}},
               {1, kNoDagId, {}},
               // The task for which it waits, and one that this spawns.
               {10, 5, {Effect::Kind::Start, 6}},
               {90, kNoDagId, {Effect::Kind::Signal, 0}},
               {1, 7, {}},
               {5, 8, {}},
               {1, kNoDagId, {}}};
  dag.lock_ops.resize(dag.nodes.size());
  dag.lock_ops[1] = dag.lock_ops[7] = {LockOp::Kind::Take, 0, false};
  dag.lock_ops[3] = dag.lock_ops[8] = {LockOp::Kind::Give, 0, false};
  const Simulated found = stealing(dag, 2);
  EXPECT_FALSE(found.forced);
  EXPECT_EQ(2u + 100 + 1 + 5 + 1, found.time);
}

// main holds a lock while it waits; the task that it spawned before wants it, too.
TEST(SimulatedLocks, HeldWhileItWaits) {
  const auto script = [](const std::string& of_task) {
    return "run locks=all\n"
           "site 1 a.cpp 1\n"
           "lock-place 0 spin_mutex q.cpp 17\n"
           "stream 0\n"
           "thread role=main\n"
           "lock slot=0 address=64 kind=spin_mutex\n"
           "spawn work=10 site=1 ctx=new\n"
           "take slot=0 place=0 lead=2\n"
           "spawn work=5 site=1 ctx=new-exclusive\n"
           "spawn work=1 site=1 ctx=last\n"
           "wait work=1 ctx=last\n"
           "task work=40\n"
           "task task=-1 work=50\n"
           "wait-end\n"
           "give slot=0 lead=3\n"
           "wait work=8 ctx=0.0\n" +
           of_task +
           "task task=-2 work=100\n"
           "wait-end\n"
           "end work=4\n"
           "thread-end\n";
  };
  const Dag dag = parsed_with_locks(script("section slot=0 place=0 lead=1 work=9\n"));
  const std::uint64_t work = 10 + 5 + 1 + 1 + 40 + 50 + 8 + 100 + 4;
  EXPECT_EQ(work, stealing(dag, 1).time);
  EXPECT_EQ(work, greedy_time(dag, 1));
  for (const std::uint64_t procs : {1, 2, 3})
    EXPECT_FALSE(stealing(dag, procs).forced) << procs;
  // The task comes at 11 and takes the lock for 9; main at 12, and waits until 20.
  EXPECT_EQ(8u, stealing(dag, 3).lock_waits);
}

// ---- changes

TEST(LockChanges, ByHand) {
  const Dag dag = parsed_with_locks(two_tasks("section slot=1 place=0 lead=0 work=4\n"
                                              "section slot=0 place=0 lead=30 work=60\n",
                                              "section slot=1 place=0 lead=0 work=4\n"
                                              "section slot=0 place=0 lead=20 work=60\n"));
  const std::vector<std::uint8_t> first = {1, 0};
  const auto time = [&](LockChange change, std::uint64_t factor) {
    const Dag changed = with_locks_changed(dag, first, change, factor);
    EXPECT_EQ(dag.nodes.size(), changed.nodes.size());
    return greedy_time(changed, 2);
  };
  // One waits for the other lock, which stays.
  EXPECT_EQ(169u, greedy_time(dag, 2));
  EXPECT_EQ(119u, time(LockChange::Gone, 1));
  EXPECT_EQ(119u, time(LockChange::Shared, 1));
  // In place of 60 each has it for 20.
  EXPECT_EQ(89u, time(LockChange::Shorter, 3));
  const Dag many = with_locks_changed(dag, first, LockChange::Split, 1000);
  EXPECT_EQ(2u + 999, many.locks.size());
  EXPECT_EQ(119u, greedy_time(many, 2));
}

// What is in two of the sections becomes shorter once.
TEST(LockChanges, NestedSections) {
  const Dag dag = parsed_with_locks(two_tasks("section slot=1 place=0 lead=30 work=20\n"
                                              "section slot=0 place=0 lead=10 work=60\n",
                                              ""));
  EXPECT_EQ(185u, greedy_time(with_locks_changed(dag, {1, 1}, LockChange::Shorter, 2), 1));
  EXPECT_EQ(205u, greedy_time(with_locks_changed(dag, {0, 1}, LockChange::Shorter, 2), 1));
}

TEST(LockChanges, OfRandomPrograms) {
  for (std::uint64_t seed = 1; seed <= test::oracle_runs(200); ++seed) {
    const test::ForkJoinProgram program = test::make_fork_join(seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dag dag = dag_with_locks(program.trace().source());
    std::mt19937_64 random(seed);
    add_sections(random, dag, random() % 4 + 1, seed % 2 == 0);
    const std::vector<std::uint8_t> all(dag.locks.size(), 1);
    const Dag gone = with_locks_changed(dag, all, LockChange::Gone, 1);
    const Dag split = with_locks_changed(dag, all, LockChange::Split, 3);
    const Dag shared = with_locks_changed(dag, all, LockChange::Shared, 1);
    expect_right(split);
    for (const std::uint64_t procs : {2, 5}) {
      EXPECT_EQ(simulate_work_stealing(dag, procs, 2).time, stealing(gone, procs, {}, 2).time);
      EXPECT_EQ(simulate_greedy(dag, procs).time, greedy_time(shared, procs));
    }
    // Each lock's sections are divided among three.
    const std::vector<std::uint64_t> whole = sums_of_sections(dag), parts = sums_of_sections(split);
    for (std::size_t lock = 0; lock < whole.size(); ++lock) {
      std::uint64_t sum = parts[lock];
      for (std::size_t i = 0; i < 2; ++i)
        sum += parts[whole.size() + 2 * lock + i];
      EXPECT_GE(sum, whole[lock]);
    }
    if (::testing::Test::HasFailure())
      return;
  }
}

// ---- cuts

std::vector<std::string> cuts_of(std::vector<LockUse> uses, std::uint64_t work) {
  Step step;
  step.work = work;
  step.locks = uses;
  const LockChoice choice = all_locks(2);
  LockCutter cutter;
  std::vector<std::string> found;
  for (const LockCut& cut : cutter.cut(step, choice))
    found.push_back((cut.takes ? "+" : "-") + std::string(1, "ABC"[index_of(cut.object)]) +
                    std::to_string(cut.at));
  return found;
}

constexpr LockObjectId kA{0}, kB{1}, kLeftOut{2};
using Cuts = std::vector<std::string>;

TEST(LockCuts, InTheOrderInWhichTheyWereMade) {
  EXPECT_EQ((Cuts{"+A1", "-A3", "+B5", "-B9"}),
            cuts_of({{.object = kA, .at = 1, .work = 2}, {.object = kB, .at = 5, .work = 4}}, 10));
  EXPECT_EQ((Cuts{"+A1", "+B2", "-B4", "-A9"}),
            cuts_of({{.object = kB, .at = 2, .work = 2}, {.object = kA, .at = 1, .work = 8}}, 10));
  // Hand over hand.
  EXPECT_EQ((Cuts{"+A1", "+B2", "-A4", "-B9"}),
            cuts_of({{.object = kA, .at = 1, .work = 3}, {.object = kB, .at = 2, .work = 7}}, 10));
  // At one place: one after the other; the outer one first.
  EXPECT_EQ((Cuts{"+A1", "-A3", "+B3", "-B3", "+A3", "-A5"}),
            cuts_of({{.object = kA, .at = 1, .work = 2},
                     {.object = kB, .at = 3, .work = 0},
                     {.object = kA, .at = 3, .work = 2}},
                    10));
  EXPECT_EQ((Cuts{"+A3", "+B3", "-B4", "-A5"}),
            cuts_of({{.object = kB, .at = 3, .work = 1}, {.object = kA, .at = 3, .work = 2}}, 10));
  // From before, and until after the step.
  EXPECT_EQ((Cuts{"+B1", "-B2", "-A4", "+A6", "+B6"}),
            cuts_of({{.object = kB, .at = 1, .work = 1},
                     {.kind = LockUseKind::Give, .object = kA, .at = 4},
                     {.kind = LockUseKind::Take, .object = kA, .at = 6},
                     {.kind = LockUseKind::Take, .object = kB, .at = 6}},
                    10));
  EXPECT_EQ((Cuts{}), cuts_of({{.object = kLeftOut, .at = 1, .work = 2}}, 10));
}

TEST(LockCuts, SamplesAreSpread) {
  EXPECT_EQ((Cuts{"+A20", "-A30", "+A70", "-A80"}),
            cuts_of({{.object = kA, .work = 20, .count = 2, .is_sampled = true}}, 100));
  // Not across the beginning or the end of another section.
  EXPECT_EQ((Cuts{"+A15", "-A25", "+B25", "+A65", "-A75", "-B75"}),
            cuts_of({{.object = kB, .at = 25, .work = 50},
                     {.object = kA, .work = 20, .count = 2, .is_sampled = true}},
                    100));
  const Cuts many = cuts_of({{.object = kA, .work = 90, .count = 1000, .is_sampled = true}}, 100);
  EXPECT_EQ(2 * kMostParts, many.size());
  std::uint64_t length = 0;
  for (const std::string& cut : many)
    length += (cut[0] == '-' ? 1 : ~std::uint64_t{0}) * std::stoull(cut.substr(2));
  EXPECT_EQ(90u, length);
}

} // namespace
} // namespace tp::analysis
