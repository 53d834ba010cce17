// SPDX-License-Identifier: Apache-2.0
// Flow graphs. A body comes after its message was sent, after other messages that it needs (joins,
// continue_node), and, in a node of limited concurrency, after the body whose slot it takes.
#include "specification.h"

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

using namespace spec;
namespace flow = tbb::flow;
using flow::continue_msg;

namespace {

using Continue = flow::continue_node<continue_msg>;

struct Body {
  Units cost;
  void operator()(const continue_msg&) const { spend(cost); }
};

std::unique_ptr<Continue> node(flow::graph& graph, Units cost) {
  return std::make_unique<Continue>(graph, Body{cost});
}

// The end of the last body of a serial node that receives messages `gap` units apart.
Units serial_end(int messages, Units gap, Units cost) {
  Units end = 0;
  for (int i = 1; i <= messages; ++i)
    end = std::max(end, gap * Units(i)) + cost;
  return end;
}

} // namespace

CASE(diamond) {
  flow::graph graph;
  auto start = node(graph, 3), left = node(graph, 50), right = node(graph, 7), end = node(graph, 4);
  flow::make_edge(*start, *left);
  flow::make_edge(*start, *right);
  flow::make_edge(*left, *end);
  flow::make_edge(*right, *end);
  spend(2);
  start->try_put(continue_msg());
  graph.wait_for_all();
  spend(1);
  expect_work(67);
  expect_span_with_headers(2 + 3 + 50 + 4 + 1);
}
CASE(grid) {
  // The wavefront: node (i, j) after (i-1, j) and (i, j-1), of unequal cost.
  constexpr int n = 6;
  flow::graph graph;
  const auto cost = [](int i, int j) { return Units(1 + (i * 7 + j * 13) % 11); };
  std::vector<std::unique_ptr<Continue>> nodes;
  Units end[n][n], work = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      nodes.push_back(node(graph, cost(i, j)));
      if (i > 0)
        flow::make_edge(*nodes[std::size_t((i - 1) * n + j)], *nodes.back());
      if (j > 0)
        flow::make_edge(*nodes[std::size_t(i * n + j - 1)], *nodes.back());
      end[i][j] = std::max(i > 0 ? end[i - 1][j] : 0, j > 0 ? end[i][j - 1] : 0) + cost(i, j);
      work += cost(i, j);
    }
  for (int turn = 0; turn < 3; ++turn) {
    nodes[0]->try_put(continue_msg());
    graph.wait_for_all();
  }
  expect_work(3 * work);
  expect_span_with_headers(3 * end[n - 1][n - 1]);
}
CASE(unlimited) {
  flow::graph graph;
  const auto ten = [](int i) {
    spend(10);
    return i;
  };
  const unsigned line = __LINE__;
  flow::function_node<int, int> first(graph, flow::unlimited, ten);
  flow::function_node<int> second(graph, flow::unlimited, [](int i) { spend(i == 3 ? 30 : 5); });
  flow::make_edge(first, second);
  for (int i = 0; i < 8; ++i) {
    spend(1);
    first.try_put(i);
  }
  graph.wait_for_all();
  expect({8 * 11 + 7 * 5 + 30, 4 + 10 + 30});
  only_with_headers();
  // The second node's task is part of the first node's invocation, which sends its message.
  expect_site(line + 1, {8 * 10 + 65, 8 * 10 + 65}, 10);
  expect_site(line + 2, {65, 65}, 30);
}
CASE(serial) {
  flow::graph graph;
  flow::function_node<int> only(graph, flow::serial, [](int) { spend(5); });
  for (int i = 0; i < 12; ++i) {
    spend(2);
    only.try_put(i);
  }
  graph.wait_for_all();
  expect_work(12 * 7);
  expect_span_with_headers(serial_end(12, 2, 5));
}
CASE(serial_that_is_idle) {
  flow::graph graph;
  flow::function_node<int> only(graph, flow::serial, [](int) { spend(2); });
  for (int i = 0; i < 12; ++i) {
    spend(5);
    only.try_put(i);
  }
  graph.wait_for_all();
  expect_work(12 * 7);
  expect_span_with_headers(serial_end(12, 5, 2));
}
CASE(serial_and_rejecting) {
  flow::graph graph;
  flow::queue_node<int> queue(graph);
  flow::function_node<int, continue_msg, flow::rejecting> only(graph, flow::serial, [](int) {
    spend(5);
    return continue_msg();
  });
  flow::make_edge(queue, only);
  for (int i = 0; i < 12; ++i) {
    spend(2);
    queue.try_put(i);
  }
  graph.wait_for_all();
  expect_work(12 * 7);
  expect_span_with_headers(serial_end(12, 2, 5));
}
CASE(limited) {
  flow::graph graph;
  flow::function_node<int> two(graph, 2, [](int) { spend(6); });
  for (int i = 0; i < 10; ++i)
    two.try_put(i);
  graph.wait_for_all();
  expect_work(60);
  expect_span_between(30, 60); // which of the two becomes free first depends on the run
}
CASE(queued_and_unlimited) {
  // The forwarding task carries many messages; their bodies do not come after its steps.
  flow::graph graph;
  const unsigned line = __LINE__;
  flow::queue_node<int> queue(graph);
  flow::function_node<int> bodies(graph, flow::unlimited, [](int i) { spend(i == 0 ? 100 : 20); });
  flow::make_edge(queue, bodies);
  for (int i = 0; i < 10; ++i) {
    spend(3);
    queue.try_put(i);
  }
  graph.wait_for_all();
  expect_work(10 * 3 + 100 + 9 * 20);
  expect_span_with_headers(3 + 100);
  only_with_headers();
  expect_site(line + 2, {100 + 9 * 20, 100 + 9 * 20}, 100);
}
CASE(join) {
  flow::graph graph;
  const auto branch = [&](Units cost) {
    return flow::function_node<int, int>(graph, flow::unlimited, [cost](int i) {
      spend(cost);
      return i;
    });
  };
  auto slow = branch(40), fast = branch(3), middle = branch(8);
  flow::join_node<std::tuple<int, int, int>> join(graph);
  flow::function_node<std::tuple<int, int, int>> last(
      graph, flow::unlimited, [](const std::tuple<int, int, int>&) { spend(6); });
  flow::make_edge(slow, flow::input_port<0>(join));
  flow::make_edge(fast, flow::input_port<1>(join));
  flow::make_edge(middle, flow::input_port<2>(join));
  flow::make_edge(join, last);
  for (int turn = 0; turn < 4; ++turn) {
    spend(1);
    slow.try_put(turn);
    fast.try_put(turn);
    middle.try_put(turn);
    graph.wait_for_all();
  }
  expect_work(4 * (1 + 40 + 3 + 8 + 6));
  expect_span_with_headers(4 * (1 + 40 + 6));
}
CASE(broadcast) {
  flow::graph graph;
  flow::broadcast_node<int> source(graph);
  flow::function_node<int> free(graph, flow::unlimited, [](int) { spend(50); });
  flow::function_node<int> serial(graph, flow::serial, [](int) { spend(5); });
  flow::make_edge(source, free);
  flow::make_edge(source, serial);
  for (int i = 0; i < 12; ++i) {
    spend(2);
    source.try_put(i);
  }
  graph.wait_for_all();
  expect_work(12 * 57);
  expect_span_with_headers(std::max<Units>(serial_end(12, 2, 5), 24 + 50));
}
CASE(split_and_index) {
  flow::graph graph;
  using Pair = std::tuple<int, int>;
  flow::split_node<Pair> split(graph);
  flow::indexer_node<int, int> index(graph);
  using Either = flow::indexer_node<int, int>::output_type;
  flow::function_node<Either> serial(graph, flow::serial, [](const Either&) { spend(7); });
  flow::make_edge(flow::output_port<0>(split), flow::input_port<0>(index));
  flow::make_edge(flow::output_port<1>(split), flow::input_port<1>(index));
  flow::make_edge(index, serial);
  for (int i = 0; i < 6; ++i) {
    spend(3);
    split.try_put(Pair(i, i));
  }
  graph.wait_for_all();
  expect_work(6 * 3 + 12 * 7);
  expect_span_with_headers(3 + 12 * 7);
}
CASE(buffers) {
  // A sequencer sends the last message first; everything comes after the body of message 0.
  flow::graph graph;
  flow::sequencer_node<int> sequencer(graph, [](int i) { return std::size_t(i); });
  flow::priority_queue_node<int> queue(graph);
  flow::function_node<int> bodies(graph, flow::unlimited, [](int) { spend(20); });
  flow::make_edge(sequencer, queue);
  flow::make_edge(queue, bodies);
  for (int i = 5; i >= 0; --i) {
    spend(3);
    sequencer.try_put(i);
  }
  graph.wait_for_all();
  expect_work(6 * 23);
  expect_span_with_headers(6 * 3 + 20);
}
CASE(input_node) {
  flow::graph graph;
  int left = 10;
  flow::input_node<int> input(graph, [&](tbb::flow_control& control) {
    if (left == 0) {
      control.stop();
      return 0;
    }
    spend(4);
    return left--;
  });
  flow::function_node<int> body(graph, flow::unlimited, [](int) { spend(9); });
  flow::make_edge(input, body);
  input.activate();
  graph.wait_for_all();
  expect({10 * 13, 10 * 4 + 9});
}
CASE(multifunction) {
  flow::graph graph;
  using Splitter = flow::multifunction_node<int, std::tuple<int, int>>;
  Splitter splitter(graph, flow::unlimited, [](const int& i, Splitter::output_ports_type& ports) {
    spend(2);
    std::get<0>(ports).try_put(i);
    spend(3);
    std::get<1>(ports).try_put(i);
    spend(4);
  });
  flow::function_node<int> first(graph, flow::unlimited, [](int) { spend(30); });
  flow::function_node<int> second(graph, flow::unlimited, [](int) { spend(28); });
  flow::make_edge(flow::output_port<0>(splitter), first);
  flow::make_edge(flow::output_port<1>(splitter), second);
  splitter.try_put(1);
  graph.wait_for_all();
  expect({67, 2 + 3 + 28});
}
CASE(async) {
  flow::graph graph;
  using Async = flow::async_node<int, int>;
  std::thread other;
  Async async(graph, flow::unlimited, [&](int i, Async::gateway_type& gateway) {
    spend(5);
    gateway.reserve_wait();
    other = std::thread([i, &gateway] {
      spend(70);
      gateway.try_put(i);
      gateway.release_wait();
    });
  });
  flow::function_node<int> last(graph, flow::unlimited, [](int) { spend(4); });
  flow::make_edge(async, last);
  spend(10);
  async.try_put(1);
  graph.wait_for_all();
  other.join();
  // Unless what created the other thread is known, its path begins at 0.
  expect({89, threads_are_seen() ? 89u : 74u});
}
CASE(released_by_a_task) {
  // A wait ends after release_wait(), not after the task that calls it.
  flow::graph graph;
  tbb::task_group group;
  graph.reserve_wait();
  group.run([&] {
    spend(50);
    graph.release_wait();
    spend(8);
  });
  spend(1);
  graph.wait_for_all();
  spend(20);
  group.wait();
  expect_work(79);
  expect_span_with_headers(50 + 20);
}
CASE(released_by_a_thread) {
  flow::graph graph;
  spend(5);
  graph.reserve_wait();
  std::thread other([&] {
    spend(70);
    graph.release_wait();
  });
  graph.wait_for_all();
  spend(3);
  other.join();
  expect_work(78);
  expect_span_with_headers(70 + 3);
}
CASE(released_by_several) {
  // The wait ends after the last release, whichever that is; each release counts for one wait.
  flow::graph graph;
  tbb::task_group group;
  const std::vector<Units> turns[] = {{10, 40, 5, 20}, {7, 3, 30, 9}};
  for (const std::vector<Units>& costs : turns) {
    for (const Units cost : costs) {
      graph.reserve_wait();
      group.run([&graph, cost] {
        spend(cost);
        graph.release_wait();
        spend(1);
      });
    }
    graph.wait_for_all();
    spend(2);
  }
  group.wait();
  expect_work(75 + 49 + 2 * (4 + 2));
  expect_span_with_headers(40 + 2 + 30 + 2);
}
CASE(released_and_destroyed) {
  tbb::task_group group;
  for (int turn = 0; turn < 3; ++turn) {
    flow::graph graph;
    graph.reserve_wait();
    group.run([&graph] {
      spend(20);
      graph.release_wait();
      spend(9);
    });
  } // the destructor waits
  spend(4);
  group.wait();
  expect_work(3 * 29 + 4);
  expect_span_with_headers(3 * 20 + 9);
}
CASE(released_after_exception) {
  flow::graph graph;
  flow::function_node<int> thrower(graph, flow::unlimited, [](int) {
    spend(6);
    throw 1;
  });
  tbb::task_group group;
  graph.reserve_wait();
  group.run([&] {
    spend(50);
    graph.release_wait();
    spend(2);
  });
  thrower.try_put(1);
  try {
    graph.wait_for_all();
  } catch (int) {
    spend(7);
  }
  group.wait();
  expect_work(65);
  expect_span_with_headers(50 + 7);
}
CASE(async_released_later) {
  flow::graph graph;
  using Async = flow::async_node<int, int>;
  std::thread other;
  Async async(graph, flow::unlimited, [&](int i, Async::gateway_type& gateway) {
    gateway.reserve_wait();
    other = std::thread([i, &gateway] {
      spend(70);
      gateway.try_put(i);
      spend(30);
      gateway.release_wait();
    });
  });
  flow::function_node<int> last(graph, flow::unlimited, [](int) { spend(4); });
  flow::make_edge(async, last);
  async.try_put(1);
  graph.wait_for_all();
  spend(1);
  other.join();
  expect_work(105);
  expect_span_with_headers(70 + 30 + 1);
}
CASE(priorities) {
  flow::graph graph;
  std::vector<std::unique_ptr<flow::function_node<int>>> nodes;
  for (unsigned i = 0; i < 6; ++i)
    nodes.push_back(std::make_unique<flow::function_node<int>>(
        graph, flow::unlimited, [i](int) { spend(10 + i); }, flow::node_priority_t(1 + i % 3)));
  for (auto& each : nodes) {
    spend(2);
    each->try_put(1);
  }
  graph.wait_for_all();
  expect_work(6 * 12 + 15);
  expect_span_with_headers(12 + 15); // whichever task runs the body
}
CASE(nested_graph) {
  flow::graph outer;
  flow::function_node<int> body(outer, flow::unlimited, [](int) {
    flow::graph inner;
    auto first = node(inner, 5), second = node(inner, 6), last = node(inner, 2);
    flow::make_edge(*first, *last);
    flow::make_edge(*second, *last);
    spend(1);
    first->try_put(continue_msg());
    second->try_put(continue_msg());
    inner.wait_for_all();
    spend(3);
  });
  for (int i = 0; i < 4; ++i)
    body.try_put(i);
  outer.wait_for_all();
  expect_work(4 * 17);
  expect_span_with_headers(1 + 6 + 2 + 3);
}
