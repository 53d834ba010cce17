// SPDX-License-Identifier: Apache-2.0
// Hand-written cases of calling contexts and the timeline: recursion is folded, size is bounded.
#include "passes/calling_context.h"
#include "passes/timeline.h"

#include <gtest/gtest.h>

#include <numeric>

namespace tp::analysis {
namespace {

TEST(CallingContexts, RecursionIsFolded) {
  CallingContextTree tree;
  const ContextId a = tree.spawned(kRootContext, Row{1}), b = tree.spawned(a, Row{2});
  EXPECT_EQ(a, tree.spawned(a, Row{1})); // A in A
  EXPECT_EQ(a, tree.spawned(b, Row{1})); // A in B in A
  EXPECT_NE(b, tree.spawned(kRootContext, Row{2}));
  EXPECT_EQ(a, tree.spawned(kRootContext, Row{1}));
  EXPECT_EQ(4u, tree.nodes().size());
  EXPECT_EQ(2u, tree.edges()[0].spawns);
  EXPECT_EQ(kRootContext, tree.spawned(b, kMainRow)); // a task without a site
}

TEST(CallingContexts, SizeIsBounded) {
  CallingContextTree tree(3);
  const ContextId a = tree.spawned(kRootContext, Row{1}), b = tree.spawned(a, Row{2});
  const ContextId c = tree.spawned(b, Row{3}); // beyond the limit
  EXPECT_EQ(kFurtherContexts, tree.nodes()[tree.nodes()[c].parent].row);
  EXPECT_EQ(c, tree.spawned(a, Row{3})); // by its site alone
  EXPECT_EQ(c, tree.spawned(c, Row{3}));
  for (std::uint32_t row = 4; row < 100; ++row)
    for (std::uint32_t other = 4; other < 100; ++other)
      tree.spawned(tree.spawned(b, Row{row}), Row{other});
  EXPECT_LE(tree.nodes().size(), 3 + 1 + 97u);
  for (const ContextId id : ids_below(tree.nodes().end_id()))
    if (id != kRootContext) {
      EXPECT_LT(tree.nodes()[id].parent, id);
    }
}

Step step(std::uint64_t begin, std::uint64_t length) {
  Step step;
  step.work = step.length = length;
  step.begin = begin;
  step.stream = 5;
  return step;
}

TEST(Timeline, NeighborsOfOneRowAreMergedFirst) {
  Timeline timeline({.first = 0, .last = 100, .most_slices = 3});
  timeline.step(Row{1}, step(0, 4));
  timeline.step(Row{1}, step(4, 4)); // no gap
  timeline.step(Row{1}, step(9, 20));
  timeline.step(Row{2}, step(30, 3));
  timeline.step(Row{1}, step(35, 60));
  const auto slices = timeline.take();
  ASSERT_EQ(3u, slices.size());
  EXPECT_EQ(29u, slices[0].end);
  EXPECT_EQ(28u, slices[0].work);
  EXPECT_EQ(1u, slices[0].outside);
  EXPECT_EQ(3u, slices[0].steps);
  EXPECT_EQ(Row{1}, slices[0].row);
  EXPECT_EQ(Row{2}, slices[1].row);
  EXPECT_EQ(95u, slices[2].end);
  for (const auto& slice : slices)
    EXPECT_FALSE(slice.several);
}

TEST(Timeline, WhatIsShortIsMergedIfItHasTo) {
  Timeline timeline({.first = 0, .last = 100, .most_slices = 2});
  for (std::uint32_t i = 0; i < 20; ++i)
    timeline.step(Row{1 + i % 2}, step(3 * i, 2));
  timeline.step(Row{1}, step(60, 30));
  const auto slices = timeline.take();
  ASSERT_EQ(2u, slices.size());
  EXPECT_TRUE(slices[0].several);
  std::uint64_t steps = 0, work = 0, in_steps = 0;
  for (const auto& slice : slices) {
    steps += slice.steps;
    work += slice.work;
    in_steps += slice.end - slice.begin - slice.outside;
  }
  EXPECT_EQ(21u, steps);
  EXPECT_EQ(70u, work);
  EXPECT_EQ(70u, in_steps);
}

TEST(Timeline, CountersAddUp) {
  Timeline timeline({.first = 1000, .last = 3000, .work_is_time = true});
  Step half = step(1500, 700);
  half.work = 300;
  half.overhead_before = 90;
  timeline.idle(0, 1100, 1410);
  timeline.step(Row{1}, half, true);
  const auto sum = [](const std::vector<std::uint64_t>& values) {
    return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
  };
  EXPECT_EQ(310u, sum(timeline.counters().idle.at(0).take()));
  EXPECT_EQ(90u, sum(timeline.counters().overhead.take()));
  EXPECT_EQ(400u, sum(timeline.counters().no_cpu.take()));
  EXPECT_EQ(1u, sum(timeline.counters().steals));
  EXPECT_EQ(1u, timeline.counters().steals[240]); // at 500 of 2000
}

TEST(Timeline, AClockThatGoesBackwardsKeepsTheOrder) {
  Timeline timeline({.first = 0, .last = 100});
  timeline.step(Row{1}, step(10, 5));
  timeline.step(Row{1}, step(12, 5));
  const auto slices = timeline.take();
  ASSERT_EQ(2u, slices.size());
  EXPECT_EQ(15u, slices[1].begin);
  EXPECT_EQ(20u, slices[1].end);
}

} // namespace
} // namespace tp::analysis
