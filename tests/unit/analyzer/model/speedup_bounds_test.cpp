// SPDX-License-Identifier: Apache-2.0
// Quotients of large integers keep their value as exactly as 64 bits allow.
#include "model/speedup_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tp::analysis {
namespace {

TEST(Ratio, OfNothingIsOne) {
  EXPECT_EQ(1.0, (Ratio{0, 0}.value()));
  EXPECT_EQ(1.0, (Ratio{5, 0}.value()));
  EXPECT_EQ(2.5, (Ratio{5, 2}.value()));
}

TEST(Ratio, IsShortenedOnlyWhereItDoesNotFit) {
  std::mt19937_64 random(1);
  for (int turn = 0; turn < 10000; ++turn) {
    const std::uint64_t a = random() >> random() % 64, b = (random() >> random() % 64) + 1;
    const Ratio fits = shortened_ratio(a, b);
    EXPECT_EQ(a, fits.numerator);
    EXPECT_EQ(b, fits.denominator);
    const Wide scale = random() | 1;
    const Ratio shortened = shortened_ratio(a * scale, b * scale);
    // One of the two still has 64 bits: at most its last bit is lost.
    const long double exact = static_cast<long double>(a) / static_cast<long double>(b);
    const long double smaller =
        static_cast<long double>(std::min(shortened.numerator, shortened.denominator));
    if (smaller > 0) {
      EXPECT_NEAR(1.0L,
                  static_cast<long double>(shortened.numerator) /
                      static_cast<long double>(shortened.denominator) / exact,
                  2 / smaller);
    }
  }
}

} // namespace
} // namespace tp::analysis
