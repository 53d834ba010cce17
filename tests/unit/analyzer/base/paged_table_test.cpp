// SPDX-License-Identifier: Apache-2.0
// PagedTable against std::map: dense ids, sparse ids, and ids of many streams.
#include "base/paged_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

using tp::analysis::PagedTable;

namespace {

TEST(PagedTable, holds_what_a_map_holds) {
  std::mt19937_64 random(1);
  std::vector<int> objects(64);
  PagedTable<int> table;
  std::map<std::uint64_t, int*> expected;
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t id =
        (random() % 3) << 44 | (random() % 2 ? random() % 200 : random() % 64 * 1000);
    const auto found = expected.find(id);
    ASSERT_EQ(table.find(id), found == expected.end() ? nullptr : found->second) << id;
    if (found != expected.end() && random() % 3) {
      table.erase(id);
      expected.erase(found);
    } else if (found == expected.end()) {
      table.insert(id, expected[id] = &objects[random() % objects.size()]);
    }
    ASSERT_EQ(table.size(), expected.size());
  }
  std::size_t seen = 0;
  table.for_each([&](int*) { ++seen; });
  EXPECT_EQ(seen, expected.size());
}

} // namespace
