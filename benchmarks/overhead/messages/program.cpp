// SPDX-License-Identifier: Apache-2.0
// Messages through flow graphs whose bodies do nothing: the cost of one message to the process, in
// ns of CPU time. Prints a line "NAME NS" per graph. Only the thread that puts the messages runs
// bodies.
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>

#include <cstdio>
#include <ctime>
#include <memory>
#include <tuple>
#include <vector>

namespace flow = tbb::flow;
using flow::continue_msg;

namespace {

constexpr int kNodes = 10;
constexpr int kRounds = 20000;

double cpu_ns() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

// `put` puts `messages` messages into the graph.
template <typename Put>
void measure(const char* name, flow::graph& graph, int messages, Put put) {
  double best = 0;
  for (int turn = 0; turn < 5; ++turn) {
    const double begin = cpu_ns();
    for (int round = 0; round < kRounds; ++round) {
      put();
      graph.wait_for_all();
    }
    const double ns = (cpu_ns() - begin) / kRounds / messages;
    best = turn == 0 || ns < best ? ns : best;
  }
  std::printf("%s %.1f\n", name, best);
}

void chain(const char* name, std::size_t concurrency) {
  flow::graph graph;
  std::vector<std::unique_ptr<flow::function_node<int, int>>> nodes;
  for (int i = 0; i < kNodes; ++i) {
    nodes.push_back(std::make_unique<flow::function_node<int, int>>(
        graph, concurrency, [](int value) { return value; }));
    if (i > 0)
      flow::make_edge(*nodes[nodes.size() - 2], *nodes.back());
  }
  measure(name, graph, kNodes, [&] { nodes[0]->try_put(1); });
}

void broadcast() {
  flow::graph graph;
  flow::broadcast_node<continue_msg> source(graph);
  std::vector<std::unique_ptr<flow::continue_node<continue_msg>>> nodes;
  for (int i = 0; i < kNodes; ++i) {
    nodes.push_back(std::make_unique<flow::continue_node<continue_msg>>(
        graph, [](const continue_msg&) { return continue_msg(); }));
    flow::make_edge(source, *nodes.back());
  }
  measure("broadcast-to-continue", graph, kNodes, [&] { source.try_put(continue_msg()); });
}

void queue() {
  flow::graph graph;
  flow::queue_node<int> queue(graph);
  flow::function_node<int> last(graph, flow::unlimited, [](int) {});
  flow::make_edge(queue, last);
  measure("queue", graph, kNodes, [&] {
    for (int i = 0; i < kNodes; ++i)
      queue.try_put(i);
  });
}

// Counts each message that is put to a port.
void join() {
  flow::graph graph;
  using Pair = std::tuple<int, int>;
  flow::join_node<Pair> join(graph);
  flow::function_node<Pair> last(graph, flow::unlimited, [](const Pair&) {});
  flow::make_edge(join, last);
  measure("join", graph, kNodes, [&] {
    for (int i = 0; i < kNodes / 2; ++i) {
      flow::input_port<0>(join).try_put(i);
      flow::input_port<1>(join).try_put(i);
    }
  });
}

} // namespace

int main() {
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 1);
  chain("chain", flow::unlimited);
  chain("chain-serial", flow::serial);
  broadcast();
  queue();
  join();
}
