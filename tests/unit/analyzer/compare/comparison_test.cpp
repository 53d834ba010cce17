// SPDX-License-Identifier: Apache-2.0
// tp-diff: which sites of two profiles correspond, and how changes are computed.
#include "compare/comparison.h"
#include "compare/diff_writers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace tp::analysis {
namespace {

struct Place {
  std::uint32_t line;
  const char* function;
  const char* construct = "parallel_for";
};

Figures profile(const std::vector<Place>& places) {
  Figures figures;
  figures.unit = "units (virtual)";
  figures.work = 100;
  figures.span = 50;
  SiteFigures& main = figures.sites.emplace_back();
  main.name = main.file = "main";
  for (const Place& place : places) {
    SiteFigures& site = figures.sites.emplace_back();
    site.name = "a.cpp:" + std::to_string(place.line);
    site.file = "a.cpp";
    site.line = place.line;
    if (*place.function)
      site.functions = {place.function};
    site.constructs = {place.construct};
    site.work = site.span = site.critical_work = place.line;
  }
  return figures;
}

// Line in BASE -> line in NEW; 0: none.
std::set<std::pair<std::uint32_t, std::uint32_t>> matches(const Figures& base, const Figures& now) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> found;
  for (const SitePair& pair : compare_profiles(base, now).sites)
    if (pair.either().line > 0) {
      found.emplace(pair.base ? pair.base->line : 0, pair.now ? pair.now->line : 0);
      const Match expected = !pair.base                          ? Match::Added
                             : !pair.now                         ? Match::Removed
                             : pair.base->line == pair.now->line ? Match::SameLine
                                                                 : Match::Moved;
      EXPECT_EQ(expected, pair.match);
    }
  return found;
}
using Lines = std::set<std::pair<std::uint32_t, std::uint32_t>>;

// The time of the process where it is known of both; waits for locks where there are any.
TEST(Comparison, LinesAreOfTheWholeRun) {
  Figures base = profile({}), now = profile({});
  const auto labels_and_metrics = [&] {
    std::set<std::string> found;
    for (const DiffLine& line : diff_lines(compare_profiles(base, now)))
      found.insert(line.label + ": " + line.metric.name);
    return found;
  };
  base.elapsed_ns = now.elapsed_ns = 100;
  base.wall_ns = 300;
  EXPECT_TRUE(labels_and_metrics().contains("Elapsed: elapsed"));
  now.wall_ns = 200;
  EXPECT_TRUE(labels_and_metrics().contains("Elapsed: wall"));
  EXPECT_FALSE(labels_and_metrics().contains("Waiting (locks): lock_waits"));
  base.lock_waits = {1, 100};
  EXPECT_TRUE(labels_and_metrics().contains("Waiting (locks): lock_waits"));
}

// Parallelism falls with the work, too; without a prediction the time is that of the runs.
TEST(Comparison, AdviceTellsLessWorkFromMoreSpan) {
  Figures base = profile({}), now = profile({});
  base.wall_ns = 400;
  now.wall_ns = 100;
  now.work = 50;
  now.span = 40;
  EXPECT_EQ("The elapsed time of the runs fell by 75.00 %. Parallelism fell from 2 to 1.25 (work "
            "-50.00 %, span -20.00 %).",
            diff_advice(compare_profiles(base, now)));
  now.work = 100;
  now.span = 80;
  EXPECT_EQ("The elapsed time of the runs fell by 75.00 %. Parallelism fell from 2 to 1.25.",
            diff_advice(compare_profiles(base, now)));
}

// oneTBB and OpenMP divide loops for other numbers of parts: that a figure is of this run is not what was asked about.
TEST(Comparison, AdviceSaysThatLargerTeamsMayDivideLoopsFurther) {
  Figures base = profile({}), now = profile({{10, "f"}});
  const auto advice = [&] { return diff_advice(compare_profiles(base, now)); };
  const auto says_so = [&] { return advice().ends_with("may divide OpenMP's loops further."); };
  now.divisible_span_at_most = now.span;
  EXPECT_FALSE(says_so());
  now.sites.back().constructs = {"omp_parallel"};
  EXPECT_FALSE(says_so()) << "nothing is left to divide";
  now.divisible_span_at_most = now.span / 2;
  EXPECT_TRUE(says_so()) << advice();
  now.divisible_span_at_most = now.span;
  now.divisible = Divisible::HiddenLoops;
  EXPECT_TRUE(says_so()) << advice();
}

TEST(Comparison, SitesThatMovedAreFoundByFunctionAndConstruct) {
  EXPECT_EQ((Lines{{10, 15}, {20, 25}}),
            matches(profile({{10, "f"}, {20, "g"}}), profile({{15, "f"}, {25, "g"}})));
  // In order of lines, even if one is now at the line of another.
  EXPECT_EQ((Lines{{10, 11}, {11, 12}}),
            matches(profile({{10, "f"}, {11, "f"}}), profile({{11, "f"}, {12, "f"}})));
  // Another construct is another site; another function on the same line is the same site.
  EXPECT_EQ((Lines{{10, 0}, {0, 12}}),
            matches(profile({{10, "f"}}), profile({{12, "f", "parallel_reduce"}})));
  EXPECT_EQ((Lines{{10, 10}}), matches(profile({{10, "f"}}), profile({{10, "g"}})));
}

TEST(Comparison, TasksOfOpenMpAreThoseOfOneTbb) {
  EXPECT_EQ((Lines{{20, 10}, {21, 11}, {30, 40}}),
            matches(profile({{20, "f", "task_group"}, {21, "f", "task_group"}, {30, "g"}}),
                    profile({{10, "f", "omp_task"}, {11, "f", "omp_task"}, {40, "g", "omp_for"}})));
  EXPECT_EQ((Lines{{20, 10}}),
            matches(profile({{20, "long int {anonymous}::f(long int)", "task_group"}}),
                    profile({{10, "(anonymous namespace)::f", "omp_task"}})));
  // A task is not a loop.
  EXPECT_EQ((Lines{{20, 0}, {0, 10}}),
            matches(profile({{20, "f", "task_group"}}), profile({{10, "f", "omp_for"}})));
}

// g++ has one row for a region and the loop in it, and does not report a static loop; clang++ has a row for each.
TEST(Comparison, LoopsInRegionsAreLoopsOfOneTbb) {
  Figures combined = profile({{10, "f", "omp_parallel"}});
  combined.sites.back().constructs.emplace_back("omp_for");
  const Figures loop = profile({{20, "f"}});
  EXPECT_EQ((Lines{{20, 10}}), matches(loop, combined));
  EXPECT_EQ((Lines{{10, 20}}), matches(combined, loop));
  EXPECT_EQ((Lines{{20, 10}}), matches(loop, profile({{10, "f", "omp_parallel_gcc"}})));
  EXPECT_EQ((Lines{{20, 11}, {0, 10}}),
            matches(loop, profile({{10, "f", "omp_parallel"}, {11, "f", "omp_for"}})));
  EXPECT_EQ((Lines{{20, 10}}),
            matches(profile({{20, "f", "parallel_invoke"}}), profile({{10, "f", "omp_sections"}})));
  // Not tasks, and not one of several.
  EXPECT_EQ((Lines{{20, 0}, {0, 10}}),
            matches(profile({{20, "f", "task_group"}}), profile({{10, "f", "omp_parallel_gcc"}})));
  EXPECT_EQ((Lines{{20, 0}, {25, 0}, {0, 10}}),
            matches(profile({{20, "f"}, {25, "f"}}), profile({{10, "f", "omp_parallel_gcc"}})));
}

TEST(Comparison, WhereNobodyCanTellOnlyTheLineCounts) {
  // One more site in the function.
  EXPECT_EQ((Lines{{10, 10}, {0, 14}, {20, 0}, {0, 25}}),
            matches(profile({{10, "f"}, {20, "f"}}), profile({{10, "f"}, {14, "f"}, {25, "f"}})));
  // Functions are unknown.
  EXPECT_EQ((Lines{{10, 0}, {0, 11}, {20, 20}}),
            matches(profile({{10, ""}, {20, ""}}), profile({{11, ""}, {20, ""}})));
}

// A filter at a line, of a pipeline that is called at another line.
SiteFigures filter(std::uint32_t number, std::uint32_t line, const char* function,
                   std::uint32_t call, const char* caller) {
  SiteFigures site;
  site.name = "filter " + std::to_string(number) + " of a.cpp:" + std::to_string(line);
  site.file = "a.cpp";
  site.line = line;
  site.functions = {function};
  site.constructs = {"parallel_pipeline"};
  site.filter = number;
  site.pipelines = {{"a.cpp", call, caller, {}}};
  return site;
}

TEST(Comparison, FiltersAreMatchedByTheirPipelinesCall) {
  Figures called = profile({}), made = profile({}); // without tags, with tags
  // Made in the reverse order of the pipelines' calls, and by another function.
  for (const auto& [call, first] : {std::pair{20u, 15u}, {30u, 12u}})
    for (const std::uint32_t number : {1u, 2u, 3u}) {
      called.sites.push_back(filter(number, call, "run()", call, "run()"));
      made.sites.push_back(number == 3 ? filter(number, 5, "stage(int)", call, "run")
                                       : filter(number, first + number, "int run()", call, "run"));
    }
  made.sites[3].work = 1; // the third of the first pipeline
  for (const bool reverse : {false, true}) {
    const Comparison comparison =
        reverse ? compare_profiles(made, called) : compare_profiles(called, made);
    unsigned filters = 0;
    for (const SitePair& pair : comparison.sites) {
      if (pair.either().filter == 0)
        continue;
      ++filters;
      ASSERT_TRUE(pair.base && pair.now) << pair.either().name;
      EXPECT_EQ(pair.match, Match::SameLine);
      EXPECT_EQ(pair.base->filter, pair.now->filter);
      EXPECT_EQ(pair.base->pipelines[0].line, pair.now->pipelines[0].line);
    }
    EXPECT_EQ(filters, 6u);
  }
}

TEST(Comparison, NoFilterIsLeftOutIfItsPlaceIsThatOfAnother) {
  Figures base = profile({}), now = profile({});
  now.sites.push_back(filter(1, 10, "f", 20, "run"));
  now.sites.push_back(filter(1, 11, "f", 20, "run"));
  base.sites.push_back(filter(1, 10, "f", 20, "run"));
  EXPECT_EQ((Lines{{10, 10}, {0, 11}}), matches(base, now));
}

TEST(Comparison, ChangesAreNewMinusBase) {
  const Figures base = profile({{10, "f"}, {20, "g"}}), now = profile({{12, "f"}, {30, "h"}});
  const Comparison comparison = compare_profiles(base, now);
  const auto change = [&](const char* site, const char* metric, bool percent) {
    return amount_of(change_of({site, metric}, comparison), percent);
  };
  EXPECT_EQ(20, change("a.cpp:12", "work", true)); // 10 -> 12
  EXPECT_EQ(2, change("a.cpp:12", "work", false));
  EXPECT_EQ(2, change("a.cpp:10", "work", false));    // by its old name
  EXPECT_EQ(4, change("a.cpp:12", "critical", true)); // points: 20 % -> 24 %
  EXPECT_EQ(-20, change("a.cpp:20", "work", false));  // gone
  EXPECT_TRUE(std::isinf(*change("a.cpp:30", "work", true)));
  EXPECT_EQ(0, change("", "parallelism", true));
  EXPECT_EQ(std::nullopt, change("", "attributed", false)); // unknown on both sides
  EXPECT_THROW(change("a.cpp:99", "work", true), BadCheck);
}

TEST(Comparison, AmountsOfDifferentUnitsAreNotCompared) {
  const Figures base = profile({}), now = [] {
    Figures figures = profile({});
    figures.unit = "ticks (tsc)";
    return figures;
  }();
  const Comparison comparison = compare_profiles(base, now);
  EXPECT_THROW(change_of({"", "work"}, comparison), BadCheck);
  EXPECT_THROW(change_of({"main", "critical_work"}, comparison), BadCheck);
  EXPECT_NO_THROW(change_of({"", "parallelism"}, comparison));
  EXPECT_NO_THROW(change_of({"main", "critical"}, comparison));
}

// A profile of which the site in line 10 has 1000 of work in ten tasks, by a clock of time.
Figures timed(std::uint64_t own_work, std::uint64_t tasks, std::uint64_t iterations = 0,
              std::uint64_t work = 1000) {
  Figures figures = profile({{10, "f"}, {20, "g"}});
  figures.clock.name = "tsc-rseq";
  figures.work = work;
  figures.sites[1].exclusive_work = own_work;
  figures.sites[1].tasks = tasks;
  figures.sites[1].iterations = iterations;
  return figures;
}

TEST(Comparison, UnlikeWorkWithEqualCounts) {
  const auto line = [](const Figures& base, const Figures& now) {
    const Comparison comparison = compare_profiles(base, now);
    const SitePair* const found = unlike_work(comparison);
    return found ? found->now->line : 0;
  };
  EXPECT_EQ(10u, line(timed(200, 10), timed(300, 10)));
  EXPECT_EQ(0u, line(timed(200, 10), timed(299, 10)));
  EXPECT_EQ(10u, line(timed(300, 10), timed(200, 10)));
  EXPECT_EQ(0u, line(timed(200, 10), timed(300, 11)));
  // A tenth of the work of the side that has more.
  EXPECT_EQ(10u, line(timed(200, 10), timed(300, 10, 0, 1000)));
  EXPECT_EQ(0u, line(timed(200, 10), timed(300, 10, 0, 1001)));
  // Iterations count, if there are any: how many tasks run them is the partitioner's.
  EXPECT_EQ(10u, line(timed(200, 10, 64), timed(300, 11, 64)));
  EXPECT_EQ(0u, line(timed(200, 10, 64), timed(300, 10, 65)));
  EXPECT_EQ(0u, line(timed(200, 10), timed(300, 10, 65)));
  EXPECT_EQ(10u, line(timed(0, 10), timed(300, 10)));
  // The clock of that program advances only where it says so; and another unit is not comparable.
  Figures base = timed(200, 10), now = timed(300, 10);
  base.clock.name = now.clock.name = "virtual";
  EXPECT_EQ(0u, line(base, now));
  now = timed(300, 10);
  now.unit = "ns";
  EXPECT_EQ(0u, line(timed(200, 10), now));
}

TEST(Comparison, UnlikeWorkIsThatOfTheMostExcess) {
  Figures base = timed(200, 10), now = timed(300, 10);
  base.sites[2].exclusive_work = 10;
  now.sites[2].exclusive_work = 111;
  EXPECT_EQ(20u, unlike_work(compare_profiles(base, now))->now->line);
  now.sites[2].exclusive_work = 109;
  EXPECT_EQ(10u, unlike_work(compare_profiles(base, now))->now->line);
}

} // namespace
} // namespace tp::analysis
