// SPDX-License-Identifier: Apache-2.0
// The rare half: a chain that occurs for the first time.
#include "passes/calling_context.h"

namespace tp::analysis {

std::uint32_t CallingContextTree::add_edge(std::uint64_t key, ContextId from, Row row) {
  const auto edge = static_cast<std::uint32_t>(edges_.size());
  edges_.push_back({from, row, target(from, row), 0});
  edge_of_.insert(key, edge);
  return edge;
}

ContextId CallingContextTree::target(ContextId from, Row row) {
  for (ContextId each = from;; each = nodes_[each].parent) {
    if (nodes_[each].row == row)
      return each;
    if (each == kRootContext)
      break;
  }
  return nodes_.size() < most_nodes_ ? add_node(from, row) : further(row);
}

ContextId CallingContextTree::add_node(ContextId parent, Row row) {
  return nodes_.push_back({parent, row, 0});
}

ContextId CallingContextTree::further(Row row) {
  if (further_ == kRootContext)
    further_ = add_node(kRootContext, kFurtherContexts);
  if (const ContextId* const known = further_of_.find(index_of(row)))
    return *known;
  const ContextId fresh = add_node(further_, row);
  further_of_.insert(index_of(row), fresh);
  return fresh;
}

} // namespace tp::analysis
