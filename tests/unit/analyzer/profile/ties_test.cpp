// SPDX-License-Identifier: Apache-2.0
// Two runs of one program, whose longest paths are equally long: both have to show the same one.
#include "profile/make_profile.h"
#include "trace_script.h"

#include <gtest/gtest.h>

#include <map>

namespace tp::analysis {
namespace {

// main: 5 | run A | run B | wait    A: 5 | run C in the same group | `rest`    B: 15    C: 10
//
// B and C end at 20, A at 10 + `rest`. C comes before the end of A, and A before B.
std::string on_one_thread(const std::string& rest) {
  return "site 1 a.cpp 1\nsite 2 a.cpp 2\nsite 3 a.cpp 3\n"
         "stream 0\n"
         "thread role=main\n"
         "spawn work=5 site=1 ctx=new-exclusive\n"
         "spawn site=2 ctx=last\n"
         "wait ctx=last\n"
         "task task=newest work=15\n" // B
         "begin task=-1\n"            // A
         "spawn work=5 site=3 ctx=own\n"
         "end work=" +
         rest +
         "\n"
         "task task=newest work=10\n" // C
         "wait-end\n"
         "thread-end\n";
}

// A has spawned C before main spawns B.
std::string on_two_threads(const std::string& rest) {
  return "site 1 a.cpp 1\nsite 2 a.cpp 2\nsite 3 a.cpp 3\n"
         "stream 0\n"
         "thread role=main\n"
         "spawn work=5 site=1 ctx=new-exclusive\n"
         "spawn lead=100 site=2 ctx=last\n"
         "wait ctx=last\n"
         "task task=newest work=15\n" // B
         "wait-end idle=100\n"
         "thread-end\n"
         "stream 1\n"
         "thread role=worker\n"
         "begin task=0.0 idle=6\n" // A
         "spawn work=5 site=3 ctx=own\n"
         "end work=" +
         rest +
         "\n"
         "task task=newest work=10\n" // C
         "thread-end\n";
}

using Shares = std::map<std::uint32_t, std::uint64_t>; // critical work by line

Shares shares_of(const std::string& script) {
  const Profile profile = make_profile(test::parse_trace_script(script).source(), {});
  EXPECT_EQ(20u, profile.span);
  Shares shares;
  for (const SiteRow& site : profile.sites) {
    shares[site.info.line] = site.critical_work;
    EXPECT_EQ(site.critical_work > 0, site.on_span.local.count > 0) << site.info.line;
  }
  return shares;
}

TEST(Ties, ATaskOfAnEarlierSpawnerWinsInEveryRun) {
  const Shares expected = {{0, 5}, {1, 5}, {2, 0}, {3, 10}};
  EXPECT_EQ(expected, shares_of(on_one_thread("3")));
  EXPECT_EQ(expected, shares_of(on_two_threads("3")));
}

TEST(Ties, AChildWinsAgainstTheContinuationWhereAnOuterWaitJoinsBoth) {
  const Shares expected = {{0, 5}, {1, 5}, {2, 0}, {3, 10}};
  EXPECT_EQ(expected, shares_of(on_one_thread("10")));
  EXPECT_EQ(expected, shares_of(on_two_threads("10")));
}

} // namespace
} // namespace tp::analysis
