// SPDX-License-Identifier: Apache-2.0
// Loops split to their grain size, from traces written by hand: portions of body calls, joins of
// results, ranges of several dimensions, partitioners that do not halve. docs/reference/
// trace-format.md, "Loops", has the rules.
#include "dag/loop_part.h"
#include "profile/make_profile.h"
#include "trace_script.h"
#include "warns.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tp::analysis {
namespace {

// A loop in one task, whose records are `body`.
Profile profile_of_parts(const std::string& body, const std::string& before = "") {
  return make_profile(test::parse_trace_script("site 1 a.cpp 1 construct=parallel_reduce\n"
                                               "stream 0\n"
                                               "thread role=main\n" +
                                               before +
                                               "spawn-wait work=0 site=1 ctx=new-exclusive\n"
                                               "begin\n"
                                               "loop-begin work=0\n" +
                                               body +
                                               "end work=0\n"
                                               "wait-end\n"
                                               "end work=0\n"
                                               "thread-end\n")
                          .source(),
                      {});
}

testing::AssertionResult spans(const Profile& profile, std::uint64_t equal, std::uint64_t at_most) {
  if (profile.divisible_span == equal && profile.divisible_span_at_most == at_most)
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "expected " << equal << " to " << at_most << ", got " << profile.divisible_span
         << " to " << profile.divisible_span_at_most;
}

TEST(LoopParts, OneBodyCallIsAnInterval) {
  const Profile profile = profile_of_parts("loop-end work=64 n=64 grain=1\n");
  EXPECT_TRUE(spans(profile, 1, 64));
  EXPECT_FALSE(profile.divisible_is_measured());
  EXPECT_EQ(1.0, profile.limit().value());
}

TEST(LoopParts, PortionsAreParallel) {
  const Profile profile = profile_of_parts("portion-end work=5 n=1\n"
                                           "portion-end work=40 n=1\n"
                                           "loop-end work=3 n=3\n");
  EXPECT_TRUE(spans(profile, 40, 40));
  EXPECT_TRUE(profile.divisible_is_measured());
  EXPECT_EQ(48u, profile.span);
}

TEST(LoopParts, WhatFollowsTheLastIterationComesAfterAll) {
  EXPECT_TRUE(spans(profile_of_parts("portion-end work=5 n=1\n"
                                     "portion-end work=40 n=1\n"
                                     "loop-end work=3 n=2\n"),
                    43, 43));
}

TEST(LoopParts, LongPortionsAreScaled) {
  EXPECT_TRUE(spans(profile_of_parts("portion-end work=10 n=5 grain=2\n" // leaves of 2, 1 and 2
                                     "loop-end work=6 n=8 grain=2\n"),   // of 2 and 1
                    4, 10));
}

// ((10 20) 3, 7) 5: 20 + 3 + 5.
TEST(LoopParts, ResultsAreJoinedInPairs) {
  EXPECT_TRUE(spans(profile_of_parts("portion-end work=10 n=1 joins=1\n"
                                     "portion-end work=20 n=1 joins=1\n"
                                     "portions-joined work=3\n"
                                     "portion-end work=7 n=1 joins=1\n"
                                     "portions-joined work=5\n"
                                     "loop-end work=0 n=3 joins=1\n"),
                    28, 28));
}

// The iterations that follow it would be joined twice, at the same cost.
TEST(LoopParts, AJoinWithoutPortionsIsNoError) {
  EXPECT_TRUE(spans(profile_of_parts("portions-joined work=3\n"
                                     "loop-end work=0 n=3 joins=1\n"),
                    6, 6));
}

// Leaves of 8 iterations are two halvings from 2 of them; joins cost 6 in this run.
TEST(LoopParts, JoinsThatDidNotRunCostTheMeanOfThoseThatDid) {
  EXPECT_TRUE(spans(profile_of_parts("portion-end work=8 n=8 grain=2 joins=1\n"
                                     "portion-end work=8 n=8 grain=2 joins=1\n"
                                     "portions-joined work=6\n"
                                     "loop-end work=0 n=16 grain=2 joins=1\n"),
                    2 + 2 * 6 + 6, 8 + 2 * 6 + 6));
  const Profile none = profile_of_parts("loop-end work=8 n=8 grain=2 joins=1\n");
  EXPECT_TRUE(spans(none, 2, 8));
  EXPECT_TRUE(warns(none, "unjoined"));
}

// Each dimension is halved by itself: parts of 1 row and 5 columns of a 4 by 10 leaf.
TEST(LoopParts, DimensionsHaveTheirOwnGrainSizes) {
  EXPECT_TRUE(spans(profile_of_parts("shape rows=4 row_grain=1 cols=10 col_grain=5\n"
                                     "loop-end work=40 n=40 grain=5\n"),
                    5, 40));
}

// 341 of 1000 iterations with a grain size of 100: halved, the whole range has leaves of 63.
TEST(LoopParts, OfAPartitionerThatDoesNotHalve) {
  EXPECT_TRUE(spans(
      profile_of_parts("loop-end work=341 n=341 grain=100\n", "whole rows=1000 row_grain=100\n"),
      63, 341));
  EXPECT_TRUE(spans(profile_of_parts("loop-end work=341 n=341 grain=100\n"), 86, 341));
}

TEST(LoopParts, RangesOfUnknownSizeAreNamed) {
  const Profile profile = profile_of_parts("loop-end work=64 n=0\n");
  EXPECT_TRUE(spans(profile, 64, 64));
  EXPECT_TRUE(warns(profile, "unsized"));
}

TEST(LoopParts, UnequalIterationsAreNamed) {
  EXPECT_TRUE(warns(profile_of_parts("portion-end work=1000 n=10\n"
                                     "portion-end work=10 n=10\n"
                                     "loop-end work=10 n=30\n"),
                    "unequal_iterations"));
  EXPECT_FALSE(warns(profile_of_parts("portion-end work=11 n=10\n"
                                      "portion-end work=10 n=10\n"
                                      "loop-end work=9 n=30\n"),
                     "unequal_iterations"));
}

// Ordered iterations are counted, and not divided; a range without a size, and older recordings, have no number.
TEST(LoopParts, IterationsThatWaitForEachOther) {
  const auto loops_of = [](const std::string& ends, const std::string& construct) {
    const Profile profile =
        make_profile(test::parse_trace_script("site 1 a.cpp 1 construct=" + construct +
                                              "\nstream 0\nthread role=main\n"
                                              "spawn-wait site=1 ctx=new-exclusive construct=" +
                                              construct + "\nbegin\n" + ends +
                                              "end\nwait-end\nend\nthread-end\n")
                         .source(),
                     {});
    return profile.sites[profile.sites[0].row == kMainRow ? 1 : 0].loops;
  };
  const std::string five = "loop-begin\nloop-end work=10 n=0 grain=6\n";
  const LoopCounts ordered = loops_of(five + five + "loop-begin\nloop-end work=1 n=1\n", "omp_for");
  EXPECT_EQ(11u, ordered.all_iterations());
  EXPECT_EQ(2u, ordered.unsized_calls);
  EXPECT_EQ(1u, ordered.largest_grain);
  EXPECT_EQ(std::nullopt,
            loops_of(five + "loop-begin\nloop-end work=10 n=0\n", "omp_for").all_iterations());
  EXPECT_EQ(std::nullopt, loops_of(five, "parallel_for").all_iterations());
}

// A team of one thread runs a loop in one chunk, also with schedule(dynamic, 1).
TEST(LoopParts, WhatMeasuresIterationsOfOpenMp) {
  const auto measured_by = [](std::initializer_list<const char*> constructs) {
    Runtimes runtimes;
    SiteInfo row;
    row.constructs.assign(constructs.begin(), constructs.end());
    runtimes.add(row);
    return runtimes.measured_by();
  };
  EXPECT_EQ("tp-run --divide", measured_by({"parallel_for"}));
  EXPECT_EQ("schedule(dynamic, 1) on two threads or more", measured_by({"omp_for"}));
  EXPECT_EQ("grainsize(1) on two threads or more", measured_by({"omp_taskloop"}));
  EXPECT_EQ("schedule(dynamic, 1) or grainsize(1) on two threads or more",
            measured_by({"omp_parallel", "omp_taskloop"}));
  EXPECT_EQ("tp-run --divide; of OpenMP's loops, schedule(dynamic, 1) on two threads or more",
            measured_by({"parallel_for", "omp_for"}));
}

std::uint64_t largest_by_recursion(std::uint64_t n, std::uint64_t grain) {
  return n <= grain
             ? n
             : std::max(largest_by_recursion(n / 2, grain), largest_by_recursion(n - n / 2, grain));
}
std::uint64_t depth_by_recursion(std::uint64_t n, std::uint64_t grain) {
  return n <= grain
             ? 0
             : 1 + std::max(depth_by_recursion(n / 2, grain), depth_by_recursion(n - n / 2, grain));
}

TEST(LoopParts, AreHalvedWithoutRecursion) {
  for (std::uint64_t n = 1; n < 400; ++n)
    for (const std::uint64_t grain : {1, 2, 3, 5, 8, 31, 64, 300}) {
      const LoopPart part = LoopPart::of(n, grain);
      ASSERT_EQ(largest_by_recursion(n, grain), part.largest) << n << " by " << grain;
      ASSERT_EQ(depth_by_recursion(n, grain), part.halvings) << n << " by " << grain;
    }
}

} // namespace
} // namespace tp::analysis
