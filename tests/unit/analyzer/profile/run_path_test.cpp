// SPDX-License-Identifier: Apache-2.0
// The path of a run against arithmetic.
#include "profile/make_profile.h"
#include "trace_script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace tp::analysis {
namespace {

const SiteRow& row_of(const Profile& profile, std::uint32_t line) {
  return *std::find_if(profile.sites.begin(), profile.sites.end(),
                       [&](const SiteRow& site) { return site.info.line == line; });
}
const Delays& delays(const RunPathPart& part, EdgeKind edge) {
  return part.delays[static_cast<std::size_t>(edge)];
}

// A runs on the worker thread from 6 to 20, B from 30 to 50; the main thread runs until 25 and from
// 60 on.
constexpr char kTwoThreads[] = "run cpus=2\n"
                               "site 1 a.cpp 1\n"
                               "site 2 a.cpp 2\n"
                               "stream 0\n"
                               "thread role=main\n"
                               "spawn work=5 site=1 ctx=new-exclusive\n"
                               "spawn work=5 site=2 ctx=last\n"
                               "wait work=15 ctx=last\n"
                               "wait-end idle=35\n"
                               "end work=2\n"
                               "thread-end\n"
                               "stream 1\n"
                               "thread role=worker\n"
                               "begin task=0.0 idle=6\n"
                               "end work=14\n"
                               "begin task=0.1 idle=10\n"
                               "end work=20\n"
                               "thread-end\n";

TEST(RunPath, IsDividedIntoRunningAndDelays) {
  const Profile profile =
      make_profile(test::parse_trace_script(kTwoThreads).source(), ProfileOptions{});
  const RunPathPart& path = profile.elapsed.path;
  EXPECT_EQ("", profile.elapsed.skipped_because);
  EXPECT_EQ(2u, profile.elapsed.workers);
  EXPECT_EQ(62u, path.length());
  EXPECT_EQ(10u + 20 + 2, path.running);
  // B is ready at 10; both run until 20.
  EXPECT_EQ(10u, delays(path, EdgeKind::Create).busy);
  EXPECT_EQ(10u, delays(path, EdgeKind::Create).scheduler);
  EXPECT_EQ(0u, delays(path, EdgeKind::End).busy);
  EXPECT_EQ(10u, delays(path, EdgeKind::End).scheduler);
  EXPECT_EQ(10u, path.busy());
  EXPECT_EQ(20u, path.scheduler());
  // The delay belongs to the step that was late.
  EXPECT_EQ(0u, row_of(profile, 1).on_run_path.length());
  EXPECT_EQ(40u, row_of(profile, 2).on_run_path.length());
  EXPECT_EQ(22u, profile.sites[0].on_run_path.length());
}

// While A sleeps its thread has no CPU, so B could have run.
TEST(RunPath, SleepingThreadsAreNotBusy) {
  const auto path_of = [](const std::string& run, const std::string& a) {
    std::string script = kTwoThreads;
    script.replace(0, std::string("run cpus=2\n").size(), run + "\n");
    script.replace(script.find("end work=14"), std::string("end work=14").size(), a);
    return make_profile(test::parse_trace_script(script).source(), ProfileOptions{}).elapsed.path;
  };
  const std::string time = "run cpus=2 clock=tsc-rseq unit=ticks hz=1000000000";
  const RunPathPart asleep = path_of(time + " same_as_time=1", "end work=0 wall=14");
  EXPECT_EQ(0u, asleep.busy());
  EXPECT_EQ(30u, asleep.scheduler());
  const RunPathPart half = path_of(time + " same_as_time=1", "end work=7 wall=7");
  EXPECT_EQ(5u, half.busy());
  EXPECT_EQ(25u, half.scheduler());
  const RunPathPart separate_clock = path_of(time, "end work=7 wall=14");
  EXPECT_EQ(5u, separate_clock.busy());
  // Instructions say nothing about time.
  EXPECT_EQ(10u, path_of("run cpus=2", "end work=0 wall=14").busy());
}

constexpr char kTime[] =
    "run cpus=2 clock=tsc-rseq unit=ticks hz=1000000000 same_as_time=1 sleep_seen=1 "
    "waits_seen=1\n";

// What steps of the path did while they were not on a CPU: the task from 20 to 60, main from 60 to 80.
TEST(RunPath, DividesWhatRanByWhatItWasOffItsCpuFor) {
  const RunPathPart path =
      make_profile(test::parse_trace_script(std::string(kTime) +
                                            "site 1 a.cpp 1\n"
                                            "stream 0\n"
                                            "thread role=main\n"
                                            "spawn work=5 site=1 ctx=new-exclusive\n"
                                            "wait ctx=last work=45\n"
                                            "wait-end idle=10\n"
                                            "asleep time=8 waited=3\n"
                                            "end work=2 wall=18\n"
                                            "thread-end\n"
                                            "stream 1\n"
                                            "thread role=worker\n"
                                            "begin task=0.0 idle=20\n"
                                            "asleep time=16 waited=4\n"
                                            "end work=20 wall=20\n"
                                            "thread-end\n")
                       .source(),
                   ProfileOptions{})
          .elapsed.path;
  ASSERT_EQ(80u, path.length());
  EXPECT_EQ(5u + 40 + 20, path.running);
  EXPECT_EQ(12u + 5, path.latency);
  EXPECT_EQ(4u + 3, path.waited);
  EXPECT_EQ(0u, path.crowded);
  EXPECT_EQ(4u + 10, path.taken);
}

// A step of the path waited for a lock while code of another one held it: the wait is an edge of its own,
// and neither running nor time without a CPU.
TEST(RunPath, GoesThroughALock) {
  const Profile profile = make_profile(
      test::parse_trace_script(std::string(kTime) + "site 1 a.cpp 1\n"
                                                    "lock-place 0 spin_mutex q.cpp 17\n"
                                                    "stream 0\n"
                                                    "thread role=main\n"
                                                    "lock slot=3 address=64 kind=spin_mutex\n"
                                                    "lock-wait slot=3 place=0 ticks=30\n"
                                                    "section slot=3 place=0 lead=10 work=5 "
                                                    "contended=1 waited=30\n"
                                                    "end work=50 wall=40\n"
                                                    "thread-end\n")
          .source(),
      ProfileOptions{});
  const RunPathPart& path = profile.elapsed.path;
  ASSERT_EQ(90u, path.length());
  EXPECT_EQ(30u, path.in_locks());
  EXPECT_EQ(30u, delays(path, EdgeKind::Lock).busy);
  EXPECT_EQ(60u, path.running);
  EXPECT_EQ(0u, path.busy());
  EXPECT_EQ(0u, path.waited);
  EXPECT_EQ(10u, path.crowded + path.taken);
}

// On one CPU, two threads of the program keep each other from running.
TEST(RunPath, IsCrowdedWhereThreadsOfTheProgramHaveTheCpus) {
  std::string run = kTime;
  run.replace(run.find("cpus=2"), 6, "cpus=1");
  const auto source = test::parse_trace_script(run + "site 1 a.cpp 1\n"
                                                     "stream 0\n"
                                                     "thread role=main\n"
                                                     "end work=100 wall=100\n"
                                                     "thread-end\n"
                                                     "stream 1\n"
                                                     "thread role=external\n"
                                                     "end work=100 wall=100\n"
                                                     "thread-end\n")
                          .source();
  const Profile profile = make_profile(source, ProfileOptions{});
  EXPECT_EQ(200u, profile.elapsed.path.running);
  EXPECT_EQ(100u, profile.elapsed.path.crowded);
  EXPECT_EQ(0u, profile.elapsed.path.taken);
  EXPECT_EQ(0u, profile.elapsed.taken_by_others_ns);
}

// B is ready at 10, and both threads are inside of tasks until 30: one is asleep, or others have its CPU.
TEST(RunPath, SeparatesBlockedWorkersFromBusyCpus) {
  const auto path_of = [](const std::string& a) {
    return make_profile(test::parse_trace_script(std::string(kTime) +
                                                 "site 1 a.cpp 1\n"
                                                 "site 2 a.cpp 2\n"
                                                 "lock-place 0 spin_mutex q.cpp 17\n"
                                                 "stream 0\n"
                                                 "thread role=main\n"
                                                 "spawn work=5 site=1 ctx=new-exclusive\n"
                                                 "spawn work=5 site=2 ctx=last\n"
                                                 "wait work=20 ctx=last\n"
                                                 "wait-end idle=25\n"
                                                 "end work=2\n"
                                                 "thread-end\n"
                                                 "stream 1\n"
                                                 "thread role=worker\n"
                                                 "begin task=0.0 idle=10\n" +
                                                 a +
                                                 "\nbegin task=0.1 idle=0\n"
                                                 "end work=25\n"
                                                 "thread-end\n")
                            .source(),
                        ProfileOptions{})
        .elapsed.path;
  };
  const RunPathPart busy = path_of("end work=20");
  EXPECT_EQ(20u, busy.busy());
  EXPECT_EQ(0u, busy.scheduler());
  const RunPathPart asleep = path_of("asleep time=20 waited=20\nend work=0 wall=20");
  EXPECT_EQ(0u, asleep.busy());
  EXPECT_EQ(20u, asleep.scheduler());
  EXPECT_EQ(20u, asleep.blocked());
  EXPECT_EQ(0u, asleep.delay_taken());
  const RunPathPart taken = path_of("asleep time=5 waited=0\nend work=10 wall=10");
  EXPECT_EQ(10u, taken.busy());
  EXPECT_EQ(10u, taken.scheduler());
  EXPECT_EQ(5u, taken.blocked());
  EXPECT_EQ(5u, taken.delay_taken());
  EXPECT_EQ(0u, taken.blocked_at_locks());
  const RunPathPart at_lock =
      path_of("asleep time=5 waited=5\nlock slot=3 address=64\n"
              "section slot=3 place=0 work=0 contended=1 waited=10\nend work=5 wall=15");
  EXPECT_EQ(15u, at_lock.blocked());
  EXPECT_EQ(10u, at_lock.blocked_at_locks());
  // It slept after it had the lock.
  const RunPathPart later =
      path_of("lock slot=3 address=64\nsection slot=3 place=0 work=0 contended=1 waited=10\n"
              "asleep time=5 waited=5\nend work=5 wall=15");
  EXPECT_EQ(15u, later.blocked());
  EXPECT_EQ(10u, later.blocked_at_locks());
}

TEST(RunPath, GoesThroughTheWaitIfItCameLast) {
  std::string script = kTwoThreads;
  const auto replace = [&](const std::string& before, const std::string& after) {
    script.replace(script.find(before), before.size(), after);
  };
  replace("wait work=15", "wait work=45");
  replace("wait-end idle=35", "wait-end idle=5");
  const Profile profile = make_profile(test::parse_trace_script(script).source(), ProfileOptions{});
  const RunPathPart& path = profile.elapsed.path;
  EXPECT_EQ(62u, path.length());
  EXPECT_EQ(57u, path.running);
  EXPECT_EQ(5u, delays(path, EdgeKind::WaitContinue).scheduler);
  EXPECT_EQ(62u, profile.sites[0].on_run_path.length());
}

} // namespace
} // namespace tp::analysis
