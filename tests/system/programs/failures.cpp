// SPDX-License-Identifier: Apache-2.0
// Exceptions and cancellation: work before the throw is attributed; code that did not run is not.
#include "specification.h"

#include <oneapi/tbb/collaborative_call_once.h>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/task_group.h>

#include <forward_list>
#include <stdexcept>

using namespace spec;

struct Thrown {};

template <typename Function>
static void expect_thrown(Function function) {
  try {
    function();
  } catch (const Thrown&) {
    return;
  }
  std::puts("expect an exception");
}

CASE(out_of_a_task) {
  tbb::task_group group;
  spend(1);
  group.run([] {
    spend(30);
    throw Thrown();
  });
  spend(2);
  expect_thrown([&] { group.wait(); });
  spend(5);
  // The task has begun by then, or nothing else cancels it.
  expect({38, 36});
}
CASE(out_of_run_and_wait) {
  tbb::task_group group;
  expect_thrown([&] {
    group.run_and_wait([] {
      spend(30);
      throw Thrown();
    });
  });
  spend(5);
  expect({35, 35});
}
CASE(out_of_a_loop) {
  spend(3);
  expect_thrown([] {
    tbb::parallel_for(0, 64, [](int i) {
      spend(2);
      if (i == 20)
        throw Thrown();
      spend(1);
    });
  });
  spend(4);
  expect_exceptions(1, 2);
  expect_span_between(9, 7 + 64 * 3);
}
CASE(out_of_every_iteration) {
  for (int turn = 0; turn < 10; ++turn)
    expect_thrown([] {
      tbb::parallel_for(
          0, 64,
          [](int) {
            spend(2);
            throw Thrown();
          },
          tbb::simple_partitioner());
    });
  expect_span_between(20, 20);
  expect_exceptions(10, 2 * 10 * 64);
}
CASE(out_of_nested_loops) {
  expect_thrown([] {
    tbb::parallel_for(
        0, 8,
        [](int i) {
          spend(2);
          tbb::parallel_for(
              0, 8,
              [i](int j) {
                spend(3);
                if (i == 3 && j == 3)
                  throw Thrown();
              },
              tbb::simple_partitioner());
          spend(1);
        },
        tbb::simple_partitioner());
  });
  expect_span_between(5, 6);
}
CASE(out_of_a_reduction) {
  using Range = tbb::blocked_range<int>;
  expect_thrown([] {
    tbb::parallel_deterministic_reduce(
        Range(0, 64), 0,
        [](const Range& range, int value) {
          spend(2);
          if (range.begin() == 33)
            throw Thrown();
          return value;
        },
        [](int a, int b) {
          spend(1);
          return a + b;
        });
  });
  expect_exceptions(1, 2);
}
CASE(out_of_invoke) {
  expect_thrown([] {
    tbb::parallel_invoke([] { spend(5); },
                         [] {
                           spend(7);
                           throw Thrown();
                         },
                         [] { spend(3); });
  });
  spend(1);
  expect_exceptions(1, 2);
  expect_span_between(7 + 1, 7 + 1); // the first or the last may be cancelled
}
CASE(out_of_a_comparison) {
  std::vector<int> values(2000);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int>(i * 7919 % 2003);
  std::atomic<int> comparisons{0};
  expect_thrown([&] {
    tbb::parallel_sort(values.begin(), values.end(), [&](int a, int b) {
      spend(1);
      if (++comparisons > 500)
        throw Thrown();
      return a < b;
    });
  });
  // Thrown in the first partition, which is serial.
  expect({501, 501});
  expect_exceptions(1, 2);
}
CASE(out_of_for_each) {
  const std::forward_list<int> items{1, 2, 3, 4, 5, 6};
  expect_thrown([&] {
    tbb::parallel_for_each(items.begin(), items.end(), [](int item) {
      spend(3);
      if (item == 2)
        throw Thrown();
    });
  });
  spend(1);
  expect_span_between(4, 4);
}
CASE(out_of_a_scan) {
  using Range = tbb::blocked_range<int>;
  expect_thrown([] {
    tbb::parallel_scan(
        Range(0, 32), 0,
        [](const Range&, int sum, bool is_final) -> int {
          spend(2);
          if (is_final)
            throw Thrown();
          return sum;
        },
        std::plus<>(), tbb::simple_partitioner());
  });
  spend(1);
  expect_exceptions(1, 2 * 32);
  if (threads() == 1) // in the first part
    expect({2 + 1, 2 + 1});
}
CASE(out_of_a_pipeline) {
  // One item at a time: the third is not passed on.
  int next = 0;
  expect_thrown([&] {
    tbb::parallel_pipeline(
        1, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control&) {
             spend(2);
             return next++;
           }) & tbb::make_filter<int, void>(tbb::filter_mode::parallel, [](int item) {
             spend(5);
             if (item == 2)
               throw Thrown();
             spend(1);
           }));
  });
  spend(4);
  expect({3 * 7 + 2 + 4, 3 * 7 + 2 + 4});
}
CASE(out_of_a_graph) {
  namespace flow = tbb::flow;
  flow::graph graph;
  const auto pass = [](int i) {
    spend(3);
    return i;
  };
  flow::function_node<int, int> first(graph, flow::unlimited, pass);
  flow::function_node<int, int> second(graph, flow::serial, [](int i) {
    spend(4);
    if (i == 1)
      throw Thrown();
    return i;
  });
  flow::function_node<int, int> third(graph, flow::unlimited, pass);
  flow::make_edge(first, second);
  flow::make_edge(second, third);
  first.try_put(1);
  expect_thrown([&] { graph.wait_for_all(); });
  spend(1);
  graph.reset();
  first.try_put(2);
  graph.wait_for_all();
  expect({7 + 1 + 10, 7 + 1 + 10});
}
CASE(out_of_an_arena_and_isolation) {
  tbb::task_arena arena(2);
  expect_thrown([&] {
    arena.execute([] {
      spend(2);
      tbb::this_task_arena::isolate([] {
        tbb::task_group group;
        group.run([] {
          spend(6);
          throw Thrown();
        });
        group.wait();
      });
    });
  });
  spend(1);
  expect({9, 9});
}
CASE(out_of_call_once) {
  tbb::collaborative_once_flag flag;
  for (int turn = 0; turn < 2; ++turn)
    expect_thrown([&] {
      tbb::collaborative_call_once(flag, [] {
        spend(4);
        throw Thrown();
      });
    });
  tbb::collaborative_call_once(flag, [] { spend(5); });
  expect({13, 13});
}
CASE(caught_inside) {
  tbb::parallel_for(
      0, 16,
      [](int) {
        try {
          spend(2);
          throw Thrown();
        } catch (const Thrown&) {
          spend(3);
        }
      },
      tbb::simple_partitioner());
  expect({16 * 5, 5});
}
CASE(through_three_waits) {
  expect_thrown([] {
    tbb::task_group outer;
    outer.run([] {
      tbb::task_group middle;
      spend(1);
      middle.run([] {
        tbb::task_group inner;
        spend(2);
        inner.run([] {
          spend(4);
          throw Thrown();
        });
        inner.wait();
        spend(100);
      });
      middle.wait();
      spend(100);
    });
    outer.wait();
    spend(100);
  });
  spend(8);
  expect({15, 15});
}
CASE(cancelled_group) {
  tbb::task_group group;
  spend(2);
  for (int i = 0; i < 50; ++i)
    group.run([] { spend(3); });
  group.cancel();
  group.wait();
  spend(4);
  expect_span_between(6, 9);
  expect_tasks(50);
}
CASE(cancelled_loop) {
  tbb::task_group_context context;
  tbb::parallel_for(
      0, 1000,
      [&](int i) {
        spend(1);
        if (i == 100)
          context.cancel_group_execution();
      },
      tbb::simple_partitioner(), context);
  spend(4);
  expect_span_between(5, 5);
}
CASE(cancelled_before) {
  // Nothing runs in a cancelled context; everything runs again after its reset. Isolated, since
  // otherwise it would be bound at its first use and take over the state of the enclosing context.
  tbb::task_group_context context(tbb::task_group_context::isolated);
  using Range = tbb::blocked_range<int>;
  const auto all = [&] {
    const auto each = [](const Range& range) { spend(2 * range.size()); };
    tbb::parallel_for(Range(0, 8), each, tbb::simple_partitioner(), context);
    tbb::parallel_reduce(
        Range(0, 8), 0,
        [&](const Range& range, int sum) {
          each(range);
          return sum;
        },
        std::plus<>(), tbb::simple_partitioner(), context);
    tbb::parallel_deterministic_reduce(
        Range(0, 8), 0,
        [&](const Range& range, int sum) {
          each(range);
          return sum;
        },
        std::plus<>(), tbb::simple_partitioner(), context);
    tbb::parallel_invoke([] { spend(3); }, [] { spend(3); }, context);
    const std::forward_list<int> items{1, 2, 3};
    tbb::parallel_for_each(items.begin(), items.end(), [](int) { spend(4); }, context);
    int left = 3;
    tbb::parallel_pipeline(1,
                           tbb::make_filter<void, void>(tbb::filter_mode::serial_in_order,
                                                        [&](tbb::flow_control& control) {
                                                          spend(5);
                                                          if (--left == 0)
                                                            control.stop();
                                                        }),
                           context);
  };
  context.cancel_group_execution();
  all();
  spend(1);
  context.reset();
  all();
  expect({1 + 3 * 16 + 6 + 12 + 15, 1 + 3 * 2 + 3 + 4 + 15});
}
CASE(cancelled_before_a_scan) {
  // It takes no context argument: the enclosing context is cancelled.
  using Range = tbb::blocked_range<int>;
  const auto scan = [] {
    tbb::parallel_scan(
        Range(0, 8), 0,
        [](const Range& range, int sum, bool) {
          spend(2 * range.size());
          return sum;
        },
        std::plus<>(), tbb::simple_partitioner());
  };
  tbb::task_group group;
  group.run([&] {
    spend(1);
    group.cancel();
    scan();
    spend(3);
  });
  group.wait();
  expect({4, 4});
}
CASE(cancelled_before_a_graph) {
  namespace flow = tbb::flow;
  flow::graph graph;
  flow::function_node<int, int> node(graph, flow::unlimited, [](int units) {
    spend(Units(units));
    return units;
  });
  graph.cancel();
  node.try_put(100);
  graph.wait_for_all();
  if (!graph.is_cancelled())
    std::puts("expect a cancelled graph");
  spend(1);
  graph.reset();
  node.try_put(10);
  graph.wait_for_all();
  expect({11, 11});
}
CASE(cancelled_reductions) {
  // The body call that cancels runs; a path has one body call.
  using Range = tbb::blocked_range<int>;
  tbb::task_group_context context;
  const auto body = [&](const Range& range, int sum) {
    spend(2);
    if (range.begin() == 20)
      context.cancel_group_execution();
    return sum;
  };
  const tbb::simple_partitioner undivided;
  tbb::parallel_reduce(Range(0, 64), 0, body, std::plus<>(), undivided, context);
  spend(4);
  context.reset();
  tbb::parallel_deterministic_reduce(Range(0, 64), 0, body, std::plus<>(), undivided, context);
  spend(3);
  expect_span_between(2 + 4 + 2 + 3, 2 + 4 + 2 + 3);
}
CASE(cancelled_invoke) {
  // Whether its siblings run is unknown; later calls of the cancelled function do nothing.
  tbb::task_group_context context;
  const auto unknown = [] { spend(5); };
  tbb::parallel_invoke(
      unknown,
      [&] {
        spend(6);
        context.cancel_group_execution();
        tbb::parallel_invoke(unknown, unknown, context);
      },
      unknown, context);
  spend(1);
  expect_span_between(7, 7);
}
CASE(cancelled_with_a_feeder) {
  tbb::task_group_context context;
  const std::forward_list<int> items{3};
  const auto body = [&](int item, tbb::feeder<int>& more) {
    spend(4);
    if (item == 1)
      context.cancel_group_execution();
    if (item > 0)
      more.add(item - 1);
  };
  tbb::parallel_for_each(items.begin(), items.end(), body, context);
  spend(2);
  // Items 3, 2, 1, each added by the previous one; the added item 0 never runs.
  expect({3 * 4 + 2, 3 * 4 + 2});
}
CASE(cancelled_pipeline) {
  // One item at a time: the third does not reach the second filter.
  tbb::task_group_context context;
  int next = 0;
  tbb::parallel_pipeline(
      1,
      tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                  [&](tbb::flow_control&) {
                                    spend(2);
                                    if (next == 2)
                                      context.cancel_group_execution();
                                    return next++;
                                  }) &
          tbb::make_filter<int, void>(tbb::filter_mode::parallel, [](int) { spend(5); }),
      context);
  spend(4);
  expect({2 * 7 + 2 + 4, 2 * 7 + 2 + 4});
}
CASE(cancelled_graph) {
  namespace flow = tbb::flow;
  flow::graph graph;
  flow::continue_node<flow::continue_msg> first(graph, [&](const flow::continue_msg&) {
    spend(5);
    graph.cancel();
  });
  flow::continue_node<flow::continue_msg> second(graph,
                                                 [](const flow::continue_msg&) { spend(100); });
  flow::make_edge(first, second);
  first.try_put(flow::continue_msg());
  graph.wait_for_all();
  if (!graph.is_cancelled())
    std::puts("expect a cancelled graph");
  spend(1);
  expect({6, 6});
}
CASE(cancelled_after) {
  tbb::task_group group;
  group.run([] { spend(6); });
  group.wait();
  group.cancel();
  spend(1);
  if (group.wait() != tbb::canceled)
    std::puts("expect a cancelled group");
  group.run([] { spend(7); });
  group.wait();
  expect({14, 14});
}
CASE(cancelled_from_inside_and_used_again) {
  tbb::task_group group;
  for (int turn = 0; turn < 20; ++turn) {
    group.run([&] {
      spend(3);
      group.cancel();
    });
    for (int i = 0; i < 5; ++i)
      group.run([] { spend(3); });
    group.wait();
    spend(1);
  }
  // At times no task of a turn runs: only the one that cancels certainly begins before that.
  expect_span_between(20 * 4, 20 * 4);
}
