// SPDX-License-Identifier: Apache-2.0
// The advice on runs that show nothing about scaling: it must not name code to optimize.
#include "profile/make_profile.h"
#include "trace_script.h"

#include <gtest/gtest.h>

namespace tp::analysis {
namespace {

std::string advice_on(const std::string& records) {
  return make_profile(
             test::parse_trace_script("run cpus=2\nsite 1 a.cpp 1\nstream 0\n" + records).source(),
             {})
      .advice;
}

TEST(Advice, OnARunWithoutTasksNamesNoCode) {
  const std::string text = advice_on("thread role=main\ncut work=1000\nend work=5\nthread-end\n");
  EXPECT_TRUE(text.starts_with("No oneTBB task was recorded")) << text;
}

TEST(Advice, OnARunWithoutWorkNamesNoCode) {
  const std::string text = advice_on("thread role=main\nend\nthread-end\n");
  EXPECT_TRUE(text.starts_with("No work was recorded")) << text;
}

TEST(Advice, OnARunThatWasPausedNamesTheRemedy) {
  const std::string tasks = "thread role=main\n"
                            "spawn work=10 site=1 ctx=new-exclusive\n"
                            "wait ctx=last\n"
                            "task work=0\n"
                            "wait-end\n"
                            "end work=2\n";
  EXPECT_TRUE(advice_on(tasks + "thread-end paused=500\n")
                  .starts_with("No work of a task was recorded, and recording was paused"));
  EXPECT_FALSE(advice_on(tasks + "thread-end\n")
                   .starts_with("No work of a task was recorded, and recording was paused"));
}

} // namespace
} // namespace tp::analysis
