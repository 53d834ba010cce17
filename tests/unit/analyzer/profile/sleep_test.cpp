// SPDX-License-Identifier: Apache-2.0
// What steps slept in: sums, JSON and words, in hand-written cases.
#include "profile/make_profile.h"
#include "report/phrases.h"
#include "report/writers.h"
#include "trace_script.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include <string>

namespace tp::analysis {
namespace {

// Main works for 10 ms, runs one task, and works for 10 ms; ns are ticks.
Profile profile_of(const std::string& task, const std::string& before = "") {
  ProfileOptions options;
  options.burden_ns = 0;
  return make_profile(
      test::parse_trace_script("run cpus=2 clock=tsc-rseq unit=ticks hz=1000000000 same_as_time=1 "
                               "sleep_seen=1 waits_seen=1\nsite 1 a.cpp 1\nstream 0\n" +
                               before +
                               "thread role=main\n"
                               "spawn work=10000000 site=1 ctx=new-exclusive\nwait ctx=last\n" +
                               task + "\nwait-end\nend work=10000000\nthread-end\n")
          .source(),
      options);
}

std::string json_of(const Profile& profile) {
  return nlohmann::json::parse(write_json(profile))["latency_in"].dump();
}

const Finding* off_cpu(const Profile& profile) {
  const auto found = std::ranges::find(profile.findings, Shape::OffCpu, &Finding::shape);
  return found == profile.findings.end() ? nullptr : &*found;
}

TEST(Sleep, OfOneKind) {
  const Profile profile = profile_of("asleep-in time=80000000 kind=1\nasleep time=80000000\n"
                                     "task task=0.0 work=20000000 wall=80000000");
  EXPECT_EQ(R"({"read_file":80000000})", json_of(profile));
  EXPECT_EQ(80'000'000u, profile.sites.at(1).slept_in.of[1]);
  EXPECT_EQ(0u, profile.sites.at(0).slept_in.known());
  const Finding* const finding = off_cpu(profile);
  ASSERT_TRUE(finding);
  EXPECT_TRUE(
      finding->text.find("slept for 80.0 ms of 100 ms in this run (80 %): reading files. Let") !=
      std::string::npos)
      << finding->text;
  EXPECT_EQ("67 % of the least time is sleep: reading files.", profile.verdict.detail);
}

TEST(Sleep, OfSeveralKinds) {
  const Profile profile =
      profile_of("asleep-in time=20000000 kind=1\nasleep-in time=50000000 kind=10\n"
                 "asleep-in time=5000000 kind=9\nasleep time=80000000\n"
                 "task task=0.0 work=20000000 wall=80000000");
  EXPECT_EQ(R"({"child_process":50000000,"clock":5000000,"read_file":20000000,"unknown":5000000})",
            json_of(profile));
  EXPECT_EQ("", sleep_in_words(profile.slept_in, 80'000'000, 1'000'000'000)); // 70 of 80
  EXPECT_EQ("until child processes had ended (50.0 ms), reading files (20.0 ms)",
            sleep_in_words(profile.slept_in, 77'000'000, 1'000'000'000));
  EXPECT_EQ("67 % of the least time is sleep: in input or output, by the clock, or until child "
            "processes have ended.",
            profile.verdict.detail);
}

// Who writes to a pipe may be a thread of the program.
TEST(Sleep, ThatMayBeForOtherThreadsMayBeShorter) {
  for (int kind = 0; kind < static_cast<int>(kSleepKinds); ++kind) {
    const std::string time =
        kind == 0 ? "" : "asleep-in time=80000000 kind=" + std::to_string(kind) + "\n";
    const Profile profile = profile_of(
        time + "asleep time=80000000 waited=0\ntask task=0.0 work=20000000 wall=80000000");
    const std::string name = kSleepNames[kind];
    EXPECT_EQ(name == "clock" || name.ends_with("_pipe") || name.ends_with("_socket"),
              profile.verdict.headline.ends_with(", if it sleeps as long then."))
        << name << ": " << profile.verdict.headline;
  }
}

// What is said of a step is said of no other one.
TEST(Sleep, OfOneStepOnly) {
  const Profile profile =
      profile_of("asleep-in time=80000000 kind=1\nasleep time=80000000\n"
                 "begin task=0.0\ncut work=20000000 wall=80000000\nasleep time=500\n"
                 "end work=1000 wall=500");
  EXPECT_EQ(R"({"read_file":80000000,"unknown":500})", json_of(profile));
}

TEST(Sleep, OfTwoStepsOfTwoKinds) {
  const std::string second = "cut work=20000000 wall=80000000\nasleep-in time=300 kind=9\n"
                             "asleep time=500\nend work=1000 wall=500";
  EXPECT_EQ(R"({"clock":300,"read_file":80000000,"unknown":200})",
            json_of(profile_of("asleep-in time=80000000 kind=1\nasleep time=80000000\n"
                               "begin task=0.0\n" +
                               second)));
  // The first one is what came before the first task.
  EXPECT_EQ(R"({"clock":300,"read_file":80000000,"unknown":200})",
            json_of(profile_of("asleep-in time=300 kind=9\nasleep time=500\n"
                               "task task=0.0 work=1000 wall=500",
                               "asleep-in time=80000000 kind=1\nasleep time=80000000\n")));
}

// A kind that is newer than this program is unknown; none has more than the latency.
TEST(Sleep, ThatCannotBe) {
  const Profile profile = profile_of("asleep-in time=5 kind=999\nasleep-in time=7 kind=1\n"
                                     "asleep-in time=18446744073709551615 kind=9\n"
                                     "asleep-in time=18446744073709551615 kind=9\n"
                                     "asleep time=80000000 waited=30000000\n"
                                     "task task=0.0 work=20000000 wall=80000000");
  EXPECT_EQ(R"({"clock":49999988,"read_file":7,"unknown":5})", json_of(profile));
}

// Main creates a thread that works for 1 ms and sleeps for 40, works itself for 2 and waits for a task, and then for
// the thread. On one CPU the task runs while the thread sleeps; figures of the table do not contradict each other.
TEST(Sleep, OfAThreadBesideWorkOnOneCpu) {
  ProfileOptions options;
  options.burden_ns = 0;
  options.procs = {1, 2};
  const Profile profile = make_profile(
      test::parse_trace_script(
          "run cpus=2 clock=tsc-rseq unit=ticks hz=1000000000 same_as_time=1 sleep_seen=1 "
          "waits_seen=1\nsite 1 a.cpp 1\nsite 2 a.cpp 2 construct=thread\nstream 0\n"
          "thread role=main\nspawn site=2 ctx=new-exclusive construct=thread\n"
          "spawn work=2000000 site=1 ctx=new-exclusive\nwait ctx=last\n"
          "task task=newest work=8000000\nwait-end\n"
          "wait ctx=0.0\nwait-end\nend\nthread-end\n"
          "stream 1\nthread role=created\nasleep-in time=40000000 kind=9\n"
          "asleep time=40000000 waited=0\ntask task=0.0 work=1000000 wall=40000000\nthread-end\n")
          .source(),
      options);
  EXPECT_EQ(41'000'000u, profile.span_with_latency);
  ASSERT_EQ(2u, profile.prediction.runs.size());
  EXPECT_EQ(43'000'000u, profile.prediction.runs[0].time); // 2, 1, 40: of these 8 are the task's
  EXPECT_EQ(41'000'000u, profile.prediction.runs[1].time);
  EXPECT_EQ(43'000'000u, profile.prediction.serial);
  EXPECT_EQ(8'000'000u, profile.prediction.asleep_beside_work);
  EXPECT_EQ(43'000'000u, profile.speedup_limit().numerator);
  EXPECT_EQ("76 % of the least time is sleep of the thread at a.cpp:2: until a time by the clock "
            "(if it does so until others are done, it sleeps for less where they are faster).",
            profile.verdict.detail);
  EXPECT_TRUE(profile.verdict.headline.ends_with(
      "speedup at most 1.05 on any number of them, if it sleeps as long then."))
      << profile.verdict.headline;
  EXPECT_TRUE(profile.advice.starts_with("All predicted times contain what threads of a.cpp:2 "
                                         "slept until a time by the clock (40.0 ms): "))
      << profile.advice;
}

// A process that is stopped sleeps, too.
TEST(Sleep, OfUnknownKind) {
  const Profile profile =
      profile_of("asleep time=80000000 waited=0\ntask task=0.0 work=20000000 wall=80000000");
  EXPECT_EQ(
      "67 % of the least time is sleep: in input or output, by the clock, until child processes "
      "have ended, stopped by a signal, or until others have left code of a library (which is not "
      "seen).",
      profile.verdict.detail);
  ASSERT_TRUE(off_cpu(profile));
  EXPECT_NE(
      std::string::npos,
      off_cpu(profile)->text.find("until a child process had ended, stopped by a signal, or until "
                                  "another thread had left code of a library (which is not seen)."))
      << off_cpu(profile)->text;
}

TEST(Sleep, BeforeTheFirstTask) {
  const Profile profile =
      profile_of("task task=0.0 work=20000000", "asleep-in time=90 kind=7\nasleep time=100\n");
  EXPECT_EQ(R"({"read_device":90,"unknown":10})", json_of(profile));
  EXPECT_EQ(90u, profile.sites.at(0).slept_in.of[7]);
}

} // namespace
} // namespace tp::analysis
