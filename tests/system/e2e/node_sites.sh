# SPDX-License-Identifier: Apache-2.0
# The nodes of flow graphs get their sites from the place of their construction in every form, and
# all compilers agree: variables, members, nodes made by new, make_unique and emplace_back, deduced
# classes, templates. What a body sends on is also work of its node. Nodes are named by their variables,
# as far as the source says what is constructed at the place, in recompiled code without tp-c++ as well.
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
struct Others {
  flow::graph graph;
  flow::input_node<int> asked{graph, [n = 1](tbb::flow_control& control) mutable {
    if (n > 2) control.stop();
    return work(n++ * 512);
  }};
  flow::multifunction_node<int, std::tuple<int>> many{graph, flow::unlimited,
                                                      [](int, auto&) { work(4096); }};
  flow::async_node<int, int> outside{graph, flow::unlimited, [](int i, auto&) { work(i); }};
};
void others() {
  Others o;
  flow::make_edge(o.asked, o.many);
  flow::async_node<int, int> local(o.graph, flow::unlimited,
                                   [](int i, auto&) { work(i); });
  o.asked.activate(), o.outside.try_put(16384), local.try_put(32768);
  o.graph.wait_for_all();
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
  others();
}
X
sites() {
  python3 -c 'import json
sites = json.load(open("profile.json"))["sites"]
print(" ".join("%s:%d-%d %d %s %s %s," % s for s in sorted((s["file"], s["line"], s["end_line"], s["work"], "".join(s["constructs"]),
      "".join(s["functions"]), s["variable"] or "-") for s in sites if s["line"])))'
}
names() {
  python3 -c 'import json
print(*sorted({s["variable"] for s in json.load(open("profile.json"))["sites"] if s["line"]} - {""}))'
}
expected="nodes.cpp:11-12 2 function_node Stages::second second, nodes.cpp:14-17 1 function_node Stages::Stages first,\
 nodes.cpp:22-23 384 function_node generic node, nodes.cpp:29-32 11264 input_node Others::asked asked,\
 nodes.cpp:33-34 8192 multifunction_node Others::many many, nodes.cpp:35-35 16384 async_node Others::outside outside,\
 nodes.cpp:40-41 32768 async_node others local, nodes.cpp:47-48 4 function_node main unique, nodes.cpp:49-50 8 continue_node main shared,\
 nodes.cpp:52-52 16 function_node main -, nodes.cpp:53-54 32 function_node main deduced, nodes.cpp:55-57 64 function_node main owned,"
for compiler in "$cxx" clang++-19; do
  command -v "$compiler" >/dev/null || continue
  TP_CXX=$compiler "$TP_PREFIX/bin/tp-c++" -std=c++17 -g -Wall -Wextra nodes.cpp -o nodes -ltbb 2>messages ||
    { fail "$compiler: $(head -3 messages)"; continue; }
  [ ! -s messages ] || fail "$compiler: $(head -3 messages)"
  rm -rf tp-data
  ours ./nodes
  analyze tp-data
  same "$compiler" "$expected" "$(sites)"
  in_file profile.json '"name": "first (nodes.cpp:14)"'

  "$compiler" -std=c++17 -O1 -g nodes.cpp -o headers -I"$TP_PREFIX/include" -L"$TP_PREFIX/lib" -Wl,-rpath,"$TP_PREFIX/lib" -ltbb ||
    { fail "$compiler: no program with our headers only"; continue; }
  rm -rf tp-data
  ours ./headers
  analyze tp-data
  same "$compiler, headers only" "asked deduced first local many node outside owned second" "$(names)"
  sed -i '1i// one line more' nodes.cpp # the source is not that of the program any more
  analyze tp-data
  same "$compiler, after a change" "" "$(names)"
  sed -i 1d nodes.cpp
done
finish
