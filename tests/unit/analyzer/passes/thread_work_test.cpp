// SPDX-License-Identifier: Apache-2.0
// Steps that take longer on one thread: by arithmetic.
#include "passes/thread_work.h"

#include <gtest/gtest.h>

namespace tp::analysis {
namespace {

constexpr StepClassId kCode{3};

// So many steps of alternating work on a thread.
void add(ThreadWork& work, std::uint32_t stream, std::uint64_t steps, std::uint64_t amount,
         std::uint64_t more = 0) {
  for (std::uint64_t i = 0; i < steps; ++i)
    work.add(kCode, stream, i % 2 == 0 ? amount - more : amount + more);
}

TEST(ThreadWork, OneThreadTakesLonger) {
  ThreadWork work;
  add(work, 0, 100, 10, 2);
  add(work, 2, 20, 40, 4);
  add(work, 5, 100, 10, 2);
  const auto found = work.uneven(kCode, 2, 20);
  ASSERT_TRUE(found);
  EXPECT_EQ(2u, found->stream);
  EXPECT_EQ(20u, found->steps);
  EXPECT_EQ(200u, found->others);
  EXPECT_EQ(40, found->mean);
  EXPECT_EQ(10, found->mean_of_others);
  EXPECT_EQ(600, found->excess());
  EXPECT_FALSE(work.uneven(kCode, 4.1, 20));
  EXPECT_FALSE(work.uneven(kCode, 2, 21));
  EXPECT_FALSE(work.uneven(StepClassId{2}, 2, 20));
  EXPECT_FALSE(work.uneven(StepClassId{9}, 2, 20));
}

// 20 of 15 +- 15 and 20 of 5 +- 5: the standard error of the difference is 3.5.
TEST(ThreadWork, WhatMayBeChanceIsNotFound) {
  ThreadWork work;
  add(work, 0, 20, 15, 15);
  add(work, 1, 20, 5, 5);
  EXPECT_FALSE(work.uneven(kCode, 2, 20));
}

TEST(ThreadWork, EqualSteps) {
  ThreadWork work;
  add(work, 0, 50, 10);
  add(work, 1, 50, 10);
  EXPECT_FALSE(work.uneven(kCode, 2, 20));
  EXPECT_FALSE(ThreadWork().uneven(kCode, 2, 20));
}

} // namespace
} // namespace tp::analysis
