// SPDX-License-Identifier: Apache-2.0
// The time of a run against its prediction, by arithmetic.
#include "profile/make_profile.h"
#include "trace_script.h"

#include <gtest/gtest.h>

#include <string>

namespace tp::analysis {
namespace {

// A script in ms: "work=3m" is 3,000,000.
Profile profile_with_run(std::string script, const std::string& run = "") {
  for (std::size_t at = 0; (at = script.find_first_of("0123456789", at)) != std::string::npos;) {
    at = script.find_first_not_of("0123456789", at);
    if (at != std::string::npos && script[at] == 'm' &&
        (at + 1 == script.size() || script[at + 1] <= ' '))
      script.replace(at, 1, "000000");
  }
  ProfileOptions options;
  options.burden_ns = 0;
  return make_profile(test::parse_trace_script(
                          "run cpus=2 clock=tsc-rseq unit=ticks hz=1000000000 same_as_time=1 "
                          "sleep_seen=1 waits_seen=1 " +
                          run + "\nsite 1 a.cpp 1\nlock-place 0 spin_mutex q.cpp 17\n" + script)
                          .source(),
                      options);
}

// Main works for 10 ms, runs one task, and works for 10 ms. `task`: its records.
Profile around(const std::string& task, const std::string& run = "") {
  return profile_with_run("stream 0\nthread role=main\n"
                          "spawn work=10m site=1 ctx=new-exclusive\nwait ctx=last\n" +
                              task + "\nwait-end\nend work=10m\nthread-end\n",
                          run);
}

TEST(RunCheck, SaysNothingOfARunAsPredicted) {
  const RunCheck check = around("task task=0.0 work=20m").run_check;
  EXPECT_EQ("", check.skipped_because);
  EXPECT_EQ(2u, check.procs);
  EXPECT_EQ(40'000'000u, check.elapsed_ns);
  EXPECT_EQ(40'000'000u, check.predicted_ns);
  EXPECT_EQ(0u, check.without_cpu_ns);
  EXPECT_FALSE(check.differs());
  EXPECT_EQ(std::nullopt, check.with_waits_ns);
  EXPECT_EQ("", check.text);
}

// Sleep other than waiting for threads is part of the prediction.
TEST(RunCheck, LatencyIsPredicted) {
  const RunCheck check =
      around("asleep time=80m waited=0\ntask task=0.0 work=20m wall=80m").run_check;
  EXPECT_EQ(120'000'000u, check.elapsed_ns);
  EXPECT_EQ(120'000'000u, check.predicted_ns);
  EXPECT_FALSE(check.differs());
}

TEST(RunCheck, NamesWhatWaited) {
  const Profile profile = around("asleep time=80m waited=80m\ntask task=0.0 work=20m wall=80m");
  const RunCheck& check = profile.run_check;
  EXPECT_EQ(120'000'000u, check.elapsed_ns);
  EXPECT_EQ(40'000'000u, check.predicted_ns);
  EXPECT_EQ(0u, check.without_cpu_ns);
  EXPECT_TRUE(check.differs());
  EXPECT_TRUE(check.disproves());
  ASSERT_EQ(1u, check.causes.size());
  EXPECT_EQ(RunCause::Waited, check.causes[0].cause);
  EXPECT_EQ(80'000'000u, check.causes[0].ns);
  EXPECT_EQ(1u, check.causes[0].place.line);
  EXPECT_EQ(
      "This run took 120 ms on 2 CPUs, and 40.0 ms are predicted for it: the tasks of "
      "a.cpp:1 waited "
      "80.0 ms for other threads (locks, condition variables, events). With what they waited as "
      "in this run, 120 ms are predicted.",
      check.text);
  EXPECT_EQ(120'000'000u, check.with_waits_ns);
}

// No other task needs the lock.
TEST(RunCheck, NamesTheLockThatWasWaitedFor) {
  const RunCheck check = around("lock slot=3 address=64\n"
                                "section slot=3 place=0 work=5m contended=1 waited=80m\n"
                                "task task=0.0 work=20m wall=80m",
                                "locks=all c_locks_seen=1")
                             .run_check;
  EXPECT_EQ(120'000'000u, check.elapsed_ns);
  EXPECT_EQ(40'000'000u, check.predicted_ns);
  ASSERT_EQ(1u, check.causes.size()) << check.text;
  EXPECT_EQ(RunCause::Locks, check.causes[0].cause);
  EXPECT_EQ(80'000'000u, check.causes[0].ns);
  EXPECT_EQ(17u, check.causes[0].place.line);
  EXPECT_EQ("This run took 120 ms on 2 CPUs, and 40.0 ms are predicted for it: threads waited for "
            "locks, and woke others that did, for 80.0 ms longer than predicted, most of all for "
            "the spin_mutex at q.cpp:17.",
            check.text);
  EXPECT_EQ(std::nullopt, check.with_waits_ns);
}

// Two tasks that hold a lock for 20 ms each: one waits for 20 ms in the prediction, too, and that is not why the run took
// longer.
TEST(RunCheck, WaitsForLocksThatArePredictedAreNoCause) {
  const auto check = [](const std::string& first) {
    return profile_with_run("stream 0\nthread role=main\nlock slot=3 address=64\n"
                            "spawn site=1 ctx=new-exclusive\nspawn site=1 ctx=last\nwait ctx=last\n"
                            "section slot=3 place=0 work=20m contended=1 waited=20m\n"
                            "task task=0.1 work=20m wall=20m\n" +
                                first +
                                "wait-end\nend\nthread-end\n"
                                "stream 1\nthread role=worker\nlock slot=3 address=64\n"
                                "begin task=0.0\nsection slot=3 place=0 work=20m\nend work=20m\n"
                                "thread-end\n",
                            "locks=all c_locks_seen=1")
        .run_check;
  };
  EXPECT_FALSE(check("").differs()) << check("").text;
  const RunCheck late = check("cut lead=10m\n");
  EXPECT_TRUE(late.differs());
  EXPECT_EQ(std::string::npos, late.text.find("lock")) << late.text;
}

TEST(RunCheck, NamesReadingsOfEvents) {
  const RunCheck check =
      around("task task=0.0 work=20m lead=40m", "gap_cost_ns=40000000").run_check;
  EXPECT_EQ(80'000'000u, check.elapsed_ns);
  EXPECT_EQ(40'000'000u, check.predicted_ns);
  ASSERT_EQ(1u, check.causes.size());
  EXPECT_EQ(RunCause::Readings, check.causes[0].cause);
  EXPECT_EQ("This run took 80.0 ms on 2 CPUs, and 40.0 ms are predicted for it: the profiler read "
            "clock and events for 40.0 ms.",
            check.text);
}

TEST(RunCheck, ASharedMachineDisprovesNothing) {
  const RunCheck check = around("task task=0.0 work=20m wall=80m").run_check;
  EXPECT_EQ(120'000'000u, check.elapsed_ns);
  EXPECT_EQ(40'000'000u, check.predicted_ns);
  EXPECT_NEAR(80e6, static_cast<double>(check.without_cpu_ns), 1e5); // shares are 1024ths
  EXPECT_TRUE(check.differs());
  EXPECT_FALSE(check.disproves());
  ASSERT_EQ(1u, check.causes.size());
  EXPECT_EQ(RunCause::NoCpu, check.causes[0].cause);
}

// Other programs had the CPUs for 10 ms, and may have had them for 20 ms and a twentieth of the 100 ms of CPU time more, by
// the kernel's ticks. The rest no other program can have had.
TEST(RunCheck, WaitsForCpusThatOthersDidNotHaveDisprove) {
  const Profile profile =
      around("task task=0.0 work=20m wall=80m", "cpu_ns=100000000 others_cpu_ns=10000000");
  const RunCheck& check = profile.run_check;
  EXPECT_EQ(35'000'000u, check.without_cpu_ns);
  EXPECT_NEAR(45e6, static_cast<double>(profile.elapsed.queued_ns), 1e5);
  EXPECT_TRUE(check.disproves());
  ASSERT_EQ(2u, check.causes.size());
  EXPECT_EQ(RunCause::Queued, check.causes[0].cause);
  EXPECT_NE(std::string::npos,
            check.text.find(" ms threads waited for CPUs that no other program had"))
      << check.text;
  EXPECT_EQ(RunCause::NoCpu, check.causes[1].cause);
  // Others had enough of them.
  EXPECT_FALSE(
      around("task task=0.0 work=20m wall=80m", "others_cpu_ns=70000000").run_check.disproves());
}

// A thread that has nothing to do may have no CPU either when there is something: as long as other programs ran.
TEST(RunCheck, WorkThatNoThreadBeginsOnASharedMachineDisprovesNothing) {
  const auto check = [](const std::string& run) {
    return around("cut lead=80m\ntask task=0.0 work=20m", run).run_check;
  };
  const RunCheck shared = check("others_cpu_ns=90000000");
  EXPECT_TRUE(shared.differs());
  EXPECT_NEAR(80e6, static_cast<double>(shared.perhaps_without_cpu_ns), 1e5);
  EXPECT_FALSE(shared.disproves());
  EXPECT_NE(std::string::npos,
            shared.text.find("work was ready for 80.0 ms before a thread that had nothing to do "
                             "began it (other programs may have had its CPU)"))
      << shared.text;
  const RunCheck own = check("others_cpu_ns=10000000");
  EXPECT_TRUE(own.disproves());
  EXPECT_EQ(std::string::npos, own.text.find("other programs")) << own.text;
}

// 6 ms more than predicted are less than what the estimate of 80 ms may be off by.
TEST(RunCheck, AnEstimateDisprovesNothingByLessThanItsError) {
  const RunCheck check =
      around("asleep time=6m waited=6m\ntask task=0.0 work=20m wall=86m").run_check;
  EXPECT_NEAR(46e6, static_cast<double>(check.on_cpus_ns()), 3e5);
  EXPECT_EQ(40'000'000u, check.predicted_ns);
  EXPECT_FALSE(check.disproves());
}

// What a step sleeps passes whether it has a CPU or not.
TEST(RunCheck, SleepIsNotTakenByOthers) {
  const RunCheck check =
      around("asleep time=80m waited=0\ntask task=0.0 work=20m wall=100m").run_check;
  EXPECT_EQ(140'000'000u, check.elapsed_ns);
  EXPECT_EQ(120'000'000u, check.predicted_ns);
  EXPECT_NEAR(20e6, static_cast<double>(check.without_cpu_ns), 3e5);
}

TEST(RunCheck, WithoutKnownWaitsSleepIsOpen) {
  EXPECT_EQ(
      "This run took 120 ms on 2 CPUs, and 40.0 ms are predicted for it: the tasks of a.cpp:1 "
      "slept for "
      "80.0 ms (tp-run records for what). With what they slept as in this run, 120 ms are "
      "predicted.",
      around("asleep time=80m\ntask task=0.0 work=20m wall=80m", "waits_seen=0").run_check.text);
}

TEST(RunCheck, SmallDifferencesAreNone) {
  EXPECT_FALSE(
      around("asleep time=3m waited=3m\ntask task=0.0 work=20m wall=3m").run_check.differs());
  EXPECT_TRUE(
      around("asleep time=5m waited=5m\ntask task=0.0 work=20m wall=5m").run_check.differs());
  EXPECT_FALSE(around("asleep time=900000 waited=900000\ntask task=0.0 work=1 wall=900000")
                   .run_check.differs());
}

// Main and a worker work for 50 ms each, main waits for 400 ms until a thread of the program, which has waited for the
// 50 ms, has worked, and then main and the worker work again.
TEST(RunCheck, WaitsOfThreadsAreWhereTheyWere) {
  const auto with_waits = [](const std::string& point) {
    return profile_with_run(
               "site 2 a.cpp 2 construct=thread\nstream 0\nthread role=main\n"
               "spawn site=2 ctx=new-exclusive construct=thread\n"
               "spawn site=1 ctx=new-exclusive\nwait work=50m ctx=last\nwait-end\n"
               "asleep time=400m waited=400m\n"
               "spawn site=1 ctx=new-exclusive wall=400m\nwait work=50m ctx=last\nwait-end\n"
               "wait ctx=0.0\nwait-end\nend\nthread-end\n"
               "stream 1\nthread role=created\n" +
               point +
               "asleep time=50m waited=50m\ntask task=0.0 work=400m wall=50m\nthread-end\n"
               "stream 2\nthread role=worker\ntask task=0.1 work=50m\ntask task=0.2 work=50m\n"
               "thread-end\n")
        .run_check.with_waits_ns;
  };
  EXPECT_EQ(500'000'000u, with_waits("waited-at work=0 time=50m waited=50m\n"));
  // As if it had waited after its work.
  EXPECT_EQ(550'000'000u, with_waits(""));
}

// Eight tasks of 10 ms, one after the other since each waits for the one before.
TEST(RunCheck, AVerdictDoesNotPromiseWhatTheRunDisproves) {
  std::string script = "stream 0\nthread role=main\n";
  for (unsigned i = 0; i < 8; ++i)
    script += std::string("spawn site=1 ctx=") + (i == 0 ? "new-exclusive\n" : "last\n");
  script += "wait ctx=last\n";
  for (unsigned i = 8; i-- > 4;)
    script +=
        "asleep time=10m waited=10m\ntask task=0." + std::to_string(i) + " work=10m wall=10m\n";
  script += "wait-end\nend\nthread-end\nstream 1\nthread role=worker\n";
  for (unsigned i = 0; i < 4; ++i)
    script += "begin task=0." + std::to_string(i) +
              "\nasleep time=10m waited=10m\nend work=10m wall=10m\n";
  const Profile profile = profile_with_run(script + "thread-end\n");
  ASSERT_EQ(80'000'000u, profile.run_check.elapsed_ns);
  ASSERT_EQ(40'000'000u, profile.run_check.predicted_ns);
  EXPECT_EQ(80'000'000u, profile.run_check.with_waits_ns); // two threads, four tasks each
  EXPECT_TRUE(profile.verdict.is_disproved);
  EXPECT_EQ("Not as fast as predicted: its tasks would scale to 16 CPUs (threads waited for "
            "each other, which no bound contains), but this run took 2.00 times as long as "
            "predicted for 2.",
            profile.verdict.headline);
}

// Four tasks at the same time, one on each of four threads, and two CPUs. `before`, `times`: of each task.
Profile four_at_once(const std::string& before, const std::string& times) {
  std::string script = "stream 0\nthread role=main\n";
  for (unsigned i = 0; i < 4; ++i)
    script += std::string("spawn site=1 ctx=") + (i == 0 ? "new-exclusive\n" : "last\n");
  script += "wait ctx=last\n" + before + "task task=0.3 " + times + "\nwait-end\nend\nthread-end\n";
  for (unsigned i = 0; i < 3; ++i)
    script += "stream " + std::to_string(i + 1) + "\nthread role=worker\nbegin task=0." +
              std::to_string(i) + "\n" + before + "end " + times + "\nthread-end\n";
  return profile_with_run(script);
}

TEST(RunCheck, MoreThreadsThanCpusSleepAtOnce) {
  const RunCheck check = four_at_once("asleep time=10m waited=0\n", "work=1m wall=10m").run_check;
  EXPECT_EQ(11'000'000u, check.elapsed_ns);
  EXPECT_EQ(22'000'000u, check.predicted_ns);
  EXPECT_TRUE(check.differs());
  EXPECT_FALSE(check.disproves());
  EXPECT_EQ("This run took 11.0 ms on 2 CPUs, less than the 22.0 ms that are predicted for it: it "
            "had 4 threads, which can sleep at the same time, and predicted is one thread per CPU "
            "(-P 4: for 4 threads that have a CPU each).",
            check.text);
}

TEST(RunCheck, SleepIsNotWhyARunSavedMoreThanItSlept) {
  EXPECT_EQ("This run took 11.0 ms on 2 CPUs, less than the 22.0 ms that are predicted for it: "
            "predicted times are too long here.",
            four_at_once("asleep time=2m waited=0\n", "work=9m wall=2m").run_check.text);
}

// The long task is the second of three: the simulation begins it last, and this run began it first. With as many
// threads as CPUs that is not since more of them slept.
TEST(RunCheck, AsManyThreadsAsCpusDoNotSleepAtOnce) {
  const Profile profile =
      profile_with_run("stream 0\nthread role=main\n"
                       "spawn site=1 ctx=new-exclusive\nspawn site=1 ctx=last\n"
                       "spawn site=1 ctx=last\nwait ctx=last\n"
                       "asleep time=9m waited=0\ntask task=0.0 work=1m wall=9m\n"
                       "asleep time=9m waited=0\ntask task=0.2 work=1m wall=9m\n"
                       "wait-end\nend\nthread-end\n"
                       "stream 1\nthread role=worker\nbegin task=0.1\n"
                       "asleep time=18m waited=0\nend work=2m wall=18m\nthread-end\n");
  EXPECT_EQ("This run took 20.0 ms on 2 CPUs, less than the 30.0 ms that are predicted for it: "
            "predicted times are too long here.",
            profile.run_check.text);
}

// Before the first oneTBB call: 50 ms of sleep, 10 ms of them waiting for other threads.
TEST(RunCheck, SleepBeforeTheFirstUseIsLatency) {
  const Profile profile =
      profile_with_run("stream 0\nasleep time=50m waited=10m\nthread role=main prior=5m\n"
                       "end work=7m\nthread-end\n");
  EXPECT_EQ(40'000'000u, profile.latency);
  EXPECT_EQ(52'000'000u, profile.span_with_latency);
}

// The process ran for 132 ms, its first record is 20 ms before its end. Before, main worked for 5 ms and slept for 7.
TEST(RunCheck, WithoutCpuBeforeTheFirstUse) {
  const std::string records = "end work=20m\nthread-end\n";
  const RunCheck check =
      profile_with_run("stream 0\nasleep time=7m waited=0\nthread role=main prior=5m\n" + records,
                       "wall_ns=132000000")
          .run_check;
  EXPECT_EQ(132'000'000u, check.elapsed_ns);
  EXPECT_EQ(32'000'000u, check.predicted_ns);
  EXPECT_EQ(100'000'000u, check.without_cpu_ns);
  EXPECT_EQ("This run took 132 ms on 2 CPUs, and 32.0 ms are predicted for it: for about 100 ms "
            "others had its CPUs (other programs, a hypervisor).",
            check.text);
  // What main's thread did before is not known.
  EXPECT_EQ(0u, profile_with_run("stream 0\nthread role=main\n" + records, "wall_ns=132000000")
                    .run_check.without_cpu_ns);
}

TEST(RunCheck, OneThreadOnTwoCpus) {
  std::string script = "stream 0\nthread role=main\n";
  for (unsigned i = 0; i < 8; ++i)
    script += std::string("spawn site=1 ctx=") + (i == 0 ? "new-exclusive\n" : "last\n");
  script += "wait ctx=last\n";
  for (unsigned i = 8; i-- > 0;)
    script += "task task=0." + std::to_string(i) + " work=10m\n";
  const RunCheck check = profile_with_run(script + "wait-end\nend\nthread-end\n").run_check;
  EXPECT_EQ(
      "This run took 80.0 ms on 2 CPUs, and 40.0 ms are predicted for it: only 1 thread ran tasks.",
      check.text);
}

// Both threads were kept from running in the first two tasks: for as long the third was ready, and no thread had nothing
// to do.
TEST(RunCheck, WhatOthersTakeIsNotLate) {
  const RunCheck check =
      profile_with_run("stream 0\nthread role=main\n"
                       "spawn site=1 ctx=new-exclusive\nspawn site=1 ctx=last\n"
                       "spawn site=1 ctx=last\nwait ctx=last\n"
                       "task task=0.2 work=10m wall=60m\ntask task=0.1 work=10m\n"
                       "wait-end\nend\nthread-end\n"
                       "stream 1\nthread role=worker\nbegin task=0.0\n"
                       "end work=10m wall=60m\nthread-end\n")
          .run_check;
  EXPECT_EQ(80'000'000u, check.elapsed_ns);
  EXPECT_EQ(20'000'000u, check.predicted_ns);
  ASSERT_EQ(1u, check.causes.size()) << check.text;
  EXPECT_EQ(RunCause::NoCpu, check.causes[0].cause);
}

// Two tasks of 10 ms on one thread, while another one has nothing to do. If the program allows one thread only, the
// prediction contains that, and it is not why the run took longer.
TEST(RunCheck, WhatALimitKeepsThreadsFromIsNotLate) {
  const auto check = [](const std::string& allowed) {
    return profile_with_run(
               "stream 0\nthread role=main\n" + allowed +
               "spawn site=1 ctx=new-exclusive\nspawn site=1 ctx=last\nend\nthread-end\n"
               "stream 1\nthread role=worker\nbegin task=0.0\nend work=10m\n"
               "begin task=0.1\nend work=10m wall=20m\nthread-end\n")
        .run_check;
  };
  const RunCheck limited = check("allowed work=0 time=0 threads=1\n");
  EXPECT_EQ(40'000'000u, limited.elapsed_ns);
  EXPECT_EQ(20'000'000u, limited.predicted_ns);
  ASSERT_EQ(1u, limited.causes.size()) << limited.text;
  EXPECT_EQ(RunCause::NoCpu, limited.causes[0].cause);
  const RunCheck free = check("");
  EXPECT_EQ(10'000'000u, free.predicted_ns);
  ASSERT_EQ(2u, free.causes.size()) << free.text;
  EXPECT_EQ(RunCause::Late, free.causes[1].cause);
}

// Others had the CPU for 80 ms: a tenth of that is what threads have to take that were not recorded.
TEST(RunCheck, NamesThreadsThatWereNotRecorded) {
  const std::string task = "task task=0.0 work=20m wall=80m";
  EXPECT_NE(
      std::string::npos,
      around(task, "cpu_ns=8100000")
          .run_check.text.find("(other programs, a hypervisor, threads that were not recorded)"))
      << around(task, "cpu_ns=8100000").run_check.text;
  EXPECT_NE(std::string::npos,
            around(task, "cpu_ns=7900000").run_check.text.find("(other programs, a hypervisor)"));
}

// The long task is begun last: this run's schedule, of which no cause is one. It also waited.
TEST(RunCheck, SaysHowMuchIsNotExplained) {
  const auto text = [](const std::string& waited, const std::string& run = "") {
    std::string script = "stream 0\nthread role=main\nspawn site=1 ctx=new-exclusive\n";
    for (unsigned i = 0; i < 4; ++i)
      script += "spawn site=1 ctx=last\n";
    script +=
        "wait ctx=last\ntask task=0.4 work=10m\ntask task=0.3 work=10m\nasleep time=" + waited +
        " waited=" + waited + "\ntask task=0.0 work=40m wall=" + waited +
        "\nwait-end\nend\nthread-end\n"
        "stream 1\nthread role=worker\nbegin task=0.1\nend work=10m\n"
        "begin task=0.2\nend work=10m\nthread-end\n";
    return profile_with_run(script, run).run_check.text;
  };
  EXPECT_NE(
      std::string::npos,
      text("4m", "waits_seen=0")
          .find("of the other 20.0 ms the recording does not show why (tp-run records waits and "
                "threads)."));
  EXPECT_EQ(
      "This run took 64.0 ms on 2 CPUs, and 40.0 ms are predicted for it: the tasks of a.cpp:1 "
      "waited 4.00 ms for other threads (locks, condition variables, events); of the other "
      "20.0 ms the recording does not show why. With what they waited as in this run, 44.0 ms "
      "are predicted.",
      text("4m"));
  // Half of the difference or more: no more is said.
  EXPECT_EQ(
      "This run took 80.0 ms on 2 CPUs, and 40.0 ms are predicted for it: the tasks of a.cpp:1 "
      "waited 20.0 ms for other threads (locks, condition variables, events). With what they "
      "waited as in this run, 60.0 ms are predicted.",
      text("20m"));
}

// No part of the run had a CPU: rounded, that is as long as the run. Three ticks are a ns.
TEST(RunCheck, NothingIsLongerThanTheRun) {
  const RunCheck check =
      make_profile(test::parse_trace_script(
                       "run cpus=2 clock=tsc-rseq unit=ticks hz=3000000000 time_hz=3000000000 "
                       "same_as_time=1 "
                       "sleep_seen=1 waits_seen=1\nsite 1 a.cpp 1\nstream 0\nthread role=main\n"
                       "end work=3 wall=30000002\nthread-end\n")
                       .source(),
                   {})
          .run_check;
  EXPECT_EQ(10'000'002u, check.elapsed_ns);
  EXPECT_EQ(10'000'002u, check.without_cpu_ns);
}

TEST(RunCheck, NeedsAUnitOfTime) {
  const Profile profile = make_profile(
      test::parse_trace_script("run cpus=2\nstream 0\nthread role=main\nend work=7\nthread-end\n")
          .source(),
      {});
  EXPECT_EQ("the unit of work is not time", profile.run_check.skipped_because);
  EXPECT_EQ("", profile.run_check.text);
}

} // namespace
} // namespace tp::analysis
