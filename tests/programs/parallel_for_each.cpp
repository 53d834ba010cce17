// parallel_for_each over random-access, forward and input iterators, and with a feeder.
#include "specification.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_for_each.h>

#include <forward_list>
#include <iterator>
#include <sstream>
#include <vector>

using namespace spec;

namespace {

std::vector<int> numbers(int count) {
  std::vector<int> values;
  for (int i = 0; i < count; ++i)
    values.push_back(i);
  return values;
}
Units cost(int i) {
  return i % 7 == 3 ? 40u : 5u;
}

// A tree of items: each adds its two children, and costs more the deeper it is.
struct Tree {
  static constexpr int kLevels = 6;
  static Units cost(int level) { return Units(2 + level); }
  static Cost all() {
    Cost cost;
    for (int level = 0; level < kLevels; ++level) {
      cost.work += (1u << level) * Tree::cost(level);
      cost.span += Tree::cost(level);
    }
    return cost;
  }
};

} // namespace

CASE(random_access) {
  // How many bodies a task runs one after the other depends on the number of threads.
  const std::vector<int> values = numbers(30);
  spend(2);
  tbb::parallel_for_each(values.begin(), values.end(), [](int i) { spend(cost(i)); });
  spend(1);
  const Units work = 4 * 40 + 26 * 5;
  expect_work(work + 3);
  expect_span_between(3 + 40, 3 + work);
}
CASE(forward) {
  // Blocks of four, the bodies of a block side by side.
  const std::vector<int> values = numbers(30);
  const std::forward_list<int> list(values.begin(), values.end());
  spend(2);
  tbb::parallel_for_each(list.begin(), list.end(), [](int i) { spend(cost(i)); });
  spend(1);
  expect({3 + 4 * 40 + 26 * 5, 3 + 40});
}
CASE(input) {
  std::istringstream words("0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19");
  spend(2);
  tbb::parallel_for_each(std::istream_iterator<int>(words), std::istream_iterator<int>(),
                         [](int i) { spend(cost(i)); });
  spend(1);
  expect({3 + 3 * 40 + 17 * 5, 3 + 40});
}
CASE(feeder) {
  const std::forward_list<int> root{0};
  spend(4);
  tbb::parallel_for_each(root.begin(), root.end(), [](int level, tbb::feeder<int>& feeder) {
    spend(Tree::cost(level));
    if (level + 1 < Tree::kLevels) {
      feeder.add(level + 1);
      feeder.add(level + 1);
    }
  });
  spend(3);
  expect(in_series({step(4), Tree::all(), step(3)}));
}
CASE(feeder_and_nested_loop) {
  // What the body waits for inside is its own loop, not what it has fed.
  const std::forward_list<int> items{3, 3};
  tbb::parallel_for_each(items.begin(), items.end(), [](int left, tbb::feeder<int>& feeder) {
    if (left > 0)
      feeder.add(left - 1);
    tbb::parallel_for(0, 4, [](int) { spend(10); }, tbb::simple_partitioner());
    spend(1);
  });
  expect({2 * 4 * 41, 11});
}
CASE(nested) {
  const std::forward_list<int> items{1, 2, 3};
  tbb::parallel_for_each(items.begin(), items.end(), [](int i) {
    const std::forward_list<int> inner{i, i};
    spend(1);
    tbb::parallel_for_each(inner.begin(), inner.end(), [](int j) { spend(Units(j) * 10); });
    spend(1);
  });
  expect({3 * 2 + 2 * 60, 32});
}
