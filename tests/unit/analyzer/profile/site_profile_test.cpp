// SPDX-License-Identifier: Apache-2.0
// Cilkprof's measures: the example of section 6, and random fork-join programs against its
// pseudocode (tests/support/fork_join.h). TP_ORACLE_RUNS sets the number of programs; a failure
// names the seed.
#include "fork_join.h"
#include "oracle_runs.h"
#include "profile/make_profile.h"
#include "trace_script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace tp::analysis {
namespace {

test::ForkJoinSums as_fork_join(const InvocationSums& sums) {
  return {sums.count, sums.work, sums.span};
}
test::ForkJoinSite as_fork_join(const SiteMeasures& measures) {
  return {as_fork_join(measures.top_call_site), as_fork_join(measures.top_caller),
          as_fork_join(measures.local)};
}

void expect_equal(const test::ForkJoinSite& expected, const SiteMeasures& actual,
                  const std::string& what) {
  const test::ForkJoinSite found = as_fork_join(actual);
  const auto compare = [&](const test::ForkJoinSums& a, const test::ForkJoinSums& b,
                           const char* rule) {
    EXPECT_EQ(a.count, b.count) << what << ", count " << rule;
    EXPECT_EQ(a.work, b.work) << what << ", work " << rule;
    EXPECT_EQ(a.span, b.span) << what << ", span " << rule;
  };
  compare(expected.top_call_site, found.top_call_site, "top-call-site");
  compare(expected.top_caller, found.top_caller, "top-caller");
  compare(expected.local, found.local, "local");
}

void expect_at_most(const InvocationSums& less, const InvocationSums& more) {
  EXPECT_LE(less.count, more.count);
  EXPECT_LE(less.work, more.work);
  EXPECT_LE(less.span, more.span);
}

void expect_invariants(const Profile& profile) {
  InvocationSums on_work, on_span;
  for (const SiteRow& site : profile.sites) {
    SCOPED_TRACE(site.info.line);
    on_work.add(site.on_work.local);
    on_span.add(site.on_span.local);
    EXPECT_LE(site.on_work.top_caller.count, site.on_work.top_call_site.count);
    EXPECT_LE(site.on_work.top_call_site.count, site.on_work.local.count);
    expect_at_most(site.on_span.top_call_site, site.on_work.top_call_site);
    expect_at_most(site.on_span.top_caller, site.on_work.top_caller);
    expect_at_most(site.on_span.local, site.on_work.local);
    EXPECT_LE(site.on_span.local.span, site.on_span.local.work);
  }
  EXPECT_EQ(profile.work, on_work.work);
  EXPECT_EQ(profile.span, on_span.span);
}

bool is_leaf(const test::ForkJoinProgram& program, std::uint32_t line) {
  return std::none_of(program.tasks.begin(), program.tasks.end(),
                      [&](const auto& task) { return task.line == line && !task.events.empty(); });
}

TEST(SiteProfile, FibOfTen) {
  const Profile profile = make_profile(test::make_fib(10).trace().source(), {});
  EXPECT_EQ(441u, profile.work);
  EXPECT_EQ(20u, profile.span);
  ASSERT_EQ(3u, profile.sites.size());
  const SiteRow& a = profile.sites[profile.sites[1].info.line == 10 ? 1 : 2];
  const SiteRow& b = profile.sites[profile.sites[1].info.line == 10 ? 2 : 1];
  expect_equal({{5, 420, 49}, {1, 271, 18}, {88, 250, 163}}, a.on_work, "A");
  expect_equal({{9, 404, 72}, {1, 166, 16}, {88, 187, 134}}, b.on_work, "B");
  expect_invariants(profile);
}

TEST(SiteProfile, RandomForkJoinProgramsEqualThePseudocode) {
  const std::uint64_t runs = test::oracle_runs();
  std::uint64_t on_span = 0;
  ProfileOptions options;
  options.explore = Ask::Never;
  for (std::uint64_t seed = 1; seed <= runs && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto program = test::make_fork_join(seed);
    const Profile profile = make_profile(program.trace().source(), options);
    EXPECT_EQ(program.work, profile.work);
    EXPECT_EQ(program.span, profile.span);
    for (const SiteRow& site : profile.sites) {
      if (site.info.line == 0)
        continue;
      const std::string line = "line " + std::to_string(site.info.line);
      expect_equal(program.on_work[site.info.line], site.on_work, line + " on work");
      expect_equal(program.on_span[site.info.line], site.on_span, line + " on span");
      on_span += site.on_span.local.count;
      // For a leaf, the local figures are all figures.
      if (is_leaf(program, site.info.line)) {
        EXPECT_EQ(site.on_work.local, site.on_work.top_call_site) << line;
        EXPECT_EQ(site.on_span.local, site.on_span.top_call_site) << line;
      }
    }
    expect_invariants(profile);
  }
  EXPECT_GT(on_span, runs / 2);
}

// The path enters B by an edge from A, after B's own first step:
//
//   main ---1--- spawn A --- spawn B --- wait ------
//   A              +--10--release
//   B                          +--2--acquire--5--
TEST(SiteProfile, ATaskThatTheCriticalPathEntersByAnEdgeIsOnIt) {
  const Profile profile =
      make_profile(test::parse_trace_script("site 1 a.cpp 1\n"
                                            "site 2 b.cpp 2\n"
                                            "stream 0\n"
                                            "thread role=main\n"
                                            "spawn work=1 site=1 ctx=new-exclusive\n"
                                            "spawn site=2 ctx=last\n"
                                            "wait ctx=last\n"
                                            "begin task=-1\n"
                                            "release work=10\n"
                                            "end\n"
                                            "begin task=newest\n"
                                            "acquire work=2 edge=0.0\n"
                                            "end work=5\n"
                                            "wait-end\n"
                                            "thread-end\n")
                       .source(),
                   {});
  EXPECT_EQ(16u, profile.span);
  ASSERT_EQ(3u, profile.sites.size());
  const SiteRow& a = profile.sites[1];
  const SiteRow& b = profile.sites[2];
  EXPECT_EQ((InvocationSums{1, 10, 10}), a.on_span.local);
  EXPECT_EQ((InvocationSums{1, 7, 5}), b.on_span.local);
  EXPECT_EQ(1u, b.on_span.top_call_site.count);
}

// ---- longest chains

const SiteRow& at_line(const Profile& profile, std::uint32_t line) {
  return *std::ranges::find_if(profile.sites,
                               [&](const SiteRow& site) { return site.info.line == line; });
}

// A thousand tasks in parallel: the span of the invocations is a sum, the chain is one task.
TEST(LongestChain, OfTasksInParallelIsOneOfThem) {
  std::string script = "site 9 flat.cpp 9\nstream 0\nthread role=main\n"
                       "spawn work=1 site=9 ctx=new-exclusive\n";
  for (int i = 1; i < 1000; ++i)
    script += "spawn work=1 site=9 ctx=last\n";
  script += "wait ctx=last\n";
  for (int i = 0; i < 1000; ++i)
    script += "task task=-" + std::to_string(i) + " work=100\n";
  script += "wait-end\nthread-end\n";
  const Profile profile = make_profile(test::parse_trace_script(script).source(), {});
  const SiteRow& site = at_line(profile, 9);
  EXPECT_EQ(100'000u, site.work);
  EXPECT_EQ(100'000u, site.span); // as in the papers
  EXPECT_EQ(100u, site.longest_chain);
  EXPECT_TRUE(site.chain_is_exact);
  EXPECT_EQ(1100u, profile.span);
  EXPECT_EQ(1100u, at_line(profile, 0).longest_chain);
}

// main: 10 | A(5) || A(7) | wait | 3 | A(4 | B(20) | 2 | wait | 1) | wait. Calls in sequence add up;
// what a task spawned counts as well: 7 + (4 + 20 + 1).
TEST(LongestChain, AddsUpWhatComesInSequence) {
  const Profile profile =
      make_profile(test::parse_trace_script("site 1 a.cpp 1\nsite 2 a.cpp 2\nstream 0\n"
                                            "thread role=main\n"
                                            "spawn work=10 site=1 ctx=new-exclusive\n"
                                            "spawn site=1 ctx=last\n"
                                            "wait ctx=last\n"
                                            "task task=newest work=7\n"
                                            "task task=-1 work=5\n"
                                            "wait-end\n"
                                            "spawn work=3 site=1 ctx=last\n"
                                            "wait ctx=last\n"
                                            "begin task=newest\n"
                                            "spawn work=4 site=2 ctx=new-exclusive\n"
                                            "wait work=2 ctx=last\n"
                                            "task task=newest work=20\n"
                                            "wait-end\n"
                                            "end work=1\n"
                                            "wait-end\n"
                                            "thread-end\n")
                       .source(),
                   {});
  EXPECT_EQ(10u + 7 + 3 + 25, profile.span);
  EXPECT_EQ(7u + 25, at_line(profile, 1).longest_chain);
  EXPECT_EQ(20u, at_line(profile, 2).longest_chain);
}

// The heaviest path of A is not on the critical path, which is that of B.
TEST(LongestChain, NeedNotBeOnTheCriticalPath) {
  const Profile profile =
      make_profile(test::parse_trace_script("site 1 a.cpp 1\nsite 2 a.cpp 2\nstream 0\n"
                                            "thread role=main\n"
                                            "spawn site=1 ctx=new-exclusive\n"
                                            "spawn site=2 ctx=last\n"
                                            "wait ctx=last\n"
                                            "task task=newest work=50\n"
                                            "task task=-1 work=30\n"
                                            "wait-end\n"
                                            "thread-end\n")
                       .source(),
                   {});
  EXPECT_EQ(50u, profile.span);
  EXPECT_EQ(30u, at_line(profile, 1).longest_chain);
}

// fib: the one outermost task of each of the first calls; recursion counts nothing twice.
TEST(LongestChain, OfARecursionIsThatOfItsOutermostTasks) {
  const Profile profile = make_profile(test::make_fib(10).trace().source(), {});
  for (const std::uint32_t line : {10u, 11u}) {
    const SiteRow& site = at_line(profile, line);
    EXPECT_LE(site.longest_chain, profile.span);
    EXPECT_LE(site.longest_chain, site.span);
    EXPECT_LT(3 * site.longest_chain, site.span + 2 * profile.span);
  }
  EXPECT_EQ(18u, at_line(profile, 10).longest_chain);
}

// More sites than the first reading has room for, and more than get a chain at all.
TEST(LongestChain, OfManySites) {
  constexpr std::uint32_t kSites = 1200;
  test::TraceBuilder trace;
  auto& main = trace.stream();
  main.thread_begin(trace::ThreadRole::Main);
  for (std::uint32_t i = 0; i < 2 * kSites; ++i) {
    const std::uint32_t site = 1 + i % kSites;
    if (i < kSites)
      trace.site(site, "a.cpp", site);
    main.spawn({}, test::SiteOperand::of(site),
               i == 0 ? test::ContextOperand::fresh(true) : test::ContextOperand::last());
    main.task(test::TaskOperand::newest(), {site});
  }
  main.wait({}, test::ContextOperand::last());
  main.wait_end();
  main.end({});
  ProfileOptions options;
  options.explore = Ask::Never;
  const Profile profile = make_profile(trace.source(), options);
  for (const SiteRow& row : profile.sites) {
    if (row.info.line == 0)
      continue;
    EXPECT_EQ(2 * row.info.line, row.span);
    EXPECT_EQ(row.chain_is_exact ? row.info.line : std::min(2 * row.info.line, kSites),
              row.longest_chain);
    EXPECT_EQ(row.info.line <= 48 || row.info.line > kSites - 1024, row.chain_is_exact)
        << row.info.line;
  }
}

// A call of a filter is one invocation, with what another thread executes for it (in a full arena); the next
// call, which it spawns in the pipeline's context, is another one.
// Of a taskloop libomp creates three tasks, and one of its own for the second half, which creates two.
TEST(SiteProfile, CountsTheTasksOfATaskloopAndNotThoseThatDivideIt) {
  const auto profile_of = [](const std::string& in_creator) {
    return make_profile(
        test::parse_trace_script("site 1 a.cpp 1 construct=omp_taskloop\nstream 0\n"
                                 "thread role=main\n"
                                 "spawn site=1 ctx=new-exclusive construct=omp_task\n"
                                 "spawn site=1 ctx=last\nspawn site=1 ctx=last\n"
                                 "wait ctx=last\nbegin task=0.0\n" +
                                 in_creator +
                                 "spawn site=1 ctx=own\nspawn site=1 ctx=own\nend\n"
                                 "task task=0.4 work=100\ntask task=0.3 work=20\n"
                                 "task task=0.2 work=30\ntask task=0.1 work=40\n"
                                 "wait-end\nend work=2\nthread-end\n")
            .source(),
        {});
  };
  Profile profile = profile_of("");
  EXPECT_EQ(100u + 2, profile.span);
  ASSERT_EQ(2u, profile.sites.size());
  SiteRow site = profile.sites[profile.sites[0].row == kMainRow ? 1 : 0];
  EXPECT_EQ(4u, site.invocations);
  EXPECT_EQ(site.on_span.local, (InvocationSums{1, 100, 100}));
  expect_equal({{4, 190, 190}, {4, 190, 190}, {4, 190, 190}}, site.on_work, "taskloop");
  expect_invariants(profile);
  // A task that has iterations is the program's: what it leaves is the rest of an untied one.
  profile = profile_of("loop-begin\nloop-end n=1 grain=1 work=5\n");
  site = profile.sites[profile.sites[0].row == kMainRow ? 1 : 0];
  expect_equal({{3, 195, 175}, {3, 195, 175}, {5, 195, 195}}, site.on_work, "untied taskloop");
}

TEST(SiteProfile, WhatAFilterHasExecutedIsPartOfItsCall) {
  test::TraceBuilder trace = test::parse_trace_script(
      "site 1 p.cpp 10 1 construct=parallel_pipeline\n"
      "site 5 p.cpp 12 1 construct=parallel_pipeline\n" // makes the filter
      "site 6 p.cpp 30\n"
      "stream 0\nthread role=main\n"
      "spawn site=1 ctx=new-exclusive\nwait ctx=last\nbegin task=newest\n"
      "spawn site=2 ctx=own\nend\n"
      "begin task=newest\n"
      "spawn site=2 work=10 ctx=new-exclusive\nwait ctx=last\ntask task=newest work=100\nwait-end\n"
      "spawn site=6 ctx=new-exclusive\nspawn site=6 ctx=last\nwait ctx=last\n"
      "task task=newest work=70\ntask task=-1 work=70\nwait-end\n"
      "spawn site=2 work=5 ctx=own\nend work=3\n"
      "task task=newest work=50\n"
      "wait-end\nend work=1\nthread-end\n");
  trace.site_line(
      R"({"site":2,"tag":"explicit","file":"p.cpp","line":12,"column":1,"end_line":12,"function":"f",)"
      R"("construct":"parallel_pipeline","filter":2,"mode":"parallel","of":5,"call":1})");
  const Profile profile = make_profile(trace.source(), {});
  const auto filter =
      std::ranges::find_if(profile.sites, [](const SiteRow& row) { return row.info.filter == 2; });
  ASSERT_NE(profile.sites.end(), filter);
  EXPECT_EQ(2u, filter->on_work.top_call_site.count);
  EXPECT_EQ(10u + 100 + 140 + 5 + 3 + 50, filter->on_work.top_call_site.work);
  EXPECT_EQ(10u + 100 + 70 + 5 + 3 + 50, filter->on_work.top_call_site.span);
}

} // namespace
} // namespace tp::analysis
