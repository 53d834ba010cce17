// Nodes of flow graphs: a construction stays as it is (tp-c++ adds a note about it), but for default member initializers,
// which the compiler would place at the constructor; what constructs a node is wrapped.
#include <deque>
#include <memory>
#include <optional>
#include <tbb/tbb.h>
#include <vector>

using Node = tbb::flow::function_node<int, int>;
using Light = tbb::flow::function_node<int, int, tbb::flow::lightweight>;
int same(int i) { return i; }
struct Stages {
  tbb::flow::graph graph;
  Node first{graph, tbb::flow::serial, same};
  Node second = Node(graph, tbb::flow::serial, same, 3);
  Light third{graph, tbb::flow::serial, same, tbb::flow::lightweight()};
  tbb::flow::continue_node<int> fourth{graph, 2, [](tbb::flow::continue_msg) { return 4; }};
  Node fifth;
  std::deque<Node> more;
  Stages() : fifth(graph, 1, same) { more.emplace_back(graph, 1, same); }
};

template <typename T>
void generic() {
  tbb::flow::graph graph;
  tbb::flow::function_node<T> node(graph, 1, [](T i) { return i; });
  (void)node;
}

int main() {
  Stages s;
  tbb::flow::continue_node<int> six(s.graph, [](tbb::flow::continue_msg) { return 6; });
  auto seven = std::make_unique<Node>(s.graph, tbb::flow::unlimited, same);
  auto eight = std::make_shared<Light>(s.graph, tbb::flow::unlimited, same);
  std::optional<Node> nine;
  nine.emplace(s.graph, 1, [](int i) { return i; });
  std::vector<int> plain;
  plain.emplace_back(10);
  auto number = std::make_unique<int>(11);
  Node copy(*nine);
  (void)six, (void)copy;
  generic<int>();
  return plain[0] + *number - 21;
}
