// SPDX-License-Identifier: Apache-2.0
#include "profile/sampled_share.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace tp::analysis {
namespace {

// Work and samples of each.
AllClasses all_classes(const std::vector<std::pair<std::uint64_t, double>>& classes) {
  AllClasses all;
  for (const auto& [work, samples] : classes)
    all.add(work, samples);
  all.finish();
  return all;
}

// Jeffreys's intervals of 10 of 100 and of none of 10, by the quantiles of the beta distribution.
TEST(SampledShare, OneClass) {
  const AllClasses classes = all_classes({{1'000'000, 100}});
  WorkEstimate estimate;
  estimate.add(100'000, 1'000'000, 100, 1, classes);
  const SampledWork found = estimate.with_interval(1'000'000, classes);
  EXPECT_EQ(found.work, 100'000u);
  EXPECT_NEAR(static_cast<double>(found.low), 52'600, 1500);
  EXPECT_NEAR(static_cast<double>(found.high), 170'200, 1500);
  const AllClasses few = all_classes({{1000, 10}});
  WorkEstimate none;
  none.add(0, 1000, 10, 1, few);
  EXPECT_EQ(none.with_interval(1000, few).low, 0u);
  EXPECT_NEAR(static_cast<double>(none.with_interval(1000, few).high), 217, 6);
}

// Samples that depend on each other by as much as a third of them that do not.
TEST(SampledShare, SamplesThatDependOnEachOther) {
  const AllClasses classes = all_classes({{1'000'000, 300}});
  WorkEstimate estimate;
  estimate.add(100'000, 1'000'000, 300, 3, classes);
  EXPECT_NEAR(static_cast<double>(estimate.with_interval(1'000'000, classes).low), 52'600, 1500);
}

TEST(SampledShare, CutStacksMayBeTheFunctions) {
  const AllClasses classes = all_classes({{1'000'000, 100}});
  WorkEstimate estimate;
  estimate.add(100'000, 1'000'000, 100, 1, classes);
  estimate.cut = 20'000;
  const std::uint64_t without = estimate.with_interval(1'000'000, classes, 20'000).high;
  EXPECT_EQ(estimate.with_interval(1'000'000, classes, 50'000).high, without + 30'000);
}

struct Class {
  std::uint64_t work;
  double share; // of the function, in truth
  double rate;  // samples per unit of work
};

// The part of the intervals that contain the truth. None is wider than 4 sqrt(p (1 - p) / n) if all classes are
// equally densely sampled, and have not few samples.
double coverage(const std::vector<Class>& classes, bool are_equally_dense) {
  std::mt19937_64 random(7);
  constexpr int kRuns = 3000;
  int inside = 0, wider = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<std::uint64_t> counts;
    std::uint64_t samples = 0;
    double truth = 0, all = 0;
    AllClasses of_all;
    for (const Class& each : classes) {
      counts.push_back(std::poisson_distribution<std::uint64_t>(
          each.rate * static_cast<double>(each.work))(random));
      samples += counts.back();
      if (counts.back() == 0)
        continue; // not sampled
      of_all.add(each.work, static_cast<double>(counts.back()));
      truth += each.share * static_cast<double>(each.work);
      all += static_cast<double>(each.work);
    }
    of_all.finish();
    WorkEstimate estimate;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (counts[i] == 0)
        continue;
      const auto hits =
          std::binomial_distribution<std::uint64_t>(counts[i], classes[i].share)(random);
      if (hits > 0)
        estimate.add(classes[i].work * hits / counts[i], classes[i].work,
                     static_cast<double>(counts[i]), 1, of_all);
    }
    const SampledWork found = estimate.with_interval(static_cast<std::uint64_t>(all), of_all);
    inside += static_cast<double>(found.low) <= truth && truth <= static_cast<double>(found.high);
    const double share = static_cast<double>(found.work) / all;
    wider += static_cast<double>(found.high - found.low) >
             4 * all * std::sqrt(share * (1 - share) / static_cast<double>(samples));
  }
  EXPECT_TRUE(wider == 0 || !are_equally_dense) << wider;
  return inside / double{kRuns};
}

TEST(SampledShare, ManyClassesWithFewSamplesEach) {
  EXPECT_GE(coverage(std::vector<Class>(100, {1'000'000, 0.3, 7e-6}), false), 0.93);
  EXPECT_GE(coverage(std::vector<Class>(40, {1'000'000, 0.3, 20e-6}), true), 0.93);
  EXPECT_GE(coverage(std::vector<Class>(300, {1'000'000, 0.5, 3e-6}), false), 0.93);
}

TEST(SampledShare, ClassesThatAreAllOrNothing) {
  std::vector<Class> classes(20, {1'000'000, 1, 3e-5});
  classes.insert(classes.end(), 60, {1'000'000, 0, 3e-5});
  EXPECT_GE(coverage(classes, true), 0.93);
}

TEST(SampledShare, ClassesOfDifferentSizes) {
  std::vector<Class> classes(50, {600'000, 0.8, 2e-5});
  classes.insert(classes.end(), 3, {10'000'000, 0.2, 2e-5});
  EXPECT_GE(coverage(classes, true), 0.93);
}

// What comes before the first event is sampled less densely if there is much of it.
TEST(SampledShare, OneClassWithFewerSamplesForItsWork) {
  EXPECT_GE(coverage({{20'000'000, 0.4, 2e-6}, {20'000'000, 0.02, 5e-5}}, false), 0.93);
}

} // namespace
} // namespace tp::analysis
