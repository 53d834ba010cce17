// SPDX-License-Identifier: Apache-2.0
// Phases of the critical path and verdicts, against figures computed by hand.
#include "profile/make_profile.h"
#include "profile/prediction.h"
#include "profile/verdict.h"
#include "report/writers.h"
#include "trace_script.h"

#include <gtest/gtest.h>

#include <string>

namespace tp::analysis {
namespace {

Profile profile_of_verdict(const std::string& script) {
  return make_profile(
      test::parse_trace_script("run cpus=2\nsite 1 a.cpp 1\nsite 2 b.cpp 2\n" + script).source(),
      {});
}

// 30 units, then `tasks` of 10 each, then 20 units.
Profile between_serial_code(unsigned tasks) {
  std::string script = "stream 0\nthread role=main\n";
  for (unsigned i = 0; i < tasks; ++i)
    script += "spawn work=" + std::string(i == 0 ? "30" : "0") +
              " site=1 ctx=" + (i == 0 ? "new-exclusive" : "last") + "\n";
  script += "wait ctx=last\n";
  for (unsigned i = tasks; i-- > 0;)
    script += "task task=0." + std::to_string(i) + " work=10\n";
  return profile_of_verdict(script + "wait-end\nend work=20\nthread-end\n");
}

// 64 tasks of 10 us, which sleep: what they sleep for is known, or not, or not of a twentieth of their time.
TEST(Verdict, SleepOfAnUnknownKindMayBeForOtherThreads) {
  const auto headline_of = [](const std::string& sleep, const std::string& more = "") {
    std::string script = "run cpus=2 unit=ticks clock=tsc-rseq hz=1000000000 time_hz=1000000000 "
                         "same_as_time=1 sleep_seen=1 waits_seen=1 locks=all c_locks_seen=1\n"
                         "site 1 a.cpp 1\nstream 0\nthread role=main\n";
    for (int i = 0; i < 64; ++i)
      script += std::string("spawn site=1 ctx=") + (i == 0 ? "new-exclusive" : "last") + "\n";
    script += "wait ctx=last\n";
    for (int i = 64; i-- > 0;)
      script += sleep + "task task=0." + std::to_string(i) + " work=10000 wall=5000\n";
    return make_profile(
               test::parse_trace_script(script + "wait-end\nend work=20\nthread-end\n" + more)
                   .source(),
               {})
        .verdict.headline;
  };
  const std::string unknown = headline_of("asleep time=1000 waited=0\n");
  EXPECT_TRUE(unknown.starts_with("May scale to ")) << unknown;
  EXPECT_NE(std::string::npos,
            unknown.find("threads slept, and it is not known whether for each other"))
      << unknown;
  for (const char* const sleep :
       {"asleep-in time=1000 kind=1\nasleep time=1000 waited=0\n", "asleep time=400 waited=0\n"}) {
    const std::string known = headline_of(sleep);
    EXPECT_TRUE(known.starts_with("Scales to ")) << sleep << known;
  }
  // The other end of a socket may be in a thread of the program, if it has any of its own; that of a file is not.
  const std::string thread = "stream 1\nthread role=external\nend work=10\nthread-end\n";
  const std::string socket = "asleep-in time=1000 kind=5\nasleep time=1000 waited=0\n";
  const std::string file = "asleep-in time=1000 kind=1\nasleep time=1000 waited=0\n";
  EXPECT_TRUE(headline_of(socket, thread).starts_with("May scale to "));
  EXPECT_TRUE(headline_of(socket).starts_with("Scales to "));
  EXPECT_TRUE(headline_of(file, thread).starts_with("Scales to "));
}

// What main sleeps before there is any other thread is not for one: not if the program may have created one unseen.
TEST(Verdict, SleepAtTheStartIsNotForOtherThreads) {
  const auto headline_of = [](const std::string& seen, const std::string& start,
                              const std::string& more = "") {
    std::string script = "run cpus=2 unit=ticks clock=tsc-rseq hz=1000000000 time_hz=1000000000 "
                         "same_as_time=1 sleep_seen=1 waits_seen=1 locks=all c_locks_seen=1" +
                         seen + "\nsite 1 a.cpp 1\nstream 0\nthread role=main\n" + start;
    for (int i = 0; i < 64; ++i)
      script += std::string("spawn site=1 ctx=") + (i == 0 ? "new-exclusive" : "last") + "\n";
    script += "wait ctx=last\n";
    for (int i = 64; i-- > 0;)
      script += "task task=0." + std::to_string(i) + " work=10000\n";
    return make_profile(
               test::parse_trace_script(script + "wait-end\nend work=20\nthread-end\n" + more)
                   .source(),
               {})
        .verdict.headline;
  };
  const std::string slept = "asleep time=40000 waited=0\ncut work=10 wall=40010\n";
  const std::string unsure = "threads slept, and it is not known whether for each other";
  EXPECT_EQ(std::string::npos, headline_of(" threads_seen=1", slept).find(unsure))
      << headline_of(" threads_seen=1", slept);
  EXPECT_NE(std::string::npos, headline_of("", slept).find(unsure)) << headline_of("", slept);
  EXPECT_NE(std::string::npos,
            headline_of(" threads_seen=1", slept,
                        "stream 1\nthread role=external\nend work=10\nthread-end\n")
                .find(unsure));
  EXPECT_NE(
      std::string::npos,
      headline_of(" threads_seen=1", "cut work=10\nasleep time=40000 waited=0\n").find(unsure));
}

// 64 tasks of 10 us that waited for other threads, for a twentieth of their time or less. Main may have waited for what it had
// begun, and threads of the program's own for work, if that is longer than they worked.
TEST(Verdict, ThreadsThatWaitedForEachOtherMayDoSoOnMoreCpus) {
  const auto headline_of = [](const std::string& wait, const std::string& main = "",
                              unsigned work_of_thread = 0) {
    std::string script = "run cpus=2 unit=ticks clock=tsc-rseq hz=1000000000 time_hz=1000000000 "
                         "same_as_time=1 sleep_seen=1 waits_seen=1 locks=all c_locks_seen=1\n"
                         "site 1 a.cpp 1\nsite 2 b.cpp 2 construct=thread\nstream 0\n"
                         "thread role=main\nspawn site=2 ctx=new-exclusive construct=thread\n";
    for (int i = 0; i < 64; ++i)
      script += std::string("spawn site=1 ctx=") + (i == 0 ? "new-exclusive" : "last") + "\n";
    script += "wait ctx=last\n";
    for (int i = 64; i-- > 0;)
      script += wait + "task task=0." + std::to_string(i + 1) + " work=10000 wall=5000\n";
    script += "wait-end\n" + main + "end work=20 wall=200000\nthread-end\nstream 1\n" +
              "thread role=created\nasleep time=100000 waited=100000\ntask task=0.0 work=" +
              std::to_string(work_of_thread) + " wall=100000\nthread-end\n";
    return make_profile(test::parse_trace_script(script).source(), {}).verdict.headline;
  };
  const std::string waited = headline_of("asleep time=1000 waited=1000\n");
  EXPECT_TRUE(waited.starts_with("May scale to ")) << waited;
  EXPECT_NE(std::string::npos,
            waited.find("threads waited for each other, which no bound contains"))
      << waited;
  EXPECT_TRUE(headline_of("asleep time=400 waited=400\n").starts_with("Scales to "));
  EXPECT_TRUE(headline_of("", "asleep time=100000 waited=100000\n").starts_with("Scales to "));
  EXPECT_TRUE(headline_of("", "", 20000).starts_with("Scales to "));
  EXPECT_TRUE(headline_of("", "", 60000).starts_with("May scale to "));
}

TEST(Verdict, CpusThatAreSlowerThanFewerAreNotWorthHaving) {
  Prediction prediction;
  prediction.serial = 1000;
  for (const std::uint64_t time : {1000, 500, 510, 490}) {
    PredictedRun& run = prediction.scaling.emplace_back();
    run.procs = prediction.scaling.size();
    run.time = time;
  }
  EXPECT_EQ(4u, worth_procs(prediction));
  prediction.scaling.back().time = 501;
  EXPECT_EQ(2u, worth_procs(prediction));
}

// 64 tasks of 10 us, before each of which the thread has so much to do. Two CPUs are twice as fast as one, and slower than the
// tasks' work alone.
TEST(Verdict, TasksThatCostMoreThanTheyDoAreNotCalledNoFaster) {
  const auto headline_of = [](unsigned overhead) {
    std::string script = "run cpus=2 unit=ticks clock=tsc-rseq hz=1000000000 time_hz=1000000000 "
                         "same_as_time=1 locks=all c_locks_seen=1\n"
                         "site 1 a.cpp 1\nstream 0\nthread role=main\n";
    for (int i = 0; i < 64; ++i)
      script += std::string("spawn site=1 ctx=") + (i == 0 ? "new-exclusive" : "last") + "\n";
    script += "wait ctx=last\n";
    for (int i = 64; i-- > 0;)
      script += "task task=0." + std::to_string(i) + " lead=" + std::to_string(overhead) +
                " work=10000\n";
    ProfileOptions options;
    options.burden_ns = 0;
    return make_profile(
               test::parse_trace_script(script + "wait-end\nend work=20\nthread-end\n").source(),
               options)
        .verdict.headline;
  };
  EXPECT_TRUE(headline_of(15000).starts_with("Tasks cost more than 2 CPUs gain: overhead is 60 % "
                                             "of the time on one; speedup at most 63.9 "))
      << headline_of(15000);
  EXPECT_TRUE(headline_of(9000).starts_with("Scales to ")) << headline_of(9000);
}

TEST(Phases, AreSerialCodeAtBothEnds) {
  const Profile profile = between_serial_code(8);
  ASSERT_EQ(60u, profile.span);
  EXPECT_EQ(30u, profile.phases.before);
  EXPECT_EQ(20u, profile.phases.after);
  EXPECT_EQ(80u, profile.phases.work);
  EXPECT_EQ(10u, profile.phases.span);
}

TEST(Phases, OfARunWithoutTasksAreAllBefore) {
  const Profile profile =
      profile_of_verdict("stream 0\nthread role=main\nend work=7\nthread-end\n");
  EXPECT_EQ(7u, profile.phases.before);
  EXPECT_EQ(0u, profile.phases.after);
  EXPECT_EQ(0u, profile.phases.work);
  EXPECT_EQ(0u, profile.phases.span);
}

// A wait that joins nothing does not end the tasks; code between two loops is with tasks.
TEST(Phases, EndAtTheLastWaitThatJoinsATask) {
  const Profile profile = profile_of_verdict("stream 0\nthread role=main\n"
                                             "spawn work=3 site=1 ctx=new-exclusive\n"
                                             "wait ctx=last\ntask task=0.0 work=10\nwait-end\n"
                                             "spawn work=5 site=2 ctx=new-exclusive\n"
                                             "wait ctx=last\ntask task=0.1 work=10\nwait-end\n"
                                             "wait ctx=last work=4\nwait-end\n"
                                             "end work=2\nthread-end\n");
  ASSERT_EQ(34u, profile.span);
  EXPECT_EQ(3u, profile.phases.before);
  EXPECT_EQ(6u, profile.phases.after);
  EXPECT_EQ(25u, profile.phases.span);
}

// The critical path ends in a task that nothing waits for.
TEST(Phases, HaveNothingAfterATaskThatOutlivesTheProgram) {
  const Profile profile =
      profile_of_verdict("stream 0\nthread role=main\n"
                         "spawn work=3 site=1 ctx=new-exclusive\n"
                         "cut work=4\ntask task=0.0 work=50\nend work=2\nthread-end\n");
  ASSERT_EQ(53u, profile.span);
  EXPECT_EQ(3u, profile.phases.before);
  EXPECT_EQ(0u, profile.phases.after);
  EXPECT_EQ(50u, profile.phases.span);
}

TEST(Phases, AreThoseOfTheThreadOnTheCriticalPath) {
  const Profile profile =
      profile_of_verdict("stream 0\nthread role=main\n"
                         "spawn work=30 site=1 ctx=new-exclusive\n"
                         "wait ctx=last\ntask task=0.0 work=10\nwait-end\nend work=2\n"
                         "thread-end\n"
                         "stream 1\nthread role=external\nend work=100\nthread-end\n");
  ASSERT_EQ(100u, profile.span);
  EXPECT_EQ(100u, profile.phases.before);
  EXPECT_EQ(0u, profile.phases.after);
  EXPECT_EQ(42u, profile.phases.work);
  EXPECT_EQ(0u, profile.phases.span);
}

TEST(Verdict, NamesTheCodeThatLimits) {
  const Profile profile = between_serial_code(8);
  EXPECT_TRUE(profile.verdict.is_simulated);
  // 130 / 60; on 4 CPUs 30 + 20 + 20.
  EXPECT_EQ("Scales to 3 CPUs at an efficiency of at least 50 %; speedup at most 2.17 on any "
            "number of them.",
            profile.verdict.headline);
  EXPECT_EQ("50 % of the critical path is serial code before the first task, 33 % after the last "
            "one; with tasks, parallelism is 8.00.",
            profile.verdict.detail);
}

TEST(Verdict, SaysThatMoreCpusAreHardlyFaster) {
  const Profile profile = between_serial_code(2);
  EXPECT_EQ("Hardly faster on more CPUs: speedup at most 1.17 on any number of them.",
            profile.verdict.headline);
}

// Two calls of the body of a loop of OpenMP. How far it could be split is not known: g++ hides chunks,
// which the work outside of the calls may be.
std::string loop_of_two() {
  std::string script = "site 9 loop.cpp 9 construct=omp_parallel_gcc\nstream 0\nthread "
                       "role=main\nspawn work=10 site=9 ctx=new-exclusive\n"
                       "spawn site=9 ctx=last\nwait ctx=last\n";
  for (const char* const task : {"newest", "-1"})
    script += std::string("begin task=") + task +
              "\nloop-begin\nloop-end n=64 grain=1 work=500\nend work=20\n";
  return script + "wait-end\nend work=10\nthread-end\n";
}

TEST(Verdict, SaysThatLoopsWereSplitForThisRun) {
  const Profile profile = profile_of_verdict(loop_of_two());
  ASSERT_FALSE(profile.divisible_is_known());
  EXPECT_EQ("Scales to 3 CPUs or more at an efficiency of at least 50 %; speedup at most 1.96 with "
            "loops split as in this run (1 "
            "thread).",
            profile.verdict.headline);
}

// Each thread of a team does its share, by its number: more threads would do smaller shares. A region whose number of threads
// the program limits is under a limit of concurrency, which says so.
TEST(Verdict, SaysThatARegionsOwnCodeWasDividedByTheseThreads) {
  const auto headline_of = [](const std::string& construct) {
    return make_profile(test::parse_trace_script(
                            "run cpus=2\nsite 1 a.cpp 1 construct=" + construct +
                            "\nstream 0\nthread role=main\n"
                            "spawn site=1 ctx=new-gathering construct=" +
                            construct +
                            "\nspawn site=1 ctx=last\nwait ctx=last\nbegin\nend work=980\n"
                            "wait-end\nend work=20\nthread-end\nstream 1\n"
                            "thread role=worker\nbegin task=0.0\nend work=980\nend\nthread-end\n")
                            .source(),
                        {})
        .verdict.headline;
  };
  EXPECT_EQ("Scales to 3 CPUs or more at an efficiency of at least 50 %; speedup at most 1.98 with "
            "as many threads as in this run (2 threads).",
            headline_of("omp_parallel"));
  EXPECT_EQ("Scales to 3 CPUs or more at an efficiency of at least 50 %; speedup at most 1.98 with "
            "as many teams as in this run (2 teams).",
            headline_of("omp_teams"));
  // One that asked for two threads and got one.
  EXPECT_EQ(
      "Hardly faster on more CPUs: speedup at most 1.00 with as many threads as in this run (1 "
      "thread).",
      make_profile(
          test::parse_trace_script(
              "run cpus=2\nsite 1 a.cpp 1 construct=omp_parallel\nstream 0\nthread role=main\n"
              "spawn site=1 ctx=new-gathering construct=omp_parallel\n"
              "spawn site=1 ctx=last\nwait ctx=last\nbegin\nend work=980\n"
              "task task=0.0 cancelled=1\nwait-end\nend work=20\nthread-end\n")
              .source(),
          {})
          .verdict.headline);
}

TEST(Verdict, AdvisesMoreThreadsForALoopOfOpenMp) {
  const Profile profile = profile_of_verdict(loop_of_two());
  EXPECT_NE(std::string::npos,
            profile.advice.find("each of its teams had one thread: let it have more"))
      << profile.advice;
  EXPECT_EQ(std::string::npos, profile.advice.find("simple_partitioner"));
}

TEST(Verdict, AdvisesNothingWhereParallelismIsAmple) {
  std::string script = "stream 0\nthread role=main\n";
  for (unsigned i = 0; i < 512; ++i)
    script += std::string("spawn work=0 site=1 ctx=") + (i == 0 ? "new-exclusive\n" : "last\n");
  script += "wait ctx=last\n";
  for (unsigned i = 512; i-- > 0;)
    script += "task task=0." + std::to_string(i) + " work=1000000\n";
  const Profile profile = profile_of_verdict(script + "wait-end\nend\nthread-end\n");
  EXPECT_EQ(128u, profile.verdict.worth_procs);
  EXPECT_EQ("Scales to 128 CPUs and beyond.", profile.verdict.headline);
  EXPECT_EQ("", profile.verdict.detail);
  EXPECT_EQ("", profile.advice);
}

TEST(Verdict, IsFromBoundsWithoutASimulation) {
  ProfileOptions options;
  options.simulate = Ask::Never;
  std::string script = "run cpus=2\nsite 1 a.cpp 1\nstream 0\nthread role=main\n"
                       "spawn work=10 site=1 ctx=new-exclusive\nwait ctx=last\n"
                       "task task=0.0 work=10\nwait-end\nend work=10\nthread-end\n";
  const Profile profile = make_profile(test::parse_trace_script(script).source(), options);
  EXPECT_FALSE(profile.verdict.is_simulated);
  EXPECT_EQ(1u, profile.verdict.worth_procs);
  EXPECT_TRUE(profile.verdict.headline.find(", by bounds without overhead") != std::string::npos)
      << profile.verdict.headline;
}

// A prediction does not bound the number of CPUs: with an order that was not seen it is an estimate, and
// the bound is the speedup only.
TEST(Verdict, SaysThatNotAllOrderWasSeen) {
  Profile profile = between_serial_code(8);
  profile.unseen_order = {"an order"};
  EXPECT_EQ("May scale to 3 CPUs at an efficiency of at least 50 % (not all order was seen); "
            "speedup at most 2.17 on any number "
            "of them.",
            judge(profile).headline);
}

// Every number in a headline is too high if a lock was not seen, also that of a run that took longer than predicted, and
// that of one which hardly scales.
TEST(Verdict, SaysInEachHeadlineThatLocksWereNotRecorded) {
  const auto headline_of = [](Profile profile) {
    profile.locks.observed = profile.locks.c_observed = false;
    profile.locks.unseen.refers_to_c_locks = true;
    profile.verdict = judge(profile);
    return profile.verdict.headline;
  };
  Profile late = between_serial_code(8);
  late.run_check.skipped_because = "";
  late.run_check.procs = 2;
  late.run_check.elapsed_ns = 200'000'000;
  late.run_check.predicted_ns = 100'000'000;
  ASSERT_TRUE(late.run_check.disproves());
  EXPECT_EQ("Not as fast as predicted: its tasks would scale to 3 CPUs (its locks were not "
            "recorded), but this run took "
            "2.00 times as long as predicted for 2.",
            headline_of(late));
  const std::string hardly = headline_of(between_serial_code(2)),
                    none = headline_of(between_serial_code(1));
  EXPECT_TRUE(hardly.starts_with(
      "Hardly faster on more CPUs (its locks were not recorded): speedup at most "))
      << hardly;
  EXPECT_TRUE(none.starts_with(
      "Hardly faster on more CPUs (its locks were not recorded): speedup at most 1.00"))
      << none;
}

TEST(Verdict, SaysThatThreadsWaitedInLoops) {
  Profile profile = between_serial_code(8);
  profile.functions.emplace().waiting.matters = true;
  EXPECT_EQ("May scale to 3 CPUs at an efficiency of at least 50 % (threads waited in loops, which "
            "counts as work); speedup at most 2.17 on any number of them.",
            judge(profile).headline);
}

// libgomp runs ordered loops of g++ in other chunks than libomp.
TEST(Verdict, ChunksOfAnotherRuntimeMayScaleFurther) {
  for (const unsigned tasks : {1, 2, 8}) {
    Profile profile = between_serial_code(tasks);
    profile.warnings = {{"ordered_of_gcc", "", true}};
    const std::string headline = judge(profile).headline;
    EXPECT_TRUE(headline.starts_with("May ")) << headline;
    EXPECT_NE(std::string::npos,
              headline.find("(libgomp may run ordered loops in other chunks than libomp did)"))
        << headline;
  }
}

// 50 % and 60 % of the same code would contradict each other.
TEST(Verdict, AdviceDoesNotRepeatTheSharesOfSerialEnds) {
  const Profile profile = between_serial_code(8);
  EXPECT_TRUE(profile.verdict.is_of_ends);
  EXPECT_TRUE(profile.advice.starts_with("Make main before the spawn at a.cpp:1 parallel or "
                                         "shorter. On 8 CPUs that saves at most "))
      << profile.advice;
}

// Code that is made shorter saves more than code that all CPUs do together.
TEST(Verdict, SerialCodeSavesMostIfItIsGone) {
  const Profile profile = between_serial_code(8);
  const auto start = std::ranges::find(profile.findings, 30u, &Finding::critical_work);
  ASSERT_NE(profile.findings.end(), start);
  EXPECT_EQ(60u, start->time);
  EXPECT_EQ(33u, start->least_time); // 30 / 8 units are left on each of 8 CPUs
  EXPECT_EQ(30u, start->time_without);
  EXPECT_TRUE(start->text.ends_with(
      "On 8 CPUs that saves at most 27 units of 60 units in parallel, 30 units if it is gone."))
      << start->text;
  for (const Finding& each : profile.findings)
    EXPECT_EQ(each.shape == Shape::SerialStart || each.shape == Shape::SerialCode,
              each.time_without.has_value());
}

TEST(Regions, KnowTheSitesOfTheCodeInThem) {
  const Profile profile = profile_of_verdict(
      "region 0 first r.cpp 5\nregion 1 second r.cpp 9\n"
      "stream 0\nthread role=main\n"
      "region id=0 work=7\nspawn work=30 site=1 ctx=new-exclusive\nwait ctx=last\n"
      "region id=0 work=4\nregion id=1 work=3\ntask task=0.0 work=10\n"
      "wait-end\nend work=20\nthread-end\n");
  ASSERT_EQ(2u, profile.regions.size());
  EXPECT_EQ((std::vector<std::uint32_t>{0, 1}), profile.regions[RegionId{0}].sites);
  EXPECT_EQ((std::vector<std::uint32_t>{1}), profile.regions[RegionId{1}].sites);
}

} // namespace
} // namespace tp::analysis
