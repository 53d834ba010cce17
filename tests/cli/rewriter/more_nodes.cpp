// Nodes that are asked for messages, have many outputs, or leave their work to others: named like the others (nodes.cpp).
#include <memory>
#include <tbb/tbb.h>
#include <tuple>
#include <vector>

namespace flow = tbb::flow;
using Outputs = std::tuple<int, int>;
using Split = flow::multifunction_node<int, Outputs>;
using Async = flow::async_node<int, int>;
int next(tbb::flow_control&) { return 1; }
void split(int, Split::output_ports_type&) {}
void start(int, Async::gateway_type&) {}
struct Stages {
  flow::graph graph;
  flow::input_node<int> first{graph, next};
  Split second{graph, flow::unlimited, split};
  Async third{graph, flow::serial, start, 2};
  flow::async_node<int, int, flow::lightweight> fourth{graph, 1, [](int, auto&) {}, flow::lightweight()};
  std::vector<Split> more;
};

template <typename T>
void generic() {
  flow::graph graph;
  flow::input_node<T> node(graph, [](tbb::flow_control&) { return T(); });
  (void)node;
}

int main() {
  Stages s;
  flow::input_node<int> five(s.graph, next);
  auto six = std::make_unique<flow::input_node<int>>(s.graph, next);
  auto seven = std::make_shared<Async>(s.graph, flow::unlimited, start);
  s.more.emplace_back(s.graph, flow::unlimited, split);
  Split eight = Split(s.graph, 2, split);
  (void)five, (void)eight;
  generic<int>();
}
