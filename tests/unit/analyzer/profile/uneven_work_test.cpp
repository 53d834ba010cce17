// SPDX-License-Identifier: Apache-2.0
// The hint at code that waits in a loop, in hand-written cases: its limits, and what it leaves out.
#include "profile/make_profile.h"
#include "trace_script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tp::analysis {
namespace {

constexpr int kTasks = 20; // on each thread

// One call of a loop's body, or none.
std::string task(const std::string& name, int work, int iterations) {
  if (iterations == 0)
    return "task task=" + name + " work=" + std::to_string(work) + "\n";
  return "begin task=" + name + "\nloop-begin\nloop-end n=" + std::to_string(iterations) +
         " grain=1 work=" + std::to_string(work) + "\nend\n";
}

// Main works for `serial`; its tasks cost 1 on its own thread and `there` on another one.
const Warning* hint(Profile& profile, int serial, int there, int iterations = 0) {
  std::string script = "site 1 a.cpp 7 construct=parallel_for\nstream 0\nthread role=main\n"
                       "spawn work=" +
                       std::to_string(serial) +
                       " site=1 ctx=new-exclusive construct=parallel_for\n";
  for (int i = 1; i < 2 * kTasks; ++i)
    script += "spawn site=1 ctx=last\n";
  script += "wait ctx=last\n";
  for (int i = 0; i < kTasks; ++i)
    script += task("0." + std::to_string(i), 1, iterations);
  script += "wait-end\nend\nthread-end\nstream 1\nthread role=worker\n";
  for (int i = kTasks; i < 2 * kTasks; ++i)
    script += task("0." + std::to_string(i), there, iterations);
  script += "thread-end\n";
  ProfileOptions options;
  options.burden_ns = 0;
  options.simulate = Ask::Never;
  profile = make_profile(test::parse_trace_script(script).source(), options);
  const auto found = std::ranges::find(profile.warnings, "uneven_work", &Warning::name);
  return found == profile.warnings.end() ? nullptr : &*found;
}

TEST(UnevenWork, OneThreadTakesLonger) {
  Profile profile;
  const Warning* const warning = hint(profile, 0, 11);
  ASSERT_TRUE(warning);
  EXPECT_NE(warning->text.find("a.cpp:7"), std::string::npos) << warning->text;
}

// Twice as long, and a twentieth of the work too much: 20 * 10 of 4000, here.
TEST(UnevenWork, Limits) {
  Profile profile;
  EXPECT_TRUE(hint(profile, 0, 2));
  EXPECT_FALSE(hint(profile, 0, 1));
  EXPECT_TRUE(hint(profile, 4000 - 240, 11));
  EXPECT_EQ(4000u, profile.work);
  EXPECT_FALSE(hint(profile, 4001 - 240, 11));
}

// Body calls of one iteration each can be compared, others may have different numbers.
TEST(UnevenWork, LoopsWhoseCallsHaveSeveralIterations) {
  Profile profile;
  EXPECT_TRUE(hint(profile, 0, 11, 1));
  EXPECT_FALSE(hint(profile, 0, 11, 2));
}

} // namespace
} // namespace tp::analysis
