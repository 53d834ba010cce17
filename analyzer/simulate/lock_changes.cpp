// SPDX-License-Identifier: Apache-2.0
// See lock_changes.h.
#include "simulate/lock_changes.h"

#include <vector>

namespace tp::analysis {
namespace {

// The node that gives back what `take` takes; kNoDagId: none of its chain. A section of its lock that is
// inside of it has no operations of its own.
DagNodeId end_of_section(const Dag& dag, DagNodeId take) {
  const LockOp op = dag.lock_ops[take];
  DagNodeId node = dag.nodes[take].next;
  while (
      node != kNoDagId && !Dag::ends_turn(node) &&
      (dag.lock_ops[node].kind() != LockOp::Kind::Give || dag.lock_ops[node].lock() != op.lock()))
    node = dag.nodes[node].next;
  return Dag::ends_turn(node) ? kNoDagId : node;
}

void shorten(Dag& dag, const std::vector<std::uint8_t>& chosen, std::uint64_t factor) {
  std::vector<bool> inside(dag.nodes.size());
  for (DagNodeId take = 0; take < dag.nodes.size(); ++take) {
    const LockOp op = dag.lock_ops[take];
    if (op.kind() != LockOp::Kind::Take || chosen[op.lock()] == 0)
      continue;
    const DagNodeId end = end_of_section(dag, take);
    if (end != kNoDagId)
      for (DagNodeId node = take; node != end; node = dag.nodes[node].next)
        inside[node] = true;
  }
  for (DagNodeId node = 0; node < dag.nodes.size(); ++node)
    if (Dag::Node& each = dag.nodes[node]; inside[node])
      each.cost = (each.sleeps() ? Dag::kSleeps : 0) | each.time() / factor;
}

void split(Dag& dag, const std::vector<std::uint8_t>& chosen, std::uint64_t factor) {
  std::vector<DagLockId> first(chosen.size()); // the second lock in place of each
  for (DagLockId lock = 0; lock < chosen.size(); ++lock) {
    first[lock] = static_cast<DagLockId>(dag.locks.size());
    if (chosen[lock] != 0)
      dag.locks.insert(dag.locks.end(), factor - 1, LockRules(dag.locks[lock]));
  }
  std::uint64_t random = 0;
  for (DagNodeId take = 0; take < dag.nodes.size(); ++take) {
    const LockOp op = dag.lock_ops[take];
    if (op.kind() != LockOp::Kind::Take || op.lock() >= chosen.size() || chosen[op.lock()] == 0)
      continue;
    const DagNodeId end = end_of_section(dag, take);
    random = random * 6364136223846793005u + 1442695040888963407u; // Knuth's generator
    const std::uint64_t part = (random >> 33) % factor;
    if (end == kNoDagId || part == 0)
      continue;
    const auto lock = static_cast<DagLockId>(first[op.lock()] + part - 1);
    dag.lock_ops[take] = {LockOp::Kind::Take, lock, op.shared()};
    dag.lock_ops[end] = {LockOp::Kind::Give, lock, op.shared()};
  }
}

} // namespace

Dag with_locks_changed(const Dag& dag, const std::vector<std::uint8_t>& chosen, LockChange change,
                       std::uint64_t factor) {
  Dag changed = dag;
  switch (change) {
  case LockChange::Shorter:
    shorten(changed, chosen, factor);
    break;
  case LockChange::Split:
    split(changed, chosen, factor);
    break;
  case LockChange::Shared:
  case LockChange::Gone:
    for (LockOp& op : changed.lock_ops)
      if (op.kind() != LockOp::Kind::None && chosen[op.lock()] != 0)
        op = change == LockChange::Gone ? LockOp() : LockOp(op.kind(), op.lock(), true);
    break;
  }
  return changed;
}

} // namespace tp::analysis
