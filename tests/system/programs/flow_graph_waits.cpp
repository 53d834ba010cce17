// SPDX-License-Identifier: Apache-2.0
// Waits for one message of a flow graph: a preview of oneTBB 2022 that changes all graph code.
#define TBB_PREVIEW_FLOW_GRAPH_TRY_PUT_AND_WAIT 1
#include "specification.h"

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/version.h>

using namespace spec;
namespace flow = tbb::flow;

namespace {

struct Body {
  Units cost;
  int operator()(int message) const {
    spend(cost);
    return message;
  }
};
using Node = flow::function_node<int, int>;

} // namespace

CASE(for_all) {
  flow::graph graph;
  Node first(graph, flow::unlimited, Body{10}), second(graph, flow::unlimited, Body{5});
  flow::make_edge(first, second);
  first.try_put(1);
  spend(3);
  graph.wait_for_all();
  spend(2);
  expect({20, 17});
}
#if TBB_VERSION_MAJOR >= 2022
CASE(one_after_the_other) {
  flow::graph graph;
  Node first(graph, flow::unlimited, Body{10}), second(graph, flow::unlimited, Body{5});
  flow::make_edge(first, second);
  for (int message = 0; message < 4; ++message) {
    spend(1);
    first.try_put_and_wait(message);
  }
  spend(2);
  graph.wait_for_all();
  expect({4 * 16 + 2, 4 * 16 + 2});
}
CASE(beside_another) {
  // Whether the wait also covers the other one, which was in the graph by then, is unknown.
  flow::graph graph;
  Node other(graph, flow::unlimited, Body{1000}), one(graph, flow::unlimited, Body{10});
  other.try_put(1);
  one.try_put_and_wait(2);
  spend(200);
  graph.wait_for_all();
  expect_span_between(1000, 1200);
  expect_work(1210);
}
#endif
