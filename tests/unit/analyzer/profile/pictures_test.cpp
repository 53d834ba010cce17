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

TEST(Pictures, OfRandomProgramsAddUp) {
  ProfileOptions options;
  options.pictures = true;
  options.explore = Ask::Never;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const test::RandomProgram program = test::make_random_program({.seed = seed});
    if (!program.valid)
      continue;
    SCOPED_TRACE(seed);
    check(make_profile(program.trace.source(), options));
    if (testing::Test::HasFailure())
      return;
  }
}

} // namespace
} // namespace tp::analysis
