// SPDX-License-Identifier: Apache-2.0
// task_group in all its uses, including those that do not form a tree: waits that do not nest, a
// group that another task waits for, a group that tasks share.
#include "specification.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task_group.h>

#include <forward_list>
#include <functional>
#include <memory>

using namespace spec;
using tbb::task_group;

CASE(run_wait) {
  task_group group;
  spend(1);
  group.run([] { spend(50); });
  spend(2);
  group.run([] { spend(60); });
  spend(3);
  group.wait();
  spend(4);
  expect(in_series({step(1),
                    in_parallel({step(50), in_series({step(2), in_parallel({step(60), step(3)})})}),
                    step(4)}));
}
CASE(continuation_is_longest) {
  task_group group;
  group.run([] { spend(5); });
  spend(30);
  group.wait();
  expect({35, 30});
}
CASE(run_and_wait) {
  task_group group;
  group.run([] { spend(20); });
  spend(3);
  group.run_and_wait([] { spend(10); });
  spend(1);
  expect({34, 21});
}
CASE(used_again) {
  task_group group;
  for (int turn = 0; turn < 5; ++turn) {
    group.run([] { spend(20); });
    group.run([] { spend(10); });
    group.wait();
    spend(1);
  }
  expect({5 * 31, 5 * 21});
}
CASE(wait_twice_and_empty) {
  task_group group;
  group.wait();
  group.run([] { spend(20); });
  group.wait();
  spend(5);
  group.wait();
  spend(5);
  expect({30, 30});
}
CASE(deferred) {
  task_group group;
  tbb::task_handle handle = group.defer([] { spend(20); });
  spend(7);
  group.run(std::move(handle));
  spend(3);
  group.wait();
  // The task starts where it is run, not where it is made.
  expect({30, 27});
}
CASE(deferred_and_dropped) {
  task_group group;
  {
    tbb::task_handle handle = group.defer([] { spend(20); });
  }
  spend(7);
  group.wait();
  expect({7, 7});
}
CASE(deferred_and_run_by_another_task) {
  task_group group, other;
  tbb::task_handle handle = group.defer([] { spend(20); });
  other.run([&] {
    spend(5);
    group.run(std::move(handle));
    spend(1);
  });
  spend(2);
  other.wait();
  group.wait();
  spend(4);
  expect({32, 29});
}
CASE(deferred_run_and_wait) {
  task_group group;
  group.run([] { spend(4); });
  spend(2);
  group.run_and_wait(group.defer([] { spend(20); }));
  expect({26, 22});
}
CASE(waits_do_not_nest) {
  task_group first, second;
  first.run([] { spend(50); });
  spend(5);
  second.run([] { spend(20); });
  spend(3);
  first.wait();
  spend(7);
  second.wait();
  spend(2);
  // first ends at 50, second at 25: 50 + 7 + 2.
  expect({87, 59});
}
CASE(waits_cross) {
  task_group first, second;
  first.run([] { spend(10); });
  spend(5);
  second.run([] { spend(100); });
  spend(3);
  first.wait();
  spend(7);
  second.wait();
  spend(2);
  // max(8, 10) + 7 = 17; second ends at 105.
  expect({127, 107});
}
CASE(waited_for_by_another_task) {
  task_group group, waiters;
  group.run([] { spend(40); });
  waiters.run([&] {
    spend(3);
    group.wait();
    spend(4);
  });
  spend(1);
  waiters.wait();
  expect({48, 44});
}
CASE(two_waiters) {
  task_group group, waiters;
  group.run([] { spend(40); });
  for (int i = 0; i < 2; ++i)
    waiters.run([&] {
      group.wait();
      spend(4);
    });
  waiters.wait();
  expect({48, 44});
}
// Tasks of a group that spawn into the same group; only the outermost frame waits.
static void chain(task_group& group, int length) {
  spend(2);
  if (length == 0)
    return;
  group.run([&group, length] { chain(group, length - 1); });
  spend(3);
}
CASE(shared_by_its_tasks) {
  task_group group;
  group.run([&] { chain(group, 20); });
  group.wait();
  // 20 links of 2, each spawned by the last; the last but one runs 3 while its child takes 2.
  expect({20 * 5 + 2, 19 * 2 + 2 + 3});
}
static void spread(task_group& group, int depth) {
  spend(3);
  if (depth == 0)
    return;
  group.run([&group, depth] { spread(group, depth - 1); });
  group.run([&group, depth] { spread(group, depth - 1); });
  spend(1);
}
CASE(shared_tree) {
  task_group group;
  spread(group, 5);
  group.wait();
  spend(10);
  expect({63 * 3 + 31 + 10, 6 * 3 + 10});
}
CASE(shared_by_a_loop) {
  // All iterations run on one group: none waits, and the end of the loop joins none of its tasks.
  task_group group;
  tbb::parallel_for(
      0, 16,
      [&](int) {
        spend(2);
        group.run([] { spend(9); });
        spend(1);
      },
      tbb::simple_partitioner());
  spend(4);
  group.wait();
  expect({16 * 12 + 4, 11});
}
CASE(nested) {
  task_group outer;
  outer.run([] {
    spend(1);
    task_group inner;
    inner.run([] { spend(10); });
    inner.run([] { spend(20); });
    spend(2);
    inner.wait();
    spend(3);
  });
  outer.run([] { spend(15); });
  outer.wait();
  expect({51, 24});
}
static Cost fib_cost(int n) {
  if (n < 2)
    return step(1);
  return in_series({step(2), in_parallel({fib_cost(n - 1), fib_cost(n - 2)}), step(3)});
}
static int fib(int n) {
  if (n < 2)
    return spend(1), n;
  spend(2);
  int left, right;
  task_group group;
  group.run([&] { left = fib(n - 1); });
  group.run([&] { right = fib(n - 2); });
  group.wait();
  spend(3);
  return left + right;
}
CASE(fibonacci) {
  if (fib(12) != 144)
    std::puts("expect the right number");
  expect(fib_cost(12));
}
static int fib_and_wait(int n) {
  if (n < 2)
    return spend(1), n;
  spend(2);
  int left, right;
  task_group group;
  group.run([&] { left = fib_and_wait(n - 1); });
  group.run_and_wait([&] { right = fib_and_wait(n - 2); });
  spend(3);
  return left + right;
}
CASE(fibonacci_run_and_wait) {
  if (fib_and_wait(12) != 144)
    std::puts("expect the right number");
  expect(fib_cost(12));
}
CASE(user_context) {
  // Two groups in turn on one context of the user.
  tbb::task_group_context context;
  task_group first(context), second(context);
  first.run([] { spend(30); });
  spend(1);
  first.wait();
  second.run([] { spend(10); });
  spend(5);
  second.wait();
  expect({46, 40});
}
CASE(user_context_run_and_wait) {
  // Also waits for what ran before.
  tbb::task_group_context context;
  task_group group(context);
  group.run([] { spend(50); });
  group.run_and_wait([] { spend(10); });
  spend(1);
  group.run([] { spend(20); });
  group.run_and_wait(group.defer([] { spend(5); }));
  expect({86, 71});
}
CASE(user_context_at_the_same_time) {
  // Which of the two groups a wait belongs to is unknown.
  tbb::task_group_context context;
  task_group first(context), second(context);
  first.run([] { spend(50); });
  second.run([] { spend(10); });
  second.wait();
  spend(5);
  first.wait();
  expect_work(65);
  expect_span_between(50, 55);
}
static void divide_in(tbb::task_group_context& context, int depth) {
  spend(3);
  if (depth > 0) {
    task_group group(context);
    for (int half = 0; half < 2; ++half)
      group.run([&context, depth] { divide_in(context, depth - 1); });
    group.wait();
  }
  spend(1);
}
CASE(user_context_recursive) {
  // All groups have one context, and their tasks the same type.
  tbb::task_group_context context;
  divide_in(context, 4);
  expect({31 * 4, 5 * 4});
}
CASE(user_context_with_a_loop) {
  // An algorithm in the context of a group waits for its own tasks only.
  tbb::task_group_context context;
  task_group group(context);
  group.run([] { spend(50); });
  tbb::parallel_for(0, 4, [](int) { spend(10); }, tbb::simple_partitioner(), context);
  spend(5);
  group.wait();
  spend(1);
  expect({96, 51});
}
CASE(user_context_with_algorithms) {
  tbb::task_group_context context;
  task_group group(context);
  group.run([] { spend(100); });
  const auto each = [] { spend(10); };
  const std::forward_list<int> items{1, 2, 3, 4};
  tbb::parallel_for_each(items.begin(), items.end(), [&](int) { each(); }, context);
  using Range = tbb::blocked_range<int>;
  tbb::parallel_deterministic_reduce(
      Range(0, 4), 0, [&](const Range&, int) { return each(), 0; }, std::plus<>(),
      tbb::simple_partitioner(), context);
  int left = 2;
  const auto next = [&](tbb::flow_control& control) { left-- > 0 ? each() : control.stop(); };
  tbb::parallel_pipeline(1, tbb::make_filter<void, void>(tbb::filter_mode::serial_in_order, next),
                         context);
  spend(2);
  group.wait();
  spend(1);
  // In addition to the group: 10 each, 20 for the pipeline.
  expect({100 + 2 * 40 + 20 + 3, 101});
}
CASE(destroyed_by_another_task) {
  auto group = std::make_unique<task_group>();
  task_group other;
  group->run([] { spend(6); });
  group->wait();
  other.run([&] {
    group->run([] { spend(5); });
    spend(1);
    group->wait();
    group.reset();
    spend(2);
  });
  other.wait();
  expect({14, 13});
}
CASE(many_groups) {
  // Contexts are recycled at the same address again and again.
  for (int i = 0; i < 200; ++i) {
    task_group group;
    group.run([] { spend(2); });
    spend(1);
    group.wait();
  }
  expect({600, 400});
}
CASE(recursive_site) {
  struct Tree {
    static void visit(int depth) {
      spend(1);
      if (depth == 0)
        return;
      task_group group;
#line 901
      group.run([=] { visit(depth - 1); });
      visit(depth - 1);
      group.wait();
    }
  };
  Tree::visit(4);
  // 31 calls of one unit. Main spawns visit(3), (2), (1), (0): outermost, of 15, 7, 3, 1 units,
  // with paths of 4, 3, 2, 1; all others are inside. The first child ties with its continuation.
  expect({31, 5});
  expect_site(901, {15 + 7 + 3 + 1, 4 + 3 + 2 + 1}, 4);
}
