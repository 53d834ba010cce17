// SPDX-License-Identifier: Apache-2.0
// Loops split to their grain size, where iterations do not cost the same, ranges have several
// dimensions, and joins cost something: the span is that of the same loop with simple_partitioner,
// computed here by halving the range as its documentation says. With tp-run --divide it is measured
// for all loops, from any number of threads; else for loops over an index, and what is said of the
// others is an upper bound.
#include "specification.h"

#define TBB_PREVIEW_BLOCKED_RANGE_ND 1
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/blocked_range3d.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <functional>
#include <numeric>

using namespace spec;
using Range = tbb::blocked_range<unsigned>;

namespace {

using Costs = std::function<Units(unsigned)>;

// One iteration is much longer than all others; cost grows with the index.
Units one_long(unsigned i) {
  return i == 700 ? 10000 : 1;
}
Units growing(unsigned i) {
  return 1 + i * i / 100;
}

Units sum(const Costs& costs, unsigned begin, unsigned end) {
  Units total = 0;
  for (unsigned i = begin; i < end; ++i)
    total += costs(i);
  return total;
}

// The span of a loop over [begin, end) that is halved until no part exceeds the grain size; `join`
// runs after both halves.
Units halved(const Costs& costs, unsigned begin, unsigned end, unsigned grain, Units join = 0) {
  if (end - begin <= grain)
    return sum(costs, begin, end);
  const unsigned middle = begin + (end - begin) / 2;
  return std::max(halved(costs, begin, middle, grain, join),
                  halved(costs, middle, end, grain, join)) +
         join;
}

// Runs the loop with all four partitioners in turn.
void ranges(unsigned n, unsigned grain, const Costs& costs) {
  with_each_partitioner([&](auto&& partitioner) {
    tbb::parallel_for(
        Range(0, n, grain),
        [&](const Range& range) {
          for (unsigned i = range.begin(); i != range.end(); ++i)
            spend(costs(i));
        },
        partitioner);
  });
  expect_work(kPartitioners * sum(costs, 0, n));
  expect_divided_span(kPartitioners * halved(costs, 0, n, grain));
}

void indices(unsigned n, const Costs& costs) {
  with_each_partitioner([&](auto&& partitioner) {
    tbb::parallel_for(0u, n, [&](unsigned i) { spend(costs(i)); }, partitioner);
  });
  expect_work(kPartitioners * sum(costs, 0, n));
  expect_measured_span(kPartitioners * halved(costs, 0, n, 1));
}

// A range that only says whether it can be divided.
class Opaque {
public:
  Opaque(unsigned begin, unsigned end) : begin_(begin), end_(end) {}
  Opaque(Opaque& from, tbb::split)
      : begin_(from.begin_ + (from.end_ - from.begin_) / 2), end_(from.end_) {
    from.end_ = begin_;
  }
  bool empty() const { return begin_ == end_; }
  bool is_divisible() const { return end_ - begin_ > 3; }
  void run(const Costs& costs) const {
    for (unsigned i = begin_; i != end_; ++i)
      spend(costs(i));
  }

private:
  unsigned begin_, end_;
};

constexpr Units kJoin = 50;

struct Summing {
  const Costs* costs;
  Units total = 0;
  explicit Summing(const Costs& of) : costs(&of) {}
  Summing(Summing& from, tbb::split) : costs(from.costs) {}
  void operator()(const Range& range) {
    for (unsigned i = range.begin(); i != range.end(); ++i) {
      spend((*costs)(i));
      total += (*costs)(i);
    }
  }
  void join(const Summing& right) {
    spend(kJoin);
    total += right.total;
  }
};

void check_total(Units expected, Units got) {
  if (expected != got)
    std::printf("expect another sum: %llu\n", static_cast<unsigned long long>(got));
}

} // namespace

CASE(one_long_iteration) {
  ranges(1024, 1, one_long);
}
CASE(one_long_iteration_and_a_grain) {
  ranges(1000, 7, one_long);
}
CASE(growing_iterations) {
  ranges(777, 1, growing);
}
CASE(growing_iterations_and_a_grain) {
  ranges(777, 10, growing);
}
CASE(index_one_long_iteration) {
  indices(1024, one_long);
}
CASE(index_growing_iterations) {
  indices(777, growing);
}
CASE(index_of_short_type) {
  tbb::parallel_for(
      short{0}, short{300}, short{7},
      [](short i) { spend(one_long(static_cast<unsigned>(i) + 2)); }, tbb::static_partitioner());
  expect_measured_span(1);
}

// Equal iterations: known without --divide, whatever divides the range in proportion to the threads.
CASE(grains_of_all_partitioners) {
  const Costs one = [](unsigned) { return 1; };
  Units span = 0;
  for (const unsigned n : {100u, 1000u, 1023u})
    for (const unsigned grain : {3u, 7u, 100u}) {
      with_each_partitioner([&](auto&& partitioner) {
        tbb::parallel_for(
            Range(0, n, grain), [](const Range& range) { spend(range.size()); }, partitioner);
      });
      span += kPartitioners * halved(one, 0, n, grain);
    }
  expect_divisible_span(span);
  expect_divided_span(span);
}

CASE(two_dimensions) {
  using Plane = tbb::blocked_range2d<unsigned>;
  with_each_partitioner([](auto&& partitioner) {
    tbb::parallel_for(
        Plane(0, 256, 1, 0, 10, 1000),
        [](const Plane& plane) { spend(plane.rows().size() * plane.cols().size()); }, partitioner);
  });
  expect_divisible_span(kPartitioners * 10);
  expect_divided_span(kPartitioners * 10);
}

// Each row costs what its index says; parts are 2 to 3 rows by 4 to 5 columns.
CASE(two_dimensions_unequal) {
  using Plane = tbb::blocked_range2d<unsigned>;
  const Costs row = [](unsigned i) { return one_long(i + 690); };
  with_each_partitioner([&](auto&& partitioner) {
    tbb::parallel_for(
        Plane(0, 20, 3, 0, 18, 5),
        [&](const Plane& plane) {
          spend(sum(row, plane.rows().begin(), plane.rows().end()) * plane.cols().size());
        },
        partitioner);
  });
  expect_work(kPartitioners * 18 * sum(row, 0, 20));
  // 20 rows: 10, 5, 2 and 3; 18 columns: 9, 4 and 5. The long row is the first of rows 10 and 11.
  expect_divided_span(kPartitioners * 5 * 10001);
}

CASE(three_dimensions) {
  using Space = tbb::blocked_range3d<unsigned>;
  with_each_partitioner([](auto&& partitioner) {
    tbb::parallel_for(
        Space(0, 8, 100, 0, 8, 2, 0, 8, 3),
        [](const Space& space) {
          spend(space.pages().size() * space.rows().size() * space.cols().size());
        },
        partitioner);
  });
  expect_divisible_span(kPartitioners * 8 * 2 * 2);
  expect_divided_span(kPartitioners * 8 * 2 * 2);
}

CASE(range_of_the_user) {
  with_each_partitioner([](auto&& partitioner) {
    tbb::parallel_for(
        Opaque(0, 1000), [](const Opaque& range) { range.run(one_long); }, partitioner);
  });
  expect_work(kPartitioners * sum(one_long, 0, 1000));
  expect_divided_span(kPartitioners * halved(one_long, 0, 1000, 3));
}

CASE(deterministic_reduce) {
  const Costs costs = growing;
  for (const unsigned grain : {1u, 5u}) {
    Summing simple(costs), fixed(costs);
    tbb::parallel_deterministic_reduce(Range(0, 500, grain), simple, tbb::simple_partitioner());
    tbb::parallel_deterministic_reduce(Range(0, 500, grain), fixed, tbb::static_partitioner());
    check_total(sum(costs, 0, 500), simple.total);
    check_total(sum(costs, 0, 500), fixed.total);
  }
  expect_divided_span_only(2 * (halved(costs, 0, 500, 1, kJoin) + halved(costs, 0, 500, 5, kJoin)));
}

// Which results are joined depends on the run, unless all are.
CASE(reduce) {
  const Costs costs = one_long;
  with_each_partitioner([&](auto&& partitioner) {
    Summing body(costs);
    tbb::parallel_reduce(Range(0, 900, 4), body, partitioner);
    check_total(sum(costs, 0, 900), body.total);
  });
  expect_divided_span_only(kPartitioners * halved(costs, 0, 900, 4, kJoin));
}

// A loop inside each iteration of a loop.
CASE(nested) {
  const auto inner = [](unsigned i) { return [i](unsigned k) { return k == i ? 100 : 1 + i; }; };
  Units span = 0;
  for (unsigned i = 0; i < 40; ++i)
    span = std::max(span, 5 + halved(inner(i), 0, 64, 2));
  tbb::parallel_for(
      Range(0, 40),
      [&](const Range& range) {
        for (unsigned i = range.begin(); i != range.end(); ++i) {
          spend(5);
          tbb::parallel_for(Range(0, 64, 2), [&](const Range& part) {
            for (unsigned k = part.begin(); k != part.end(); ++k)
              spend(inner(i)(k));
          });
        }
      },
      tbb::static_partitioner());
  expect_divided_span(span);
}

// The body call throws: what it did until then counts, and nothing after it is lost.
CASE(throws) {
  int caught = 0;
  for (int i = 0; i < 5; ++i)
    try {
      tbb::parallel_for(Range(0, 100, 100), [](const Range& range) {
        spend(range.size());
        throw 1;
      });
    } catch (int) {
      ++caught;
    }
  spend(7);
  if (caught != 5)
    std::puts("expect five exceptions");
  expect(step(5 * 100 + 7));
  expect_divided_span(5 * 100 + 7);
}
