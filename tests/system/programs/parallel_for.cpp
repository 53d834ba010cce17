// SPDX-License-Identifier: Apache-2.0
// parallel_for: each form, each partitioner. The work and the schedule-independent span do not
// depend on the schedule; the span of this run does, except with simple_partitioner.
#include "specification.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/blocked_range3d.h>
#include <oneapi/tbb/parallel_for.h>

using namespace spec;
using Range = tbb::blocked_range<int>;

static void each(const Range& range, Units units) {
  for (int i = range.begin(); i != range.end(); ++i)
    spend(units);
}

// The largest part that remains when a range of `size` is halved until no part exceeds `grain`.
static Units largest_part(Units size, Units grain) {
  return size <= grain
             ? size
             : std::max(largest_part(size / 2, grain), largest_part(size - size / 2, grain));
}

// n iterations of 7 units, grain size g, any partitioner, between 11 and 13 units of serial work.
template <typename Loop>
static void adaptive(Units n, Units grain, Loop loop) {
  spend(11);
  loop();
  spend(13);
  const Units part = largest_part(n, grain);
  expect_work(24 + 7 * n);
  expect_divisible_span(24 + 7 * part);
  expect_span_between(24 + 7 * part, 24 + 7 * n);
}

CASE(range_auto) {
  adaptive(64, 1, [] { tbb::parallel_for(Range(0, 64), [](const Range& r) { each(r, 7); }); });
}
CASE(range_auto_odd) {
  adaptive(100, 3, [] { tbb::parallel_for(Range(0, 100, 3), [](const Range& r) { each(r, 7); }); });
}
CASE(range_static) {
  adaptive(128, 1, [] {
    tbb::parallel_for(Range(0, 128), [](const Range& r) { each(r, 7); }, tbb::static_partitioner());
  });
}
CASE(range_affinity) {
  tbb::affinity_partitioner partitioner;
  adaptive(128, 1, [&] {
    tbb::parallel_for(Range(0, 128), [](const Range& r) { each(r, 7); }, partitioner);
  });
}
CASE(range_affinity_twice) {
  tbb::affinity_partitioner partitioner;
  for (int turn = 0; turn < 2; ++turn)
    tbb::parallel_for(Range(0, 64), [](const Range& r) { each(r, 3); }, partitioner);
  expect_work(2 * 64 * 3);
  expect_divisible_span(2 * 3);
}
CASE(range_simple) {
  tbb::parallel_for(Range(0, 100), [](const Range& r) { each(r, 7); }, tbb::simple_partitioner());
  expect({700, 7});
  expect_divisible_span(7);
  expect_tasks(100);
}
CASE(range_simple_grain) {
  tbb::parallel_for(
      Range(0, 100, 3), [](const Range& r) { each(r, 7); }, tbb::simple_partitioner());
  expect({700, 7 * largest_part(100, 3)});
  expect_divisible_span(7 * largest_part(100, 3));
}
CASE(index) {
  adaptive(64, 1, [] { tbb::parallel_for(0, 64, [](int) { spend(7); }); });
}
CASE(index_strided) {
  adaptive(34, 1, [] { tbb::parallel_for(0, 100, 3, [](int) { spend(7); }); });
}
CASE(index_simple_uneven) {
  // Iteration i takes i units: the span is the heaviest one.
  tbb::parallel_for(0, 50, [](int i) { spend(static_cast<Units>(i)); }, tbb::simple_partitioner());
  expect({50 * 49 / 2, 49});
}
CASE(index_strided_static) {
  adaptive(20, 1, [] {
    tbb::parallel_for(
        std::size_t{0}, std::size_t{100}, std::size_t{5}, [](std::size_t) { spend(7); },
        tbb::static_partitioner());
  });
}
CASE(two_dimensions) {
  tbb::parallel_for(tbb::blocked_range2d<int>(0, 8, 0, 16), [](const tbb::blocked_range2d<int>& r) {
    for (int i = r.rows().begin(); i != r.rows().end(); ++i)
      each(Range(r.cols().begin(), r.cols().end()), 5);
  });
  expect_work(8 * 16 * 5);
  expect_divisible_span(5);
}
CASE(three_dimensions) {
  using Range3 = tbb::blocked_range3d<int>;
  tbb::parallel_for(Range3(0, 4, 0, 4, 0, 4), [](const Range3& r) {
    const auto iterations = r.pages().size() * r.rows().size() * r.cols().size();
    for (std::size_t i = 0; i < iterations; ++i)
      spend(5);
  });
  expect_work(64 * 5);
  expect_divisible_span(5);
}
CASE(empty_and_single) {
  tbb::parallel_for(Range(0, 0), [](const Range& r) { each(r, 7); });
  tbb::parallel_for(0, 0, [](int) { spend(7); });
  tbb::parallel_for(0, 1, [](int) { spend(9); });
  expect({9, 9});
}
CASE(nested_simple) {
  tbb::parallel_for(
      0, 8,
      [](int) {
        spend(2);
        tbb::parallel_for(0, 16, [](int) { spend(3); }, tbb::simple_partitioner());
        spend(4);
      },
      tbb::simple_partitioner());
  expect({8 * (2 + 16 * 3 + 4), 2 + 3 + 4});
}
CASE(nested_auto) {
  tbb::parallel_for(0, 16, [](int) { tbb::parallel_for(0, 16, [](int) { spend(6); }); });
  expect_work(16 * 16 * 6);
  expect_divisible_span(6);
}
CASE(nested_in_large_leaves) {
  // Tasks of many iterations end late in one body call; once it is split, their paths are short.
  tbb::parallel_for(
      0, 64, [](int) { tbb::parallel_for(0, 3, [](int) { spend(6); }, tbb::simple_partitioner()); },
      tbb::static_partitioner());
  expect_work(64 * 3 * 6);
  expect_divisible_span(6);
}
CASE(one_after_the_other) {
  for (int turn = 0; turn < 10; ++turn) {
    spend(1);
    tbb::parallel_for(0, 10, [](int) { spend(5); }, tbb::simple_partitioner());
  }
  expect({10 * 51, 10 * 6});
}
CASE(shared_context) {
  // One user's context for a loop and the loops inside it: each wait joins only its own tasks.
  tbb::task_group_context context;
  tbb::parallel_for(
      0, 6,
      [&](int i) {
        tbb::parallel_for(0, 8, [](int) { spend(3); }, tbb::simple_partitioner(), context);
        spend(static_cast<Units>(i));
      },
      tbb::simple_partitioner(), context);
  expect({6 * 8 * 3 + 15, 3 + 5});
}
CASE(isolated) {
  tbb::parallel_for(
      0, 8,
      [](int) {
        tbb::this_task_arena::isolate(
            [] { tbb::parallel_for(0, 8, [](int) { spend(3); }, tbb::simple_partitioner()); });
        spend(1);
      },
      tbb::simple_partitioner());
  expect({8 * 25, 4});
}
CASE(sites) {
  spend(10);
#line 901
  tbb::parallel_for(
      0, 4,
      [](int) {
        spend(5);
#line 951
        tbb::parallel_for(0, 8, [](int) { spend(3); }, tbb::simple_partitioner());
      },
      tbb::simple_partitioner());
  expect({10 + 4 * 29, 18});
  expect_site(0, {10 + 4 * 29, 18}, 10);
  expect_site(901, {4 * 29, 8}, 5);
  expect_site(951, {4 * 24, 4 * 3}, 3); // four calls
}
