// SPDX-License-Identifier: Apache-2.0
#include "sampling/random_periods.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tp::rt {
namespace {

constexpr std::uint64_t kMean = 1'013'698;

TEST(RandomPeriods, AreWithin42PercentOfTheirMean) {
  std::mt19937_64 random(1);
  RandomPeriods periods;
  std::uint64_t least = UINT64_MAX, most = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t period = periods.next(kMean, random());
    least = std::min(least, period);
    most = std::max(most, period);
  }
  const double middle = static_cast<double>(kMean) * 16 / 15;
  EXPECT_NEAR(static_cast<double>(least) / middle, 0.58, 0.001);
  EXPECT_NEAR(static_cast<double>(most) / middle, 1.42, 0.001);
}

TEST(RandomPeriods, GiveAsManySamplesAsEqualOnes) {
  std::mt19937_64 random(2);
  RandomPeriods periods;
  double samples = 0; // in 1 ns with each period
  constexpr int kPeriods = 200'000;
  for (int i = 0; i < kPeriods; ++i)
    samples += 1 / static_cast<double>(periods.next(kMean, random()));
  EXPECT_NEAR(samples / kPeriods * kMean, 1, 0.002);
}

TEST(RandomPeriods, EachSecondOneIsInTheOtherHalf) {
  std::mt19937_64 random(3);
  RandomPeriods periods;
  constexpr std::uint64_t kMiddle = kMean + kMean / 15;
  int short_first = 0;
  for (int i = 0; i < 1000; ++i) {
    const bool is_short = periods.next(kMean, random()) < kMiddle;
    EXPECT_NE(periods.next(kMean, random()) < kMiddle, is_short);
    short_first += is_short;
  }
  EXPECT_NEAR(short_first, 500, 100);
}

TEST(RandomPeriods, OfLowRatesDoNotOverflow) {
  RandomPeriods first, second;
  constexpr std::uint64_t kSecond = 1'000'000'000;
  EXPECT_EQ(first.next(kSecond, 0) / 1'000'000, 618u);
  EXPECT_EQ(second.next(kSecond, UINT64_MAX) / 1'000'000, 1514u);
}

} // namespace
} // namespace tp::rt
