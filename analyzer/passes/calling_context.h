// SPDX-License-Identifier: Apache-2.0
// CALLING CONTEXTS: the chain of spawn sites that leads from main to a task. A calling context tree
// (Ammons, Ball, Larus, PLDI 1997) with sites in place of functions: one node per distinct chain,
// and recursion folded, so that a site below itself is the node that it already has on the chain.
// So no chain is longer than the number of sites. Chains beyond the limit on nodes are kept by
// their last site only, below one node for all of them.
//
// The tree contains only additive figures: those of a node are the sums over its own tasks' steps.
#pragma once

#include "base/id_table.h"
#include "dag/dag_visitor.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tp::analysis {

inline constexpr ContextId kRootContext{0}; // main
// Row of the node above the chains that exceed the limit.
inline constexpr Row kFurtherContexts{~std::uint32_t{0}};

class CallingContextTree {
public:
  struct Node { // its parent has a smaller id
    ContextId parent = kRootContext;
    Row row = kMainRow;
    std::uint64_t tasks = 0; // that have begun
  };
  struct Edge { // tasks of `row`, spawned in `from`, belong to `to`: its child unless folded
    ContextId from;
    Row row;
    ContextId to;
    std::uint64_t spawns;
  };

  explicit CallingContextTree(std::size_t most_nodes = kMostNodes)
      : most_nodes_(most_nodes), nodes_(1) {}

  // Once per task.
  ContextId spawned(ContextId from, Row row) {
    const std::uint64_t key = std::uint64_t{index_of(from)} << 32 | index_of(row);
    const std::uint32_t* const known = edge_of_.find(key);
    const std::uint32_t edge = known ? *known : add_edge(key, from, row);
    ++edges_[edge].spawns;
    return edges_[edge].to;
  }
  void begun(ContextId context) { ++nodes_[context].tasks; }
  // A task that has begun there is none of the program's.
  void begun_for_runtime(ContextId context) { --nodes_[context].tasks; }

  const IdVector<ContextId, Node>& nodes() const { return nodes_; }
  const std::vector<Edge>& edges() const { return edges_; }

private:
  static constexpr std::size_t kMostNodes = 1 << 16;

  std::uint32_t add_edge(std::uint64_t key, ContextId from, Row row);
  ContextId target(ContextId from, Row row);
  ContextId add_node(ContextId parent, Row row);
  ContextId further(Row row);

  std::size_t most_nodes_;
  IdVector<ContextId, Node> nodes_;
  std::vector<Edge> edges_;
  IdTable<std::uint32_t> edge_of_;   // by (from, row)
  IdTable<ContextId> further_of_;    // by row
  ContextId further_ = kRootContext; // kRootContext: none yet
};

} // namespace tp::analysis
