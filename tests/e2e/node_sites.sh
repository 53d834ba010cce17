# The nodes of flow graphs are named by the place of their construction, in every form of it, and all compilers agree:
# variables, members, nodes made by new, make_unique and emplace_back, deduced classes, templates.
. "$(dirname "$0")/common.inc"
[ -x "$TP_PREFIX/bin/tp-c++" ] || skip "tp-c++ is not installed"
cat >nodes.cpp <<'X'
#include <oneapi/tbb/flow_graph.h>
#include <tp/virtual_clock.h>
#include <deque>
#include <memory>
namespace flow = tbb::flow;
using Node = flow::function_node<int, int>;
int work(int units) { tp::spend(unsigned(units)); return units; }
struct Stages {
  flow::graph graph;
  Node first;
  Node second{graph, flow::serial,
              [](int i) { return work(i); }};
  Stages()
      : first(graph, flow::unlimited,
              [](int i) {
                return work(i);
              }) {}
};
template <typename T>
void generic(T units) {
  flow::graph graph;
  flow::function_node<T, T> node(graph, flow::unlimited,
                                 [](T i) { return T(work(int(i))); });
  node.try_put(units);
  graph.wait_for_all();
}
int main() {
  Stages s;
  auto unique = std::make_unique<Node>(s.graph, flow::unlimited,
                                       [](int i) { return work(i); });
  auto shared = std::make_shared<flow::continue_node<int>>(
      s.graph, [](const flow::continue_msg&) { return work(8); });
  std::deque<Node> nodes;
  nodes.emplace_back(s.graph, flow::unlimited, [](int i) { return work(i); });
  flow::function_node deduced(s.graph, flow::unlimited,
                              [](const int& i) { return work(i); });
  std::unique_ptr<Node> owned(new Node(
      s.graph, flow::unlimited,
      [](int i) { return work(i); }));
  s.first.try_put(1), s.second.try_put(2), unique->try_put(4), shared->try_put(flow::continue_msg());
  nodes[0].try_put(16), deduced.try_put(32), owned->try_put(64);
  s.graph.wait_for_all();
  generic(128);
  generic(256L);
}
X
sites() {
  python3 -c 'import json
sites = json.load(open("profile.json"))["sites"]
print(" ".join("%s:%d-%d %d %s %s," % s for s in sorted((s["file"], s["line"], s["end_line"], s["work"], "".join(s["constructs"]),
      "".join(s["functions"])) for s in sites if s["line"])))'
}
expected="nodes.cpp:11-12 2 function_node Stages::second, nodes.cpp:14-17 1 function_node Stages::Stages,\
 nodes.cpp:22-23 384 function_node generic, nodes.cpp:29-30 4 function_node main, nodes.cpp:31-32 8 continue_node main,\
 nodes.cpp:34-34 16 function_node main, nodes.cpp:35-36 32 function_node main, nodes.cpp:37-39 64 function_node main,"
for compiler in "$cxx" clang++-19; do
  command -v "$compiler" >/dev/null || continue
  TP_CXX=$compiler "$TP_PREFIX/bin/tp-c++" -std=c++17 -g -Wall -Wextra nodes.cpp -o nodes -ltbb 2>messages ||
    { fail "$compiler: $(head -3 messages)"; continue; }
  [ ! -s messages ] || fail "$compiler: $(head -3 messages)"
  rm -rf tp-data
  ours ./nodes
  analyze tp-data
  same "$compiler" "$expected" "$(sites)"
done
finish
