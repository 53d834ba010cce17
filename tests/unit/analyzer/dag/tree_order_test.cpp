// SPDX-License-Identifier: Apache-2.0
// The order of the tree against a plain list, and its cost where it grows at one end only.
#include "dag/tree_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tp::analysis {
namespace {

TEST(TreeOrder, EqualsAListWithPlacesThatComeAndGo) {
  std::mt19937_64 random(1);
  const auto pick = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
  TreeOrder order;
  std::vector<TreePlace*> list{order.first(), order.last()};
  for (unsigned i = 0; i < 20'000; ++i) {
    const std::size_t at = pick(list.size());
    if (list.size() > 2 && pick(100) < 45) {
      order.release(list[at]);
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      // Mostly next to where the last one was: there the labels run out.
      const std::size_t spawner = pick(10) == 0 ? at : list.size() / 2;
      list.insert(list.begin() + static_cast<std::ptrdiff_t>(spawner),
                  order.spawned_by(*list[spawner]));
    }
    ASSERT_EQ(list.size(), order.live());
    for (std::size_t j = 1; j < 4 && at + j < list.size(); ++j)
      ASSERT_TRUE(TreeOrder::precedes(*list[at], *list[at + j])) << i;
  }
  EXPECT_TRUE(std::ranges::is_sorted(list, std::ranges::less(), &TreePlace::label));
}

TEST(TreeOrder, AMillionSiblingsAndAMillionNestedTasks) {
  constexpr unsigned kTasks = 1'000'000;
  TreeOrder order;
  TreePlace* const main = order.first();
  TreePlace* newest = main;
  for (unsigned i = 0; i < kTasks; ++i) {
    TreePlace* const sibling = order.spawned_by(*main);
    EXPECT_TRUE(newest == main || TreeOrder::precedes(*newest, *sibling));
    newest = sibling;
  }
  for (unsigned i = 0; i < kTasks; ++i) {
    TreePlace* const child = order.spawned_by(*newest);
    EXPECT_TRUE(TreeOrder::precedes(*child, *newest));
    newest = child;
  }
  EXPECT_EQ(2 * kTasks + 1u, order.live());
}

TEST(TreeOrder, ThreadsComeInTheirOrderAndMainFirst) {
  TreeOrder order;
  TreePlace* const other = order.last();
  TreePlace* const main = order.first();
  TreePlace* const third = order.last();
  TreePlace* const task = order.spawned_by(*third);
  EXPECT_TRUE(TreeOrder::precedes(*main, *other));
  EXPECT_TRUE(TreeOrder::precedes(*other, *task));
  EXPECT_TRUE(TreeOrder::precedes(*task, *third));
}

} // namespace
} // namespace tp::analysis
