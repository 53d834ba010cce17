// SPDX-License-Identifier: Apache-2.0
// Samples filed under steps: which step, and what of its work is which code's.
#include "passes/step_samples.h"
#include "passes/what_if.h"

#include <gtest/gtest.h>

#include <numeric>

namespace tp::analysis {
namespace {

constexpr StackId kHeavy{0}, kLight{1};

// Two functions, one stack each.
SampledCode two_functions() {
  SampledCode code;
  for (std::uint32_t i = 0; i < 2; ++i) {
    code.functions.push_back({i == 0 ? "heavy" : "light", "a.cpp", i + 1, "prog"});
    code.lines.push_back({"a.cpp", i + 1, FunctionId{i}});
    code.stacks.push_back({.functions = {FunctionId{i}}, .path = i, .line = LineId{i}});
  }
  code.of_stream.resize(1);
  code.prior.resize(1);
  return code;
}

Step step_at(std::uint64_t begin, std::uint64_t length) {
  Step step;
  step.work = length;
  step.length = length;
  step.begin = begin;
  step.opened = {BoundaryKind::BodyBegin};
  step.closed = {BoundaryKind::BodyEnd};
  return step;
}

TEST(StepSamples, ASampleBelongsToTheStepOfItsTime) {
  SampledCode code = two_functions();
  code.of_stream[0] = {{5, kHeavy},  {10, kHeavy}, {19, kHeavy},
                       {20, kLight}, {30, kLight}, {39, kLight}};
  StepSamples samples(code, nullptr);
  samples.file(StepClassId{0}, step_at(10, 10)); // from 10 up to, not including, 20
  samples.file(StepClassId{1}, step_at(30, 9));
  EXPECT_EQ(samples.filed(), 3u);
  ASSERT_EQ(samples.classes().size(), 2u);
  EXPECT_EQ(samples.classes()[StepClassId{0}].samples, 2u);
  ASSERT_EQ(samples.classes()[StepClassId{0}].stacks.size(), 1u);
  EXPECT_EQ(samples.classes()[StepClassId{0}].stacks[0].stack, kHeavy);
  EXPECT_EQ(samples.classes()[StepClassId{1}].samples, 1u);
}

TEST(StepSamples, WhatAThreadDidBeforeItsFirstEventHasItsOwnSamples) {
  SampledCode code = two_functions();
  code.prior[0] = {{1, kHeavy}, {2, kHeavy}};
  code.of_stream[0] = {{5, kLight}};
  StepSamples samples(code, nullptr);
  Step prior;
  prior.work = 100;
  prior.begin = 4;
  prior.closed = {BoundaryKind::FirstUse};
  samples.file(StepClassId{0}, prior);
  samples.file(StepClassId{1}, step_at(4, 10));
  EXPECT_EQ(samples.classes()[StepClassId{0}].samples, 2u);
  EXPECT_EQ(samples.classes()[StepClassId{1}].samples, 1u);
}

TEST(StepSamples, LeftOutStepsTakeTheirSamplesAway) {
  SampledCode code = two_functions();
  code.of_stream[0] = {{5, kHeavy}};
  StepSamples samples(code, nullptr);
  Step left_out = step_at(0, 10);
  left_out.pause = PauseRole::LeftOut;
  samples.file(StepClassId{0}, left_out);
  EXPECT_EQ(samples.filed(), 0u);
}

TEST(StepSamples, WhatIsSampledWhileTheThreadWaitsForALockIsNoWork) {
  SampledCode code = two_functions();
  for (std::uint64_t time = 100; time < 120; ++time)
    code.of_stream[0].push_back({time, kHeavy});
  code.of_stream[0][9].stack = code.of_stream[0][10].stack = kLight;
  StepSamples samples(code, nullptr);
  const TimeSpan waited[] = {{90, 102}, {103, 109}, {111, 119}, {130, 140}};
  Step step = step_at(100, 20);
  step.waited = waited;
  samples.file(StepClassId{0}, step);
  EXPECT_EQ(samples.filed(), 4u); // at 102, 109, 110, 119
  EXPECT_EQ(samples.in_waits(), 16u);
  ASSERT_EQ(samples.classes()[StepClassId{0}].stacks.size(), 2u);
  EXPECT_EQ(samples.classes()[StepClassId{0}].stacks[0].count, 2u);
  EXPECT_EQ(samples.classes()[StepClassId{0}].stacks[1].stack, kLight);
  EXPECT_EQ(samples.classes()[StepClassId{0}].stacks[1].count, 2u);
}

// Eight steps, one of which is heavy: the shares of the class would be wrong for all of them.
class Heterogeneous : public testing::Test {
protected:
  Heterogeneous() {
    for (std::uint64_t step = 0; step < 8; ++step) {
      const std::uint64_t samples = step == 0 ? 10 : 2;
      for (std::uint64_t i = 0; i < samples; ++i)
        code_.of_stream[0].push_back({step * 1000 + i * 10, step == 0 ? kHeavy : kLight});
    }
    StepSamples counted(code_, nullptr);
    run(counted);
    classes_ = counted.classes();
  }
  // Returns the parts of each step.
  static std::vector<std::vector<CodeWork>> run(StepSamples& samples) {
    std::vector<std::vector<CodeWork>> parts;
    for (std::uint64_t step = 0; step < 8; ++step) {
      const auto found = samples.file(StepClassId{0}, step_at(step * 1000, step == 0 ? 1000 : 200));
      parts.emplace_back(found.begin(), found.end());
    }
    return parts;
  }
  SampledCode code_ = two_functions();
  IdVector<StepClassId, ClassSamples> classes_;
};

TEST_F(Heterogeneous, StepsKeepTheirOwnShares) {
  EXPECT_EQ(classes_[StepClassId{0}].pairs, 10 * 9 + 7 * 2 * 1);
  EXPECT_EQ(classes_[StepClassId{0}].equal_pairs, 10 * 9 + 7 * 2 * 1);
  const SampleWeights weights(classes_, code_);
  ASSERT_EQ(weights.weight_of(StepClassId{0}), 0u); // two samples of one step are always the same
  StepSamples samples(code_, &weights);
  const auto parts = run(samples);
  ASSERT_EQ(parts[0].size(), 1u);
  EXPECT_EQ(parts[0][0].code, weights.find(StepClassId{0}, kHeavy));
  EXPECT_EQ(parts[0][0].work, 1000u);
  for (std::size_t step = 1; step < 8; ++step) {
    ASSERT_EQ(parts[step].size(), 1u);
    EXPECT_EQ(parts[step][0].code, weights.find(StepClassId{0}, kLight));
    EXPECT_EQ(parts[step][0].work, 200u);
  }
  EXPECT_EQ(samples.code_work()[weights.find(StepClassId{0}, kHeavy)], 1000u);
  EXPECT_EQ(samples.code_work()[weights.find(StepClassId{0}, kLight)], 1400u);
}

// All steps are made of both functions in the same way.
TEST(StepSamples, StepsThatDoNotDifferShareTheirSamples) {
  SampledCode code = two_functions();
  for (std::uint64_t step = 0; step < 50; ++step)
    for (std::uint64_t i = 0; i < 4; ++i)
      code.of_stream[0].push_back({step * 1000 + i * 10, i % 2 == 0 ? kHeavy : kLight});
  StepSamples counted(code, nullptr);
  for (std::uint64_t step = 0; step < 50; ++step)
    counted.file(StepClassId{0}, step_at(step * 1000, 100));
  const SampleWeights weights(counted.classes(), code);
  EXPECT_FALSE(weights.weight_of(StepClassId{0}));
  StepSamples samples(code, &weights);
  EXPECT_TRUE(samples.file(StepClassId{0}, step_at(0, 100)).empty());
}

// Where threads switch often there are fewer samples: each counts for more time.
TEST(StepSamples, ASampleCountsForItsPeriods) {
  SampledCode code = two_functions();
  code.of_stream[0] = {{0, kHeavy, 1},  {1, kHeavy, 1},  {2, kHeavy, 1},  {3, kHeavy, 1},
                       {4, kLight, 8},  {5, kLight, 8},  {10, kLight, 1}, {11, kLight, 1},
                       {12, kLight, 1}, {13, kLight, 1}, {14, kLight, 1}, {15, kLight, 1}};
  StepSamples counted(code, nullptr);
  counted.file(StepClassId{0}, step_at(0, 10));
  counted.file(StepClassId{0}, step_at(10, 10));
  const ClassSamples& of = counted.classes()[StepClassId{0}];
  EXPECT_EQ(of.samples, 12u);
  EXPECT_EQ(of.periods, 26u);
  EXPECT_EQ(of.period_squares, 10u + 2 * 64);
  ASSERT_EQ(of.stacks.size(), 2u);
  EXPECT_EQ(of.stacks[0].count, 4u);
  EXPECT_EQ(of.stacks[0].periods, 4u);
  EXPECT_EQ(of.stacks[1].count, 8u);
  EXPECT_EQ(of.stacks[1].periods, 22u);

  const SampleWeights weights(counted.classes(), code);
  EXPECT_EQ(weights.samples_of(StepClassId{0}), 12u);
  EXPECT_EQ(weights.periods_of(StepClassId{0}), 26u);
  EXPECT_DOUBLE_EQ(weights.equal_samples_of(StepClassId{0}), 26.0 * 26 / 138);
  const CodeId heavy = weights.find(StepClassId{0}, kHeavy);
  const CodeId light = weights.find(StepClassId{0}, kLight);
  StepSet set;
  add_code(set, weights, std::vector{light});
  ASSERT_EQ(set.rests.size(), 1u);
  EXPECT_EQ(set.rests[0].share, 22u * 65536 / 26);

  // Of two samples of one step 44 / 60 are in the same function, of different steps 24 / 72: r = 3 / 5.
  EXPECT_EQ(weights.weight_of(StepClassId{0}), 171u); // 256 * 2 / 3, rounded
  StepSamples samples(code, &weights);
  Step step = step_at(0, 10);
  step.work = 1'000'000;
  const auto parts = samples.file(StepClassId{0}, step);
  ASSERT_EQ(parts.size(), 2u);
  // Its six samples against m = 2 / 3: they decide 0.9 of the step, of which 4 / 20 and 16 / 20 are either's.
  EXPECT_EQ(parts[0].code, heavy);
  EXPECT_NEAR(static_cast<double>(parts[0].work), 180'000, 500);
  EXPECT_EQ(parts[1].code, light);
  EXPECT_NEAR(static_cast<double>(parts[1].work), 720'000, 500);
}

TEST(StepSamples, NoPartExceedsTheStep) {
  SampledCode code = two_functions();
  code.of_stream[0] = {{0, kHeavy},  {1, kHeavy},  {2, kLight},  {10, kLight},
                       {11, kLight}, {12, kLight}, {13, kLight}, {14, kLight}};
  StepSamples counted(code, nullptr);
  counted.file(StepClassId{0}, step_at(0, 10));
  counted.file(StepClassId{0}, step_at(10, 10));
  const SampleWeights weights(counted.classes(), code);
  ASSERT_TRUE(weights.weight_of(StepClassId{0}));
  StepSamples samples(code, &weights);
  Step step = step_at(0, 10);
  step.work = ~std::uint64_t{0};
  const auto parts = samples.file(StepClassId{0}, step);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_GT(parts[0].work, parts[1].work);
  EXPECT_LE(parts[0].work, ~std::uint64_t{0} - parts[1].work);
}

// A step of 100, 30 of it in a region, half of it in a function: what both have in common is not known.
TEST(StepSamples, OfARegionAndAFunctionTheLargerCounts) {
  WhatIfPlan plan;
  const CodeShare half{StepClassId{0}, 65536 / 2}, tenth{StepClassId{0}, 65536 / 10};
  plan.add({.regions = {RegionId{0}}, .rests = {half}}, {2});
  plan.add({.regions = {RegionId{0}}, .rests = {tenth}}, {2});
  plan.add({.regions = {RegionId{0}}, .classes = {StepClassId{0}}}, {2});
  ScenarioLengths lengths(plan, 1);
  const std::vector<RegionWork> regions{{RegionId{0}, 30}};
  Step step = step_at(0, 100);
  step.regions = regions;
  std::uint64_t sums[3] = {};
  for (int i = 0; i < 2; ++i) // nothing is left over from the step before
    lengths.extend(sums, StepClassId{0}, step);
  EXPECT_EQ(sums[lengths.slot(0)], 2u * (2 * 100 - 50));
  EXPECT_EQ(sums[lengths.slot(1)], 2u * (2 * 100 - 30));
  EXPECT_EQ(sums[lengths.slot(2)], 2u * 100);
}

} // namespace
} // namespace tp::analysis
