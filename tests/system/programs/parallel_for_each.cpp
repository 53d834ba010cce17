// SPDX-License-Identifier: Apache-2.0
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

// A tree of items: each adds its two children and costs more the deeper it is.
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

// Each item adds two from inside a loop of its own, 10 units after its begin, down to 0.
constexpr Cost kFedFromLoops{(1 + 2 + 4 + 8) * (2 * 11 + 5), 3 * 10 + 11 + 5};
template <typename Range, typename LoopContext, typename... Context>
void feed_from_loops(const Range& range, const LoopContext& in_loop, Context&... context) {
  const auto body = [&](int left, tbb::feeder<int>& feeder) {
    in_loop([&](int) {
      spend(10);
      if (left > 0)
        feeder.add(left - 1);
      spend(1);
    });
    spend(5);
  };
  tbb::parallel_for_each(range.begin(), range.end(), body, context...);
}
const auto own_loop = [](const auto& body) {
  tbb::parallel_for(0, 2, body, tbb::simple_partitioner());
};
auto loop_in(tbb::task_group_context& context) {
  return [&context](const auto& body) {
    tbb::parallel_for(0, 2, body, tbb::simple_partitioner(), context);
  };
}

} // namespace

CASE(random_access) {
  // How many bodies a task runs one after the other depends on the number of threads.
  const std::vector<int> values = numbers(30);
  spend(2);
  tbb::parallel_for_each(values.begin(), values.end(), [](int i) { spend(cost(i)); });
  spend(1);
  const Units work = 4 * 40 + 26 * 5;
  expect_work(work + 3);
  // At least two tasks: either half has two of the four dear bodies.
  expect_span_between(3 + 40, 3 + 2 * 40 + 13 * 5);
}
CASE(forward) {
  // Blocks of four; the bodies of a block run in parallel.
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
  // The body waits inside for its own loop, not for what it fed.
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
CASE(fed_from_a_nested_loop) {
  feed_from_loops(std::forward_list<int>{3}, own_loop);
  spend(7);
  feed_from_loops(std::vector<int>{3}, own_loop);
  spend(7);
  expect(in_series({kFedFromLoops, step(7), kFedFromLoops, step(7)}));
}
CASE(feeder_in_a_context_of_the_users) {
  tbb::task_group_context context;
  const auto body = [](int left, tbb::feeder<int>& feeder) {
    spend(10);
    if (left > 0)
      feeder.add(left - 1);
    spend(1);
  };
  const std::forward_list<int> list{3, 2, 1};
  tbb::parallel_for_each(list.begin(), list.end(), body, context);
  spend(7);
  const std::vector<int> values{3};
  tbb::parallel_for_each(values.begin(), values.end(), body, context);
  spend(7);
  std::istringstream words("3 2 1");
  tbb::parallel_for_each(std::istream_iterator<int>(words), std::istream_iterator<int>(), body,
                         context);
  spend(7);
  expect(in_series({{9 * 11, 41}, step(7), {4 * 11, 41}, step(7), {9 * 11, 41}, step(7)}));
}
CASE(fed_from_a_nested_loop_in_a_context_of_the_users) {
  tbb::task_group_context context;
  const std::forward_list<int> list{3};
  const std::vector<int> values{3};
  feed_from_loops(list, own_loop, context);
  spend(7);
  feed_from_loops(list, loop_in(context), context);
  spend(7);
  feed_from_loops(values, own_loop, context);
  spend(7);
  feed_from_loops(values, loop_in(context), context);
  spend(7);
  expect(in_series({kFedFromLoops, step(7), kFedFromLoops, step(7), kFedFromLoops, step(7),
                    kFedFromLoops, step(7)}));
}
CASE(feeders_beside_each_other_in_one_context) {
  // Each iteration of the outer loop waits for what its own parallel_for_each was fed.
  tbb::task_group_context context;
  tbb::parallel_for(
      0, 4,
      [&](int i) {
        const std::forward_list<int> list{i};
        feed_from_loops(list, loop_in(context), context);
        spend(100);
      },
      tbb::simple_partitioner(), context);
  const auto work = [](int left) { return ((2u << left) - 1) * 27u; };
  expect({work(0) + work(1) + work(2) + work(3) + 400, 3 * 10 + 11 + 5 + 100});
}
