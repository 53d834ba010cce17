// SPDX-License-Identifier: Apache-2.0
// parallel_scan. A part that runs right after its left sibling, on the same thread, takes over its
// sum and so comes after it; a stolen part is summed separately and runs again in the second pass.
// So work and span depend on the run. In every run, the units spent are the work, each part of a
// pass has its fixed cost, and with one thread the scan is a chain.
#include "specification.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_scan.h>

#include <atomic>

using namespace spec;
using Range = tbb::blocked_range<int>;

namespace {

// Blocks until the given number of threads have arrived.
struct Rendezvous {
  explicit Rendezvous(int threads) : missing(threads) {}
  void meet() {
    for (--missing; missing > 0;)
      std::this_thread::yield();
  }
  std::atomic<int> missing;
};

struct Counts {
  std::atomic<Units> pre{0}, final{0}, joins{0};
};

// Sums 0..n-1, one iteration per call: `pre` and `last` units for each, `join` per reverse join.
void scan(int n, Counts& counts, Units pre, Units last, Units join) {
  const long sum = tbb::parallel_scan(
      Range(0, n), 0L,
      [&](const Range& range, long value, bool is_final) {
        for (int i = range.begin(); i != range.end(); ++i) {
          (is_final ? counts.final : counts.pre) += 1;
          spend(is_final ? last : pre);
          value += i;
        }
        return value;
      },
      [&](long left, long right) {
        counts.joins += 1;
        spend(join);
        return left + right;
      },
      tbb::simple_partitioner());
  if (sum != long(n) * (n - 1) / 2 || counts.final != Units(n))
    std::puts("expect another sum");
}

} // namespace

CASE(work_and_bounds) {
  Counts counts;
  spend(5);
  scan(64, counts, 10, 20, 0);
  spend(3);
  const Units work = counts.pre * 10 + counts.final * 20;
  expect_work(8 + work);
  // The first part is always final; at most all parts form a chain, as with one thread.
  expect_span_with_headers_between(threads() == 1 ? 8 + work : 8 + 20, 8 + work);
  expect_span_between(8 + 20, 8 + work);
}
CASE(with_joins) {
  Counts counts;
  scan(32, counts, 4, 6, 3);
  const Units work = counts.pre * 4 + counts.final * 6 + counts.joins * 3;
  expect_work(work);
  if (threads() == 1)
    expect_span_with_headers(work);
}
CASE(chain_with_one_thread) {
  Counts counts;
  scan(64, counts, 10, 20, 1);
  const Units work = counts.pre * 10 + counts.final * 20 + counts.joins;
  expect_work(work);
  if (threads() == 1)
    expect_span_with_headers(work);
}
CASE(three_quarters_stolen) {
  // Pass 1: part 0 final, 1 and 2 for their sums (the last needs none). Pass 2: parts 1, 2, 3; the
  // last two are one body call if part 3 was not stolen, and then their sums need no join.
  if (!has_threads(3))
    return;
  const Units pre[] = {0, 40, 25, 0}, last[] = {30, 7, 11, 13}, join = 5;
  Rendezvous three(3);
  std::atomic<int> joins{0};
  tbb::parallel_scan(
      Range(0, 4), 0L,
      [&](const Range& range, long value, bool is_final) {
        if (range.begin() == 0 || !is_final)
          three.meet();
        for (int tile = range.begin(); tile != range.end(); ++tile)
          spend(is_final ? last[tile] : pre[tile]);
        return value;
      },
      [&](long left, long right) {
        ++joins;
        spend(join);
        return left + right;
      },
      tbb::simple_partitioner());
  const Cost left = in_series({in_parallel({step(last[0]), step(pre[1])}), step(join)});
  const Cost pass1 = in_parallel({left, step(pre[2])});
  const Cost apart = in_series({step(join), in_parallel({step(last[2]), step(last[3])})});
  const Cost together = in_series({step(last[2]), step(last[3])});
  const Cost pass2 = in_parallel({step(last[1]), joins == 3 ? apart : together});
  const Cost all = in_series({step(join), pass1, pass2});
  expect_work(all.work);
  expect_span_with_headers(all.span);
}
