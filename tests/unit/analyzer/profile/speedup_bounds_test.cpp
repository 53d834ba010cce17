// SPDX-License-Identifier: Apache-2.0
// Cilkview's figures, and predicted speedups.
#include "model/speedup_bounds.h"
#include "profile/make_profile.h"
#include "report/numbers.h"
#include "trace_script.h"

#include <gtest/gtest.h>

namespace tp::analysis {
namespace {

TEST(Scalability, EstimateOfCilkview) {
  const std::uint64_t work = 17'518'013'236, burdened_span = 1'618'359'785;
  const std::pair<std::uint64_t, const char*> expected[] = {
      {2, "1.73"}, {4, "2.72"}, {8, "3.81"}, {16, "4.77"}, {32, "5.45"}};
  for (const auto& [procs, estimate] : expected)
    EXPECT_EQ(estimate, decimal2(speedup_estimate(work, burdened_span, procs))) << procs;
  EXPECT_EQ("1", decimal2(speedup_estimate(work, burdened_span, 1)));
  EXPECT_EQ("1", decimal2(speedup_estimate(0, 0, 4)));
}

TEST(Scalability, NumbersBeyond64Bits) {
  const std::uint64_t most = ~std::uint64_t{0};
  EXPECT_EQ("1024", decimal2(speedup_estimate(most, 0, 1024)));
  EXPECT_EQ("1", decimal2(speedup_limit(most, most, 1 << 20)));
  EXPECT_EQ("1048576", decimal2(speedup_limit(most, 1, 1 << 20)));
  EXPECT_EQ("1", decimal2(speedup_limit(5, 0, 8)));
}

TEST(Scalability, PredictedSpeedup) {
  // 100 units, span 40; if optimized by 2: 160/2 units, span 50/2.
  const SpeedupRange range = predicted_speedup(100, {2, {160, 50}, {}}, 4);
  EXPECT_EQ("2.22", decimal2(range.lower)); // 100 / (80/4 + 25)
  EXPECT_EQ("4", decimal2(range.upper));    // 100 / max(80/4, 25)
  EXPECT_EQ("1.25", decimal2(predicted_speedup(100, {2, {160, 50}, {}}, 1).upper));
}

// main: 10 | spawn A(5) | 3 | spawn B(20) | 1 | wait | 2
Profile two_children(std::uint64_t burden) {
  ProfileOptions options;
  options.burden_ns = burden;
  return make_profile(test::parse_trace_script(test::kTwoChildren).source(), options);
}

TEST(Scalability, BurdenOfBothModels) {
  const Profile profile = two_children(100);
  EXPECT_EQ(41u, profile.work);
  EXPECT_EQ(35u, profile.span); // 10 + 3 + 20 + 2
  // Cilk: the continuation after A migrates, B returns to another thread. The path through both
  // continuations has no more burden, but less work.
  EXPECT_EQ(35u + 200, profile.burdened_span_cilk);
  // oneTBB: B migrates.
  EXPECT_EQ(35u + 100, profile.burdened_span_tbb);
  EXPECT_EQ(2u, profile.read.spawned);
  EXPECT_EQ(1u, profile.read.waits);
  EXPECT_EQ(BurdenOrigin::Given, profile.burden.origin);
  const Profile none = two_children(0);
  EXPECT_EQ(35u, none.burdened_span_cilk);
  EXPECT_EQ(35u, none.burdened_span_tbb);
}

} // namespace
} // namespace tp::analysis
