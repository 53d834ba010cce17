// SPDX-License-Identifier: Apache-2.0
// Loops with other grain sizes: random ranges, halved as oneTBB does, against recursion over the
// range; hand-written cases of tasking overhead per site and the advice derived from it.
#include "passes/loop_tasks.h"
#include "profile/make_profile.h"
#include "report/numbers.h"
#include "report/writers.h"
#include "trace_builder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <numeric>
#include <random>

namespace tp::analysis {
namespace {

std::uint64_t leaves_by_recursion(std::uint64_t n, std::uint64_t grain) {
  return n <= grain ? 1 : leaves_by_recursion(n / 2, grain) + leaves_by_recursion(n - n / 2, grain);
}

TEST(LoopTasks, AreCountedWithoutRecursion) {
  for (std::uint64_t n = 0; n < 300; ++n)
    for (const std::uint64_t grain : {1, 2, 3, 5, 8, 31, 64, 300})
      ASSERT_EQ(leaves_by_recursion(n, grain), leaves_of(n, grain)) << n << " by " << grain;
  EXPECT_EQ(std::uint64_t{1} << 40, leaves_of(std::uint64_t{1} << 40, 0));
}

// A loop over a range of known costs, run with one grain size: a task keeps the left half and
// spawns a task for the right one until its range is at most the grain size.
struct Loop {
  std::vector<std::uint64_t> costs;
  std::uint64_t grain = 1;
  std::uint64_t lead = 0;    // ns before each step
  std::uint64_t reading = 0; // of which reading the clock takes
  bool fold = false;         // a reduction
  bool split = true;         // false: by the user's own tasks
  std::uint64_t after = 0;   // ns of other code

  test::TraceBuilder trace() {
    test::TraceBuilder trace;
    trace.count_ns();
    trace.gap_cost_ns = reading;
    trace.site(1, "loop.cpp", 7);
    stream = &trace.stream();
    stream->thread_begin(trace::ThreadRole::Main);
    stream->spawn({}, test::SiteOperand::of(1), test::ContextOperand::fresh(true), false, true);
    stream->begin(test::TaskOperand::newest());
    run(0, costs.size());
    stream->wait_end();
    stream->end({after, lead, 0});
    return trace;
  }
  // The heaviest leaf after splitting the range down to the grain size, as a sum of costs.
  std::uint64_t span(std::size_t begin, std::size_t end, std::uint64_t with_grain) const {
    if (end - begin <= with_grain)
      return std::accumulate(costs.begin() + static_cast<std::ptrdiff_t>(begin),
                             costs.begin() + static_cast<std::ptrdiff_t>(end), std::uint64_t{0});
    const std::size_t middle = end - (end - begin) / 2;
    return std::max(span(begin, middle, with_grain), span(middle, end, with_grain));
  }

  void run(std::size_t begin, std::size_t end) {
    std::vector<std::array<std::size_t, 3>> spawned; // range, ordinal
    while (end - begin > grain) {
      const std::size_t middle = end - (end - begin) / 2;
      spawned.push_back({middle, end, stream->spawns()});
      stream->spawn({0, lead, 0}, split ? test::SiteOperand::inherit() : test::SiteOperand::of(1),
                    test::ContextOperand::own(), fold);
      end = middle;
    }
    stream->loop_begin({0, lead, 0});
    stream->loop_end({span(begin, end, costs.size()), lead, 0}, end - begin, grain);
    stream->end({0, lead, 0});
    for (; !spawned.empty(); spawned.pop_back()) {
      const auto [from, to, ordinal] = spawned.back();
      const std::uint64_t back = stream->spawns() - 1 - ordinal;
      stream->begin(back == 0 ? test::TaskOperand::newest() : test::TaskOperand::back(back));
      run(from, to);
    }
  }
  test::StreamBuilder* stream = nullptr;
};

TEST(LoopTasks, RandomLoopsWithACoarserGrain) {
  std::mt19937_64 random(7);
  for (unsigned i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    Loop loop;
    loop.costs.resize(1 + random() % 200);
    for (std::uint64_t& cost : loop.costs)
      cost = random() % 100;
    loop.grain = 1 + random() % 8;
    loop.fold = i % 2 != 0;
    ProfileOptions options;
    options.procs = {2};
    for (const std::uint64_t factor : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 100})
      options.grains.emplace_back("loop.cpp:7", loop.grain * factor);
    const Profile profile = make_profile(loop.trace().source(), options);
    ASSERT_EQ(17u, profile.grains.size()); // more than one pass over the trace can evaluate
    for (const WhatIfCandidate& target : profile.grains) {
      EXPECT_EQ(loop.span(0, loop.costs.size(), target.grain),
                target.quoted.parallelism.denominator)
          << target.grain;
      ASSERT_TRUE(target.loop);
      EXPECT_EQ(leaves_by_recursion(loop.costs.size(), target.grain), target.loop->leaves)
          << target.grain;
    }
  }
}

const SiteRow& loop_site(const Profile& profile) {
  for (const SiteRow& site : profile.sites)
    if (site.info.line == 7)
      return site;
  throw std::runtime_error("no site of line 7");
}

Profile profile_of_grain_of(Loop loop, std::uint64_t burden = 0) {
  ProfileOptions options;
  options.procs = {2};
  options.burden_ns = burden;
  return make_profile(loop.trace().source(), options);
}

TEST(Overhead, OfASiteIsMeasuredAndModelled) {
  // Four leaves of 10 ns; 12 ns before each step except the first, which is main's.
  const Profile profile =
      profile_of_grain_of({.costs = std::vector<std::uint64_t>(4, 10), .lead = 12});
  const SiteOverhead& overhead = loop_site(profile).overhead;
  // Each leaf: loop-begin, loop-end, end; each split: a step before and one after it.
  EXPECT_EQ(3u * 12, overhead.creation_ticks); // steps that begin after a split
  EXPECT_EQ(4u * 12, overhead.begin_ticks);    // steps that begin a task
  EXPECT_EQ(12u, overhead.join_ticks);         // main's step after the wait
  EXPECT_EQ(8u * 12, overhead.other_ticks);    // steps in loop bodies and after them
  EXPECT_EQ(16u * 12, overhead.cost);
  EXPECT_EQ("82.75", percent2(overhead.share.numerator, overhead.share.denominator)); // 192 / 232
  EXPECT_EQ(4u, loop_site(profile).loops.body_calls);
  EXPECT_EQ(4u, loop_site(profile).loops.iterations);
}

TEST(Overhead, OfASiteIsNoMoreThanItTook) {
  // The thread lost its CPU after a.cpp's waits: the mean of all waits does not apply to b.cpp's.
  test::TraceBuilder trace;
  trace.count_ns();
  trace.site(1, "a.cpp", 1);
  trace.site(2, "b.cpp", 2);
  auto& main = trace.stream();
  main.thread_begin(trace::ThreadRole::Main);
  for (const unsigned site : {1u, 1u, 2u}) {
    main.spawn({0, site == 2 ? 1'000'000u : 10u, 0}, test::SiteOperand::of(site),
               test::ContextOperand::fresh(true));
    main.task(test::TaskOperand::newest(), {1000, 10, 0});
    main.wait({0, 10, 0}, test::ContextOperand::last());
    main.wait_end();
  }
  main.end({0, 10, 0});
  const Profile profile = make_profile(trace.source(), {});
  for (const SiteRow& site : profile.sites)
    EXPECT_LE(site.overhead.cost, site.overhead.measured_ticks()) << site.info.name;
}

// A reading of events costs 1000 ns, or half of that more; one without a system call 100 ns.
TEST(Overhead, ThatReadingsMayBeIsNoFinding) {
  const auto is_found = [](std::uint64_t reading, std::uint64_t lead) {
    const Profile profile = profile_of_grain_of(
        {.costs = std::vector<std::uint64_t>(4, 10), .lead = lead, .reading = reading});
    return std::ranges::find(profile.findings, Shape::TinyTasks, &Finding::shape) !=
           profile.findings.end();
  };
  EXPECT_FALSE(is_found(1000, 1400));
  EXPECT_TRUE(is_found(1000, 2000));
  EXPECT_TRUE(is_found(100, 140));
}

TEST(Overhead, SortsTheTable) {
  test::TraceBuilder trace;
  trace.count_ns();
  trace.site(1, "a.cpp", 1);
  trace.site(2, "b.cpp", 2);
  auto& main = trace.stream();
  main.thread_begin(trace::ThreadRole::Main);
  for (unsigned i = 0; i < 5; ++i) {
    main.spawn({0, 10, 0}, test::SiteOperand::of(i == 0 ? 1 : 2),
               i == 0 ? test::ContextOperand::fresh(true) : test::ContextOperand::last());
    main.task(test::TaskOperand::newest(), {i == 0 ? 1000u : 10u, 10, 0});
  }
  main.end({0, 10, 0});
  const Profile profile = make_profile(trace.source(), {});
  const std::string by_work = write_text(profile, {});
  EXPECT_LT(by_work.find("  a.cpp:1"), by_work.find("  b.cpp:2")) << by_work;
  TextOptions options;
  options.sort = SortKey::Overhead;
  const std::string by_overhead = write_text(profile, options);
  EXPECT_GT(by_overhead.find("  a.cpp:1"), by_overhead.find("  b.cpp:2")) << by_overhead;
  EXPECT_NE(std::string::npos, by_overhead.find("work/task"));
}

TEST(GrainAdvice, ACoarserGrainForSmallBodies) {
  // 4096 iterations of 10 ns, each a task of its own.
  const Profile profile =
      profile_of_grain_of({.costs = std::vector<std::uint64_t>(4096, 10), .lead = 12});
  ASSERT_EQ(1u, profile.advised_grains.size());
  const WhatIfCandidate& advised = profile.advised_grains[0];
  // 4095 splits, 4096 x 3 steps of leaves and main's last, at 12 ns: 48 per body call. A grain size
  // of 256 would reduce that to 1.84 %, but leave parallelism 16, less than ten per CPU; the next
  // candidate is a fourth.
  EXPECT_EQ(64u, advised.grain);
  EXPECT_EQ(4096u, advised.loop->body_calls);
  EXPECT_EQ(64u, advised.loop->leaves);
  EXPECT_EQ("82.75",
            percent2(advised.loop->overhead_now.numerator, advised.loop->overhead_now.denominator));
  EXPECT_EQ("6.97", percent2(advised.loop->overhead.numerator, advised.loop->overhead.denominator));
  EXPECT_EQ("64", decimal2(advised.quoted.parallelism));
  EXPECT_EQ("With grain size 64 at loop.cpp:7 tasking overhead would go from 83 % to 7.0 %, "
            "and parallelism would still be 64.0.",
            profile.advice);
}

TEST(GrainAdvice, NoneWhereTasksAreLarge) {
  EXPECT_TRUE(profile_of_grain_of({.costs = std::vector<std::uint64_t>(64, 100'000), .lead = 12})
                  .advised_grains.empty());
}

TEST(GrainAdvice, NoneThatSavesNothing) {
  EXPECT_TRUE(profile_of_grain_of(
                  {.costs = std::vector<std::uint64_t>(4096, 10), .lead = 12, .split = false})
                  .advised_grains.empty());
}

TEST(GrainAdvice, NoneForALittleOfTheProgram) {
  // Overhead of 196,596 ns, in a program of 20 ms, or of 10.
  const auto advised_after = [](std::uint64_t others) {
    return profile_of_grain_of(
               {.costs = std::vector<std::uint64_t>(4096, 10), .lead = 12, .after = others})
        .advised_grains.size();
  };
  EXPECT_EQ(0u, advised_after(20'000'000));
  EXPECT_EQ(1u, advised_after(10'000'000));
}

TEST(GrainAdvice, AFinerGrainForLargeBodies) {
  // 1024 iterations of 1 us in two leaves: parallelism 2.
  const Profile profile = profile_of_grain_of(
      {.costs = std::vector<std::uint64_t>(1024, 1000), .grain = 512, .lead = 12});
  ASSERT_EQ(1u, profile.advised_grains.size());
  EXPECT_LE(profile.advised_grains[0].grain, 4u);
  EXPECT_GT(profile.advised_grains[0].quoted.parallelism.value(), 200);
  EXPECT_NE(std::string::npos, profile.advice.find(profile.advised_grains[0].name))
      << profile.advice;
  const auto json = nlohmann::json::parse(write_json(profile));
  EXPECT_EQ(2, json["what_if"]["advised_grains"][0]["loop"]["body_calls_now"]);
}

} // namespace
} // namespace tp::analysis
