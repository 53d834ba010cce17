// SPDX-License-Identifier: Apache-2.0
// The execution DAG in memory, for what cannot be computed while reading: simulation on P workers.
//
// Made for size: 16 bytes per node and 8 per join. A node is a step, or several steps of one task
// between which nothing happens that other tasks could observe (body calls of a loop). Its
// continuation in the same task is `next`. Every other effect of its end is one Effect, or a chain
// of cells for the rare node with several. A join counts what it is waiting for, and has an effect
// of its own when that is over.
//
// A *shared loop* is one whose chunks the threads of a team take while they run it (OpenMP: dynamic, guided), so
// that another schedule deals them out in another way. What runs it is a *member*: the task of one thread. Up to its
// first chunk, and in each chunk, the nodes are a *turn*; at the end of a turn the member that ran it goes on with
// the next chunk of the loop that none has taken, or if there is none, behind the loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tp::analysis {

using DagNodeId = std::uint32_t;
using DagJoinId = std::uint32_t;
using DagTurnId = std::uint32_t;
inline constexpr std::uint32_t kNoDagId = ~std::uint32_t{0};
inline constexpr std::size_t kMostDagNodes = std::size_t{1} << 30; // an Effect has 30 bits for them

class Effect {
public:
  enum class Kind : std::uint32_t {
    Start,  // a node of another task, or one that any worker may continue with, becomes ready
    Signal, // a join waits for one thing less
    Await,  // of a node: the task continues when this join is over
    Several // a chain of cells
  };
  Effect() = default;
  Effect(Kind kind, std::uint32_t id) : bits_(static_cast<std::uint32_t>(kind) << 30 | id) {}
  explicit operator bool() const { return bits_ != kNoDagId; }
  Kind kind() const { return static_cast<Kind>(bits_ >> 30); }
  std::uint32_t id() const { return bits_ & (kMostDagNodes - 1); }

private:
  std::uint32_t bits_ = kNoDagId;
};

// How a lock is handed over to who waits for it (dag_locks.h).
enum class HandOver : std::uint8_t { InOrder, Spins, Sleeps, SpinsThenSleeps, Phases, LetsBegin };
constexpr bool sleeps_at_once(HandOver hand_over) {
  return hand_over == HandOver::Sleeps || hand_over == HandOver::Phases;
}
// Marked: a writer that has looked in vain marks the lock, and the end of a writer's section takes the mark away.
enum class Prefers : std::uint8_t { None, Readers, Writers, Marked };
struct LockRules {
  HandOver hand_over = HandOver::InOrder;
  Prefers prefers = Prefers::None;
  std::uint32_t times = 0; // index into LockCosts::times, and 1; 0: none of its own
};
using DagLockId = std::uint32_t;

// What the task does when a node begins: nothing, or it takes or gives back a lock.
class LockOp {
public:
  enum class Kind : std::uint32_t { None, Take, Give };
  static constexpr DagLockId kMostLocks = 1u << 29;
  LockOp() = default;
  LockOp(Kind kind, DagLockId lock, bool shared)
      : bits_(static_cast<std::uint32_t>(kind) << 30 | std::uint32_t{shared} << 29 | lock) {}
  Kind kind() const { return static_cast<Kind>(bits_ >> 30); }
  bool shared() const { return (bits_ >> 29 & 1) != 0; }
  DagLockId lock() const { return bits_ & (kMostLocks - 1); }

private:
  std::uint32_t bits_ = 0;
};

struct Dag {
  // In a node's cost: it takes this time, but no worker. It is the `next` of a node, and has a `next`
  // and no effect.
  static constexpr std::uint64_t kSleeps = std::uint64_t{1} << 63;
  struct Node {
    std::uint64_t cost = 0;
    bool sleeps() const { return (cost & kSleeps) != 0; }
    std::uint64_t time() const { return cost & ~kSleeps; }
    DagNodeId next = kNoDagId; // in the same task
    Effect effect;
  };
  struct Join {
    std::uint32_t count = 0;
    Effect effect;
  };
  struct Cell {
    Effect effect;
    std::uint32_t next = kNoDagId;
  };
  // In the `next` of the last node of a turn, which no join follows: which turn.
  static constexpr DagNodeId kEndsTurn = DagNodeId{1} << 31;
  static constexpr bool ends_turn(DagNodeId next) { return next != kNoDagId && next >= kEndsTurn; }
  static constexpr DagTurnId turn_of(DagNodeId next) { return next & ~kEndsTurn; }
  struct Turn {
    std::uint32_t loop = 0;
    DagNodeId node =
        kNoDagId; // chunk: its first; up to a member's first chunk: the member's node behind the loop
  };
  static_assert(sizeof(Node) == 16 && sizeof(Join) == 8);

  std::vector<Node> nodes;
  std::vector<Join> joins;
  std::vector<Cell> cells;
  // Limits of concurrency (model/concurrency.h): the pool of each node; empty: no node is in one.
  std::vector<std::uint16_t> pool_of_node;
  // Locks that may matter, and what the tasks do with them; empty: there are none.
  std::vector<LockRules> locks;
  std::vector<LockOp> lock_ops; // of each node
  std::vector<DagNodeId> roots; // ready at time 0: threads that the program created itself
  std::vector<bool> barriers;   // by join, as far as there are any: of barriers of OpenMP's
  std::vector<Turn> turns;
  std::vector<std::vector<DagTurnId>>
      loops; // the shared ones: chunks in the order in which they began

  std::size_t pool_of(DagNodeId node) const {
    return pool_of_node.empty() ? 0 : pool_of_node[node];
  }
  bool is_barrier(DagJoinId join) const { return join < barriers.size() && barriers[join]; }
  // Hot: calls `function` with each single effect.
  template <typename Function>
  void for_each(Effect effect, Function&& function) const {
    if (!effect)
      return;
    if (effect.kind() != Effect::Kind::Several) [[likely]] {
      function(effect);
      return;
    }
    for (std::uint32_t cell = effect.id(); cell != kNoDagId; cell = cells[cell].next)
      function(cells[cell].effect);
  }
  std::size_t bytes() const {
    return nodes.size() * sizeof(Node) + joins.size() * sizeof(Join) + cells.size() * sizeof(Cell) +
           pool_of_node.size() * sizeof(std::uint16_t) + lock_ops.size() * sizeof(LockOp) +
           barriers.size() / 8 + turns.size() * (sizeof(Turn) + sizeof(DagTurnId)) +
           loops.size() * sizeof(std::vector<DagTurnId>);
  }
};

} // namespace tp::analysis
