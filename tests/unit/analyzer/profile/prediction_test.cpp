// SPDX-License-Identifier: Apache-2.0
// Predicted times on P worker threads, in hand-written cases on a clock of nanoseconds.
#include "profile/make_profile.h"
#include "report/numbers.h"
#include "report/writers.h"
#include "trace_builder.h"
#include "trace_script.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tp::analysis {
namespace {

// main spawns `tasks` tasks of `work` ns each and waits; `lead` ns pass before each step.
test::TraceBuilder flat(unsigned tasks, std::uint64_t work, std::uint64_t lead) {
  test::TraceBuilder trace;
  trace.count_ns();
  trace.site(1, "a.cpp", 1);
  auto& main = trace.stream();
  main.thread_begin(trace::ThreadRole::Main);
  for (unsigned i = 0; i < tasks; ++i)
    main.spawn({0, i == 0 ? 0 : lead, 0}, test::SiteOperand::of(1),
               i == 0 ? test::ContextOperand::fresh(true) : test::ContextOperand::last());
  main.wait({0, lead, 0}, test::ContextOperand::last());
  for (unsigned i = 0; i < tasks; ++i)
    main.task(i == 0 ? test::TaskOperand::newest() : test::TaskOperand::back(i), {work, lead, 0});
  main.wait_end();
  main.end({0, lead, 0});
  return trace;
}

Prediction predicted(const test::TraceBuilder& trace, std::vector<std::uint64_t> procs,
                     std::uint64_t burden = 0) {
  ProfileOptions options;
  options.procs = std::move(procs);
  options.burden_ns = burden;
  return make_profile(trace.source(), options).prediction;
}

const EventCost& cost_of(const Prediction& prediction, const std::string& event) {
  for (const EventCost& cost : prediction.costs)
    if (cost.event == event)
      return cost;
  throw std::runtime_error(event);
}

// One thread came late, so that the other ran the whole loop: the critical path of the run does not limit what is
// predicted, which deals the chunks out again. In a static loop it does.
TEST(Prediction, LimitOfChunksThatAreDealtOutAgain) {
  const auto profile_of = [](const std::string& context) {
    std::string script = "site 1 a.cpp 1 construct=omp_parallel\nsite 2 a.cpp 2 construct=omp_for\n"
                         "stream 0\nthread role=main\n"
                         "spawn site=1 ctx=new-gathering construct=omp_parallel\n"
                         "spawn site=1 ctx=last\nwait ctx=last\nwait-end\nend\nthread-end\n";
    for (const std::string thread : {"0", "1"}) {
      script += "stream " + std::to_string(thread == "0" ? 1 : 2) +
                "\nthread role=worker\nbegin task=0." + thread +
                " idle=" + (thread == "0" ? "0" : "1000") +
                "\nspawn-wait site=2 construct=omp_for ctx=" + context + "\nbegin\n";
      for (int chunk = 0; thread == "0" && chunk < 4; ++chunk)
        script += "loop-begin\nloop-end work=10\n";
      script += "end\nwait-end\nend\nthread-end\n";
    }
    return make_profile(test::parse_trace_script(script).source(), {});
  };
  const Profile dealt = profile_of("new-gathering"), fixed = profile_of("new-exclusive");
  EXPECT_EQ(40u, dealt.least_time());
  EXPECT_EQ("2", decimal2(dealt.speedup_limit()));
  EXPECT_EQ("2", decimal2(dealt.verdict.limit));
  EXPECT_NE(std::string::npos, dealt.verdict.headline.find("; speedup about 2.00, or 4.00 "))
      << dealt.verdict.headline;
  EXPECT_EQ("1", decimal2(fixed.speedup_limit()));
}

TEST(Prediction, OfIndependentTasks) {
  const Prediction prediction = predicted(flat(64, 1000, 0), {1, 2, 8, 1024, 2048});
  EXPECT_EQ("", prediction.skipped_because);
  ASSERT_EQ(4u, prediction.runs.size()); // up to 1024
  EXPECT_EQ(64000u, prediction.work);
  EXPECT_EQ(0u, prediction.overhead);
  const std::uint64_t times[] = {64000, 32000, 8000, 1000};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(times[i], prediction.runs[i].time);
    EXPECT_EQ(times[i], prediction.runs[i].greedy);
  }
  EXPECT_EQ("8", decimal2(prediction.runs[2].speedup));
  EXPECT_EQ("1", decimal2(prediction.runs[2].efficiency));
  EXPECT_EQ(Limiter::Work, prediction.runs[2].limiter);
  EXPECT_EQ(Limiter::Span, prediction.runs[3].limiter);
  EXPECT_EQ(1024u * 1000 - 64000, prediction.runs[3].idle);
}

// main works for 80 us, then does what flat() does, without overhead.
Profile with_a_serial_start(WhatIfMode mode) {
  constexpr unsigned kTasks = 64;
  test::TraceBuilder trace;
  trace.count_ns();
  trace.site(1, "a.cpp", 1);
  auto& main = trace.stream();
  main.thread_begin(trace::ThreadRole::Main);
  for (unsigned i = 0; i < kTasks; ++i)
    main.spawn({i == 0 ? 80'000u : 0u, 0, 0}, test::SiteOperand::of(1),
               i == 0 ? test::ContextOperand::fresh(true) : test::ContextOperand::last());
  main.wait({0, 0, 0}, test::ContextOperand::last());
  for (unsigned i = 0; i < kTasks; ++i)
    main.task(i == 0 ? test::TaskOperand::newest() : test::TaskOperand::back(i), {1000, 0, 0});
  main.wait_end();
  main.end({0, 0, 0});
  ProfileOptions options;
  options.mode = mode;
  options.burden_ns = 0;
  options.pictures = true;
  return make_profile(trace.source(), options);
}

// The serial start becomes shorter; what it loses is gone, or is done by all CPUs.
TEST(Prediction, OfAChangeIsThatOfTheChangedProgram) {
  for (const WhatIfMode mode : {WhatIfMode::Optimize, WhatIfMode::Parallelize}) {
    const Profile profile = with_a_serial_start(mode);
    const WhatIfPoint* point = nullptr;
    for (const WhatIfCandidate& candidate : profile.explored)
      for (const WhatIfPoint& each : candidate.points)
        if (candidate.of_main && !each.predicted.empty())
          point = &each;
    ASSERT_NE(nullptr, point);
    ASSERT_EQ(8u, point->predicted.size()); // 1 to 128
    const std::uint64_t serial = 80'000 / point->factor;
    const std::uint64_t work = mode == WhatIfMode::Optimize ? serial + 64'000 : 144'000;
    for (const auto& [procs, time] : point->predicted) {
      const std::uint64_t greedy = serial + (64 + procs - 1) / procs * 1000;
      EXPECT_EQ(std::max(greedy, (work + procs - 1) / procs), time)
          << procs << " CPUs, mode " << static_cast<int>(mode);
    }
  }
}

TEST(Prediction, OverheadIsMeasuredPerEvent) {
  // 10 and 12 have buckets of their own, so there is no rounding.
  const Prediction prediction = predicted(flat(100, 10, 12), {1, 2});
  EXPECT_EQ(12u, cost_of(prediction, "spawn").cost);
  EXPECT_EQ(100u, cost_of(prediction, "spawn").count); // 99 spawns and the step that waits
  EXPECT_EQ(12u, cost_of(prediction, "wait").cost);
  // 101 steps begin after a spawn or a wait, 100 at the start of a task.
  EXPECT_EQ(201u * 12, prediction.overhead);
  EXPECT_EQ(1000u + 201 * 12, prediction.runs[0].time);
  EXPECT_EQ(Limiter::Overhead, prediction.runs[0].limiter);
}

TEST(Prediction, StealsCostTheirBurden) {
  // One task is a hundred times longer than a steal of 1000.
  const Prediction cheap = predicted(flat(2, 100'000, 0), {2}, 1000);
  EXPECT_EQ(101'000u, cheap.runs[0].time);
  EXPECT_EQ(1u, cheap.runs[0].steals);
  EXPECT_EQ(1000u, cheap.runs[0].stealing);
  const Prediction dear = predicted(flat(2, 100'000, 0), {2}, 1'000'000);
  EXPECT_EQ(200'000u, dear.runs[0].time);
  EXPECT_EQ(0u, dear.runs[0].steals);
}

// Whether more splitting would help is known only if parts of the body call were measured.
std::vector<PredictedRun> runs_of_one_body_call(std::uint64_t portions) {
  test::TraceBuilder trace;
  trace.site(1, "a.cpp", 1);
  auto& main = trace.stream();
  main.thread_begin(trace::ThreadRole::Main);
  main.spawn({}, test::SiteOperand::of(1), test::ContextOperand::fresh(true), false, true);
  main.begin(test::TaskOperand::newest());
  main.loop_begin({});
  for (std::uint64_t portion = 1; portion < portions; ++portion)
    main.portion_end({640 / portions}, 64 / portions, 1);
  main.loop_end({640 / portions}, 64, 1);
  main.end({});
  main.wait_end();
  main.end({});
  return predicted(trace, {8}).runs;
}

TEST(Prediction, OfALoopThatWasSplitTooLittle) {
  EXPECT_EQ(640u, runs_of_one_body_call(64)[0].time);
  EXPECT_EQ(Limiter::Grain, runs_of_one_body_call(64)[0].limiter);
  EXPECT_EQ(640u, runs_of_one_body_call(1)[0].time);
  EXPECT_EQ(Limiter::Span, runs_of_one_body_call(1)[0].limiter);
}

TEST(Prediction, IsShownAndCanBeLeftOut) {
  ProfileOptions options;
  options.procs = {1, 2, 4, 8, 16};
  options.burden_ns = 0;
  const Profile profile = make_profile(flat(64, 1000, 0).source(), options);
  // Those that were asked for, and no others; then the limit.
  const std::string text = write_text(profile, {.asks_procs = true});
  for (const char* const line :
       {"CPUs              1          2          4          8         16      limit\n",
        "speedup        1.00       2.00       4.00       8.00       16.0       64.0\n"})
    EXPECT_NE(std::string::npos, text.find(line)) << text;
  const auto json = nlohmann::json::parse(write_json(profile));
  EXPECT_EQ(5u, json["prediction"]["runs"].size());
  EXPECT_EQ(100, json["prediction"]["runs"][4]["efficiency_percent"]);
  options.simulate = Ask::Never;
  const Profile without = make_profile(flat(64, 1000, 0).source(), options);
  EXPECT_NE(std::string::npos, write_text(without, {}).find("no prediction: --simulate never"));
  EXPECT_EQ("--simulate never",
            nlohmann::json::parse(write_json(without))["prediction"]["not_made"]);
}

} // namespace
} // namespace tp::analysis
