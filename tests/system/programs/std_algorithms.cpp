// SPDX-License-Identifier: Apache-2.0
// Algorithms of libstdc++ with std::execution::par and par_unseq. They run a loop or a reduction
// with an automatic partitioner, first in 4 parts per thread and in smaller ones after steals; a
// strict scan in as many tiles by parallel_invoke; sort and merge with tasks of their own. So some
// figures are exact; others lie between those of the initial parts and of single elements.
#include "specification.h"

#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <execution>
#include <functional>
#include <numeric>
#include <random>

using namespace spec;
using std::execution::par;
using std::execution::par_unseq;

namespace {

constexpr Units kSize = 512; // a power of two: all the first parts are equal

Units parts() {
  return 4 * Units(threads());
}
std::vector<int> ones() {
  return std::vector<int>(kSize, 1);
}

// A loop over all elements, each of `units` units, between two steps of 2.
void expect_loop(Units units) {
  expect_work(kSize * units + 4);
  expect_divisible_span(units + 4);
  if (threads() == 1) // nothing is stolen
    expect_span_between(kSize / 4 * units + 4, kSize / 4 * units + 4);
  else
    expect_span_between(units + 4, kSize / parts() * units + 4);
}

// Combines all elements with the first value, in any split: `each` units to get a value, `combine`
// for two. A part has two elements or more; a path through the first parts joins per halving.
void expect_reduction(Units each, Units combine) {
  Units joins = 0;
  for (Units n = parts(); n > 1; n /= 2)
    ++joins;
  expect_work(kSize * (each + combine));
  expect_span_between(2 * each + combine, kSize / parts() * (each + combine) + joins * combine);
}

// Too many comparisons for a delay in each.
bool less(int a, int b) {
  spent() += 1;
  tp::spend(1);
  return a < b;
}

// The cost of a sequential algorithm, at one unit for each comparison.
template <typename Algorithm>
Cost comparisons(Algorithm algorithm) {
  Units count = 0;
  algorithm([&count](int a, int b) { return ++count, a < b; });
  return step(count);
}

std::vector<int> increasing(int count, int factor, int offset) {
  std::vector<int> values;
  for (int i = 0; i < count; ++i)
    values.push_back(factor * i + offset);
  return values;
}

// ---- strict scans: sums of tiles upwards, then the tiles again after all tiles before them ----

Units left_tiles(Units tiles) {
  Units left = 1;
  while (2 * left < tiles)
    left *= 2;
  return left;
}
Cost sums_of_tiles(Units tiles, Cost tile, Cost combine) {
  if (tiles == 1)
    return tile;
  const Units left = left_tiles(tiles);
  const Cost both =
      in_parallel({sums_of_tiles(left, tile, combine), sums_of_tiles(tiles - left, tile, combine)});
  return tiles == 2 * left ? in_series({both, combine}) : both;
}
Cost tiles_again(Units tiles, Cost tile, Cost combine) {
  if (tiles == 1)
    return tile;
  const Units left = left_tiles(tiles);
  return in_parallel({tiles_again(left, tile, combine),
                      in_series({combine, tiles_again(tiles - left, tile, combine)})});
}
// A power of two of tiles: the total is known already, and combined with the first value.
Cost strict_scan(Units each, Units again, Units combine) {
  const Units size = kSize / parts();
  return in_series({sums_of_tiles(parts(), step(size * each), step(combine)), step(combine),
                    tiles_again(parts(), step(size * again), step(combine))});
}

} // namespace

CASE(for_each) {
  std::vector<int> values = ones();
  spend(2);
  std::for_each(par, values.begin(), values.end(), [](int) { spend(1); });
  spend(2);
  expect_loop(1);
}
CASE(for_each_unsequenced) {
  std::vector<int> values = ones();
  spend(2);
  std::for_each(par_unseq, values.begin(), values.end(), [](int) { spend(3); });
  spend(2);
  expect_loop(3);
}
CASE(transform) {
  const std::vector<int> values = ones();
  std::vector<int> sums(kSize);
  spend(2);
  std::transform(par, values.begin(), values.end(), values.begin(), sums.begin(), [](int a, int b) {
    spend(2);
    return a + b;
  });
  spend(2);
  if (std::count(sums.begin(), sums.end(), 2) != kSize)
    std::puts("expect other sums");
  expect_loop(2);
}
CASE(any_of_none) {
  const std::vector<int> values = ones();
  spend(2);
  const bool found = std::any_of(par, values.begin(), values.end(), [](int value) {
    spend(1);
    return value == 2;
  });
  spend(2);
  if (found)
    std::puts("expect nothing found");
  expect_loop(1);
}
CASE(sequenced) {
  // A sequential algorithm does not use oneTBB.
  std::vector<int> values = ones();
  std::for_each(std::execution::seq, values.begin(), values.end(), [](int) { spend(1); });
  expect({kSize, kSize});
}
CASE(one_after_the_other) {
  std::vector<int> values = ones();
  spend(2);
  for (int turn = 0; turn < 3; ++turn)
    std::for_each(par, values.begin(), values.begin() + 64, [](int) { spend(5); });
  spend(1);
  expect_work(3 * 64 * 5 + 3);
  expect_divisible_span(3 * 5 + 3);
  expect_span_between(3 * 5 + 3, 3 * std::max<Units>(64 / parts(), 1) * 5 + 3);
}
CASE(nested) {
  std::vector<int> values = ones();
  std::for_each(par, values.begin(), values.begin() + 8, [&](int) {
    spend(1);
    std::for_each(par, values.begin(), values.begin() + 16, [](int) { spend(2); });
  });
  expect_work(8 * (1 + 32));
  expect_divisible_span(1 + 2);
}

CASE(reduce) {
  const std::vector<int> values = ones();
  const int sum = std::reduce(par, values.begin(), values.end(), 1, [](int a, int b) {
    spend(3);
    return a + b;
  });
  if (sum != kSize + 1)
    std::puts("expect another sum");
  expect_reduction(0, 3);
}
CASE(transform_reduce) {
  const std::vector<int> values = ones();
  const int sum = std::transform_reduce(
      par, values.begin(), values.end(), 0,
      [](int a, int b) {
        spend(1);
        return a + b;
      },
      [](int value) {
        spend(4);
        return 2 * value;
      });
  if (sum != 2 * kSize)
    std::puts("expect another sum");
  expect_reduction(4, 1);
}
CASE(count_if) {
  const std::vector<int> values = ones();
  const auto count = std::count_if(par, values.begin(), values.end(), [](int value) {
    spend(2);
    return value == 1;
  });
  if (count != kSize)
    std::puts("expect another count");
  expect_work(kSize * 2);
  expect_span_between(2, kSize / parts() * 2);
}

CASE(inclusive_scan) {
  // On integers: parallel_scan, whose first pass here handles only stolen parts.
  const std::vector<int> values = ones();
  std::vector<int> sums(kSize);
  const auto add = [](int a, int b) {
    spend(1);
    return a + b;
  };
  std::inclusive_scan(par, values.begin(), values.end(), sums.begin(), add, 5);
  if (sums.front() != 6 || sums.back() != 5 + int(kSize))
    std::puts("expect other sums");
  std::printf("expect between work %llu %llu\n", (unsigned long long)kSize,
              (unsigned long long)(3 * kSize));
  if (threads() == 1)
    std::printf("expect headers span %llu\n", (unsigned long long)kSize);
}
CASE(inclusive_scan_strict) {
  const std::vector<double> values(kSize, 1);
  std::vector<double> sums(kSize);
  const auto add = [](double a, double b) {
    spend(3);
    return a + b;
  };
  std::inclusive_scan(par, values.begin(), values.end(), sums.begin(), add, 5.);
  if (sums.front() != 6 || sums.back() != 5 + double(kSize))
    std::puts("expect other sums");
  expect(strict_scan(3, 3, 3));
}
CASE(copy_if) {
  // The predicate decides in the first pass, the second one copies.
  const std::vector<int> values = ones();
  std::vector<int> copies(kSize);
  const auto end = std::copy_if(par, values.begin(), values.end(), copies.begin(), [](int value) {
    spend(2);
    return value == 1;
  });
  if (end != copies.end())
    std::puts("expect all copied");
  expect(strict_scan(2, 0, 0));
}

CASE(sort_small) {
  std::mt19937 random(7);
  std::vector<int> values(500);
  for (int& value : values)
    value = static_cast<int>(random());
  std::vector<int> same = values;
  spend(2);
  std::sort(par, values.begin(), values.end(), less);
  spend(1);
  const Cost sort = comparisons([&](auto before) { std::sort(same.begin(), same.end(), before); });
  expect(in_series({step(2), sort, step(1)}));
}
CASE(sort_sorted) {
  // Four leaves of 500, equal but for their values; two merges, then one, split in order.
  std::vector<int> values = increasing(2000, 1, 0), same = increasing(500, 1, 0);
  spend(2);
  std::sort(par, values.begin(), values.end(), less);
  spend(1);
  const Cost leaf = comparisons([&](auto before) { std::sort(same.begin(), same.end(), before); });
  const Cost half = in_series({in_parallel({leaf, leaf}), step(1)});
  expect(in_series({step(2), in_parallel({half, half}), step(1), step(1)}));
}
CASE(sort_random) {
  std::mt19937 random(7);
  std::vector<int> values(3000);
  for (int& value : values)
    value = static_cast<int>(random());
  // Leaves of 375; a path has one leaf, and the longest path has at least the longest leaf.
  Units longest = 0;
  for (auto begin = values.begin(); begin != values.end(); begin += 375) {
    std::vector<int> leaf(begin, begin + 375);
    longest = std::max(longest, comparisons([&](auto before) {
                                  std::sort(leaf.begin(), leaf.end(), before);
                                }).work);
  }
  std::sort(par, values.begin(), values.end(), less);
  if (!std::is_sorted(values.begin(), values.end()))
    std::puts("expect a sorted vector");
  expect_span_between(longest, spent());
}
CASE(stable_sort_sorted) {
  std::vector<int> values = increasing(1000, 1, 0), same = increasing(500, 1, 0);
  std::stable_sort(par, values.begin(), values.end(), less);
  const Cost leaf =
      comparisons([&](auto before) { std::stable_sort(same.begin(), same.end(), before); });
  expect(in_series({in_parallel({leaf, leaf}), step(1)}));
}
CASE(in_a_task) {
  // Algorithms are sites of their own, below the task that calls them: a loop, which calls
  // parallel_for in libstdc++'s headers, and a sort, which spawns its tasks there. A loop over one
  // element is not split.
  std::vector<int> one(1), values = increasing(1000, 1, 0), same = increasing(500, 1, 0);
  tbb::task_group group;
  const unsigned line = __LINE__;
  group.run([&] {
    spend(2);
    std::for_each(par, one.begin(), one.end(), [](int) { spend(7); });
    std::stable_sort(par, values.begin(), values.end(), less);
    spend(1);
  });
  group.wait();
  const Cost leaf =
      comparisons([&](auto before) { std::stable_sort(same.begin(), same.end(), before); });
  const Cost sort = in_series({in_parallel({leaf, leaf}), step(1)});
  const Cost task = in_series({step(2), step(7), sort, step(1)});
  expect(task);
  only_with_headers();
  expect_site(line + 1, task, 3);
  expect_site(line + 3, step(7), 7);
  expect_site(line + 4, sort, sort.span);
}
CASE(merge) {
  // 4000 elements: finds the middle of the first 2000 in the others; merges the halves in parallel.
  const std::vector<int> even = increasing(2000, 2, 0), odd = increasing(2000, 2, 1);
  std::vector<int> merged(4000), unused(4000);
  spend(1);
  std::merge(par, even.begin(), even.end(), odd.begin(), odd.end(), merged.begin(), less);
  spend(2);
  if (!std::is_sorted(merged.begin(), merged.end()))
    std::puts("expect a sorted vector");
  const auto middle = even.begin() + 1000;
  auto other = odd.begin();
  const Cost search = comparisons(
      [&](auto before) { other = std::lower_bound(odd.begin(), odd.end(), *middle, before); });
  const Cost left = comparisons([&](auto before) {
    std::merge(even.begin(), middle, odd.begin(), other, unused.begin(), before);
  });
  const Cost right = comparisons([&](auto before) {
    std::merge(middle, even.end(), other, odd.end(), unused.begin(), before);
  });
  expect(in_series({step(1), search, in_parallel({left, right}), step(2)}));
}
