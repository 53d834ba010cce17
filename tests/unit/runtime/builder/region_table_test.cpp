// SPDX-License-Identifier: Apache-2.0
// The work of a step in its causal regions, against a map.
#include "builder/region_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace tp::rt {
namespace {

TEST(RegionTable, HoldsAnyNumberOfRegions) {
  std::mt19937_64 random(1);
  RegionTable table;
  for (int turn = 0; turn < 300; ++turn) {
    std::map<std::uint32_t, std::uint64_t> expected;
    std::vector<std::uint32_t> order;
    const std::uint64_t regions = random() % 3 == 0 ? 2000 : random() % 20 + 1;
    for (std::uint64_t i = random() % 400; i > 0; --i) {
      const auto region = static_cast<std::uint32_t>(random() % regions);
      const std::uint64_t work = random() % 1000;
      if (!expected.contains(region))
        order.push_back(region);
      expected[region] += work;
      ASSERT_TRUE(table.add(region, work));
    }
    ASSERT_EQ(table.size(), order.size());
    EXPECT_EQ(table.empty(), order.empty());
    std::uint64_t rest = random() % 50000;
    if (turn % 2 == 0)
      table.trim(rest);
    for (unsigned i = 0; i < table.size(); ++i) {
      EXPECT_EQ(table[i].region, order[i]);
      std::uint64_t work = expected[order[i]];
      if (turn % 2 == 0) {
        work = std::min(work, rest);
        rest -= work;
      }
      EXPECT_EQ(table[i].work, work);
    }
    table.clear();
    EXPECT_TRUE(table.empty());
  }
}

} // namespace
} // namespace tp::rt
