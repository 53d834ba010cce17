// SPDX-License-Identifier: Apache-2.0
// --check: the grammar, every figure, and exact comparison.
#include "compare/checks.h"
#include "profile/make_profile.h"
#include "trace_script.h"

#include <gtest/gtest.h>

namespace tp::analysis {
namespace {

const Figures& figures_of_paper() {
  static const Figures figures = figures_of(make_profile(
      test::load_trace_script(TP_GOLDEN_DIR "/taskprof_paper.trace.txt").source(), {}));
  return figures;
}

bool holds(const std::string& text) {
  std::string actual;
  return *holds(parse_check(text), figures_of_paper(), actual);
}

TEST(Checks, CompareExactly) {
  EXPECT_TRUE(holds("parallelism>=1.2"));
  EXPECT_FALSE(holds("parallelism>=1.21")); // 1.2068..., shown as 1.21
  std::string actual;
  holds(parse_check("parallelism>=1.21"), figures_of_paper(), actual);
  EXPECT_EQ("1.21", actual);
  EXPECT_TRUE(holds("work==175"));
  EXPECT_TRUE(holds(" span < 145.5 "));
  EXPECT_FALSE(holds("span<145"));
  EXPECT_TRUE(holds("span<=145"));
  EXPECT_FALSE(holds("span>145"));
}

TEST(Checks, EveryFigureOfTheProgram) {
  for (const char* const claim :
       {"divisible_parallelism<1.21", "burdened_parallelism<1.21", "divisible_span==145",
        "tasks==3", "steps==9", "sites==3", "attributed==100", "attributed>=100%", "overhead==0%",
        "off_cpu==0", "time(8)==145", "speedup(8)>1.2"})
    EXPECT_TRUE(holds(claim)) << claim;
}

TEST(Checks, EveryFigureOfASite) {
  for (const char* const claim :
       {"site(paper.cpp:25).work==90", "site(paper.cpp:25).span==60",
        "site(paper.cpp:25).parallelism==1.5", "site(paper.cpp:25).exclusive_work==20",
        "site(paper.cpp:25).critical_work==20", "site(paper.cpp:25).tasks==1",
        "site(paper.cpp:25).critical<13.8%", "site(paper.cpp:25).critical>13.79",
        "site(paper.cpp:25).share<11.43%", "site(paper.cpp:25).share>11.42%",
        "site(main).critical>58%"})
    EXPECT_TRUE(holds(claim)) << claim;
}

TEST(Checks, WhatMakesNoSenseIsExplained) {
  for (const char* const text : {"",
                                 "parallelism",
                                 "parallelism>",
                                 "parallelism=>1",
                                 "parallelism>=1x",
                                 "parallelism>=-1",
                                 "speed>1",
                                 "critical<3",
                                 "site(paper.cpp:25).speed>1",
                                 "site().work>1",
                                 "site(a:1)work>1",
                                 "work<30%",
                                 "time<3",
                                 "time()<3",
                                 "time(0)<3",
                                 "time(1000000)<3",
                                 "time(8<3",
                                 "parallelism(8)>1",
                                 "site(paper.cpp:25).time(8)<3",
                                 "site(paper.cpp:25).work<30%"})
    EXPECT_THROW(parse_check(text), BadCheck) << text;
  EXPECT_EQ(-10, parse_check("parallelism<-10%", true).value);
  std::string actual;
  EXPECT_THROW(holds(parse_check("site(nowhere.cpp:1).work>1"), figures_of_paper(), actual),
               BadCheck);
}

// The text comes from a command line and may have any length.
TEST(Checks, AnyLength) {
  const std::string many(1'000'000, 'a'), digits(1'000'000, '9');
  EXPECT_EQ(many, parse_check("site(" + many + ").work>0").metric.site);
  EXPECT_THROW(parse_check(many + ">0"), BadCheck);
  EXPECT_THROW(parse_check("site(" + many), BadCheck);
  EXPECT_LT(1e300L, parse_check("work>" + digits).value);
  EXPECT_EQ(0.5L, parse_check(std::string(1'000'000, ' ') + "work>0.5").value);
  EXPECT_THROW(parse_check("work>0." + many), BadCheck);
  try {
    parse_check(many);
  } catch (const BadCheck& bad) {
    EXPECT_GT(300u, std::string(bad.what()).size());
  }
}

TEST(Checks, TheNameOfASiteMayContainWhatEndsIt) {
  EXPECT_EQ("f(int).g(a", parse_check("site(f(int).g(a).work > 1").metric.site);
  EXPECT_EQ("a b", parse_check("site(a b).work>1").metric.site);
}

TEST(Checks, ASiteIsFoundByTheEndOfItsPath) {
  Figures figures;
  for (const char* const file : {"/x/a/t.cpp", "/x/b/t.cpp", "/x/b/u.cpp"}) {
    SiteFigures& site = figures.sites.emplace_back();
    site.name = site.file = file;
    site.line = 7;
  }
  EXPECT_EQ(&figures.sites[0], find_site(figures, "a/t.cpp:7"));
  EXPECT_EQ(&figures.sites[2], find_site(figures, "u.cpp:7"));
  EXPECT_EQ(nullptr, find_site(figures, "cpp:7"));
  EXPECT_EQ(nullptr, find_site(figures, "u.cpp:8"));
  EXPECT_THROW(find_site(figures, "t.cpp:7"), BadCheck); // ambiguous: two sites match
}

TEST(Checks, AFigureThatDoesNotExistIsNeitherTrueNorFalse) {
  Figures figures = figures_of_paper();
  figures.attributed = {};
  std::string actual;
  EXPECT_EQ(std::nullopt, holds(parse_check("attributed>=90"), figures, actual));
}

} // namespace
} // namespace tp::analysis
