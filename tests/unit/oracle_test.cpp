// The analyzer against brute force on random programs (tests/support/random_program.h).
// TP_ORACLE_RUNS sets how many per kind; a failure names the seed.
#include "profile.h"
#include "random_program.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tp::analysis {
namespace {

unsigned runs() {
  const char* const text = std::getenv("TP_ORACLE_RUNS");
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : 1000;
}

void compare_sites(const test::OracleResult& expected, const Profile& profile) {
  std::map<std::uint32_t, std::uint64_t> critical;
  std::map<std::uint32_t, test::OracleSite> sites;
  for (const SiteRow& row : profile.sites) {
    if (row.critical_work > 0)
      critical[row.info.line] = row.critical_work;
    auto& site = sites[row.info.line];
    site.exclusive = row.exclusive_work;
    site.work = row.work;
    site.span = row.span;
    site.invocations = row.invocations;
  }
  for (const auto& [line, site] : expected.sites) {
    // The row of main shows the whole program.
    EXPECT_EQ(line == 0 ? expected.work : site.work, sites[line].work) << "work of line " << line;
    EXPECT_EQ(line == 0 ? expected.span : site.span, sites[line].span) << "span of line " << line;
    EXPECT_EQ(site.exclusive, sites[line].exclusive) << "exclusive work of line " << line;
    EXPECT_EQ(site.invocations, sites[line].invocations) << "invocations of line " << line;
  }
  EXPECT_TRUE(expected.critical.count(critical)) << "critical work per site";
}

void compare_what_if(const test::OracleResult& expected, const Profile& profile, bool optimize) {
  ASSERT_EQ(test::kOracleRegions + 1, profile.what_if.size());
  for (std::size_t i = 0; i < profile.what_if.size(); ++i)
    for (const WhatIfPoint& point : profile.what_if[i].points) {
      const int region = i == 0 ? -1 : static_cast<int>(profile.what_if[i].regions[0]);
      const auto [span, work] = expected.what_if.at({region, point.factor});
      EXPECT_EQ(span, point.parallelism.denominator)
          << "region " << region << " factor " << point.factor;
      EXPECT_EQ(optimize ? work : expected.work * point.factor, point.parallelism.numerator);
    }
}

void check(bool late) {
  unsigned compared = 0;
  for (std::uint64_t seed = 1; compared < runs(); ++seed) {
    const auto program = test::make_random_program(
        {.seed = seed, .late = late, .most_tasks = 1 + static_cast<unsigned>(seed % 60)});
    ASSERT_LT(seed, 20u * runs() + 100) << "too few programs end";
    if (!program.valid)
      continue;
    ++compared;
    SCOPED_TRACE("seed " + std::to_string(seed));
    ProfileOptions options;
    options.factors.assign(std::begin(test::kOracleFactors), std::end(test::kOracleFactors));
    const bool optimize = seed % 2 == 0;
    options.mode = optimize ? WhatIfMode::Optimize : WhatIfMode::Parallelize;
    const Profile profile = make_profile(program.trace.source(), options);
    EXPECT_EQ(program.expected.work, profile.work);
    EXPECT_EQ(program.expected.span, profile.span);
    EXPECT_EQ(program.expected.divisible_span, profile.divisible_span);
    compare_sites(program.expected, profile);
    compare_what_if(program.expected, profile, optimize);
    EXPECT_EQ(profile.work, profile.exclusive_sum);
    EXPECT_EQ(profile.span, profile.critical_sum);
    EXPECT_EQ(program.tasks, profile.read.begun);
    for (std::size_t i = 0; i < profile.read.inconsistencies.size(); ++i)
      EXPECT_EQ(0u, profile.read.inconsistencies[i]) << text_of(static_cast<Problem>(i)).name;
    if (::testing::Test::HasFailure())
      return;
  }
}

TEST(Oracle, RandomProgramsInTimeOrder) {
  check(false);
}
TEST(Oracle, RandomProgramsWithLateAndSkewedRecords) {
  check(true);
}

} // namespace
} // namespace tp::analysis
