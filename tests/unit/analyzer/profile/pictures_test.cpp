// SPDX-License-Identifier: Apache-2.0
// Pictures add up to the figures of the profile: work, span, critical work of each site, tasks, the
// path of the run.
#include "passes/interval_sums.h"
#include "profile/make_profile.h"
#include "random_program.h"
#include "trace_script.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>

namespace tp::analysis {
namespace {

using Sums = std::vector<std::uint64_t>;

std::uint64_t sum_of(const Sums& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

TEST(IntervalSums, EqualThoseOfEachUnit) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t extent = 1 + random() % 300;
    const std::size_t buckets = 1 + random() % 50;
    IntervalSums sums(extent, buckets);
    Sums expected(buckets);
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t begin = random() % extent, end = begin + random() % (extent - begin + 1);
      sums.add(begin, end);
      for (std::uint64_t at = begin; at < end; ++at) {
        std::size_t bucket = 0;
        while (bucket + 1 < buckets && extent * (bucket + 1) / buckets <= at)
          ++bucket;
        ++expected[bucket];
      }
    }
    ASSERT_EQ(expected, sums.take()) << extent << " in " << buckets;
  }
}

void check(const Profile& profile) {
  ASSERT_TRUE(profile.pictures);
  const Pictures& pictures = *profile.pictures;
  std::uint64_t work = sum_of(pictures.span_profile.other);
  for (std::size_t i = 0; i < pictures.span_profile.sites.size(); ++i) {
    const std::uint64_t of_site = sum_of(pictures.span_profile.running[i]);
    EXPECT_EQ(profile.sites[pictures.span_profile.sites[i]].exclusive_work, of_site);
    work += of_site;
  }
  EXPECT_EQ(profile.work, work);
  EXPECT_EQ(profile.span, pictures.span_profile.extent);
  Sums critical(profile.sites.size());
  std::uint64_t at = 0;
  for (const PathSegment& part : pictures.critical_path) {
    ASSERT_EQ(at, part.from);
    at = part.to;
    critical[part.site] += part.to - part.from;
  }
  EXPECT_EQ(profile.span, at);
  for (std::size_t i = 0; i < profile.sites.size(); ++i) {
    const SiteRow& site = profile.sites[i];
    EXPECT_EQ(site.critical_work, critical[i]) << site.info.name;
    if (i == 0)
      continue;
    EXPECT_EQ(site.invocations, sum_of(pictures.task_sizes[i].tasks)) << site.info.name;
    EXPECT_EQ(site.exclusive_work, sum_of(pictures.task_sizes[i].work)) << site.info.name;
  }
  std::uint64_t path = 0;
  for (const PathSegment& part : pictures.run_path) {
    ASSERT_EQ(path, part.from);
    path = part.to;
  }
  ASSERT_TRUE(pictures.time_profile);
}

// What the timeline, the counters, and the JSON's other lists say together is the profile.
void check_parts(const Profile& profile) {
  std::uint64_t work = 0, steps = 0, in_steps = 0;
  for (const TimelineSlice& slice : profile.timeline) {
    work += slice.work;
    steps += slice.steps;
    in_steps += slice.end_ns - slice.begin_ns - slice.outside_ns;
  }
  EXPECT_EQ(profile.work, work);
  if (profile.read.time_hz == 1e9) { // ticks are ns
    EXPECT_EQ(profile.read.step_time, in_steps);
    std::uint64_t idle = 0;
    for (const Sums& of_stream : profile.counters.idle)
      idle += sum_of(of_stream);
    EXPECT_EQ(profile.read.idle, idle);
    EXPECT_EQ(profile.read.overhead, sum_of(profile.counters.overhead));
  }
  std::uint64_t steals = 0, spawns = 0, of_sites = 0;
  std::uint64_t shared = profile.elapsed.idle_beside_nothing_ns;
  for (const SiteRow& site : profile.sites) {
    steals += site.overhead.steals;
    of_sites += site.steps;
    shared += site.idle_beside_ns;
  }
  EXPECT_EQ(of_sites, steps);
  EXPECT_EQ(steals, sum_of(profile.counters.steals));
  EXPECT_EQ(profile.elapsed.idle_ns, shared);
  for (const SiteSpawns& each : profile.site_spawns)
    spawns += each.spawns;
  EXPECT_EQ(profile.read.spawned, spawns);
  std::uint64_t of_segments = profile.elapsed.idle_beside_nothing_ns;
  for (const CodeSegment& segment : profile.code_segments)
    of_segments += segment.idle_blame_ns;
  EXPECT_EQ(profile.elapsed.idle_ns, of_segments);
  std::vector<CodeSegment> of_site(profile.sites.size());
  for (const CodeSegment& segment : profile.code_segments) {
    ASSERT_LT(segment.site, profile.sites.size());
    of_site[segment.site].count += segment.count;
    of_site[segment.site].work += segment.work;
    of_site[segment.site].critical_work += segment.critical_work;
  }
  for (std::size_t i = 0; i < profile.sites.size(); ++i) {
    EXPECT_EQ(profile.sites[i].steps, of_site[i].count);
    EXPECT_EQ(profile.sites[i].exclusive_work, of_site[i].work);
    EXPECT_EQ(profile.sites[i].critical_work, of_site[i].critical_work);
  }
}

TEST(Pictures, PartsOfThePapersExample) {
  ProfileOptions options;
  options.pictures = options.contexts = true;
  const Profile profile = make_profile(
      test::load_trace_script(TP_GOLDEN_DIR "/taskprof_paper.trace.txt").source(), options);
  check_parts(profile);
  // "compute" is in two tasks, of which one is on the critical path.
  ASSERT_EQ(2u, profile.regions.size());
  for (const RegionInfo& region : profile.regions) {
    const bool is_compute = region.names.front() == "compute";
    EXPECT_EQ(is_compute ? 40u : 80u, region.critical_work);
    EXPECT_EQ(is_compute ? 70u : 80u, region.work);
    EXPECT_EQ(is_compute ? 2u : 1u, region.steps);
  }
}

TEST(Pictures, OfThePapersExampleAddUp) {
  ProfileOptions options;
  options.pictures = true;
  const Profile profile = make_profile(
      test::load_trace_script(TP_GOLDEN_DIR "/taskprof_paper.trace.txt").source(), options);
  check(profile);
  EXPECT_EQ(profile.elapsed.path.length(), profile.pictures->run_path.back().to);
  // The paper's critical path: 145 = 85 of main, 40 of line 13, 20 of line 25.
  EXPECT_EQ(145u, profile.pictures->span_profile.extent);
}

// Time, of which threads had no CPU for a part; ticks are ns. 30 + 10 before the first oneTBB call.
constexpr const char* kTimes = R"(
run cpus=2 hz=1000000000 same_as_time=1 unit=ns
site 1 a.cpp 12
stream 0
  thread role=main
  cut work=30 wall=10
  spawn work=5 lead=3 site=1 ctx=new-exclusive
  wait lead=1 ctx=last
    task task=newest work=200 wall=41 lead=2
  wait-end
  end work=5 wall=2
  thread-end
)";

TEST(Pictures, TimesAddUpWithAndWithoutWhatIsLeftOut) {
  for (const bool from_first_use : {false, true}) {
    SCOPED_TRACE(from_first_use);
    ProfileOptions options;
    options.pictures = options.contexts = true;
    options.from_first_use = from_first_use;
    const Profile profile = make_profile(test::parse_trace_script(kTimes).source(), options);
    ASSERT_EQ(1e9, profile.read.time_hz);
    ASSERT_TRUE(profile.pictures && profile.pictures->time_profile);
    const Pictures& pictures = *profile.pictures;
    EXPECT_EQ(from_first_use ? 40u : 0u, sum_of(pictures.left_out));
    std::uint64_t running = sum_of(pictures.left_out) + sum_of(pictures.time_profile->other);
    for (const Sums& of_site : pictures.time_profile->running)
      running += sum_of(of_site);
    EXPECT_EQ(profile.read.step_time, running);
    EXPECT_EQ(53u, profile.balance.descheduled);
    EXPECT_EQ(53u, sum_of(pictures.no_cpu));
    EXPECT_EQ(53u, sum_of(profile.counters.no_cpu));
    check_parts(profile);
    std::uint64_t left_out = 0;
    for (const TimelineSlice& slice : profile.timeline)
      left_out += slice.left_out ? slice.end_ns - slice.begin_ns : 0;
    EXPECT_EQ(from_first_use ? 40u : 0u, left_out);
  }
}

TEST(Pictures, OfRandomProgramsAddUp) {
  ProfileOptions options;
  options.pictures = options.contexts = true;
  options.explore = Ask::Never;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const test::RandomProgram program = test::make_random_program({.seed = seed});
    if (!program.valid)
      continue;
    SCOPED_TRACE(seed);
    const Profile profile = make_profile(program.trace.source(), options);
    check(profile);
    check_parts(profile);
    if (testing::Test::HasFailure())
      return;
  }
}

} // namespace
} // namespace tp::analysis
