// SPDX-License-Identifier: Apache-2.0
// Constructs of oneTBB 2022.3 and 2023.0: tasks that depend on each other, waits for one task,
// resources of a flow graph (previews), groups of enqueued tasks.
#define TBB_PREVIEW_TASK_GROUP_EXTENSIONS 1
#define TBB_PREVIEW_FLOW_GRAPH_RESOURCE_LIMITING 1
#include "specification.h"

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/version.h>

#include <tuple>
#include <utility>

using namespace spec;

CASE(independent) {
  tbb::task_group group;
  tbb::task_handle one = group.defer([] { spend(10); }), other = group.defer([] { spend(20); });
  group.run(std::move(one));
  spend(3);
  group.run_and_wait(std::move(other));
  expect({33, 23});
}
#if TBB_VERSION_MAJOR >= 2023
CASE(diamond) {
  tbb::task_group group;
  tbb::task_handle a = group.defer([] { spend(10); }), b = group.defer([] { spend(100); }),
                   c = group.defer([] { spend(20); }), d = group.defer([] { spend(7); });
  tbb::task_group::set_task_order(a, b);
  tbb::task_group::set_task_order(a, c);
  tbb::task_group::set_task_order(b, d);
  tbb::task_group::set_task_order(c, d);
  group.run(std::move(d));
  spend(3);
  group.run(std::move(c));
  group.run(std::move(b));
  spend(4);
  group.run(std::move(a));
  group.wait();
  spend(1);
  expect({10 + 100 + 20 + 7 + 8, 7 + 10 + 100 + 7 + 1});
}
CASE(run_last) {
  // The second task waits for the call of run().
  tbb::task_group group;
  tbb::task_handle a = group.defer([] { spend(10); }), d = group.defer([] { spend(7); });
  tbb::task_group::set_task_order(a, d);
  group.run(std::move(a));
  spend(100);
  group.run(std::move(d));
  group.wait();
  expect({117, 107});
}
CASE(transfer) {
  tbb::task_group group;
  tbb::task_handle d = group.defer([] { spend(7); });
  tbb::task_handle a = group.defer([&] {
    spend(10);
    tbb::task_handle b = group.defer([] { spend(50); });
    tbb::task_group::transfer_this_task_completion_to(b);
    group.run(std::move(b));
    spend(5);
  });
  tbb::task_group::set_task_order(a, d);
  group.run(std::move(d));
  group.run(std::move(a));
  group.wait();
  expect({72, 67});
}
CASE(wait_for_one) {
  // Whether the wait also covers the other one, which was in the group by then, is unknown.
  tbb::task_group group;
  group.run([] { spend(1000); });
  tbb::task_handle one = group.defer([] { spend(10); });
  group.run_and_wait_for_task(std::move(one));
  spend(200);
  group.wait();
  expect_span_between(1000, 1200);
  expect_work(1210);
}
CASE(wait_for_alone) {
  tbb::task_group group;
  tbb::task_handle one = group.defer([] { spend(10); });
  tbb::task_completion_handle handle = one;
  group.run(std::move(one));
  spend(2);
  group.wait_for_task(handle);
  spend(200);
  group.wait();
  expect({212, 210});
}
CASE(arena_group) {
  tbb::task_arena arena(4);
  tbb::task_group group;
  arena.enqueue([] { spend(30); }, group);
  arena.enqueue([] { spend(40); }, group);
  spend(5);
  arena.wait_for(group);
  spend(1);
  expect({76, 41});
}
CASE(after_the_end) {
  // The first task may have ended when the order is set.
  tbb::task_group group;
  tbb::task_handle first = group.defer([] { spend(50); });
  tbb::task_completion_handle end = first;
  group.run(std::move(first));
  spend(1);
  tbb::task_handle second = group.defer([] { spend(7); });
  tbb::task_group::set_task_order(end, second);
  group.run(std::move(second));
  group.wait();
  expect({58, 57});
}
CASE(one_resource) {
  // Bodies come one after the other; which one is first depends on the run.
  tbb::flow::graph graph;
  tbb::flow::resource_limiter<int> limiter(1);
  using Node = tbb::flow::resource_limited_node<int, std::tuple<int>>;
  Node node(graph, tbb::flow::unlimited, std::tie(limiter),
            [](const int& i, Node::output_ports_type& ports, int&) {
              spend(10);
              std::get<0>(ports).try_put(i);
            });
  tbb::flow::function_node<int, int> after(graph, tbb::flow::unlimited, [](int i) {
    spend(100);
    return i;
  });
  tbb::flow::make_edge(tbb::flow::output_port<0>(node), after);
  for (int i = 0; i < 5; ++i) {
    spend(1);
    node.try_put(i);
  }
  graph.wait_for_all();
  expect_work(5 * 111);
  expect_span_between(151, 155);
}
#endif
