// SPDX-License-Identifier: Apache-2.0
// Schedule-independent spans are equal for every partitioner and number of threads, alone and
// nested. Each loop runs with all four partitioners in turn. Joins of reductions cost nothing here,
// since the run decides which of them happen.
#include "specification.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>

using namespace spec;
using Range = tbb::blocked_range<int>;

namespace {

// A loop or a reduction of n iterations, each of which calls `body`.
template <typename Partitioner, typename Body>
void loop(int n, Partitioner&& partitioner, const Body& body) {
  tbb::parallel_for(
      Range(0, n),
      [&](const Range& range) {
        for (int i = range.begin(); i != range.end(); ++i)
          body();
      },
      partitioner);
}
template <typename Partitioner, typename Body>
void reduction(int n, Partitioner&& partitioner, const Body& body) {
  const int sum = tbb::parallel_reduce(
      Range(0, n), 0,
      [&](const Range& range, int value) {
        for (int i = range.begin(); i != range.end(); ++i) {
          body();
          value += i;
        }
        return value;
      },
      std::plus<>(), partitioner);
  if (sum != n * (n - 1) / 2)
    std::puts("expect another sum");
}

struct Counting {
  int count = 0;
  Counting() = default;
  Counting(Counting&, tbb::split) {}
  void operator()(const Range& range) {
    for (int i = range.begin(); i != range.end(); ++i) {
      spend(7);
      ++count;
    }
  }
  void join(const Counting& right) { count += right.count; }
};

// Adds `work` units to what came before, `span` of them on the path.
void expect_each(Units work, Units span) {
  expect_work(kPartitioners * work);
  expect_divisible_span(kPartitioners * span);
}

} // namespace

CASE(loops) {
  with_each_partitioner([](auto&& partitioner) {
    spend(1);
    loop(300, partitioner, [] { spend(7); });
  });
  expect_each(1 + 300 * 7, 1 + 7);
}
CASE(indices) {
  with_each_partitioner([](auto&& partitioner) {
    spend(1);
    tbb::parallel_for(0, 90, 3, [](int) { spend(7); }, partitioner);
  });
  expect_each(1 + 30 * 7, 1 + 7);
}
CASE(rectangles) {
  using Rectangle = tbb::blocked_range2d<int>;
  with_each_partitioner([](auto&& partitioner) {
    tbb::parallel_for(
        Rectangle(0, 12, 0, 10),
        [](const Rectangle& range) { spend(3 * range.rows().size() * range.cols().size()); },
        partitioner);
  });
  expect_each(120 * 3, 3);
}
CASE(reductions) {
  with_each_partitioner([](auto&& partitioner) {
    spend(1);
    reduction(300, partitioner, [] { spend(7); });
  });
  expect_each(1 + 300 * 7, 1 + 7);
}
CASE(reductions_by_a_body) {
  with_each_partitioner([](auto&& partitioner) {
    Counting body;
    tbb::parallel_reduce(Range(0, 300), body, partitioner);
    if (body.count != 300)
      std::puts("expect another count");
  });
  expect_each(300 * 7, 7);
}
CASE(deterministic_reductions) {
  const auto reduce = [](const auto& partitioner) {
    Counting body;
    tbb::parallel_deterministic_reduce(Range(0, 300), body, partitioner);
  };
  reduce(tbb::simple_partitioner());
  reduce(tbb::static_partitioner());
  expect_work(2 * 300 * 7);
  expect_divisible_span(2 * 7);
}
CASE(loops_in_loops) {
  with_each_partitioner([](auto&& outer) {
    with_each_partitioner([&](auto&& inner) {
      loop(20, outer, [&] {
        spend(2);
        // An affinity partitioner can serve only one loop at a time.
        std::decay_t<decltype(inner)> own;
        loop(12, own, [] { spend(3); });
        spend(4);
      });
    });
  });
  expect_each(kPartitioners * 20 * (2 + 12 * 3 + 4), kPartitioners * 9);
}
CASE(reductions_in_loops_in_reductions) {
  with_each_partitioner([](auto&& outer) {
    reduction(6, outer, [] {
      spend(1);
      with_each_partitioner([](auto&& middle) {
        loop(5, middle, [] {
          reduction(9, tbb::auto_partitioner(), [] { spend(2); });
          spend(5);
        });
      });
    });
  });
  expect_each(6 * (1 + kPartitioners * 5 * (9 * 2 + 5)), 1 + kPartitioners * 7);
}
