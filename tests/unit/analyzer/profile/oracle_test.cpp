// SPDX-License-Identifier: Apache-2.0
// The analyzer against brute force on random programs (tests/support/random_program.h).
// TP_ORACLE_RUNS sets the number of programs per kind; a failure names the seed.
#include "oracle_runs.h"
#include "profile/make_profile.h"
#include "profile/trace_readings.h"
#include "random_program.h"
#include "sites/site_table.h"
#include "trace/metadata_reader.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tp::analysis {
namespace {

test::OracleSums plain(const InvocationSums& sums) {
  return {sums.count, sums.work, sums.span};
}
test::OracleSite plain(const SiteMeasures& measures) {
  return {plain(measures.top_call_site), plain(measures.top_caller), plain(measures.local)};
}

void expect_equal(const test::OracleSums& expected, const test::OracleSums& actual,
                  const std::string& what) {
  EXPECT_EQ(expected.count, actual.count) << "count " << what;
  EXPECT_EQ(expected.work, actual.work) << "work " << what;
  EXPECT_EQ(expected.span, actual.span) << "span " << what;
}

void compare_sites(const test::OracleResult& expected, const Profile& profile) {
  std::map<std::uint32_t, test::OracleSite> on_span, on_work;
  for (const SiteRow& row : profile.sites) {
    on_work[row.info.line] = plain(row.on_work);
    const bool is_main = row.info.line == 0;
    const test::OracleSite site =
        is_main ? test::OracleSite{.local = {.span = row.on_span.local.span}} : plain(row.on_span);
    EXPECT_LE(row.on_span.local.span, row.on_span.local.work);
    if (site != test::OracleSite{})
      on_span[row.info.line] = site;
  }
  for (const RegionInfo& region : profile.regions)
    if (region.critical_work > 0)
      on_span[region.line].local.span = region.critical_work;
  for (const auto& [line, site] : expected.sites) {
    const std::string at = " of line " + std::to_string(line);
    const test::OracleSite& found = on_work[line];
    // The row of main contains the whole program.
    const test::OracleSums program{1, expected.work, expected.span};
    expect_equal(line == 0 ? program : site.top_call_site, found.top_call_site,
                 "top-call-site" + at);
    expect_equal(line == 0 ? program : site.top_caller, found.top_caller, "top-caller" + at);
    EXPECT_EQ(line == 0 ? 1 : site.local.count, found.local.count) << "local" << at;
    EXPECT_EQ(site.local.work, found.local.work) << "local" << at;
    EXPECT_EQ(site.local.span, found.local.span) << "local" << at;
  }
  for (const SiteRow& row : profile.sites) {
    const auto chain = expected.chains.find(row.info.line);
    EXPECT_TRUE(row.chain_is_exact);
    EXPECT_EQ(chain == expected.chains.end() ? (row.info.line == 0 ? expected.span : 0)
                                             : chain->second,
              row.longest_chain)
        << "chain of line " << row.info.line;
    EXPECT_LE(row.longest_chain, row.work);
    EXPECT_LE(row.longest_chain, profile.span);
  }
  EXPECT_TRUE(expected.on_span == on_span) << "on the critical path";
}

std::uint32_t line_of(const std::string& name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string::npos
             ? 0
             : static_cast<std::uint32_t>(std::stoul(name.substr(colon + 1)));
}

// Compares the what-ifs of unannotated code; counts the comparisons in `compared`.
void compare_explored(const test::RandomProgram& program, const Profile& profile, bool optimize,
                      std::map<CandidateKind, unsigned>& compared) {
  for (const WhatIfCandidate& target : profile.explored)
    for (const WhatIfPoint& point : target.points) {
      ++compared[target.kind];
      std::uint64_t span = 0;
      if (target.kind == CandidateKind::Site)
        span = program.ask.site(line_of(target.name), point.factor);
      else if (target.kind == CandidateKind::CodeSegment)
        span = program.ask.stretch(target.from, target.to, point.factor);
      else
        span = program.ask.without_wait(line_of(target.name));
      EXPECT_EQ(span, point.parallelism.denominator) << target.name << " by " << point.factor;
      const std::uint64_t saved = optimize ? target.work * (point.factor - 1) : 0;
      EXPECT_EQ(profile.work * point.factor - saved, point.parallelism.numerator) << target.name;
    }
  // The oracle only splits leaves; where parts may be merged as well, the span can be longer.
  for (const WhatIfCandidate& target : profile.grains) {
    ++compared[target.kind];
    const std::uint64_t split = program.ask.grain(line_of(target.name), target.grain);
    if (target.grain == 1) {
      EXPECT_EQ(split, target.points[0].parallelism.denominator) << target.name;
    } else {
      EXPECT_LE(split, target.points[0].parallelism.denominator) << target.name;
    }
  }
}

// Compares a set that only the search makes: a site's steps and a region.
void compare_union(const test::RandomProgram& program, WhatIfMode mode) {
  const TraceSource source = program.trace.source();
  const TraceInfo info = read_info(source);
  const SiteTable table = build_site_table(info.sites, {});
  ProfileOptions options;
  options.mode = mode;
  const TraceReadings readings(source, info, table, options);
  const auto first = readings.read({}, {.composition = true}).fold;
  StepSet set{{RegionId{1}}, {}};
  for (const StepClassId id : ids_below(first.classes.end_id()))
    if (table.rows[first.classes[id].row].line == 20)
      set.classes.push_back(id);
  WhatIfPlan plan;
  plan.add(set, {3});
  EXPECT_EQ(program.ask.site_or_region(20, 1, 3), readings.evaluate(plan)[0].span);
}

// Returns the number of whole sites compared.
unsigned compare_search(const test::RandomProgram& program, const Profile& profile) {
  if (!profile.search || profile.search->steps.empty())
    return 0;
  const TargetSearch& search = *profile.search;
  const double last = search.steps.back().after.value();
  EXPECT_EQ(search.reached, last >= static_cast<double>(search.target));
  EXPECT_GE(last, search.steps.front().after.value());
  unsigned sites = 0;
  for (const TargetSearch::Step& step : search.steps)
    if (step.kind == ChoiceKind::Site) {
      ++sites;
      EXPECT_EQ(program.ask.site(line_of(step.name), search.factor), step.alone.denominator)
          << step.name;
    }
  return sites;
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
  unsigned compared = 0, whole_sites = 0;
  std::map<CandidateKind, unsigned> explored;
  for (std::uint64_t seed = 1; compared < test::oracle_runs(); ++seed) {
    const auto program = test::make_random_program(
        {.seed = seed, .late = late, .most_tasks = 1 + static_cast<unsigned>(seed % 60)});
    ASSERT_LT(seed, 20u * test::oracle_runs() + 100) << "too few programs end";
    if (!program.valid)
      continue;
    ++compared;
    SCOPED_TRACE("seed " + std::to_string(seed));
    ProfileOptions options;
    options.factors.assign(std::begin(test::kOracleFactors), std::end(test::kOracleFactors));
    const bool optimize = seed % 2 == 0;
    options.mode = optimize ? WhatIfMode::Optimize : WhatIfMode::Parallelize;
    options.burden_ns = test::kOracleBurden;
    options.grains = {{"p.cpp:10", 1 + seed % 5}, {"p.cpp:20", 1 + seed % 50}};
    if (seed % 8 < 2)
      options.target = 2 + seed / 8 % 3;
    const Profile profile = make_profile(program.trace.source(), options);
    EXPECT_EQ(program.expected.work, profile.work);
    EXPECT_EQ(program.expected.span, profile.span);
    EXPECT_EQ(program.expected.divisible_span, profile.divisible_span);
    EXPECT_EQ(program.expected.burdened_cilk, profile.burdened_span_cilk);
    EXPECT_EQ(program.expected.burdened_tbb, profile.burdened_span_tbb);
    compare_sites(program.expected, profile);
    compare_what_if(program.expected, profile, optimize);
    compare_explored(program, profile, optimize, explored);
    compare_union(program, options.mode);
    whole_sites += compare_search(program, profile);
    EXPECT_EQ(profile.work, profile.exclusive_sum);
    EXPECT_EQ(profile.span, profile.critical_sum);
    EXPECT_EQ(program.tasks, profile.read.begun);
    for (std::size_t i = 0; i < profile.read.inconsistencies.size(); ++i)
      EXPECT_EQ(0u, profile.read.inconsistencies[i]) << text_of(static_cast<Problem>(i)).name;
    if (::testing::Test::HasFailure())
      return;
  }
  for (const CandidateKind kind :
       {CandidateKind::Site, CandidateKind::CodeSegment, CandidateKind::Wait, CandidateKind::Grain})
    EXPECT_GT(explored[kind], test::oracle_runs()) << static_cast<int>(kind);
  EXPECT_GT(whole_sites, test::oracle_runs() / 20);
}

TEST(Oracle, RandomProgramsInTimeOrder) {
  check(false);
}
TEST(Oracle, RandomProgramsWithLateAndSkewedRecords) {
  check(true);
}

} // namespace
} // namespace tp::analysis
