// The path of a run against arithmetic, and idle time against a count of every tick.
#include "passes/idle_time.h"
#include "profile/make_profile.h"
#include "trace/metadata_reader.h"
#include "trace/step_sequence.h"
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

// A runs on the worker from 6 to 20, B from 30 to 50; the main thread runs until 25, and from 60 on.
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
  EXPECT_EQ("", profile.elapsed.not_made);
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
  // The delay belongs to what came late.
  EXPECT_EQ(0u, row_of(profile, 1).on_run_path.length());
  EXPECT_EQ(40u, row_of(profile, 2).on_run_path.length());
  EXPECT_EQ(22u, profile.sites[0].on_run_path.length());
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

TEST(IdleTime, IsThatOfEveryTick) {
  std::mt19937 random(1);
  const auto upto = [&](unsigned most) { return random() % (most + 1); };
  for (int turn = 0; turn < 200; ++turn) {
    const unsigned streams = 1 + upto(3);
    std::vector<unsigned> running;
    std::string script;
    for (unsigned stream = 0; stream < streams; ++stream) {
      script += "stream " + std::to_string(stream) +
                (stream == 0 ? "\nthread role=main\n" : "\nthread role=external\n");
      std::size_t now = 0;
      for (unsigned steps = upto(12); steps > 0; --steps) {
        const unsigned lead = upto(4), work = upto(9);
        script += "cut lead=" + std::to_string(lead) + " work=" + std::to_string(work) + "\n";
        running.resize(std::max(running.size(), now + lead + work));
        std::for_each_n(running.begin() + static_cast<std::ptrdiff_t>(now + lead), work,
                        [](unsigned& count) { ++count; });
        now += lead + work;
      }
      script += "end\nthread-end\n";
    }
    const TraceSource source = test::parse_trace_script(script).source();
    const RunInfo run = read_info(source).run;
    for (unsigned workers = 1; workers <= streams; ++workers) {
      const IdleTime idle(step_sequences(source, run), workers, 0, running.size());
      for (std::size_t from = 0; from <= running.size(); ++from)
        for (std::size_t to = from; to <= running.size(); ++to) {
          const auto expected = std::count_if(running.begin() + static_cast<std::ptrdiff_t>(from),
                                              running.begin() + static_cast<std::ptrdiff_t>(to),
                                              [&](unsigned count) { return count < workers; });
          ASSERT_EQ(static_cast<std::uint64_t>(expected), idle.between(from, to))
              << script << workers << " workers, " << from << " to " << to;
        }
    }
  }
}

// Longer than the slots are many: exact to a slot, and spread evenly inside it.
TEST(IdleTime, OfALongRunIsThatOfSlots) {
  const TraceSource source = test::parse_trace_script("stream 0\n"
                                                      "thread role=main\n"
                                                      "cut work=4000000\n"
                                                      "cut lead=4000000 work=1\n"
                                                      "end\n"
                                                      "thread-end\n")
                                 .source();
  const RunInfo run = read_info(source).run;
  const IdleTime idle(step_sequences(source, run), 1, 0, 8000001);
  EXPECT_EQ(0u, idle.between(0, 3999990));
  EXPECT_EQ(3999980u, idle.between(4000010, 7999990));
  EXPECT_EQ(1u, idle.between(5000000, 5000001));
  EXPECT_EQ(0u, idle.between(5000001, 5000000));
}

} // namespace
} // namespace tp::analysis
