// SPDX-License-Identifier: Apache-2.0
// Flow graphs: messages that are reserved, requested, kept, copied, or limited in number. Always, a
// body comes after its messages, and after the body or decrement that freed its slot.
#include "specification.h"

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <functional>
#include <tuple>

using namespace spec;
namespace flow = tbb::flow;
using flow::continue_msg;

namespace {

using Pair = std::tuple<int, int>;
using Bodies = flow::function_node<int, int>;

// A node of unlimited concurrency; its bodies pass the message on.
Bodies bodies(flow::graph& graph, std::function<Units(int)> cost) {
  return Bodies(graph, flow::unlimited, [cost](int i) {
    spend(cost(i));
    return i;
  });
}
Bodies bodies(flow::graph& graph, Units cost) {
  return bodies(graph, [cost](int) { return cost; });
}

// Blocks without work until it is raised.
struct Flag {
  std::atomic<bool> raised{false};
  void wait() const {
    while (!raised)
      std::this_thread::yield();
  }
};

} // namespace

// ---- joins ----

CASE(reserving_join) {
  flow::graph graph;
  auto slow = bodies(graph, 40), fast = bodies(graph, 3);
  flow::queue_node<int> left(graph), right(graph);
  flow::join_node<Pair, flow::reserving> join(graph);
  flow::function_node<Pair> last(graph, flow::unlimited, [](const Pair&) { spend(6); });
  flow::make_edge(slow, left);
  flow::make_edge(fast, right);
  flow::make_edge(left, flow::input_port<0>(join));
  flow::make_edge(right, flow::input_port<1>(join));
  flow::make_edge(join, last);
  for (int i = 0; i < 8; ++i) {
    spend(1);
    slow.try_put(i);
    fast.try_put(i);
  }
  graph.wait_for_all();
  expect_work(8 * (1 + 40 + 3 + 6));
  expect_span_with_headers(8 + 40 + 6);
}
CASE(reserved_and_rejected) {
  // The serial node at the end rejects most tuples at first. All messages have arrived at 10.
  flow::graph graph;
  auto slow = bodies(graph, 10), fast = bodies(graph, 3);
  flow::queue_node<int> left(graph), right(graph);
  flow::join_node<Pair, flow::reserving> join(graph);
  flow::function_node<Pair, continue_msg, flow::rejecting> last(graph, flow::serial,
                                                                [](const Pair&) {
                                                                  spend(7);
                                                                  return continue_msg();
                                                                });
  flow::make_edge(slow, left);
  flow::make_edge(fast, right);
  flow::make_edge(left, flow::input_port<0>(join));
  flow::make_edge(right, flow::input_port<1>(join));
  flow::make_edge(join, last);
  for (int i = 0; i < 6; ++i) {
    slow.try_put(i);
    fast.try_put(i);
  }
  graph.wait_for_all();
  expect_work(6 * 20);
  expect_span_with_headers(10 + 6 * 7);
}
CASE(joined_and_rejected) {
  flow::graph graph;
  auto slow = bodies(graph, 10), fast = bodies(graph, 3);
  flow::join_node<Pair> join(graph);
  flow::function_node<Pair, continue_msg, flow::rejecting> last(graph, flow::serial,
                                                                [](const Pair&) {
                                                                  spend(7);
                                                                  return continue_msg();
                                                                });
  flow::make_edge(slow, flow::input_port<0>(join));
  flow::make_edge(fast, flow::input_port<1>(join));
  flow::make_edge(join, last);
  for (int i = 0; i < 6; ++i) {
    slow.try_put(i);
    fast.try_put(i);
  }
  graph.wait_for_all();
  expect_work(6 * 20);
  expect_span_with_headers(10 + 6 * 7);
}
CASE(reserved_from_overwrite_node) {
  // Each tuple contains a copy of the one value written.
  flow::graph graph;
  auto writer = bodies(graph, 50);
  flow::overwrite_node<int> setting(graph);
  flow::queue_node<int> items(graph);
  flow::join_node<Pair, flow::reserving> join(graph);
  flow::function_node<Pair> last(graph, flow::unlimited, [](const Pair&) { spend(5); });
  flow::make_edge(writer, setting);
  flow::make_edge(setting, flow::input_port<0>(join));
  flow::make_edge(items, flow::input_port<1>(join));
  flow::make_edge(join, last);
  spend(4);
  writer.try_put(1);
  for (int i = 0; i < 3; ++i) {
    spend(2);
    items.try_put(i);
  }
  graph.wait_for_all();
  expect_work(4 + 50 + 3 * 7);
  expect_span_with_headers(4 + 50 + 5);
}
CASE(key_matching) {
  flow::graph graph;
  const auto slow_cost = [](int i) { return Units(10 * (i * 5 % 7) + 3); };
  const auto fast_cost = [](int i) { return Units(4 * (i * 3 % 5) + 1); };
  auto slow = bodies(graph, slow_cost), fast = bodies(graph, fast_cost);
  const auto key = [](int i) { return i; };
  flow::join_node<Pair, flow::key_matching<int>> join(graph, key, key);
  flow::function_node<Pair> last(graph, flow::unlimited,
                                 [](const Pair& pair) { spend(Units(2 + std::get<0>(pair))); });
  flow::make_edge(slow, flow::input_port<0>(join));
  flow::make_edge(fast, flow::input_port<1>(join));
  flow::make_edge(join, last);
  constexpr int n = 24; // the tables of the ports grow
  Units work = 0, span = 0;
  for (int i = 0; i < n; ++i) {
    spend(1);
    slow.try_put(i);
    fast.try_put(i);
    const Units body = Units(2 + i);
    work += 1 + slow_cost(i) + fast_cost(i) + body;
    span = std::max(span, Units(i + 1) + std::max(slow_cost(i), fast_cost(i)) + body);
  }
  graph.wait_for_all();
  expect_work(work);
  expect_span_with_headers(span);
}
CASE(tag_matching) {
  flow::graph graph;
  using Triple = std::tuple<int, int, int>;
  auto slow = bodies(graph, 30), fast = bodies(graph, 3);
  const auto tag = [](int i) { return flow::tag_value(i); };
  flow::join_node<Triple, flow::tag_matching> join(graph, tag, tag, tag);
  flow::function_node<Triple, continue_msg, flow::rejecting> last(graph, flow::serial,
                                                                  [](const Triple&) {
                                                                    spend(7);
                                                                    return continue_msg();
                                                                  });
  flow::make_edge(slow, flow::input_port<0>(join));
  flow::make_edge(fast, flow::input_port<1>(join));
  flow::make_edge(join, last);
  for (int i = 0; i < 6; ++i) {
    slow.try_put(i);
    fast.try_put(5 - i);
    flow::input_port<2>(join).try_put(i);
  }
  graph.wait_for_all();
  expect_work(6 * 40);
  expect_span_with_headers(30 + 6 * 7);
}
CASE(joined_for_two) {
  flow::graph graph;
  auto slow = bodies(graph, 40), fast = bodies(graph, 3);
  flow::join_node<Pair> join(graph);
  flow::function_node<Pair> first(graph, flow::unlimited, [](const Pair&) { spend(6); });
  flow::function_node<Pair> second(graph, flow::unlimited, [](const Pair&) { spend(9); });
  flow::make_edge(slow, flow::input_port<0>(join));
  flow::make_edge(fast, flow::input_port<1>(join));
  flow::make_edge(join, first);
  flow::make_edge(join, second);
  for (int turn = 0; turn < 4; ++turn) {
    spend(1);
    slow.try_put(turn);
    fast.try_put(turn);
    graph.wait_for_all();
  }
  expect_work(4 * (1 + 40 + 3 + 6 + 9));
  expect_span_with_headers(4 * (1 + 40 + 9));
}
CASE(joined_and_split) {
  flow::graph graph;
  auto slow = bodies(graph, 40), fast = bodies(graph, 3), first = bodies(graph, 6),
       second = bodies(graph, 9);
  flow::join_node<Pair> join(graph);
  flow::split_node<Pair> split(graph);
  flow::make_edge(slow, flow::input_port<0>(join));
  flow::make_edge(fast, flow::input_port<1>(join));
  flow::make_edge(join, split);
  flow::make_edge(flow::output_port<0>(split), first);
  flow::make_edge(flow::output_port<1>(split), second);
  for (int turn = 0; turn < 4; ++turn) {
    spend(1);
    slow.try_put(turn);
    fast.try_put(turn);
    graph.wait_for_all();
  }
  expect_work(4 * (1 + 40 + 3 + 6 + 9));
  expect_span_with_headers(4 * (1 + 40 + 9));
}

// ---- slots ----

CASE(limiter) {
  // One message at a time: the next comes after the decrement.
  flow::graph graph;
  flow::queue_node<int> queue(graph);
  flow::limiter_node<int> limiter(graph, 1);
  flow::function_node<int, continue_msg> body(graph, flow::unlimited, [](int) {
    spend(5);
    return continue_msg();
  });
  flow::make_edge(queue, limiter);
  flow::make_edge(limiter, body);
  flow::make_edge(body, limiter.decrementer());
  Units end = 0;
  for (int i = 0; i < 12; ++i) {
    spend(3);
    queue.try_put(i);
    end = std::max(end, Units(3 * i + 3)) + 5;
  }
  graph.wait_for_all();
  expect_work(12 * 8);
  expect_span_with_headers(end);
}
CASE(limiter_after_input) {
  // The input body makes the next item as soon as the one before it was admitted.
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
  flow::limiter_node<int> limiter(graph, 1);
  flow::function_node<int, continue_msg> body(graph, flow::unlimited, [](int) {
    spend(9);
    return continue_msg();
  });
  flow::make_edge(input, limiter);
  flow::make_edge(limiter, body);
  flow::make_edge(body, limiter.decrementer());
  input.activate();
  graph.wait_for_all();
  expect_work(10 * 13);
  expect_span_with_headers(4 + 10 * 9);
}
CASE(limiter_decremented_by_two) {
  // A decrement after both its predecessors; it admits one more message.
  flow::graph graph;
  flow::queue_node<int> queue(graph);
  flow::limiter_node<int> limiter(graph, 1);
  flow::broadcast_node<int> both(graph);
  const auto worker = [&](Units cost) {
    return flow::function_node<int, continue_msg>(graph, flow::unlimited, [cost](int) {
      spend(cost);
      return continue_msg();
    });
  };
  auto slow = worker(11), fast = worker(2);
  flow::make_edge(queue, limiter);
  flow::make_edge(limiter, both);
  flow::make_edge(both, slow);
  flow::make_edge(both, fast);
  flow::make_edge(slow, limiter.decrementer());
  flow::make_edge(fast, limiter.decrementer());
  for (int i = 0; i < 6; ++i)
    queue.try_put(i);
  graph.wait_for_all();
  expect_work(6 * 13);
  expect_span_with_headers(6 * 11);
}
CASE(free_place) {
  // Two bodies at a time: the second message gets a slot that was never used before.
  if (!has_threads(2))
    return;
  flow::graph graph;
  Flag over;
  flow::function_node<int> two(graph, 2, [&](int i) {
    spend(i == 0 ? 30 : 5);
    over.raised = true;
  });
  two.try_put(0);
  over.wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  two.try_put(1);
  graph.wait_for_all();
  expect({35, 30});
}

// ---- pulls ----

namespace {

// The first body continues until the second message was rejected; that one is pulled afterwards.
template <typename Queue>
void pulled(int first, int second) {
  flow::graph graph;
  Flag refused;
  Queue queue(graph);
  flow::function_node<int, continue_msg, flow::rejecting> body(graph, flow::serial, [&](int) {
    refused.wait();
    spend(5);
    return continue_msg();
  });
  flow::make_edge(queue, body);
  queue.try_put(first);
  spend(100);
  queue.try_put(second);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  refused.raised = true;
  graph.wait_for_all();
  expect_work(110);
}

// A task that requests a message continues after it.
template <typename Node>
void asked_for(Node& node, flow::graph& graph) {
  auto writer = bodies(graph, 40);
  flow::make_edge(writer, node);
  writer.try_put(7);
  tbb::task_group group;
  group.run([&] {
    int value = 0;
    while (!node.try_get(value))
      std::this_thread::yield();
    spend(5);
    // A variable that is used again is a message of this task.
    flow::graph another;
    flow::function_node<int> serial(another, flow::serial, [](int) { spend(3); });
    serial.try_put(value);
    another.wait_for_all();
  });
  group.wait();
  graph.wait_for_all();
  expect_work(48);
  expect_span_with_headers(48);
}

} // namespace

CASE(pulled_from_queue) {
  pulled<flow::queue_node<int>>(1, 2);
  expect_span_with_headers(105);
}
CASE(pulled_from_priority_queue) {
  pulled<flow::priority_queue_node<int>>(2, 1);
  expect_span_with_headers(105);
}
CASE(pulled_from_buffer) {
  pulled<flow::buffer_node<int>>(1, 2);
  expect_span_with_headers_between(105, 110); // it may give away the second message first
}
CASE(asked_of_queue) {
  if (!has_threads(2))
    return;
  flow::graph graph;
  flow::queue_node<int> node(graph);
  asked_for(node, graph);
}
CASE(asked_of_overwrite_node) {
  if (!has_threads(2))
    return;
  flow::graph graph;
  flow::overwrite_node<int> node(graph);
  asked_for(node, graph);
}
CASE(input_and_reserving_join) {
  // One input is asked after the other has a message to offer.
  flow::graph graph;
  const auto source = [&](Units cost) {
    return flow::input_node<int>(graph, [cost, left = 6](tbb::flow_control& control) mutable {
      if (left == 0) {
        control.stop();
        return 0;
      }
      spend(cost);
      return left--;
    });
  };
  auto slow = source(7), fast = source(4);
  flow::join_node<Pair, flow::reserving> join(graph);
  flow::function_node<Pair> last(graph, flow::unlimited, [](const Pair&) { spend(10); });
  flow::make_edge(slow, flow::input_port<0>(join));
  flow::make_edge(fast, flow::input_port<1>(join));
  flow::make_edge(join, last);
  slow.activate();
  fast.activate();
  graph.wait_for_all();
  expect_work(6 * 21);
  expect_span_with_headers_between(6 * 7 + 10, 6 * 11 + 10);
}

// ---- values that are kept ----

CASE(overwrite_node) {
  flow::graph graph;
  auto writer = bodies(graph, [](int i) { return Units(10 * i); });
  flow::overwrite_node<int> node(graph);
  auto first = bodies(graph, 4), second = bodies(graph, 6), late = bodies(graph, 3);
  flow::make_edge(writer, node);
  flow::make_edge(node, first);
  flow::make_edge(node, second);
  writer.try_put(1);
  writer.try_put(5);
  graph.wait_for_all();
  spend(8);
  flow::make_edge(node, late); // receives the value at once
  graph.wait_for_all();
  expect_work(60 + 2 * 10 + 8 + 3);
  expect_span_with_headers(50 + 6 + 8 + 3);
}
CASE(write_once_node) {
  if (!has_threads(2))
    return;
  flow::graph graph;
  auto writer = bodies(graph, 30);
  flow::write_once_node<int> node(graph);
  auto first = bodies(graph, 4), late = bodies(graph, 10);
  flow::make_edge(writer, node);
  flow::make_edge(node, first);
  writer.try_put(1);
  while (!node.is_valid())
    std::this_thread::yield();
  spend(5);
  node.try_put(2); // rejected
  flow::make_edge(node, late);
  graph.wait_for_all();
  expect_work(30 + 4 + 5 + 10);
  expect_span_with_headers(30 + 10);
}

// ---- messages for several nodes ----

CASE(queued_and_broadcast) {
  flow::graph graph;
  flow::queue_node<int> queue(graph);
  flow::broadcast_node<int> source(graph);
  flow::function_node<int> free(graph, flow::unlimited, [](int) { spend(50); });
  flow::function_node<int> serial(graph, flow::serial, [](int) { spend(5); });
  flow::make_edge(queue, source);
  flow::make_edge(source, free);
  flow::make_edge(source, serial);
  for (int i = 0; i < 12; ++i) {
    spend(2);
    queue.try_put(i);
  }
  graph.wait_for_all();
  expect_work(12 * 57);
  expect_span_with_headers(24 + 50);
}
CASE(queued_and_indexed) {
  flow::graph graph;
  flow::queue_node<int> queue(graph);
  flow::indexer_node<int, int> index(graph);
  using Either = flow::indexer_node<int, int>::output_type;
  flow::function_node<Either> body(graph, flow::unlimited, [](const Either&) { spend(7); });
  flow::make_edge(queue, flow::input_port<1>(index));
  flow::make_edge(index, body);
  for (int i = 0; i < 10; ++i) {
    spend(3);
    queue.try_put(i);
  }
  graph.wait_for_all();
  expect_work(10 * 10);
  expect_span_with_headers(10 * 3 + 7);
}
CASE(composite) {
  // Its ports are those of the nodes inside.
  flow::graph graph;
  using Composite = flow::composite_node<std::tuple<int, int>, std::tuple<Pair>>;
  Composite composite(graph);
  flow::queue_node<int> left(graph);
  auto right = bodies(graph, 12);
  flow::join_node<Pair> join(graph);
  flow::make_edge(left, flow::input_port<0>(join));
  flow::make_edge(right, flow::input_port<1>(join));
  composite.set_external_ports(Composite::input_ports_type(left, right),
                               Composite::output_ports_type(join));
  auto before = bodies(graph, 20);
  flow::function_node<Pair> after(graph, flow::unlimited, [](const Pair&) { spend(6); });
  flow::make_edge(before, flow::input_port<0>(composite));
  flow::make_edge(flow::output_port<0>(composite), after);
  spend(1);
  before.try_put(1);
  flow::input_port<1>(composite).try_put(2);
  graph.wait_for_all();
  expect_work(1 + 20 + 12 + 6);
  expect_span_with_headers(1 + 20 + 6);
}

// ---- lightweight bodies: part of the task that puts the message ----

CASE(lightweight) {
  flow::graph graph;
  auto first = bodies(graph, 10);
  flow::function_node<int, int, flow::lightweight> light(graph, flow::unlimited,
                                                         [](int i) noexcept {
                                                           spend(4);
                                                           return i;
                                                         });
  auto last = bodies(graph, 20);
  flow::make_edge(first, light);
  flow::make_edge(light, last);
  for (int i = 0; i < 5; ++i) {
    spend(1);
    first.try_put(i);
  }
  for (int i = 0; i < 3; ++i)
    light.try_put(i);
  graph.wait_for_all();
  expect({5 * 35 + 3 * 24, 5 + 10 + 4 + 20});
}
CASE(lightweight_after_queue) {
  flow::graph graph;
  flow::queue_node<int> queue(graph);
  flow::function_node<int, int, flow::lightweight> light(graph, flow::unlimited,
                                                         [](int i) noexcept {
                                                           spend(4);
                                                           return i;
                                                         });
  flow::make_edge(queue, light);
  for (int i = 0; i < 5; ++i) {
    spend(10);
    queue.try_put(i);
  }
  graph.wait_for_all();
  expect_work(5 * 14);
  // The task that forwards messages runs their bodies one after the other.
  expect_span_with_headers_between(54, 70);
}
CASE(lightweight_and_serial) {
  // The second message comes after the first has freed its slot.
  if (!has_threads(2))
    return;
  flow::graph graph;
  Flag over;
  auto slow = bodies(graph, 30);
  Bodies fast(graph, flow::unlimited, [&](int i) {
    over.wait();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    spend(5);
    return i;
  });
  flow::function_node<int, int, flow::queueing_lightweight> light(graph, flow::serial,
                                                                  [&](int i) noexcept {
                                                                    spend(10);
                                                                    over.raised = true;
                                                                    return i;
                                                                  });
  flow::make_edge(slow, light);
  flow::make_edge(fast, light);
  slow.try_put(1);
  fast.try_put(2);
  graph.wait_for_all();
  expect_work(55);
  expect_span_with_headers(30 + 10 + 10);
}
CASE(lightweight_continue) {
  flow::graph graph;
  using Continue = flow::continue_node<continue_msg>;
  const auto node = [&](Units cost) {
    return Continue(graph, [cost](const continue_msg&) { spend(cost); });
  };
  Continue start = node(3), slow = node(50), fast = node(7), last = node(2);
  flow::continue_node<continue_msg, flow::lightweight> light(graph,
                                                             [](const continue_msg&) { spend(4); });
  flow::make_edge(start, slow);
  flow::make_edge(start, fast);
  flow::make_edge(slow, light);
  flow::make_edge(fast, light);
  flow::make_edge(light, last);
  for (int turn = 0; turn < 3; ++turn) {
    start.try_put(continue_msg());
    graph.wait_for_all();
  }
  expect_work(3 * 66);
  expect_span_with_headers(3 * (3 + 50 + 4 + 2));
}
