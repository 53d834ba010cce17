// SPDX-License-Identifier: Apache-2.0
// A graph whose second node takes one message at a time.
#include <oneapi/tbb/flow_graph.h>
#include <tp/virtual_clock.h>

int main() {
  namespace flow = tbb::flow;
  flow::graph graph;
  flow::function_node<int, int> detect(graph, flow::unlimited, [](int frame) {
    tp::spend(100);
    return frame;
  });
  flow::function_node<int> track(graph, flow::serial, [](int) { tp::spend(50); });
  flow::make_edge(detect, track);
  for (int frame = 0; frame < 100; ++frame)
    detect.try_put(frame);
  graph.wait_for_all();
}
