// SPDX-License-Identifier: Apache-2.0
// One function per kind of node. Messages are their numbers. All calls are one site (call: graph).
#include "graph_interpreter.h"
#include "plan_sites.h"

#include <oneapi/tbb/flow_graph.h>

#include <atomic>
#include <memory>
#include <tuple>
#include <vector>

namespace random_program {
namespace {

namespace flow = tbb::flow;
using flow::continue_msg;
using Pair = std::tuple<int, int>;
using Run = std::function<void(const Block&)>;

// Runs the blocks of nodes, and counts the runs.
class Blocks {
public:
  Blocks(const Statement& statement, const Run& run)
      : statement_(statement), run_(run), times_(statement.nodes.size()) {}
  void run(std::size_t node) {
    run_(statement_.blocks[node]);
    ++times_[node];
  }
  void run_before_put() const { run_(statement_.join); }
  bool all_ran() const {
    for (std::size_t node = 0; node < times_.size(); ++node)
      if (has_block(statement_.nodes[node].kind) && times_[node] != statement_.iterations)
        return false;
    return true;
  }

private:
  const Statement& statement_;
  const Run& run_;
  std::vector<std::atomic<unsigned>> times_;
};

flow::node_priority_t priority_of(const GraphNode& node) {
  return node.has_priority ? 1u : flow::no_priority;
}

class MessageGraph {
public:
  MessageGraph(const Statement& statement, Blocks& blocks)
      : statement_(statement), nodes_(statement.nodes), blocks_(blocks) {
    for (std::size_t node = 0; node < nodes_.size(); ++node)
      make(node);
    if (limiter_)
      close_limiter();
  }
  void put(int message) { entry_->try_put(message); }
  void wait() { graph_.wait_for_all(); }

private:
  using Sender = flow::sender<int>;
  using Receiver = flow::receiver<int>;

  template <typename Node, typename... Arguments>
  Node& keep(Arguments&&... arguments) {
    const auto node = std::make_shared<Node>(graph_, std::forward<Arguments>(arguments)...);
    kept_.push_back(node);
    return *node;
  }
  template <typename Policy = flow::queueing>
  auto& function(std::size_t node, std::size_t concurrency = flow::unlimited) {
    // Bodies of lightweight nodes do not throw.
    constexpr bool light = std::is_same_v<Policy, flow::lightweight>;
    const auto body = [this, node](int message) noexcept(light) {
      blocks_.run(node);
      return message;
    };
    return keep<flow::function_node<int, int, Policy>>(concurrency, body, Policy(),
                                                       priority_of(nodes_[node]) TP_AT(statement_));
  }
  void make(std::size_t node);
  // Registers the node's input and output.
  void add(std::size_t node, Receiver& in, Sender& out);
  void add_limited(std::size_t node);
  void close_limiter();
  void add_index(std::size_t node);
  template <typename Join>
  void add_join(std::size_t node, Join& join, Receiver& left, Receiver& right);
  // A buffer gives each message to one successor only: a broadcast_node.
  template <typename Buffer>
  void add_buffer(std::size_t node, Buffer& buffer) {
    auto& broadcast = keep<flow::broadcast_node<int>>();
    flow::make_edge(buffer, broadcast);
    add(node, buffer, broadcast);
  }

  const Statement& statement_;
  const std::vector<GraphNode>& nodes_;
  Blocks& blocks_;
  flow::graph graph_;
  std::vector<std::shared_ptr<void>> kept_; // its nodes
  std::vector<Sender*> out_;
  Receiver* entry_ = nullptr;
  flow::limiter_node<int>* limiter_ = nullptr;
};

void MessageGraph::add(std::size_t node, Receiver& in, Sender& out) {
  if (nodes_[node].from.empty())
    entry_ = &in;
  else
    flow::make_edge(*out_[nodes_[node].from[0]], in);
  out_.push_back(&out);
}

void MessageGraph::add_limited(std::size_t node) {
  auto& queue = keep<flow::queue_node<int>>();
  limiter_ = &keep<flow::limiter_node<int>>(nodes_[node].slots);
  auto& made = function(node);
  flow::make_edge(queue, *limiter_);
  flow::make_edge(*limiter_, made);
  add(node, queue, made);
}

void MessageGraph::close_limiter() {
  auto& decrement = keep<flow::function_node<int, continue_msg>>(
      flow::unlimited, [](int) { return continue_msg(); }, flow::queueing(),
      flow::no_priority TP_AT(statement_));
  flow::make_edge(*out_[nodes_[0].until], decrement);
  flow::make_edge(decrement, limiter_->decrementer());
}

void MessageGraph::add_index(std::size_t node) {
  using Indexer = flow::indexer_node<int, int>;
  using Either = Indexer::output_type;
  auto& indexer = keep<Indexer>();
  auto& made = keep<flow::function_node<Either, int>>(
      flow::unlimited,
      [this, node](const Either& message) {
        blocks_.run(node);
        return flow::cast_to<int>(message);
      },
      flow::queueing(), flow::no_priority TP_AT(statement_));
  flow::make_edge(indexer, made);
  add(node, flow::input_port<1>(indexer), made);
}

template <typename Join>
void MessageGraph::add_join(std::size_t node, Join& join, Receiver& left, Receiver& right) {
  auto& made = keep<flow::function_node<Pair, int>>(
      flow::unlimited,
      [this, node](const Pair& messages) {
        blocks_.run(node);
        return std::get<0>(messages);
      },
      flow::queueing(), flow::no_priority TP_AT(statement_));
  flow::make_edge(join, made);
  flow::make_edge(*out_[nodes_[node].from[1]], right);
  add(node, left, made);
}

void MessageGraph::make(std::size_t node) {
  const auto key = [](int message) { return message; };
  switch (nodes_[node].kind) {
  case NodeKind::Function: {
    auto& made = function(node);
    return add(node, made, made);
  }
  case NodeKind::Serial: {
    auto& made = function(node, flow::serial);
    return add(node, made, made);
  }
  case NodeKind::Limited:
    return add_limited(node);
  case NodeKind::Light: {
    auto& made = function<flow::lightweight>(node);
    return add(node, made, made);
  }
  case NodeKind::Index:
    return add_index(node);
  case NodeKind::KeyJoin: {
    auto& join = keep<flow::join_node<Pair, flow::key_matching<int>>>(key, key);
    return add_join(node, join, flow::input_port<0>(join), flow::input_port<1>(join));
  }
  case NodeKind::QueueJoin: {
    auto& join = keep<flow::join_node<Pair>>();
    return add_join(node, join, flow::input_port<0>(join), flow::input_port<1>(join));
  }
  case NodeKind::HoldJoin: {
    auto& join = keep<flow::join_node<Pair, flow::reserving>>();
    auto &left = keep<flow::queue_node<int>>(), &right = keep<flow::queue_node<int>>();
    flow::make_edge(left, flow::input_port<0>(join));
    flow::make_edge(right, flow::input_port<1>(join));
    return add_join(node, join, left, right);
  }
  case NodeKind::Queue:
    return add_buffer(node, keep<flow::queue_node<int>>());
  case NodeKind::Priority:
    return add_buffer(node, keep<flow::priority_queue_node<int>>());
  case NodeKind::Sequence:
    return add_buffer(node, keep<flow::sequencer_node<int>>(
                                [](int message) { return static_cast<std::size_t>(message); }));
  case NodeKind::Overwrite: {
    auto& made = keep<flow::overwrite_node<int>>();
    return add(node, made, made);
  }
  case NodeKind::Continue:
    break; // only in graphs of continue_node
  }
}

void run_messages(const Statement& statement, Blocks& blocks) {
  MessageGraph graph(statement, blocks);
  for (unsigned message = 0; message < statement.iterations; ++message) {
    blocks.run_before_put();
    graph.put(static_cast<int>(message));
  }
  graph.wait();
}

void run_continue(const Statement& statement, Blocks& blocks) {
  using Continue = flow::continue_node<continue_msg>;
  flow::graph graph;
  std::vector<std::unique_ptr<Continue>> made;
  for (std::size_t node = 0; node < statement.nodes.size(); ++node) {
    made.push_back(std::make_unique<Continue>(
        graph, [&blocks, node](const continue_msg&) { blocks.run(node); },
        priority_of(statement.nodes[node]) TP_AT(statement)));
    for (const unsigned before : statement.nodes[node].from)
      flow::make_edge(*made[before], *made[node]);
  }
  for (unsigned message = 0; message < statement.iterations; ++message) {
    for (std::size_t node = 0; node < made.size(); ++node)
      if (statement.nodes[node].from.empty()) {
        blocks.run_before_put();
        made[node]->try_put(continue_msg());
      }
    graph.wait_for_all();
  }
}

} // namespace

bool run_graph(const Statement& statement, const Run& run) {
  Blocks blocks(statement, run);
  // The graph made everything that the calling task spawns here.
  TP_ALL_AT(statement);
  if (statement.nodes[0].kind == NodeKind::Continue)
    run_continue(statement, blocks);
  else
    run_messages(statement, blocks);
  return blocks.all_ran();
}

} // namespace random_program
