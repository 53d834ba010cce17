// SPDX-License-Identifier: Apache-2.0
// The rules that determine a graph's figures:
//  * A message passes every node once. A node has one predecessor, a join two; it may have any
//    number of successors.
//  * Where the order of messages matters (serial nodes, a limiter), it is the order in which one
//    task puts them: at the entry. Of several slots that are fewer than the messages, which is free
//    first depends on the run, but not when: all messages cost the same, and arrive together.
//    Joins without keys pair messages as they arrive: there is only one message.
//  * A lightweight body is part of its predecessor's task and must not wait: it is the only
//    successor of a node with a task.
#include "graph_shape.h"

#include <algorithm>

namespace random_program {
namespace {

bool has_task(NodeKind kind) {
  return has_block(kind) && kind != NodeKind::Light;
}

bool is_join(NodeKind kind) {
  return kind == NodeKind::KeyJoin || kind == NodeKind::QueueJoin || kind == NodeKind::HoldJoin;
}

// The kind of a node that is not the entry.
NodeKind pick_kind(const Pick& pick, unsigned messages) {
  static constexpr NodeKind kAny[] = {NodeKind::Function, NodeKind::Function, NodeKind::Light,
                                      NodeKind::Index,    NodeKind::KeyJoin,  NodeKind::KeyJoin,
                                      NodeKind::Queue,    NodeKind::Priority, NodeKind::Sequence,
                                      NodeKind::Overwrite};
  const NodeKind kind = kAny[pick(std::size(kAny))];
  if (kind != NodeKind::KeyJoin || messages > 1)
    return kind;
  static constexpr NodeKind kJoins[] = {NodeKind::KeyJoin, NodeKind::QueueJoin, NodeKind::HoldJoin};
  return kJoins[pick(std::size(kJoins))];
}

} // namespace

std::vector<GraphNode> message_graph(const Pick& pick, unsigned nodes, unsigned messages) {
  static constexpr NodeKind kEntries[] = {NodeKind::Function, NodeKind::Function, NodeKind::Serial,
                                          NodeKind::Limited};
  std::vector<GraphNode> graph(nodes);
  std::vector<unsigned> behind(nodes); // number of successors of each node
  std::vector<bool> closed(nodes);     // has a lightweight successor
  graph[0].kind = kEntries[pick(std::size(kEntries))];
  // One of the first `node`. A closed one has a lightweight successor, so not all are closed.
  const auto pick_before = [&](unsigned node) {
    unsigned before = pick(node);
    while (closed[before])
      before = (before + 1) % node;
    ++behind[before];
    return before;
  };
  for (unsigned node = 1; node < nodes; ++node) {
    GraphNode& made = graph[node];
    made.kind = pick_kind(pick, messages);
    made.from.push_back(pick_before(node));
    const unsigned before = made.from[0];
    if (is_join(made.kind))
      made.from.push_back(pick_before(node));
    if (made.kind == NodeKind::Light && (!has_task(graph[before].kind) || behind[before] > 1))
      made.kind = NodeKind::Function;
    closed[before] = closed[before] || made.kind == NodeKind::Light;
    made.has_priority = made.kind == NodeKind::Function && pick(5) == 0;
  }
  graph[0].until = pick_before(nodes);
  graph[0].slots = pick(3) == 0 ? messages : 1 + pick(messages);
  return graph;
}

std::vector<GraphNode> continue_graph(const Pick& pick, unsigned nodes) {
  std::vector<GraphNode> graph(nodes);
  for (unsigned node = 0; node < nodes; ++node) {
    graph[node].kind = NodeKind::Continue;
    graph[node].has_priority = pick(8) == 0;
    for (unsigned before = 0; before < node; ++before)
      if (pick(3) == 0)
        graph[node].from.push_back(before);
  }
  return graph;
}

} // namespace random_program
