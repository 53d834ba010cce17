// Exceptions and cancellation: what was spent up to the throw is attributed, whatever did not run is not.
#include "specification.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/task_group.h>

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
  // The task has begun by then, or is cancelled by nobody else.
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
  // At times no task of a turn runs: none is certain to have been taken before the cancellation but the one that cancels.
  expect_span_between(20 * 4, 20 * 4);
}
