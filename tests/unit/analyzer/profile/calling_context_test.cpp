// Calling contexts and the timeline: nothing is lost, recursion is folded, size is bounded.
#include "passes/calling_context.h"
#include "passes/timeline.h"
#include "profile/make_profile.h"
#include "random_program.h"

#include <gtest/gtest.h>

#include <map>

namespace tp::analysis {
namespace {

TEST(CallingContexts, RecursionIsFolded) {
  CallingContextTree tree;
  const ContextId a = tree.spawned(kRootContext, 1), b = tree.spawned(a, 2);
  EXPECT_EQ(a, tree.spawned(a, 1)); // A in A
  EXPECT_EQ(a, tree.spawned(b, 1)); // A in B in A
  EXPECT_NE(b, tree.spawned(kRootContext, 2));
  EXPECT_EQ(a, tree.spawned(kRootContext, 1));
  EXPECT_EQ(4u, tree.nodes().size());
  EXPECT_EQ(2u, tree.edges()[0].spawns);
  EXPECT_EQ(kRootContext, tree.spawned(b, kMainRow)); // a task without a site
}

TEST(CallingContexts, SizeIsBounded) {
  CallingContextTree tree(3);
  const ContextId a = tree.spawned(kRootContext, 1), b = tree.spawned(a, 2);
  const ContextId c = tree.spawned(b, 3); // beyond the limit
  EXPECT_EQ(kFurtherContexts, tree.nodes()[tree.nodes()[c].parent].row);
  EXPECT_EQ(c, tree.spawned(a, 3)); // by its site alone
  EXPECT_EQ(c, tree.spawned(c, 3));
  for (Row row = 4; row < 100; ++row)
    for (Row other = 4; other < 100; ++other)
      tree.spawned(tree.spawned(b, row), other);
  EXPECT_LE(tree.nodes().size(), 3 + 1 + 97u);
  for (ContextId id = 1; id < tree.nodes().size(); ++id)
    EXPECT_LT(tree.nodes()[id].parent, id);
}

// Sums of the contexts of each site against the profile, which brute force confirms elsewhere.
TEST(CallingContexts, AddUpToTheProfileOnRandomPrograms) {
  ProfileOptions options;
  options.explore = Explore::Never;
  options.contexts = true;
  unsigned programs = 0, deep = 0;
  for (std::uint64_t seed = 1; programs < 150; ++seed) {
    const test::RandomProgram program = test::make_random_program({.seed = seed});
    if (!program.valid)
      continue;
    ++programs;
    SCOPED_TRACE(seed);
    const Profile profile = make_profile(program.trace.source(), options);
    std::map<std::uint32_t, ContextRow> sums;
    for (const ContextRow& context : profile.contexts) {
      ContextRow& sum = sums[context.site];
      sum.work += context.work;
      sum.critical_work += context.critical_work;
      sum.tasks += context.tasks;
      sum.steps += context.steps;
      deep += profile.contexts[context.parent].parent != context.parent;
    }
    std::int64_t steps = 0; // of slices, less those of sites
    for (std::uint32_t site = 0; site < profile.sites.size(); ++site) {
      const SiteRow& row = profile.sites[site];
      EXPECT_EQ(row.exclusive_work, sums[site].work);
      EXPECT_EQ(row.critical_work, sums[site].critical_work);
      EXPECT_EQ(row.invocations, sums[site].tasks);
      EXPECT_EQ(row.steps, sums[site].steps);
      steps -= static_cast<std::int64_t>(row.steps);
    }
    std::uint64_t work = 0;
    for (const TimelineSlice& slice : profile.timeline) {
      work += slice.work;
      steps += static_cast<std::int64_t>(slice.steps);
      EXPECT_LE(slice.begin_ns, slice.end_ns);
    }
    EXPECT_EQ(profile.work, work);
    EXPECT_EQ(0, steps);
  }
  EXPECT_GT(deep, 100u); // contexts below contexts below main
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
  timeline.step(1, step(0, 4));
  timeline.step(1, step(5, 4));
  timeline.step(1, step(9, 20));
  timeline.step(2, step(30, 3));
  timeline.step(1, step(35, 1));
  const auto slices = timeline.take();
  ASSERT_EQ(2u, slices.size());
  EXPECT_EQ(29u, slices[0].end);
  EXPECT_EQ(28u, slices[0].work);
  EXPECT_EQ(3u, slices[0].steps);
  EXPECT_EQ(1u, slices[0].row);
  EXPECT_EQ(30u, slices[1].begin);
  EXPECT_EQ(36u, slices[1].end);
  EXPECT_EQ(kSeveralRows, slices[1].row);
}

TEST(Timeline, AClockThatGoesBackwardsKeepsTheOrder) {
  Timeline timeline(0);
  timeline.step(1, step(10, 5));
  timeline.step(1, step(12, 5));
  const auto slices = timeline.take();
  ASSERT_EQ(2u, slices.size());
  EXPECT_EQ(15u, slices[1].begin);
  EXPECT_EQ(20u, slices[1].end);
}

} // namespace
} // namespace tp::analysis
