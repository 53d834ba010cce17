// SPDX-License-Identifier: Apache-2.0
// Hand-written cases of calling contexts and the timeline: recursion is folded, size is bounded.
#include "passes/calling_context.h"
#include "passes/timeline.h"

#include <gtest/gtest.h>

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

TEST(Timeline, StepsThatBeginWithinTheResolutionAreOneSlice) {
  Timeline timeline(10);
  timeline.step(Row{1}, step(0, 4));
  timeline.step(Row{1}, step(5, 4));
  timeline.step(Row{1}, step(9, 20));
  timeline.step(Row{2}, step(30, 3));
  timeline.step(Row{1}, step(35, 1));
  const auto slices = timeline.take();
  ASSERT_EQ(2u, slices.size());
  EXPECT_EQ(29u, slices[0].end);
  EXPECT_EQ(28u, slices[0].work);
  EXPECT_EQ(3u, slices[0].steps);
  EXPECT_EQ(Row{1}, slices[0].row);
  EXPECT_EQ(30u, slices[1].begin);
  EXPECT_EQ(36u, slices[1].end);
  EXPECT_EQ(kSeveralRows, slices[1].row);
}

TEST(Timeline, AClockThatGoesBackwardsKeepsTheOrder) {
  Timeline timeline(0);
  timeline.step(Row{1}, step(10, 5));
  timeline.step(Row{1}, step(12, 5));
  const auto slices = timeline.take();
  ASSERT_EQ(2u, slices.size());
  EXPECT_EQ(15u, slices[1].begin);
  EXPECT_EQ(20u, slices[1].end);
}

} // namespace
} // namespace tp::analysis
