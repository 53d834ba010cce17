// Numbers, quoting, and what the files say.
#include "cli/analyze_options.h"
#include "passes/work_span.h"
#include "report/lines.h"
#include "report/numbers.h"
#include "report/writers.h"
#include "sites/cxx_names.h"
#include "sites/site_resolver.h"
#include "sites/site_table.h"
#include "sites/task_type.h"
#include "trace_script.h"

#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

#include <sstream>

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

// The paper's example, 175 units of work, with a clock of time and so much CPU time.
std::vector<std::string> attribution_warnings(int cpu_ns) {
  TraceSource source = test::load_trace_script(TP_GOLDEN_DIR "/taskprof_paper.trace.txt").source();
  const auto replace = [](std::string& text, const std::string& key, const std::string& value) {
    const std::size_t at = text.find(key) + key.size();
    text.replace(at, text.find_first_of(",}", at) - at, value);
  };
  replace(source.run_json, "\"clock\":", "\"tsc\"");
  replace(source.run_json, "\"event\":", "\"tsc\"");
  replace(source.run_json, "\"unit\":\"units\",\"hz\":", "1000000000");
  replace(*source.end_json, "\"cpu_ns\":", std::to_string(cpu_ns));
  std::vector<std::string> texts;
  for (const Warning& warning : make_profile(source, {}).warnings)
    if (warning.name == "attribution")
      texts.push_back(warning.text);
  return texts;
}

TEST(Attribution, MoreThanTheCpuTimeIsExplained) {
  EXPECT_TRUE(attribution_warnings(175).empty());
  EXPECT_TRUE(attribution_warnings(167).empty()); // 104.79 %
  ASSERT_EQ(1u, attribution_warnings(166).size());
  EXPECT_EQ("105.42 % of the process's CPU time is attributed to steps; likely cause: a hypervisor "
            "or interrupts took the cpu while steps were timed; times are that much too high",
            attribution_warnings(166)[0]);
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

TEST(Clock, EachReportSaysWhyThereIsNoBetterOne) {
  Profile profile = paper();
  profile.run.work_reason = "no counters | here";
  EXPECT_NE(std::string::npos, write_text(profile, {}).find("not better: no counters | here"));
  EXPECT_NE(std::string::npos,
            write_markdown(profile, {}).find("No better clock: no counters \\| here"));
  EXPECT_EQ("no counters | here", nlohmann::json::parse(write_json(profile))["clock"]["reason"]);
}

// How many rows of the table name this site.
std::ptrdiff_t rows_of(const std::string& text, const std::string& name) {
  std::ptrdiff_t rows = 0;
  for (std::size_t at = text.find("\n" + name); at != std::string::npos;
       at = text.find("\n" + name, at + 1))
    ++rows;
  return rows;
}

TEST(Text, ShowsSitesWhateverElseThereIsToSay) {
  Profile profile = paper_with_cost(5);
  for (int i = 0; i < 100; ++i)
    profile.sites.push_back(profile.sites[1]);
  profile.warnings.assign(3, {"x", std::string(150, 'y') + " " + std::string(20, 'z')});
  profile.elapsed.path.delays[0] = {.busy = 1, .scheduler = 1000};
  profile.what_if.clear();
  profile.advice = std::string(90, 'a') + " " + std::string(90, 'b');
  const std::string text = write_text(profile, {});
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 25);
  EXPECT_GE(rows_of(text, profile.sites[1].info.name), 2) << text;
}

TEST(Percent, IsWhole) {
  EXPECT_EQ("0", percent(0, 7));
  EXPECT_EQ("<1", percent(1, 1000));
  EXPECT_EQ("1", percent(5, 1000));
  EXPECT_EQ("67", percent(2, 3));
  EXPECT_EQ("100", percent(~std::uint64_t{0}, ~std::uint64_t{0}));
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
  profile.elapsed.path.delays[0] = {.busy = 1, .scheduler = 1000};
  const std::string text = write_text(profile, {});
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 25);
  EXPECT_EQ(std::string::npos, text.find('\033'));
  EXPECT_NE(std::string::npos, write_text(profile, {.colour = true}).find('\033'));
}

TEST(Text, ShowsTheFirstWarningWhateverElseThereIsToSay) {
  Profile profile = paper_with_cost(5);
  for (int i = 0; i < 100; ++i)
    profile.sites.push_back(profile.sites[1]);
  profile.read.incomplete_reasons = {"a", "b"};
  profile.run.work_reason = "r";
  profile.advice = std::string(90, 'a') + " " + std::string(90, 'b');
  profile.what_if.clear();
  const std::string first = "figures as executed depend on this run's number of threads";
  for (const std::string& names : {std::string(), " (" + std::string(200, 'n') + ")"})
    for (const std::size_t others : {0, 1, 5}) {
      profile.warnings.assign(1, {"divisible", first + names});
      profile.warnings.resize(1 + others, {"x", "y"});
      const std::string text = write_text(profile, {});
      EXPECT_NE(std::string::npos, text.find("warning: " + first)) << text;
      EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 25);
    }
}

TEST(Text, LinesBreakAtSpacesButNotBeforePercent) {
  using Texts = std::vector<std::string>;
  const std::string word(97, 'x'), longer(150, 'x');
  EXPECT_EQ((Texts{word, "  5 % y"}), wrapped(word + " 5 % y", 2));
  EXPECT_EQ((Texts{word + " 5", "  y z"}), wrapped(word + " 5 y z", 2));
  EXPECT_EQ((Texts{longer}), wrapped(longer, 2));
  EXPECT_EQ((Texts{longer, "  y"}), wrapped(longer + " y", 2));
}

TEST(Text, IsNoWiderThanATerminal) {
  Profile profile = paper();
  std::string sentence;
  for (int i = 0; i < 40; ++i)
    sentence += "word ";
  for (SiteRow& site : profile.sites)
    site.info.name = "/a/long/path" + std::string(100, 'x') + ".cpp:1";
  for (WhatIfTarget& target : profile.explored)
    target.name = sentence;
  profile.warnings.assign(5, {"x", sentence});
  profile.read.incomplete_reasons = {sentence};
  profile.run.work_reason = profile.advice = sentence;
  profile.run.program = sentence;
  profile.bounds.assign(4, profile.bounds[0]);
  profile.elapsed.path.delays[0] = {.busy = 1, .scheduler = 1000};
  const auto check = [&](const char* what) {
    std::istringstream text(write_text(profile, {}));
    std::size_t lines = 0;
    for (std::string line; std::getline(text, line); ++lines)
      EXPECT_LE(line.size(), 100u) << line;
    EXPECT_LE(lines, 25u) << what;
  };
  check("with regions");
  profile.what_if.clear();
  check("without regions");
  TargetSearch& search = profile.search.emplace();
  search.target = search.factor = 1048576;
  search.minimal = true;
  search.steps.assign(32, {PieceKind::Site, sentence, {7, 3}, {175, 100}});
  for (const bool reached : {true, false}) {
    search.reached = reached;
    check("with a search");
    EXPECT_NE(std::string::npos, write_text(profile, {}).find("  1.75  with "));
  }
}

TEST(Sites, LibraryFramesAreSkipped) {
  EXPECT_TRUE(is_library_frame("tbb::detail::d1::start_for<int>::run()", "x.h"));
  EXPECT_TRUE(is_library_frame("void tbb::detail::d1::parallel_for<int>(int)", "x.h"));
  EXPECT_TRUE(is_library_frame("f", "/usr/include/c++/12/bits/x.h"));
  EXPECT_FALSE(is_library_frame("void user::f(tbb::blocked_range<int> const&)", "user.cpp"));
  EXPECT_TRUE(is_library_frame(
      "auto __pstl::__tbb_backend::__parallel_for<int>(int)::{lambda()#1}::operator()() const",
      ""));
  EXPECT_FALSE(is_library_frame("std::vector<int> user::f<int>(int)", "user.cpp"));
  // What the demangler refuses, and what it does not know.
  EXPECT_TRUE(
      is_library_frame("_ZZN3tbb6detail2d125collaborative_once_runner16isolated_executeIZN1", ""));
  EXPECT_TRUE(is_library_frame("_ZZNK6__pstl10__internal1fEvENKUlvE_clEv.constprop.0", ""));
  EXPECT_TRUE(is_library_frame("_ZSt8for_eachIiEvT_.isra.0", ""));
  EXPECT_FALSE(is_library_frame("_ZN4shop5tradeEi.constprop.0", ""));
  EXPECT_FALSE(is_library_frame("_ZN1S3runEv.part.0", ""));
}

TEST(Sites, NamesLoseWhatDoesNotFit) {
  const std::map<std::string, std::string> plain_of = {
      {"void user::f<int, std::vector<int> >(std::vector<int>&, char)", "user::f"},
      {"(anonymous namespace)::g(int)", "(anonymous namespace)::g"},
      {"int a::(anonymous namespace)::S<int>::h() const", "a::(anonymous namespace)::S::h"},
      {"void a::S<b::T<3u>, 4>::operator()<b::T<3u> >(b::T<3u> const&)", "a::S::operator()"},
      {"bool a::operator<(int)", "a::operator<"},
      {"decltype ({parm#1}()) a::f<int (*)()>(int (*)())", "a::f"},
      {"decltype (g<int>(0))::type a::f<1>(int)", "a::f"},
      {"decltype (g", "decltype (g"},
      {"decltype (g)", "decltype (g)"},
      {"a::S& a::operator<< <int>(a::S&, int)", "a::operator<<"},
      {"a::S<int>::operator bool() const", "a::S::operator bool"},
      {"std::string a::f[abi:cxx11](int)", "a::f"},
      {"work::operators(int)", "work::operators"},
      {"f(int)::{lambda(int)#1}::operator()(int) const", "f"},
      {"main", "main"}};
  for (const auto& [function, plain] : plain_of)
    EXPECT_EQ(plain, plain_name(function));
  EXPECT_EQ("S::h+0x10", short_name("a::b::(anonymous namespace)::S::h+0x10"));
  EXPECT_EQ("S::h", short_name("S::(anonymous namespace)::h"));
  EXPECT_EQ("main", short_name("main"));
}

TEST(Sites, TypesOfTasksTellBodyAndConstruct) {
  const auto is = [](const std::string& type, const std::string& body,
                     const std::string& construct) {
    const TaskType found = look_at_task_type("tbb::detail::" + type);
    EXPECT_EQ(body, found.body) << type;
    EXPECT_EQ(construct, found.construct) << type;
  };
  const std::string part = "tbb::detail::d1::auto_partitioner const", range = "user::Range<int, 3>";
  is("d1::start_for<" + range +
         ", user::work(int, char)::{lambda(user::Range<int, 3> const&)#1}, " + part + ">",
     "user::work(int, char)", "parallel_for");
  is("d1::start_for<" + range + ", user::Body<int (char, long)>, " + part + ">",
     "user::Body<int (char, long)>", "parallel_for");
  is("d1::start_for<" + range +
         ", tbb::detail::d1::parallel_for_body_wrapper<main::{lambda(int)#1}, int>, " + part + ">",
     "main", "parallel_for");
  is("d1::start_for<" + range +
         ", tbb::detail::d2::parallel_for_body_wrapper<int*, user::Body, int>, " + part + ">",
     "user::Body", "parallel_for_each");
  is("d1::start_for<tbb::detail::d1::quick_sort_range<int*, std::less<int> >, x, y>", "",
     "parallel_sort");
  is("d1::start_reduce<" + range + ", tbb::detail::d1::lambda_reduce_body<" + range +
         ", int, f()::{lambda()#1}, std::plus<int> >, " + part + ">",
     "f()", "parallel_reduce");
  is("d1::function_task<g()::{lambda()#1}::operator()() const::{lambda()#2}>", "g()", "");
  is("d1::function_task<std::function<void ()> >", "", "");
  is("r1::stage_task", "", "parallel_pipeline");
  is("d1::start_for<", "", "parallel_for"); // cut off
  is("r1::delegated_task", "", "");
}

TEST(Sites, LongestPathPrefixWins) {
  EXPECT_EQ("/y/c.cpp", map_path("/a/b/c.cpp", {{"/a", "/x"}, {"/a/b", "/y"}}));
  EXPECT_EQ("c.cpp", map_path("c.cpp", {{"/a", "/x"}}));
}

} // namespace
} // namespace tp::analysis
