// SPDX-License-Identifier: Apache-2.0
// parallel_reduce and parallel_deterministic_reduce. A join runs after both halves, on whichever
// thread; the set of joins is fixed only for the deterministic form.
#include "specification.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>

using namespace spec;
using Range = tbb::blocked_range<int>;

namespace {

constexpr Units kElement = 4, kJoin = 3;

struct Sum {
  long value = 0;
  Sum() = default;
  Sum(Sum&, tbb::split) {}
  void operator()(const Range& range) {
    for (int i = range.begin(); i != range.end(); ++i) {
      spend(kElement);
      value += i;
    }
  }
  void join(const Sum& right) {
    spend(kJoin);
    value += right.value;
  }
};

long add_range(const Range& range, long value) {
  for (int i = range.begin(); i != range.end(); ++i) {
    spend(kElement);
    value += i;
  }
  return value;
}
long join(long left, long right) {
  spend(kJoin);
  return left + right;
}

void check(long value, int n) {
  if (value != long{n} * (n - 1) / 2)
    std::puts("expect the right sum");
}

// A range of n is halved until no part exceeds g; every halving ends in a join.
Cost halves(Units n, Units grain) {
  if (n <= grain)
    return step(n * kElement);
  return in_series({in_parallel({halves(n / 2, grain), halves(n - n / 2, grain)}), step(kJoin)});
}

// The cost of a reduction whose joins depend on the schedule: none to one per halving. Leaves have
// at most `largest` elements; as many joins as halvings can be on a path.
void expect_joins_at_will(Units n, Units largest) {
  Units halvings = 0;
  while (n > Units{1} << halvings)
    ++halvings;
  std::printf("expect headers between span %llu %llu\n", static_cast<unsigned long long>(kElement),
              static_cast<unsigned long long>(largest * kElement + halvings * kJoin));
  expect_span_between(kElement, n * (kElement + kJoin));
}

// static_partitioner: a part per thread; a part that another thread ran is joined.
void expect_static_parts(Units n) {
  const auto parts = static_cast<Units>(threads());
  if (n % parts == 0)
    expect_joins_at_will(n, n / parts);
  if (parts == 1)
    expect(step(n * kElement));
}

} // namespace

CASE(deterministic_body) {
  Sum sum;
  spend(6);
  tbb::parallel_deterministic_reduce(Range(0, 64), sum, tbb::simple_partitioner());
  spend(7);
  check(sum.value, 64);
  const Cost cost = in_series({step(6), halves(64, 1), step(7)});
  expect_work(cost.work);
  expect_span_with_headers(cost.span);
}
CASE(deterministic_body_grain) {
  Sum sum;
  tbb::parallel_deterministic_reduce(Range(0, 100, 7), sum);
  check(sum.value, 100);
  expect_work(halves(100, 7).work);
  expect_span_with_headers(halves(100, 7).span);
}
CASE(deterministic_function) {
  check(tbb::parallel_deterministic_reduce(Range(0, 37), 0L, add_range, join,
                                           tbb::simple_partitioner()),
        37);
  expect_work(halves(37, 1).work);
  expect_span_with_headers(halves(37, 1).span);
}
CASE(deterministic_static) {
  check(tbb::parallel_deterministic_reduce(Range(0, 64), 0L, add_range, join,
                                           tbb::static_partitioner()),
        64);
  expect_static_parts(64);
}
CASE(body_simple) {
  Sum sum;
  tbb::parallel_reduce(Range(0, 64), sum, tbb::simple_partitioner());
  check(sum.value, 64);
  expect_joins_at_will(64, 1);
}
CASE(function_auto) {
  check(tbb::parallel_reduce(Range(0, 200), 0L, add_range, join), 200);
  expect_joins_at_will(200, 200 / 2);
}
CASE(function_static) {
  check(tbb::parallel_reduce(Range(0, 64), 0L, add_range, join, tbb::static_partitioner()), 64);
  expect_static_parts(64);
}
CASE(function_affinity) {
  tbb::affinity_partitioner partitioner;
  check(tbb::parallel_reduce(Range(0, 64), 0L, add_range, join, partitioner), 64);
  expect_joins_at_will(64, 64 / 2);
}
CASE(joins_without_work) {
  // Without work in the joins the form makes no difference.
  const long sum = tbb::parallel_reduce(
      Range(0, 64), 0L, add_range, [](long a, long b) { return a + b; }, tbb::simple_partitioner());
  check(sum, 64);
  expect_work(64 * kElement);
  expect_divisible_span(kElement);
}
CASE(nested) {
  // Each element of the outer reduction is a reduction.
  const long sum = tbb::parallel_deterministic_reduce(
      Range(0, 8), 0L,
      [](const Range& range, long value) {
        for (int i = range.begin(); i != range.end(); ++i)
          value += tbb::parallel_deterministic_reduce(Range(0, 16), 0L, add_range, join,
                                                      tbb::simple_partitioner());
        return value;
      },
      [](long a, long b) {
        spend(100);
        return a + b;
      },
      tbb::simple_partitioner());
  if (sum != 8 * 120)
    std::puts("expect the right sum");
  expect_work(8 * halves(16, 1).work + 7 * 100);
  expect_span_with_headers(halves(16, 1).span + 3 * 100);
}
CASE(site) {
  Sum sum;
  constexpr unsigned kLine = 901;
#line 901
  tbb::parallel_deterministic_reduce(Range(0, 32), sum, tbb::simple_partitioner());
  spend(5);
  const Cost cost = halves(32, 1);
  expect_work(cost.work + 5);
  expect_span_with_headers(cost.span + 5);
  std::printf("expect headers site %u %llu %llu %llu\n", kLine, (unsigned long long)cost.work,
              (unsigned long long)cost.span, (unsigned long long)cost.span);
}
