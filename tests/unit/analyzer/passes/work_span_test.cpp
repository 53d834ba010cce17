// SPDX-License-Identifier: Apache-2.0
// The largest part of a leaf that remains after halving.
#include "passes/work_span.h"

#include <gtest/gtest.h>

namespace tp::analysis {
namespace {

TEST(Divisible, LargestPieceAfterHalving) {
  EXPECT_EQ(1u, divisible_part(64, 64, 1));
  EXPECT_EQ(64u, divisible_part(64, 64, 64));
  EXPECT_EQ(64u, divisible_part(64, 64, 100));
  EXPECT_EQ(3u, divisible_part(10, 10, 3)); // 10 -> 5 -> 3
  EXPECT_EQ(7u, divisible_part(7, 0, 1));
  EXPECT_EQ(1u, divisible_part(7, 7, 0));
  EXPECT_EQ(~std::uint64_t{0} / 2, divisible_part(~std::uint64_t{0} - 1, 2, 1));
}

} // namespace
} // namespace tp::analysis
