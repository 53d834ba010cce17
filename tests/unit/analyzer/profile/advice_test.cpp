// SPDX-License-Identifier: Apache-2.0
// The advice: on runs that show nothing about scaling it names no code; otherwise code in plain words,
// and no wait that the program did not write.
#include "profile/make_profile.h"
#include "report/writers.h"
#include "trace_script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tp::analysis {
namespace {

// The headline of a run for which there is nothing to advise.
std::string headline_on(const std::string& records) {
  const Profile profile = make_profile(
      test::parse_trace_script("run cpus=2\nsite 1 a.cpp 1\nstream 0\n" + records).source(), {});
  EXPECT_TRUE(profile.verdict.worth_procs > 0 || profile.advice.empty()) << profile.advice;
  return profile.verdict.headline;
}

TEST(Advice, OnARunWithoutTasksNamesNoCode) {
  const std::string text = headline_on("thread role=main\ncut work=1000\nend work=5\nthread-end\n");
  EXPECT_TRUE(text.starts_with("No task of oneTBB or OpenMP was recorded")) << text;
}

TEST(Advice, OnARunWithoutWorkNamesNoCode) {
  const std::string text = headline_on("thread role=main\nend\nthread-end\n");
  EXPECT_TRUE(text.starts_with("No work was recorded")) << text;
}

TEST(Advice, OnARunThatWasPausedNamesTheRemedy) {
  const std::string tasks = "thread role=main\n"
                            "spawn work=10 site=1 ctx=new-exclusive\n"
                            "wait ctx=last\n"
                            "task work=0\n"
                            "wait-end\n"
                            "end work=2\n";
  EXPECT_TRUE(headline_on(tasks + "thread-end paused=500\n")
                  .starts_with("No work of a task was recorded, and recording was paused"));
  EXPECT_FALSE(headline_on(tasks + "thread-end\n")
                   .starts_with("No work of a task was recorded, and recording was paused"));
}

// As of a symbol that is missing.
TEST(Advice, OnARunThatEndedAtOnceNamesNoCode) {
  const auto profile_with = [](const std::string& run) {
    return make_profile(test::parse_trace_script(
                            "run cpus=2 unit=ticks clock=tsc-rseq hz=1000000000 same_as_time=1 " +
                            run +
                            "\nsite 1 a.cpp 1\nstream 0\nthread role=main\n"
                            "spawn-wait work=300000 site=1 ctx=new-exclusive\n"
                            "task work=56000\nwait-end\nend work=0\nthread-end\n")
                            .source(),
                        {});
  };
  const Profile died = profile_with("complete=0"), ended = profile_with("complete=1");
  EXPECT_EQ("The recording is incomplete, and has only 356 us of work: check that the program ran "
            "as it should, by its messages and exit status.",
            died.verdict.headline);
  EXPECT_EQ("", died.advice);
  EXPECT_NE(died.verdict.headline, ended.verdict.headline);
}

// Main: 10 | a task of 5 | 100 | a loop (construct) of one task of 50 | 10.
Profile profile_of_loop(const std::string& construct) {
  return make_profile(test::parse_trace_script("run cpus=2\n"
                                               "site 1 a.cpp 1\n"
                                               "site 2 a.cpp 2 construct=" +
                                               construct +
                                               "\nstream 0\n"
                                               "thread role=main\n"
                                               "spawn-wait work=10 site=2 ctx=new-exclusive\n"
                                               "task work=5\n"
                                               "wait-end\n"
                                               "spawn-wait work=100 site=2 ctx=new-exclusive\n"
                                               "task work=50\n"
                                               "wait-end\n"
                                               "end work=10\n"
                                               "thread-end\n")
                          .source(),
                      {});
}

TEST(Advice, OffersToRemoveOnlyWaitsThatTheProgramWrote) {
  const auto is_offered = [](const Profile& profile) {
    for (const WhatIfCandidate& each : profile.explored)
      if (each.kind == CandidateKind::Wait)
        return each.is_removable;
    ADD_FAILURE() << "no wait";
    return false;
  };
  const Profile loop = profile_of_loop("parallel_for"), group = profile_of_loop("task_group");
  EXPECT_FALSE(is_offered(loop));
  EXPECT_TRUE(is_offered(group));
  EXPECT_EQ(std::string::npos, write_text(loop, {}).find("without the wait"));
  EXPECT_EQ(std::string::npos, write_markdown(loop, {}).find("wait removed"));
  EXPECT_NE(std::string::npos, write_markdown(group, {}).find("wait removed"));
}

TEST(Advice, NamesCodeOfMainByWhatIsAroundIt) {
  const Profile loop = profile_of_loop("parallel_for");
  ASSERT_FALSE(loop.findings.empty());
  EXPECT_EQ(Shape::SerialCode, loop.findings[0].shape);
  EXPECT_EQ("main between two runs of the loop at a.cpp:2", loop.findings[0].code);
  EXPECT_EQ("main between two waits for the tasks of a.cpp:2",
            profile_of_loop("task_group").findings[0].code);
}

// Two threads; the loop's task slept for most of its time. Only a clock of time shows that.
TEST(Advice, SaysThatCodeHadNoCpu) {
  const auto profile_with = [](const std::string& clock) {
    return make_profile(test::parse_trace_script("run cpus=2 " + clock +
                                                 "\nsite 2 a.cpp 2 construct=parallel_for\n"
                                                 "stream 0\n"
                                                 "thread role=main\n"
                                                 "spawn-wait work=10000 site=2 ctx=new-exclusive\n"
                                                 "task work=5000 wall=95000\n"
                                                 "wait-end\n"
                                                 "end work=100\n"
                                                 "thread-end\n")
                            .source(),
                        {});
  };
  const Profile timed = profile_with("unit=ticks clock=tsc-rseq hz=1000000000 same_as_time=1");
  const auto off = std::ranges::find(timed.findings, Shape::OffCpu, &Finding::shape);
  ASSERT_NE(timed.findings.end(), off);
  EXPECT_EQ(100'000u, off->ticks);
  EXPECT_EQ(95'000u, off->off_cpu_ticks);
  EXPECT_TRUE(timed.advice.starts_with(
      "The loop at a.cpp:2 had no CPU for 95.0 us of 100 us in this run (95 %)"))
      << timed.advice;
  for (const Finding& each : profile_with("").findings)
    EXPECT_NE(Shape::OffCpu, each.shape);
  // It did not sleep, and one CPU was left: others had the CPUs, and the remedy stays.
  const Profile taken =
      profile_with("unit=ticks clock=tsc-rseq hz=1000000000 same_as_time=1 sleep_seen=1");
  EXPECT_NE(taken.findings.end(),
            std::ranges::find(taken.findings, Shape::OffCpu, &Finding::shape));
  EXPECT_EQ(std::string::npos, taken.advice.find("CPU for")) << taken.advice;
  EXPECT_NE(std::string::npos,
            taken.advice.find("main before the loop at a.cpp:2 parallel or shorter"))
      << taken.advice;
}

// A loop of 64 iterations in parts that cost so much.
Profile profile_of_loop(const std::vector<unsigned>& costs, unsigned grain,
                        const std::string& site = "construct=parallel_for",
                        const std::string& run = "run cpus=2\n") {
  std::string script = run + "site 1 a.cpp 1 " + site + "\nstream 0\nthread role=main\n";
  for (std::size_t i = 0; i < costs.size(); ++i)
    script += std::string("spawn site=1 ctx=") + (i == 0 ? "new-exclusive\n" : "last\n");
  script += "wait ctx=last\n";
  const std::string iterations = std::to_string(64 / costs.size());
  for (std::size_t i = costs.size(); i-- > 0;)
    script += "begin task=0." + std::to_string(i) + "\nloop-begin\nloop-end n=" + iterations +
              " grain=" + std::to_string(grain) + " work=" + std::to_string(costs[i]) + "\nend\n";
  ProfileOptions options;
  options.procs = {8};
  return make_profile(test::parse_trace_script(script +
                                               "wait-end\nend work=2\nthread-end\nstream 1\n"
                                               "thread role=external\nend\nthread-end\n")
                          .source(),
                      options);
}

std::string advice_on_loop(const std::vector<unsigned>& costs, unsigned grain,
                           const std::string& site = "construct=parallel_for",
                           const std::string& run = "run cpus=2\n") {
  return profile_of_loop(costs, grain, site, run).advice;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

// Calls that a task runs one after the other may be as small as can be: what is too large is the task.
TEST(Advice, OnTasksOfManyCallsNamesTheTasks) {
  std::string script = "run cpus=2\nsite 1 a.cpp 1 construct=parallel_for\nstream 0\n"
                       "thread role=main\nspawn site=1 ctx=new-exclusive\n"
                       "spawn site=1 ctx=last\nspawn site=1 ctx=last\nwait ctx=last\n";
  for (int task = 3; task-- > 0;) {
    script += "begin task=0." + std::to_string(task) + "\n";
    for (int call = 0; call < (task == 0 ? 6 : 4); ++call) // of one iteration, but for two of them
      script += "loop-begin\nloop-end n=" + std::to_string(task > 0 && call == 0 ? 2 : 1) +
                " grain=1 work=" + (task == 0 ? "150\n" : "50\n");
    script += "end\n";
  }
  ProfileOptions options;
  options.procs = {8};
  const std::string text =
      make_profile(test::parse_trace_script(script + "wait-end\nend work=2\nthread-end\n").source(),
                   options)
          .advice;
  EXPECT_TRUE(contains(text,
                       "whose 3 tasks are too large for 8 CPUs (5.33 iterations on average, in "
                       "calls one after the other)"))
      << text;
}

// What makes parts smaller depends on what made them as large as they are.
TEST(Advice, OnPartsThatAreTooLargeNamesWhatDividesThemFurther) {
  // As large as the grain size lets them be.
  std::string text = advice_on_loop({3000, 1000, 1000, 1000}, 16);
  EXPECT_TRUE(contains(text, "4 calls are too large (16 iterations on average)")) << text;
  EXPECT_TRUE(contains(text, "divide the loop more finely, by a smaller grain size. On 8 CPUs"))
      << text;
  // One for each of two threads, unlike ones.
  text = advice_on_loop({3000, 1000}, 1);
  EXPECT_TRUE(contains(text, "by auto_partitioner in place of static_partitioner, or by "
                             "simple_partitioner. On 8 CPUs that saves"))
      << text;
  // More than that: on a machine that has enough CPUs, and on one that has not.
  text = advice_on_loop({3000, 1000, 1000, 1000}, 1, "construct=parallel_for", "run cpus=2\n");
  EXPECT_TRUE(contains(text,
                       "4 calls are too large for 8 CPUs (16 iterations on average): for more "
                       "threads than the 2 of this run oneTBB divides the loop further; "
                       "tp-run --as-if-cores 8 shows how far."))
      << text;
  EXPECT_FALSE(contains(text, "saves")) << text;
  std::vector<unsigned> many(16, 1000);
  many[3] = 16000;
  text = advice_on_loop(many, 1, "construct=parallel_for", "run cpus=8\n");
  EXPECT_TRUE(contains(text, "divide the loop more finely, by simple_partitioner. On 8 CPUs"))
      << text;
  // One for each of two threads that cost the same: not a fault of the loop.
  text = advice_on_loop({1000, 1000}, 1);
  EXPECT_TRUE(contains(text, "tp-run --as-if-cores 8 shows how far.")) << text;
}

TEST(Advice, OnChunksOfOpenMpSpeaksOfThem) {
  const std::string text = advice_on_loop({3000, 1000}, 1, "construct=omp_parallel");
  EXPECT_TRUE(contains(text,
                       "is the loop in the parallel region at a.cpp:1, whose 2 chunks are too "
                       "large (32 iterations on average): divide its work more evenly, by "
                       "schedule(dynamic) or smaller chunks."))
      << text;
}

// A region that asks for so many threads; as many come as there are elements of `parts`, and each does what its element
// says.
Profile profile_of_team(const std::vector<std::string>& parts, std::size_t asked,
                        const std::string& construct = "omp_parallel") {
  std::string script =
      "run cpus=2\nsite 1 a.cpp 1 construct=" + construct + "\nstream 0\nthread role=main\n";
  for (std::size_t i = 0; i < asked; ++i)
    script += "spawn site=1 ctx=" +
              (i > 0 ? std::string("last\n") : "new-gathering construct=" + construct + "\n");
  script += "wait ctx=last\n";
  for (std::size_t i = 0; i < asked; ++i)
    script += i < parts.size() ? "begin task=0." + std::to_string(i) + "\n" + parts[i] + "\n"
                               : "task task=0." + std::to_string(i) + " cancelled=1\n";
  ProfileOptions options;
  options.procs = {8};
  return make_profile(
      test::parse_trace_script(script + "wait-end\nend work=2\nthread-end\n").source(), options);
}

// What a thread runs of a loop: chunks of so many iterations, each of 100 units.
std::string chunks_of(const std::vector<unsigned>& iterations,
                      const std::string& context = "new-gathering") {
  std::string part = "spawn-wait site=1 ctx=" + context + " construct=omp_for\nbegin\n";
  for (const unsigned each : iterations)
    part += "loop-begin\nloop-end n=" + std::to_string(each) +
            " work=" + std::to_string(100 * each) + "\n";
  return part + "end\nwait-end\nend";
}

// More threads do not make chunks of schedule(dynamic, 100) smaller.
TEST(Advice, OnChunksThatThreadsTakeIsAboutTheirSize) {
  Profile profile = profile_of_team({chunks_of({100}), chunks_of({100})}, 2);
  EXPECT_TRUE(contains(profile.advice,
                       "whose 2 chunks are too large (100 iterations on average): divide the loop "
                       "more finely, by a smaller chunk size in its schedule clause. On 8 CPUs "
                       "that saves"))
      << profile.advice;
  const auto warning = std::ranges::find(profile.warnings, "divisible", &Warning::name);
  ASSERT_NE(profile.warnings.end(), warning);
  EXPECT_TRUE(contains(warning->text, "depends on its thread count and the chunk size of a "
                                      "schedule clause if iterations cost the same (loops of "
                                      "a.cpp:1)"))
      << warning->text;
  // Guided: also by more threads.
  profile = profile_of_team({chunks_of({100, 40}), chunks_of({80, 60})}, 2);
  EXPECT_TRUE(contains(profile.advice,
                       "a smaller chunk size in its schedule clause; of schedule(guided) also by "
                       "more threads: OMP_NUM_THREADS=8 or num_threads(8) shows how far."))
      << profile.advice;
  // A static loop has one for each thread.
  profile =
      profile_of_team({chunks_of({100}, "new-exclusive"), chunks_of({100}, "new-exclusive")}, 2);
  EXPECT_TRUE(contains(profile.advice, "for teams of more than 2 threads OpenMP divides the loop "
                                       "further"))
      << profile.advice;
}

// Its if clause is false, for example: more threads than the run had would not come either.
TEST(Advice, OnALoopOfOneThreadIsAboutWhatGaveItNoMore) {
  for (const char* const context : {"new-gathering", "new-exclusive"}) {
    const std::string text = profile_of_team({chunks_of({200}, context)}, 1).advice;
    EXPECT_TRUE(contains(
        text,
        "the loop in the parallel region at a.cpp:1: each of its teams had one thread: let it have "
        "more, by the if clause, num_threads, "))
        << text;
    EXPECT_FALSE(contains(text, "shows how far")) << text;
  }
}

// What all threads have the same part of already, and as many CPUs as predicted for have some of, is not to be divided.
TEST(Advice, OnEqualPartsForAllCpusIsAboutOtherCode) {
  const auto profile_of = [](const std::vector<unsigned>& parts, bool is_loop,
                             const std::string& construct = "omp_parallel") {
    std::vector<std::string> threads;
    for (const unsigned each : parts)
      threads.push_back(is_loop ? chunks_of({each}, "new-exclusive")
                                : "end work=" + std::to_string(100 * each));
    return profile_of_team(threads, threads.size(), construct);
  };
  const std::vector<unsigned> even(16, 100);
  std::vector<unsigned> uneven(16, 100);
  uneven[3] = 300;
  for (const bool is_loop : {true, false}) {
    const Profile profile = profile_of(even, is_loop);
    EXPECT_TRUE(contains(profile.findings.front().text,
                         "its 16 threads have equal parts, enough for 8 CPUs."))
        << profile.findings.front().text;
    EXPECT_TRUE(profile.advice.empty() || contains(profile.advice, "No single change saves"))
        << profile.advice;
    EXPECT_TRUE(contains(profile_of(uneven, is_loop).advice, "more evenly"));
    // 12 parts take eight CPUs as long as 16.
    EXPECT_TRUE(
        contains(profile_of(std::vector<unsigned>(12, 100), is_loop).advice, "more evenly"));
    EXPECT_TRUE(contains(profile_of(std::vector<unsigned>(4, 100), is_loop).advice,
                         "OMP_NUM_THREADS=8 or num_threads(8) shows"));
  }
  EXPECT_TRUE(contains(profile_of(even, false, "omp_parallel_gcc").findings.front().text,
                       "its 16 threads have equal parts, enough for 8 CPUs."));
}

// Nor can what is one after the other in such a loop be divided among the threads of its team.
TEST(Advice, OnSectionsOfOneThreadIsAboutWhatGaveThemNoMore) {
  const std::string sections =
      "spawn-wait site=1 ctx=new-gathering construct=omp_sections\nbegin\n"
      "loop-begin\nspawn work=300 site=2 ctx=new-exclusive\nloop-end n=1 work=10\n"
      "task work=20\nloop-begin\nloop-end n=1 work=400\nloop-begin\nloop-end n=1 work=100\n"
      "end\nwait-end\nend";
  ProfileOptions options;
  options.procs = {8};
  const std::string text =
      make_profile(test::parse_trace_script(
                       "run cpus=2\nsite 1 a.cpp 1 construct=omp_parallel\n"
                       "site 2 a.cpp 2 construct=omp_task\nstream 0\nthread role=main\n"
                       "spawn site=1 ctx=new-gathering construct=omp_parallel\nwait ctx=last\n"
                       "begin task=0.0\n" +
                       sections + "\nwait-end\nend work=2\nthread-end\n")
                       .source(),
                   options)
          .advice;
  EXPECT_TRUE(contains(text, "each of its teams had one thread: let it have more")) << text;
}

// What helps a league of teams is more of them.
TEST(Advice, OnALeagueIsAboutItsTeams) {
  std::string text = profile_of_team({"end work=100", "end work=100"}, 2, "omp_teams").advice;
  EXPECT_TRUE(contains(text, "one of the 2 initial tasks of the league of teams at a.cpp:1: its "
                             "teams do equal parts outside of loops and tasks; OMP_NUM_TEAMS=8 or "
                             "num_teams(8) shows what more teams do."))
      << text;
  text = profile_of_team({"end work=100", "end work=100"}, 2, "omp_teams_gcc").advice;
  EXPECT_TRUE(contains(text, "for leagues of more than 2 teams OpenMP divides loops further; "
                             "OMP_NUM_TEAMS=8 or num_teams(8) shows how far."))
      << text;
  text = profile_of_team({"end work=300", "end work=100"}, 2, "omp_teams_gcc").advice;
  EXPECT_TRUE(contains(text, "that of distribute by smaller chunks (dist_schedule)")) << text;
  text = profile_of_team({"end work=100"}, 1, "omp_teams").advice;
  EXPECT_TRUE(contains(text, "it had one team: let teams be more by num_teams or OMP_NUM_TEAMS"))
      << text;
  text = profile_of_team({"end work=100"}, 4, "omp_teams").advice;
  EXPECT_TRUE(contains(text, "allow more threads (KMP_TEAMS_THREAD_LIMIT, OMP_THREAD_LIMIT)"))
      << text;
  EXPECT_EQ(Divisible::Known, profile_of_team({"end work=100"}, 1, "omp_teams").divisible);
  EXPECT_EQ(Divisible::HiddenLoops,
            profile_of_team({"end work=100"}, 1, "omp_teams_gcc").divisible);
}

// Three of eight threads came: the implicit tasks of the others are no tasks that ran.
TEST(Advice, OnARegionIsAboutTheThreadsThatCame) {
  Profile profile = profile_of_team({"end work=100", "end work=100", "end work=100"}, 8);
  EXPECT_TRUE(contains(profile.advice,
                       "one of the 3 implicit tasks of the parallel region at a.cpp:1, whose teams "
                       "got 5 threads fewer than they asked for: let nested regions be active "
                       "(OMP_MAX_ACTIVE_LEVELS), or allow more threads (OMP_THREAD_LIMIT, "
                       "OMP_DYNAMIC)."))
      << profile.advice;
  EXPECT_EQ(3u, profile.read.ran());
  EXPECT_EQ(8u, profile.read.begun);
  const auto site = std::ranges::find(profile.sites, std::uint32_t{1},
                                      [](const SiteRow& row) { return row.info.line; });
  ASSERT_NE(profile.sites.end(), site);
  EXPECT_EQ(3u, site->invocations);
  EXPECT_EQ(3u, site->on_work.top_call_site.count);
  // One that did came alone.
  profile = profile_of_team({"end work=100"}, 4, "omp_parallel_gcc");
  EXPECT_TRUE(contains(profile.advice, "the parallel region at a.cpp:1: let nested regions be "
                                       "active (OMP_MAX_ACTIVE_LEVELS)"))
      << profile.advice;
}

// Implicit tasks whose loops nothing shows: the longest of each run of the region is on the path.
TEST(Advice, OnARegionWithHiddenLoopsIsAboutItsImplicitTasks) {
  const auto profile_of = [](unsigned first, unsigned second, int runs = 2) {
    std::string script =
        "run cpus=2\nsite 1 a.cpp 1 construct=omp_parallel_gcc\nstream 0\nthread role=main\n";
    for (int i = 0; i < runs; ++i)
      script += "spawn site=1 ctx=new-exclusive\nspawn site=1 ctx=last\nwait ctx=last\n"
                "task task=0." +
                std::to_string(2 * i + 1) + " work=" + std::to_string(second) + "\ntask task=0." +
                std::to_string(2 * i) + " work=" + std::to_string(first) + "\nwait-end\n";
    ProfileOptions options;
    options.procs = {8};
    return make_profile(test::parse_trace_script(script + "end work=2\nthread-end\nstream 1\n"
                                                          "thread role=external\nend\nthread-end\n")
                            .source(),
                        options);
  };
  const Profile uneven = profile_of(3000, 1000), even = profile_of(1000, 1000);
  EXPECT_EQ(Divisible::HiddenLoops, uneven.divisible);
  EXPECT_TRUE(uneven.advice.find(
                  "is 2 of the 4 implicit tasks of the parallel region at a.cpp:1, the longest "
                  "of each run of it: divide its work more evenly") != std::string::npos)
      << uneven.advice;
  EXPECT_EQ("Hardly faster on more CPUs: speedup at most 1.33 with loops split as in this run (2 "
            "threads).",
            uneven.verdict.headline);
  const std::string by_schedule = "; if of a static loop, by schedule(dynamic) or smaller chunks.";
  std::string text = profile_of(30000, 1000).advice;
  EXPECT_TRUE(contains(text, "2 of the 4 implicit tasks of the parallel region at a.cpp:1, one "
                             "after the other: divide their work among the threads of its team" +
                                 by_schedule))
      << text;
  text = profile_of(30000, 1000, 1).advice;
  EXPECT_TRUE(contains(text, "one of the 2 implicit tasks of the parallel region at a.cpp:1: split "
                             "it" +
                                 by_schedule))
      << text;
  EXPECT_TRUE(
      even.advice.find("OpenMP divides loops further; OMP_NUM_THREADS=8 or num_threads(8) shows "
                       "how far.") != std::string::npos)
      << even.advice;
}

// What counts is how many threads are in the region's teams, not in the process.
TEST(Advice, OnARegionIsAboutTheThreadsOfItsTeams) {
  const auto profile_of = [](unsigned first, unsigned second) {
    std::string script = "run cpus=2\nsite 1 a.cpp 1 construct=omp_parallel_gcc\nstream 0\n"
                         "thread role=main\n";
    unsigned spawned = 0;
    for (const unsigned team : {first, second}) {
      const unsigned begin = spawned;
      for (; spawned < begin + team; ++spawned)
        script += std::string("spawn site=1 ctx=") +
                  (spawned == begin ? "new-exclusive construct=omp_parallel_gcc\n" : "last\n");
      script += "wait ctx=last\n";
      for (unsigned i = spawned; i-- > begin;)
        script += "task task=0." + std::to_string(i) + " work=1000\n";
      script += "wait-end\ncontext-end ctx=last\n";
    }
    script += "end work=2\nthread-end\n";
    for (unsigned i = 1; i < 8; ++i)
      script += "stream " + std::to_string(i) + "\nthread role=external\nend\nthread-end\n";
    ProfileOptions options;
    options.procs = {8};
    return make_profile(test::parse_trace_script(script).source(), options);
  };
  Profile profile = profile_of(1, 1);
  EXPECT_TRUE(contains(profile.advice,
                       "the parallel region at a.cpp:1, one after the other: each of "
                       "its teams had one thread: let it have more"))
      << profile.advice;
  profile = profile_of(2, 2);
  EXPECT_TRUE(contains(profile.advice, "for teams of more than 2 threads OpenMP divides loops "
                                       "further; OMP_NUM_THREADS=8 or num_threads(8) shows how "
                                       "far."))
      << profile.advice;
  EXPECT_TRUE(contains(profile.verdict.headline, "with loops split as in this run (2 threads)."))
      << profile.verdict.headline;
  profile = profile_of(2, 3);
  EXPECT_TRUE(contains(profile.advice, "for teams of more than 3 threads OpenMP"))
      << profile.advice;
  EXPECT_TRUE(
      contains(profile.verdict.headline, "with loops split as in this run (2 to 3 threads)."))
      << profile.verdict.headline;
  const auto warning = std::ranges::find(profile.warnings, "split_unknown", &Warning::name);
  ASSERT_NE(profile.warnings.end(), warning);
  EXPECT_TRUE(contains(warning->text, "by teams of more than 3 threads")) << warning->text;
}

// Chunks of one iteration cannot be divided among more threads; those of two can.
TEST(Advice, OnALoopIsNotToDivideWhatIsDivided) {
  const auto advice_on = [](unsigned iterations) {
    std::string script =
        "run cpus=2\nsite 1 a.cpp 1 construct=omp_for\nstream 0\nthread role=main\n"
        "spawn-wait work=0 site=1 ctx=new-exclusive\nbegin\n";
    for (unsigned i = 0; i < 8; ++i)
      script +=
          "loop-begin work=0\nloop-end work=500 n=" + std::to_string(iterations) + " grain=1\n";
    script += "end work=0\nwait-end\nend work=0\nthread-end\n"
              "stream 1\nthread role=external\nend\nthread-end\n";
    ProfileOptions options;
    options.procs = {8};
    return make_profile(test::parse_trace_script(script).source(), options).advice;
  };
  EXPECT_TRUE(contains(advice_on(1), "its chunks have one iteration each: divide the longest"))
      << advice_on(1);
  EXPECT_FALSE(contains(advice_on(2), "its chunks have one iteration each")) << advice_on(2);
}

// Regions in each of which both threads work for so long, in ns; the other one begins 400 ns late.
std::string advice_on_regions(unsigned regions, unsigned work) {
  std::string script = "run cpus=2 unit=ticks clock=tsc-rseq hz=1000000000 same_as_time=1\n"
                       "site 1 a.cpp 1 construct=omp_parallel_gcc\nstream 0\nthread role=main\n";
  std::string other = "stream 1\nthread role=worker\n";
  for (unsigned i = 0; i < regions; ++i) {
    const std::string number = std::to_string(2 * i), next = std::to_string(2 * i + 1);
    const std::string length = std::to_string(work);
    script += "spawn site=1 ctx=new-exclusive construct=omp_parallel_gcc\nspawn site=1 ctx=last\n"
              "wait ctx=last\nbegin task=0." +
              number + "\nend work=" + length + "\nwait-end idle=400\n";
    other += "begin task=0." + next + " idle=400\nend work=" + length + "\n";
  }
  ProfileOptions options;
  options.procs = {8};
  return make_profile(
             test::parse_trace_script(script + "end work=2\nthread-end\n" + other + "thread-end\n")
                 .source(),
             options)
      .advice;
}

// More threads do not help where each has little to do.
TEST(Advice, OnShortRegionsIsToMakeThemLonger) {
  const std::string text = advice_on_regions(100, 4000);
  EXPECT_TRUE(contains(text,
                       "the parallel region at a.cpp:1, run 100 times for 4.00 us each: run a "
                       "loop around it in parallel instead, or do more in each region: more "
                       "threads take longer to start."))
      << text;
  for (const std::string& other : {advice_on_regions(99, 4000), advice_on_regions(100, 9000)})
    EXPECT_TRUE(contains(other, "OMP_NUM_THREADS=8 or num_threads(8) shows how far.")) << other;
}

// `runs` loops of two tasks that take `work` ns each.
std::string advice_on_loops(unsigned runs, unsigned work) {
  std::string script = "run cpus=2 unit=ticks clock=tsc-rseq hz=1000000000 same_as_time=1\n"
                       "site 1 a.cpp 1 construct=parallel_for\nstream 0\nthread role=main\n";
  for (unsigned i = 0; i < runs; ++i)
    script += "spawn site=1 ctx=new-exclusive construct=parallel_for\nspawn site=1 ctx=last\n"
              "wait ctx=last\ntask task=0." +
              std::to_string(2 * i) + " work=" + std::to_string(work) + "\ntask task=0." +
              std::to_string(2 * i + 1) + " work=" + std::to_string(work) + "\nwait-end\n";
  ProfileOptions options;
  options.simulate = Ask::Never;
  return make_profile(test::parse_trace_script(script + "end work=2\nthread-end\n").source(),
                      options)
      .advice;
}

// Where no time was predicted, or the run took longer.
TEST(Advice, OnShortLoopsIsToRunALoopAroundThemInParallel) {
  EXPECT_EQ("The loop at a.cpp:1 is run 100 times, for 10.0 us of work each, which is little to "
            "share: run a loop around it in parallel instead, or do more in each run.",
            advice_on_loops(100, 5000));
  for (const std::string& other : {advice_on_loops(99, 5000), advice_on_loops(100, 5100)})
    EXPECT_FALSE(contains(other, "little to share")) << other;
}

// Each of two threads runs half of the iterations: to divide these gains nothing.
TEST(Advice, OnSingleIterationsThatThreadsShareIsMoreThreads) {
  const auto advice_on = [](unsigned first, unsigned second) {
    return profile_of_team({chunks_of(std::vector<unsigned>(first, 1)),
                            chunks_of(std::vector<unsigned>(second, 1), "new-gathering")},
                           2)
        .advice;
  };
  EXPECT_TRUE(contains(advice_on(10, 10), "its threads have shared its chunks evenly: more threads "
                                          "share them further; OMP_NUM_THREADS=8 or "
                                          "num_threads(8) shows how far."))
      << advice_on(10, 10);
  EXPECT_TRUE(contains(advice_on(18, 2), "its chunks have one iteration each: divide the longest"))
      << advice_on(18, 2);
  // As many threads as CPUs share them evenly: more of them would not help, and nothing is to be saved.
  const Profile enough =
      profile_of_team(std::vector<std::string>(8, chunks_of(std::vector<unsigned>(10, 1))), 8);
  EXPECT_TRUE(contains(enough.findings.front().text, "its 8 threads have equal parts, enough for "
                                                     "8 CPUs."))
      << enough.findings.front().text;
  // Five chunks are on the path, of one task of the loop and the implicit task around it.
  const Profile profile =
      profile_of_team(std::vector<std::string>(8, chunks_of(std::vector<unsigned>(5, 1))), 8);
  EXPECT_TRUE(contains(profile.findings.front().text,
                       " 2 of the 16 tasks of the loop in the parallel region at a.cpp:1"))
      << profile.findings.front().text;
}

// Another one of two threads has more to do before each barrier: both are on the path, with most of their work.
TEST(Advice, OnARegionWithBarriersIsAboutTheLongestEachTime) {
  const auto advice_on = [](const std::string& construct, unsigned more, unsigned less) {
    const auto phases = [](unsigned first, unsigned second, const std::string& context) {
      return "barrier threads=2\nwait work=" + std::to_string(first) +
             " ctx=" + (context.empty() ? "new-gathering" : context) +
             "\nwait-end\nbarrier threads=2\nwait work=" + std::to_string(second) +
             " ctx=" + (context.empty() ? "new-gathering" : "0.2") + "\nwait-end\nend\n";
    };
    ProfileOptions options;
    options.procs = {8};
    return make_profile(
               test::parse_trace_script("run cpus=2\nsite 1 a.cpp 1 construct=" + construct +
                                        "\nstream 0\nthread role=main\n"
                                        "spawn site=1 ctx=new-exclusive\n"
                                        "spawn site=1 ctx=last\nwait ctx=last\nbegin\n" +
                                        phases(more, less, "") +
                                        "wait-end\nend work=2\nthread-end\nstream 1\n"
                                        "thread role=worker\nbegin task=0.0\n" +
                                        phases(less, more, "0.1") + "end\nthread-end\n")
                   .source(),
               options)
        .advice;
  };
  const std::string is_long = "is the 2 implicit tasks of the parallel region at a.cpp:1 before a "
                              "barrier, the longest each time: divide its ";
  std::string text = advice_on("omp_parallel_gcc", 3000, 1000);
  EXPECT_TRUE(contains(text, is_long + "work more evenly; that of a static loop by "
                                       "schedule(dynamic) or smaller chunks. On 8 CPUs"))
      << text;
  // clang++'s loops show: it is not one of them.
  text = advice_on("omp_parallel", 3000, 1000);
  EXPECT_TRUE(contains(text, is_long + "code outside of loops and tasks more evenly among the "
                                       "threads. On 8 CPUs"))
      << text;
  text = advice_on("omp_parallel_gcc", 1000, 1000);
  EXPECT_TRUE(contains(text, "OpenMP divides loops further; OMP_NUM_THREADS=8 or num_threads(8) "
                             "shows how far."))
      << text;
  text = advice_on("omp_parallel", 1000, 1000);
  EXPECT_TRUE(contains(text, "before a barrier: its threads do equal parts outside of loops and "
                             "tasks; OMP_NUM_THREADS=8 or num_threads(8) shows what more threads "
                             "do."))
      << text;
}

// Four tasks run a region of three threads each, at the same time: one of these runs is on the path.
TEST(Advice, OnRegionsThatRunAtTheSameTimeIsAboutOneOfThem) {
  const auto advice_on = [](const std::vector<unsigned>& parts, unsigned phases) {
    std::string script = "run cpus=2\nsite 1 a.cpp 1 construct=omp_parallel\n"
                         "site 2 a.cpp 2 construct=omp_parallel\nstream 0\nthread role=main\n";
    for (int i = 0; i < 4; ++i)
      script += std::string("spawn site=2 ctx=") + (i == 0 ? "new-exclusive" : "last") + "\n";
    script += "wait ctx=last\nwait-end\nend work=2\nthread-end\n";
    int streams = 0;
    std::string others;
    for (int run = 0; run < 4; ++run) {
      const std::string master = std::to_string(++streams);
      script +=
          "stream " + master + "\nthread role=worker\nbegin task=0." + std::to_string(run) + "\n";
      for (std::size_t i = 0; i < parts.size(); ++i)
        script += std::string("spawn site=1 ctx=") + (i == 0 ? "new-exclusive" : "last") + "\n";
      script += "wait ctx=last\nwait-end\nend\nthread-end\n";
      for (std::size_t i = 0; i < parts.size(); ++i) {
        others += "stream " + std::to_string(4 + run * 3 + i + 1) +
                  "\nthread role=worker\nbegin task=" + master + "." + std::to_string(i) + "\n";
        for (unsigned k = 1; k < phases; ++k)
          others += "barrier threads=3\nwait work=" + std::to_string(parts[i]) + " ctx=" +
                    (i == 0 ? "new-gathering"
                            : std::to_string(4 + run * 3 + 1) + "." + std::to_string(k - 1)) +
                    "\nwait-end\n";
        others += "end work=" + std::to_string(parts[i]) + "\nthread-end\n";
      }
    }
    ProfileOptions options;
    options.procs = {64};
    return make_profile(test::parse_trace_script(script + others).source(), options).advice;
  };
  for (const unsigned phases : {1u, 2u, 3u}) {
    const std::string uneven = advice_on({100, 200, 300}, phases);
    EXPECT_TRUE(contains(uneven, "more evenly among the threads; of runs at the same time, give "
                                 "the longest more threads, or less work"))
        << uneven;
    EXPECT_FALSE(contains(uneven, "of each run")) << uneven;
    const std::string even = advice_on({200, 200, 200}, phases);
    EXPECT_TRUE(contains(even, "its threads do equal parts outside of loops and tasks")) << even;
  }
}

// How long others kept it from the CPUs makes no difference: the remedy for sleep stays.
TEST(Advice, SaysThatCodeSleptHoweverBusyTheMachineIs) {
  for (const char* const wall : {"40000", "80000", "400000", "4000000"}) {
    const Profile profile =
        make_profile(test::parse_trace_script("run cpus=2 unit=ticks clock=tsc-rseq hz=1000000000 "
                                              "same_as_time=1 sleep_seen=1 waits_seen=1\n"
                                              "site 2 a.cpp 2 construct=parallel_for\n"
                                              "stream 0\n"
                                              "thread role=main\n"
                                              "spawn-wait work=10000 site=2 ctx=new-exclusive\n"
                                              "asleep time=40000 waited=0\n"
                                              "task work=5000 wall=" +
                                              std::string(wall) +
                                              "\nwait-end\n"
                                              "end work=100\n"
                                              "thread-end\n")
                         .source(),
                     {});
    EXPECT_TRUE(profile.advice.starts_with("The loop at a.cpp:2 slept for 40.0 us of "))
        << wall << ": " << profile.advice;
    EXPECT_NE(std::string::npos, profile.advice.find("Let other threads do that"))
        << wall << ": " << profile.advice;
  }
}

// Main sleeps for most of the critical path, and the tasks cost ten times what they do: which of both comes first is what saves more.
TEST(Advice, OnTinyTasksAfterALittleSleepIsAboutTheTasks) {
  const auto advice_on = [](unsigned sleep) {
    const std::string time = std::to_string(sleep);
    std::string script =
        "run cpus=2 unit=ticks clock=tsc-rseq hz=1000000000 time_hz=1000000000 same_as_time=1 "
        "sleep_seen=1 waits_seen=1 locks=all c_locks_seen=1 threads_seen=1\n"
        "site 1 a.cpp 1\nstream 0\nthread role=main\nasleep time=" +
        time + " waited=0\ncut work=10000 wall=" + std::to_string(sleep + 10000) + "\n";
    for (int i = 0; i < 2000; ++i)
      script +=
          std::string("spawn lead=500 site=1 ctx=") + (i == 0 ? "new-exclusive" : "last") + "\n";
    script += "wait ctx=last\n";
    for (int i = 2000; i-- > 0;)
      script += "task task=0." + std::to_string(i) + " work=100 lead=500\n";
    return make_profile(
               test::parse_trace_script(script + "wait-end\nend work=20\nthread-end\n").source(),
               {})
        .advice;
  };
  EXPECT_TRUE(contains(advice_on(60'000), "The tasks of a.cpp:1 take 100 ns each"))
      << advice_on(60'000);
  EXPECT_TRUE(contains(advice_on(9'000'000), "slept for 9.00 ms")) << advice_on(9'000'000);
}

// Tasks that wait for each other for a third of their time, in no lock: no change of what they do helps with that.
TEST(Advice, OnTasksThatWaitForOthers) {
  const auto advice = [](unsigned waited) {
    std::string script = "run cpus=2 unit=ticks clock=tsc-rseq hz=1000000000 time_hz=1000000000 "
                         "same_as_time=1 sleep_seen=1 waits_seen=1 threads_seen=1 locks=all "
                         "c_locks_seen=1\nsite 1 a.cpp 1\nstream 0\nthread role=main\n";
    for (int i = 0; i < 64; ++i)
      script += std::string("spawn site=1 ctx=") + (i == 0 ? "new-exclusive" : "last") + "\n";
    script += "wait ctx=last\n";
    for (int half = 0; half < 2; ++half) {
      for (int i = 0; i < 32; ++i)
        script += "asleep time=" + std::to_string(waited) + " waited=" + std::to_string(waited) +
                  "\ntask task=0." + std::to_string(32 * half + i) +
                  " work=1000000 wall=" + std::to_string(waited) + "\n";
      script += half == 0 ? "wait-end\nend work=20\nthread-end\nstream 1\nthread role=worker\n"
                          : "thread-end\n";
    }
    return make_profile(test::parse_trace_script(script).source(), {}).advice;
  };
  EXPECT_TRUE(advice(600'000).starts_with(
      "Tasks of a.cpp:1 waited for 38.4 ms until other threads had done something"))
      << advice(600'000);
  EXPECT_EQ(std::string::npos, advice(10'000).find("waited")) << advice(10'000);
}

// Threads are not tasks of a thread; where other constructs are on the line, their tasks are no threads.
TEST(Advice, CountsThreads) {
  const auto advice_with = [](const std::string& site, const std::string& others) {
    const std::string first = others.empty() ? "0.0" : "0.1",
                      second = others.empty() ? "0.1" : "0.2";
    return make_profile(
               test::parse_trace_script(
                   "run cpus=2\nsite 1 a.cpp 1 construct=thread\n" + site +
                   "stream 0\nthread role=main\n" + others +
                   "spawn site=1 ctx=new-exclusive construct=thread\n"
                   "spawn site=1 ctx=new-exclusive construct=thread\n"
                   "wait ctx=" +
                   first + "\nwait-end\nwait ctx=" + second +
                   "\nwait-end\nend\nthread-end\nstream 1\nthread role=created\ntask task=" +
                   first + " work=9000\nthread-end\nstream 2\nthread role=created\ntask task=" +
                   second + " work=10000\nthread-end\n")
                   .source(),
               {})
        .advice;
  };
  std::string advice = advice_with("", "");
  EXPECT_NE(std::string::npos, advice.find("one of the 2 threads at a.cpp:1")) << advice;
  advice = advice_with("site 2 a.cpp 1 construct=parallel_for\n",
                       "spawn-wait site=2 ctx=new-exclusive\ntask work=5\nwait-end\n");
  EXPECT_TRUE(contains(advice, "3 threads and tasks at a.cpp:1")) << advice;
}

// A region and the loop in it are on one line: the number of their tasks is that of neither.
TEST(Advice, OnALoopInARegionCountsNoTasksOfBoth) {
  const auto finding_with = [](const std::string& loop_site) {
    std::string script = "run cpus=2\nsite 1 a.cpp 1 construct=omp_parallel\n" + loop_site +
                         "stream 0\nthread role=main\n";
    for (int i = 0; i < 4; ++i)
      script += std::string("spawn site=1 ctx=") +
                (i > 0 ? "last\n" : "new-gathering construct=omp_parallel\n");
    script += "wait ctx=last\n";
    for (int i = 0; i < 4; ++i) {
      script += "begin task=0." + std::to_string(i) +
                "\nspawn-wait site=2 ctx=new-gathering construct=omp_for\nbegin\n";
      for (int k = 0; k < 5; ++k)
        script += "loop-begin\nloop-end n=1 work=100\n";
      script += "end\nwait-end\nend\n";
    }
    ProfileOptions options;
    options.procs = {8};
    return make_profile(
               test::parse_trace_script(script + "wait-end\nend work=2\nthread-end\n").source(),
               options)
        .findings.front()
        .text;
  };
  EXPECT_TRUE(contains(finding_with("site 2 a.cpp 1 construct=omp_for\n"),
                       " is the loop in the parallel region at a.cpp:1: its "))
      << finding_with("site 2 a.cpp 1 construct=omp_for\n");
}

// OMP_NUM_THREADS is nothing to a region that asks for a number.
TEST(Advice, OnARegionThatAsksForThreadsNamesWhatChangesTheirNumber) {
  const auto advice_with = [](const std::string& number) {
    ProfileOptions options;
    options.procs = {8};
    return make_profile(test::parse_trace_script(
                            "run cpus=2\nsite 1 a.cpp 3 construct=omp_parallel\nstream 0\n"
                            "thread role=main\nin-arena arena=1 work=0 entered=1 reserved=0 " +
                            number +
                            "\nspawn site=1 ctx=new-exclusive construct=omp_parallel\n"
                            "spawn site=1 ctx=last\nwait ctx=last\ntask task=newest work=50\n"
                            "task task=-1 work=50\nwait-end\nin-arena arena=0 work=0\n"
                            "end\nthread-end\n")
                            .source(),
                        options)
        .advice;
  };
  EXPECT_TRUE(contains(advice_with("asked=2 slots=2"),
                       "; num_threads(8) or omp_set_num_threads(8) shows what more threads do"))
      << advice_with("asked=2 slots=2");
  // The same as others get.
  EXPECT_TRUE(contains(advice_with("asked=2 slots=2 like_machine=1"),
                       "; OMP_NUM_THREADS=8 or num_threads(8) shows what more threads do"))
      << advice_with("asked=2 slots=2 like_machine=1");
}

} // namespace
} // namespace tp::analysis
