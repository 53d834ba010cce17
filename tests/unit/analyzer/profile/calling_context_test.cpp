// SPDX-License-Identifier: Apache-2.0
// Calling contexts and the timeline: their sums equal the profile.
#include "profile/make_profile.h"
#include "random_program.h"

#include <gtest/gtest.h>

#include <map>

namespace tp::analysis {
namespace {

// Sums of the contexts of each site against the profile, which brute force confirms elsewhere.
TEST(CallingContexts, AddUpToTheProfileOnRandomPrograms) {
  ProfileOptions options;
  options.explore = Ask::Never;
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
    std::int64_t steps = 0; // of slices, minus those of sites
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

} // namespace
} // namespace tp::analysis
