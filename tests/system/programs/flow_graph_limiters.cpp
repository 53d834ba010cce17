// SPDX-License-Identifier: Apache-2.0
// Flow graphs with a limiter_node of many slots, or a node that runs many bodies at a time. Admission is a window: message n comes after
// message n - slots has left. Where messages cost the same and arrive together, that determines the
// span, whatever the threads did; else the rounds that have to be guessed leave a range.
#include "specification.h"

#include <oneapi/tbb/flow_graph.h>

#include <algorithm>
#include <tuple>
#include <vector>

using namespace spec;
namespace flow = tbb::flow;
using flow::continue_msg;

namespace {

using Bodies = flow::function_node<int, int>;
using Last = flow::function_node<int, continue_msg>;

Bodies bodies(flow::graph& graph, Units cost, std::size_t concurrency = flow::unlimited) {
  return Bodies(graph, concurrency, [cost](int i) {
    spend(cost);
    return i;
  });
}
Last last(flow::graph& graph, Units cost, std::size_t concurrency = flow::unlimited) {
  return Last(graph, concurrency, [cost](int) {
    spend(cost);
    return continue_msg();
  });
}
flow::input_node<int> source(flow::graph& graph, int count, Units cost) {
  return flow::input_node<int>(graph, [count, cost, next = 0](tbb::flow_control& control) mutable {
    if (next == count) {
      control.stop();
      return 0;
    }
    spend(cost);
    return next++;
  });
}

Units rounds(int messages, int slots) {
  return Units((messages + slots - 1) / slots);
}

// When the last of the messages leaves, if each is made in `made` units after the message before it
// was admitted, and leaves `inside` units after it was admitted.
Units window(int messages, int slots, Units made, Units inside) {
  std::vector<Units> left;
  Units admitted = 0;
  for (int i = 0; i < messages; ++i) {
    admitted += made;
    if (i >= slots)
      admitted = std::max(admitted, left[std::size_t(i - slots)]);
    left.push_back(admitted + inside);
  }
  return left.back();
}

void queue_of(int messages, int slots) {
  flow::graph graph;
  flow::queue_node<int> queue(graph);
  flow::limiter_node<int> limiter(graph, std::size_t(slots));
  auto body = bodies(graph, 7);
  auto end = last(graph, 3);
  flow::make_edge(queue, limiter);
  flow::make_edge(limiter, body);
  flow::make_edge(body, end);
  flow::make_edge(end, limiter.decrementer());
  for (int i = 0; i < messages; ++i)
    queue.try_put(i);
  graph.wait_for_all();
  expect_work(Units(messages) * 10);
  expect_span_with_headers(rounds(messages, slots) * 10);
}

// Two parts for each message, joined by its number, and a serial node.
void two_parts(int messages, int slots, Units made, Units serial) {
  flow::graph graph;
  auto input = source(graph, messages, made);
  flow::limiter_node<int> limiter(graph, std::size_t(slots));
  auto left = bodies(graph, 40), right = bodies(graph, 60);
  const auto key = [](int i) { return i; };
  using Pair = std::tuple<int, int>;
  flow::join_node<Pair, flow::key_matching<int>> join(graph, key, key);
  flow::function_node<Pair, int> joined(graph, flow::unlimited, [](const Pair& pair) {
    spend(20);
    return std::get<0>(pair);
  });
  auto end = last(graph, serial, flow::serial);
  flow::make_edge(input, limiter);
  flow::make_edge(limiter, left);
  flow::make_edge(limiter, right);
  flow::make_edge(left, flow::input_port<0>(join));
  flow::make_edge(right, flow::input_port<1>(join));
  flow::make_edge(join, joined);
  flow::make_edge(joined, end);
  flow::make_edge(end, limiter.decrementer());
  input.activate();
  graph.wait_for_all();
  expect_work(Units(messages) * (made + 40 + 60 + 20 + serial));
}

} // namespace

CASE(one_slot) {
  queue_of(50, 1);
}
CASE(two_slots) {
  queue_of(101, 2);
}
CASE(many_slots) {
  queue_of(1000, 32);
}
CASE(more_slots_than_messages) {
  queue_of(40, 100);
}

CASE(two_parts_of_each) {
  two_parts(1000, 32, 0, 0);
  expect_span_with_headers(rounds(1000, 32) * 80);
}
CASE(two_parts_and_serial_end) {
  // The serial node takes messages as they come, which makes rounds longer.
  two_parts(1000, 32, 0, 1);
  const Units ideal = 31 * 81 + 80 + 32;
  expect_span_with_headers_between(ideal * 95 / 100, ideal * 13 / 10);
}
CASE(two_parts_and_costly_input) {
  two_parts(1000, 32, 1, 1);
  const Units ideal = window(1000, 32, 1, 81);
  expect_span_with_headers_between(ideal * 95 / 100, ideal * 13 / 10);
}
CASE(input_that_limits) {
  // It is never asked for a message that the limiter would not take.
  two_parts(300, 32, 10, 0);
  expect_span_with_headers_between(300 * 10 + 80, 300 * 10 + 3 * 80);
}
CASE(input_of_two_slots) {
  flow::graph graph;
  auto input = source(graph, 100, 4);
  flow::limiter_node<int> limiter(graph, 2);
  auto end = last(graph, 30);
  flow::make_edge(input, limiter);
  flow::make_edge(limiter, end);
  flow::make_edge(end, limiter.decrementer());
  input.activate();
  graph.wait_for_all();
  const Units ideal = window(100, 2, 4, 30);
  expect_work(100 * 34);
  expect_span_with_headers_between(ideal, ideal + 50 * 4);
}
CASE(after_a_function_node) {
  flow::graph graph;
  auto first = bodies(graph, 5);
  flow::queue_node<int> queue(graph);
  flow::limiter_node<int> limiter(graph, 8);
  auto end = last(graph, 10);
  flow::make_edge(first, queue);
  flow::make_edge(queue, limiter);
  flow::make_edge(limiter, end);
  flow::make_edge(end, limiter.decrementer());
  for (int i = 0; i < 200; ++i)
    first.try_put(i);
  graph.wait_for_all();
  expect_work(200 * 15);
  expect_span_with_headers(5 + rounds(200, 8) * 10);
}
CASE(lightweight) {
  flow::graph graph;
  flow::queue_node<int> queue(graph);
  flow::limiter_node<int> limiter(graph, 4);
  auto body = bodies(graph, 10);
  flow::function_node<int, continue_msg, flow::lightweight> end(
      graph, flow::unlimited, [](int) noexcept { return continue_msg(); });
  flow::make_edge(queue, limiter);
  flow::make_edge(limiter, body);
  flow::make_edge(body, end);
  flow::make_edge(end, limiter.decrementer());
  for (int i = 0; i < 100; ++i)
    queue.try_put(i);
  graph.wait_for_all();
  expect_work(100 * 10);
  expect_span_with_headers(rounds(100, 4) * 10);
}
CASE(numbered_decrements) {
  flow::graph graph;
  flow::queue_node<int> queue(graph);
  flow::limiter_node<int, int> limiter(graph, 6);
  auto body = bodies(graph, 10);
  flow::function_node<int, int> one(graph, flow::unlimited, [](int) { return 1; });
  flow::make_edge(queue, limiter);
  flow::make_edge(limiter, body);
  flow::make_edge(body, one);
  flow::make_edge(one, limiter.decrementer());
  for (int i = 0; i < 100; ++i)
    queue.try_put(i);
  graph.wait_for_all();
  expect_work(100 * 10);
  expect_span_with_headers(rounds(100, 6) * 10);
}
CASE(decrements_by_two) {
  // Every second message to arrive is the decrement of two.
  flow::graph graph;
  flow::queue_node<int> queue(graph);
  flow::limiter_node<int, int> limiter(graph, 6);
  auto body = bodies(graph, 10);
  using Count = flow::multifunction_node<int, std::tuple<int>>;
  Count pairs(graph, flow::serial, [arrived = 0](int, Count::output_ports_type& ports) mutable {
    if (++arrived % 2 == 0)
      std::get<0>(ports).try_put(2);
  });
  flow::make_edge(queue, limiter);
  flow::make_edge(limiter, body);
  flow::make_edge(body, pairs);
  flow::make_edge(flow::output_port<0>(pairs), limiter.decrementer());
  for (int i = 0; i < 120; ++i)
    queue.try_put(i);
  graph.wait_for_all();
  expect_work(120 * 10);
  expect_span_with_headers_between(120 / 6 * 10 * 9 / 10, 120 / 6 * 10 * 14 / 10);
}
CASE(decrements_by_others) {
  // If other code decrements, the message that was admitted first counts as having left.
  flow::graph graph;
  flow::queue_node<int> queue(graph);
  flow::limiter_node<int> limiter(graph, 4);
  auto body = last(graph, 10);
  flow::make_edge(queue, limiter);
  flow::make_edge(limiter, body);
  for (int i = 0; i < 40; ++i)
    queue.try_put(i);
  graph.wait_for_all();
  for (int round = 1; round < 10; ++round) {
    spend(5);
    for (int i = 0; i < 4; ++i)
      limiter.decrementer().try_put(continue_msg());
    graph.wait_for_all();
  }
  expect_work(40 * 10 + 9 * 5);
  expect_span_with_headers(10 * 10 + 9 * 5);
}
CASE(reset_and_used_again) {
  flow::graph graph;
  flow::queue_node<int> queue(graph);
  flow::limiter_node<int> limiter(graph, 5);
  auto body = last(graph, 10);
  flow::make_edge(queue, limiter);
  flow::make_edge(limiter, body);
  for (int turn = 0; turn < 3; ++turn) { // without decrements
    for (int i = 0; i < 5; ++i)
      queue.try_put(i);
    graph.wait_for_all();
    graph.reset();
  }
  flow::make_edge(body, limiter.decrementer());
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < 18; ++i)
      queue.try_put(i);
    graph.wait_for_all();
    graph.reset();
  }
  expect_work(15 * 10 + 54 * 10);
  expect_span_with_headers(3 * 10 + 3 * 40);
}
CASE(two_limiters_in_a_row) {
  flow::graph graph;
  flow::queue_node<int> queue(graph), between(graph);
  flow::limiter_node<int> outer(graph, 2), inner(graph, 8);
  auto first = bodies(graph, 5), second = bodies(graph, 10);
  auto end = last(graph, 0);
  flow::make_edge(queue, outer);
  flow::make_edge(outer, first);
  flow::make_edge(first, between);
  flow::make_edge(between, inner);
  flow::make_edge(inner, second);
  flow::make_edge(second, end);
  flow::make_edge(end, inner.decrementer());
  flow::make_edge(end, outer.decrementer());
  for (int i = 0; i < 100; ++i)
    queue.try_put(i);
  graph.wait_for_all();
  expect_work(100 * 15);
  expect_span_with_headers(50 * 15);
}
CASE(limiter_after_limiter) {
  // The second one rejects what the first one admits, and is fed by it.
  flow::graph graph;
  flow::queue_node<int> queue(graph);
  flow::limiter_node<int> outer(graph, 6), inner(graph, 3);
  auto end = last(graph, 10);
  flow::make_edge(queue, outer);
  flow::make_edge(outer, inner);
  flow::make_edge(inner, end);
  flow::make_edge(end, inner.decrementer());
  flow::make_edge(end, outer.decrementer());
  for (int i = 0; i < 60; ++i)
    queue.try_put(i);
  graph.wait_for_all();
  expect_work(60 * 10);
  expect_span_with_headers(20 * 10);
}
CASE(loop_through_the_limiter) {
  // Each message passes three times; the last ones may have to wait for themselves.
  flow::graph graph;
  flow::queue_node<int> queue(graph);
  flow::limiter_node<int> limiter(graph, 4);
  using Turn = flow::multifunction_node<int, std::tuple<int, continue_msg>>;
  Turn turn(graph, flow::unlimited, [](int i, Turn::output_ports_type& ports) {
    spend(10);
    if (i < 200)
      std::get<0>(ports).try_put(i + 100);
    std::get<1>(ports).try_put(continue_msg());
  });
  flow::make_edge(queue, limiter);
  flow::make_edge(limiter, turn);
  flow::make_edge(flow::output_port<0>(turn), queue);
  flow::make_edge(flow::output_port<1>(turn), limiter.decrementer());
  for (int i = 0; i < 40; ++i)
    queue.try_put(i);
  graph.wait_for_all();
  expect_work(3 * 40 * 10);
  expect_span_with_headers_between(300, 360);
}
CASE(several_bodies) {
  flow::graph graph;
  auto body = bodies(graph, 7, 8);
  auto end = last(graph, 3, 6);
  flow::make_edge(body, end);
  for (int i = 0; i < 240; ++i)
    body.try_put(i);
  graph.wait_for_all();
  expect_work(240 * 10);
  expect_span_with_headers_between(30 * 7 + 3, 30 * 7 + 40 * 3);
}
CASE(several_bodies_of_one_node) {
  flow::graph graph;
  auto body = bodies(graph, 10, 8);
  for (int i = 0; i < 200; ++i)
    body.try_put(i);
  graph.wait_for_all();
  expect_work(200 * 10);
  expect_span_with_headers(25 * 10);
}
CASE(several_bodies_in_a_limiter) {
  // The tickets of the limiter pass the node.
  flow::graph graph;
  flow::queue_node<int> queue(graph);
  flow::limiter_node<int> limiter(graph, 4);
  auto body = bodies(graph, 10, 16);
  auto end = last(graph, 2, 16);
  flow::make_edge(queue, limiter);
  flow::make_edge(limiter, body);
  flow::make_edge(body, end);
  flow::make_edge(end, limiter.decrementer());
  for (int i = 0; i < 100; ++i)
    queue.try_put(i);
  graph.wait_for_all();
  expect_work(100 * 12);
  expect_span_with_headers(25 * 12);
}
CASE(several_bodies_of_a_rejecting_node) {
  flow::graph graph;
  flow::queue_node<int> queue(graph);
  flow::function_node<int, continue_msg, flow::rejecting> body(graph, 4, [](int) {
    spend(10);
    return continue_msg();
  });
  flow::make_edge(queue, body);
  for (int i = 0; i < 100; ++i)
    queue.try_put(i);
  graph.wait_for_all();
  expect_work(100 * 10);
  expect_span_with_headers(25 * 10);
}
