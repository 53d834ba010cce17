// Numbers, quoting, and what the files say.
#include "options.h"
#include "passes/work_span.h"
#include "report/numbers.h"
#include "report/writers.h"
#include "site_resolver.h"
#include "site_table.h"
#include "trace_script.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tp::analysis {
namespace {

TEST(Numbers, ParallelismIsRoundedHalfUp) {
  EXPECT_EQ("1.21", decimal2({175, 145}));
  EXPECT_EQ("1.5", decimal2({90, 60}));
  EXPECT_EQ("1", decimal2({40, 40}));
  EXPECT_EQ("4.38", decimal2({175, 40}));
  EXPECT_EQ("0.01", decimal2({1, 200}));
  EXPECT_EQ("1", decimal2({0, 0}));
  EXPECT_EQ("1", decimal2({5, 0}));
  EXPECT_EQ("18446744073709551615", decimal2({~std::uint64_t{0}, 1}));
}

TEST(Numbers, PercentIsCutOff) {
  EXPECT_EQ("58.62", percent2(85, 145));
  EXPECT_EQ("27.58", percent2(40, 145));
  EXPECT_EQ("0", percent2(0, 145));
  EXPECT_EQ("100", percent2(145, 145));
  EXPECT_EQ("99.99", percent2(99999, 100000));
  EXPECT_EQ("0", percent2(0, 0));
}

TEST(Numbers, UnitsForPeople) {
  const Clock ticks{"tsc", "ticks", 2500000000}, units{"virtual", "units", 0};
  EXPECT_EQ("4.00 ms", human(10000000, ticks, 2.5e9));
  EXPECT_EQ("175 units", human(175, units, 0));
  EXPECT_EQ("1.23 M units", human(1230000, units, 0));
}

TEST(Divisible, LargestPieceAfterHalving) {
  EXPECT_EQ(1u, divisible_part(64, 64, 1));
  EXPECT_EQ(64u, divisible_part(64, 64, 64));
  EXPECT_EQ(64u, divisible_part(64, 64, 100));
  EXPECT_EQ(3u, divisible_part(10, 10, 3)); // 10 -> 5 -> 3
  EXPECT_EQ(7u, divisible_part(7, 0, 1));
  EXPECT_EQ(1u, divisible_part(7, 7, 0));
  EXPECT_EQ(~std::uint64_t{0} / 2, divisible_part(~std::uint64_t{0} - 1, 2, 1));
}

TEST(Csv, QuotingRoundTrips) {
  for (const std::string text : {"a.cpp", "a,b.cpp", "say \"hi\"", "two\nlines", ""})
    EXPECT_EQ(text, split_csv_line(quote_csv(text) + ",1").at(0));
  EXPECT_EQ("\"a,b\"", quote_csv("a,b"));
  EXPECT_EQ("\"\"\"\"", quote_csv("\""));
}

TEST(Csv, OldProfileIsShownOnlyIfItIsOurs) {
  EXPECT_NE("", pretty_print_csv(std::string(kProfileHeader) + "\nmain,0,175,145,1.21,58.62\n"));
  EXPECT_EQ("", pretty_print_csv("a,b,c\n"));
  EXPECT_EQ("", pretty_print_csv(""));
}

Profile paper() {
  return make_profile(test::load_trace_script(TP_GOLDEN_DIR "/taskprof_paper.trace.txt").source(),
                      {});
}

TEST(Json, HasEverythingAndIsTheSameTwice) {
  const std::string text = write_json(paper());
  EXPECT_EQ(text, write_json(paper()));
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ("taskpath.profile/1", json["schema"]);
  EXPECT_EQ(175, json["work"]);
  EXPECT_EQ(145, json["span"]);
  EXPECT_EQ(4u, json["sites"].size());
  EXPECT_EQ(3u, json["what_if"]["curves"].size());
  EXPECT_EQ(true, json["conservation"]["critical_work_equals_span"]);
  EXPECT_EQ(100, json["attribution"]["percent"]);
}

// The paper's example with a clock that adds `step_cost` to each of its seven steps.
Profile paper_with_cost(int step_cost) {
  TraceSource source = test::load_trace_script(TP_GOLDEN_DIR "/taskprof_paper.trace.txt").source();
  const std::string before = "\"same_as_time\"";
  source.run_json.replace(source.run_json.find(before), before.size(),
                          "\"step_cost\":" + std::to_string(step_cost) +
                              ",\"step_cost_ns\":7,\"same_as_time\"");
  return make_profile(source, {});
}

// Whether the site of this line is marked.
bool is_marked(const Profile& profile, std::uint32_t line) {
  const auto json = nlohmann::json::parse(write_json(profile));
  for (const auto& site : json["sites"])
    if (site["line"] == line)
      return site["too_short"];
  ADD_FAILURE() << "no site of line " << line;
  return false;
}

TEST(ShortSteps, AreMarkedWhenTheClockIsMoreThanATenthOfTheirWork) {
  // Line 13 has one step of 40 units: 4 units are a tenth of it, not more.
  EXPECT_FALSE(is_marked(paper_with_cost(4), 13));
  const Profile profile = paper_with_cost(5);
  EXPECT_TRUE(is_marked(profile, 13));
  EXPECT_FALSE(is_marked(paper_with_cost(2), 0)); // main: three steps, 85 units
  const std::string text = write_text(profile, {}), markdown = write_markdown(profile, {});
  for (const std::string& report : {text, markdown}) {
    EXPECT_NE(std::string::npos, report.find("reading it adds 7 ns to each step"));
    EXPECT_NE(std::string::npos, report.find(kTooShort));
  }
  EXPECT_NE(std::string::npos, text.find("13 ~"));
  EXPECT_NE(std::string::npos, markdown.find(" ~ | 13 |"));
  EXPECT_EQ(std::string::npos, write_text(paper(), {}).find(kTooShort));
}

TEST(Text, FitsOnATerminal) {
  Profile profile = paper();
  for (int i = 0; i < 100; ++i)
    profile.sites.push_back(profile.sites[1]);
  for (int i = 0; i < 10; ++i)
    profile.warnings.push_back({"x", "y"});
  profile.what_if.clear();
  profile.read.complete = false;
  profile.read.incomplete_reasons = {"a", "b", "c"};
  profile.run.work_reason = "r";
  const std::string text = write_text(profile, {});
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 25);
  EXPECT_EQ(std::string::npos, text.find('\033'));
  EXPECT_NE(std::string::npos, write_text(profile, {.colour = true}).find('\033'));
}

TEST(Checks, CompareExactly) {
  const Profile profile = paper();
  std::string actual;
  EXPECT_EQ(true, holds({"", "parallelism", ">=", 1.2L}, profile, actual));
  EXPECT_EQ(false,
            holds({"", "parallelism", ">=", 1.21L}, profile, actual)); // 1.2068..., shown as 1.21
  EXPECT_EQ("1.21", actual);
  EXPECT_EQ(true, holds({"", "work", "==", 175}, profile, actual));
  EXPECT_EQ(true, holds({"", "attributed", "==", 100}, profile, actual));
}

TEST(Sites, LibraryFramesAreSkipped) {
  EXPECT_TRUE(is_library_frame("tbb::detail::d1::start_for<int>::run()", "x.h"));
  EXPECT_TRUE(is_library_frame("void tbb::detail::d1::parallel_for<int>(int)", "x.h"));
  EXPECT_TRUE(is_library_frame("f", "/usr/include/c++/12/bits/x.h"));
  EXPECT_FALSE(is_library_frame("void user::f(tbb::blocked_range<int> const&)", "user.cpp"));
  EXPECT_EQ("user::work(int)",
            lambda_owner("tbb::d1::start_for<tbb::r<int>, user::work(int)::{lambda(int)#1}, p>"));
  EXPECT_EQ("", lambda_owner("tbb::d1::start_for<int>"));
  EXPECT_EQ("user::f", plain_name("void user::f<int, std::vector<int> >(std::vector<int>&, char)"));
  EXPECT_EQ("(anonymous namespace)::g", plain_name("(anonymous namespace)::g(int)"));
  EXPECT_EQ("a::(anonymous namespace)::S::h",
            plain_name("int a::(anonymous namespace)::S<int>::h() const"));
  EXPECT_EQ("a::operator<(int)", plain_name("a::operator<(int)"));
  EXPECT_EQ("main", plain_name("main"));
}

TEST(Sites, LongestPathPrefixWins) {
  EXPECT_EQ("/y/c.cpp", map_path("/a/b/c.cpp", {{"/a", "/x"}, {"/a/b", "/y"}}));
  EXPECT_EQ("c.cpp", map_path("c.cpp", {{"/a", "/x"}}));
}

} // namespace
} // namespace tp::analysis
