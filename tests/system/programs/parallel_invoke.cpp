// SPDX-License-Identifier: Apache-2.0
// parallel_invoke with 2 to 10 functions, nested, and with unequal parts.
#include "specification.h"

#include <oneapi/tbb/parallel_invoke.h>

using namespace spec;

template <Units units>
static void part() {
  spend(units);
}

// 1 + (the parts in parallel) + 2.
static void expect_parts(std::initializer_list<Units> parts) {
  Cost sum;
  for (const Units units : parts)
    sum = in_parallel({sum, step(units)});
  expect(in_series({step(1), sum, step(2)}));
}

#define INVOKE(...)                                                                                \
  spend(1);                                                                                        \
  tbb::parallel_invoke(__VA_ARGS__);                                                               \
  spend(2)

CASE(two) {
  INVOKE(part<5>, part<7>);
  expect_parts({5, 7});
}
CASE(three) {
  INVOKE(part<50>, part<7>, part<9>);
  expect_parts({50, 7, 9});
}
CASE(four) {
  INVOKE(part<5>, part<70>, part<9>, part<11>);
  expect_parts({5, 70, 9, 11});
}
CASE(five) {
  INVOKE(part<5>, part<7>, part<90>, part<11>, part<13>);
  expect_parts({5, 7, 90, 11, 13});
}
CASE(six) {
  INVOKE(part<5>, part<7>, part<9>, part<110>, part<13>, part<15>);
  expect_parts({5, 7, 9, 110, 13, 15});
}
CASE(seven) {
  INVOKE(part<5>, part<7>, part<9>, part<11>, part<130>, part<15>, part<17>);
  expect_parts({5, 7, 9, 11, 130, 15, 17});
}
CASE(eight) {
  INVOKE(part<5>, part<7>, part<9>, part<11>, part<13>, part<150>, part<17>, part<19>);
  expect_parts({5, 7, 9, 11, 13, 150, 17, 19});
}
CASE(nine) {
  INVOKE(part<5>, part<7>, part<9>, part<11>, part<13>, part<15>, part<170>, part<19>, part<21>);
  expect_parts({5, 7, 9, 11, 13, 15, 170, 19, 21});
}
CASE(ten) {
  INVOKE(part<5>, part<7>, part<9>, part<11>, part<13>, part<15>, part<17>, part<19>, part<21>,
         part<230>);
  expect_parts({5, 7, 9, 11, 13, 15, 17, 19, 21, 230});
}

CASE(waits_in_a_user_context) {
  // Of more than three functions, the task that spawned the next two runs the first: when it waits,
  // in the same context, it waits only for its own tasks.
  tbb::task_group_context context;
  tbb::parallel_invoke(
      [&] {
        spend(1);
        tbb::parallel_invoke(part<3>, part<2>, context);
        spend(10);
      },
      part<50>, part<50>, part<4>, context);
  expect({1 + 5 + 10 + 104, 50});
}

static void quick(int depth) {
  spend(3);
  if (depth > 0)
    tbb::parallel_invoke([=] { quick(depth - 1); }, [=] { quick(depth - 1); });
  spend(1);
}
CASE(recursive) {
  quick(6);
  // 2^7 - 1 calls of 4 units; the path has one call per level.
  expect({127 * 4, 7 * 4});
}
static Cost fall_in(tbb::task_group_context& context, int depth) {
  spend(3);
  Cost halves;
  if (depth > 0) {
    Cost one, other;
    tbb::parallel_invoke([&, depth] { one = fall_in(context, depth - 1); },
                         [&, depth] { other = fall_in(context, depth - 2); }, context);
    halves = in_parallel({one, other});
  }
  spend(1);
  return in_series({step(3), halves, step(1)});
}
CASE(recursive_in_a_user_context) {
  // The tasks of all levels have the same types and the same context.
  tbb::task_group_context context;
  expect(fall_in(context, 6));
}
CASE(sites) {
  spend(4);
  constexpr unsigned kLine = 901;
#line 901
  tbb::parallel_invoke(part<30>, part<20>, part<10>);
  expect({64, 34});
  expect_site(0, {64, 34}, 4);
  expect_site(kLine, {60, 60}, 30); // three tasks, three invocations
}
