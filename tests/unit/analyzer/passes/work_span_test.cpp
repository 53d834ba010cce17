// SPDX-License-Identifier: Apache-2.0
// The largest part of a leaf that remains after halving.
#include "passes/work_span.h"

#include <gtest/gtest.h>

namespace tp::analysis {
namespace {

TEST(Divisible, LargestPortionAfterHalving) {
  EXPECT_EQ(1u, divisible_part(64, LoopPart::of(64, 1)));
  EXPECT_EQ(64u, divisible_part(64, LoopPart::of(64, 64)));
  EXPECT_EQ(64u, divisible_part(64, LoopPart::of(64, 100)));
  EXPECT_EQ(3u, divisible_part(10, LoopPart::of(10, 3))); // 10 -> 5 -> 3
  EXPECT_EQ(7u, divisible_part(7, LoopPart::of(0, 1)));
  EXPECT_EQ(1u, divisible_part(7, LoopPart::of(7, 0)));
  EXPECT_EQ(~std::uint64_t{0} / 2, divisible_part(~std::uint64_t{0} - 1, LoopPart::of(2, 1)));
}

} // namespace
} // namespace tp::analysis
