// SPDX-License-Identifier: Apache-2.0
// parallel_sort: every comparison is one unit. The number of comparisons depends on the schedule;
// that none is lost does not (check.py compares the profile's work with what was spent).
#include "specification.h"

#include <oneapi/tbb/parallel_sort.h>

#include <random>

using namespace spec;

static bool compare(int a, int b) {
  spend(1);
  return a < b;
}

// Returns the units spent.
static Units sort(std::vector<int> values) {
  spend(10);
  tbb::parallel_sort(values.begin(), values.end(), compare);
  if (!std::is_sorted(values.begin(), values.end()))
    std::puts("expect a sorted vector");
  // The first partition compares each element with the pivot, and is serial. Sorted values are
  // compared with their neighbors only, by at least two tasks; those that compare equal, too.
  const Units all = spent();
  const bool is_cheap = all < 2 * values.size();
  const Units least = is_cheap ? 1 : values.size() - 1;
  const Units most = is_cheap ? 10 + all / 2 + 1 : all;
  expect_span_between(10 + least, most);
  return spent();
}

static std::vector<int> random_values(std::size_t count) {
  std::mt19937 random(7);
  std::vector<int> values(count);
  for (int& value : values)
    value = static_cast<int>(random());
  return values;
}

CASE(random) {
  sort(random_values(3000));
}
CASE(sorted) {
  std::vector<int> values = random_values(3000);
  std::sort(values.begin(), values.end());
  sort(values);
}
CASE(almost_sorted) {
  std::vector<int> values = random_values(3000);
  std::sort(values.begin(), values.end());
  std::swap(values[2990], values[2991]);
  sort(values);
}
CASE(small) {
  // Below 500 elements the range is not split.
  const Units work = sort(random_values(100));
  expect({work, work});
}
