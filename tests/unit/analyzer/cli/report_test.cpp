// SPDX-License-Identifier: Apache-2.0
// What the reports of a profile contain.
#include "cli/analyze_options.h"
#include "report/lines.h"
#include "report/numbers.h"
#include "report/writers.h"
#include "sites/site_table.h"
#include "trace_script.h"

#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

#include <sstream>

namespace tp::analysis {
namespace {

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

// The warnings for the paper's example (175 units of work) with a clock of time and `cpu_ns` of CPU
// time.
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
            "or interrupts took the CPU while steps were timed; times are too high by that much",
            attribution_warnings(166)[0]);
}

// The paper's example with a clock that adds `step_cost` units to each of its seven steps.
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
  // Line 13 has one step of 40 units: 4 units are exactly a tenth of it.
  EXPECT_FALSE(is_marked(paper_with_cost(4), 13));
  const Profile profile = paper_with_cost(5);
  EXPECT_TRUE(is_marked(profile, 13));
  // The row of main shows the whole program: nine steps, 175 units.
  EXPECT_FALSE(is_marked(paper_with_cost(1), 0));
  EXPECT_TRUE(is_marked(paper_with_cost(2), 0));
  const std::string text = write_text(profile, {.verbose = true}),
                    markdown = write_markdown(profile, {});
  for (const std::string& report : {text, markdown}) {
    EXPECT_NE(std::string::npos, report.find("7 ns added to each step"));
    EXPECT_NE(std::string::npos, report.find(kTooShort));
  }
  EXPECT_NE(std::string::npos, text.find("13 ~"));
  EXPECT_NE(std::string::npos, markdown.find(" ~ | 13 |"));
  EXPECT_EQ(std::string::npos, write_text(paper(), {}).find(kTooShort));
}

TEST(Clock, EachReportSaysWhyThereIsNoBetterOne) {
  Profile profile = paper();
  profile.run.work_reason = "no counters | here";
  EXPECT_NE(std::string::npos,
            write_text(profile, {.verbose = true}).find("no better clock: no counters | here"));
  EXPECT_NE(std::string::npos,
            write_markdown(profile, {}).find("No better clock: no counters \\| here"));
  EXPECT_EQ("no counters | here", nlohmann::json::parse(write_json(profile))["clock"]["reason"]);
}

// The number of table rows that name this site.
std::ptrdiff_t rows_of(const std::string& text, const std::string& name) {
  std::ptrdiff_t rows = 0;
  for (std::size_t at = text.find("%  " + name); at != std::string::npos;
       at = text.find("%  " + name, at + 1))
    ++rows;
  return rows;
}

TEST(Text, ShowsSitesWhateverElseThereIsToSay) {
  Profile profile = paper_with_cost(5);
  for (int i = 0; i < 100; ++i)
    profile.sites.push_back(profile.sites[1]);
  profile.warnings.assign(3, {"x", std::string(150, 'y') + " " + std::string(20, 'z')});
  profile.elapsed.path.delays[0] = {.busy = 1, .scheduler = 50};
  profile.what_if.clear();
  profile.advice = std::string(90, 'a') + " " + std::string(90, 'b');
  const std::string text = write_text(profile, {});
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 25);
  EXPECT_GE(rows_of(text, "paper.cpp:"), 3) << text;
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
  EXPECT_NE(std::string::npos, write_text(profile, {.color = true}).find('\033'));
}

// The text with every line break and its indent as one space.
std::string unwrapped(const std::string& text) {
  std::string result;
  for (const char c : text)
    if (c != '\n' && c != ' ')
      result += c;
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
  return result;
}

TEST(Text, ShowsTheFirstWarningWhateverElseThereIsToSay) {
  Profile profile = paper_with_cost(5);
  for (int i = 0; i < 100; ++i)
    profile.sites.push_back(profile.sites[1]);
  profile.read.incomplete_reasons = {"a", "b"};
  profile.run.work_reason = "r";
  profile.advice = std::string(90, 'a') + " " + std::string(90, 'b');
  profile.what_if.clear();
  const std::string first = "parallelism of this run depends on its thread count";
  for (const std::string& names : {std::string(), " (" + std::string(200, 'n') + ")"})
    for (const std::size_t others : {0, 1, 5}) {
      profile.warnings.assign(1, {"divisible", first + names});
      profile.warnings.resize(1 + others, {"x", "y"});
      const std::string text = write_text(profile, {});
      EXPECT_NE(std::string::npos, unwrapped(text).find("! " + first + names)) << text;
      // A name that does not fit its line is not cut.
      EXPECT_LE(std::count(text.begin(), text.end(), '\n'), names.empty() ? 25 : 26);
    }
}

TEST(Text, CutsNoSentence) {
  Profile profile = paper();
  for (int i = 0; i < 100; ++i)
    profile.sites.push_back(profile.sites[1]);
  const auto sentence = [](const std::string& word) {
    std::string text = word + "begins";
    for (int i = 0; i < 12; ++i)
      text += " " + word + std::to_string(i);
    return text + " " + word + "ends";
  };
  profile.warnings = {{"x", sentence("warning")}, {"x", "y"}, {"x", "z"}};
  profile.read.complete = false;
  profile.read.incomplete_reasons = {sentence("reason")};
  profile.run.work_reason = sentence("clock");
  profile.advice = sentence("advice");
  profile.run.program = sentence("program");
  for (WhatIfCandidate& target : profile.explored)
    target.name = sentence("candidate");
  const auto check = [&](const char* word) {
    const std::string text = unwrapped(write_text(profile, {}));
    EXPECT_NE(std::string::npos, text.find(sentence(word))) << text;
  };
  for (const char* word : {"warning", "reason", "advice", "program"})
    check(word);
  EXPECT_NE(std::string::npos,
            unwrapped(write_text(profile, {.verbose = true})).find(sentence("clock")));
  // The other sentences leave no room for these.
  profile.what_if.clear();
  profile.warnings.clear();
  profile.read.incomplete_reasons.clear();
  profile.advice.clear();
  profile.sites.resize(4);
  check("candidate");
  TargetSearch& search = profile.search.emplace();
  search.target = search.factor = 16;
  search.reached = true;
  search.steps.assign(1, {ChoiceKind::Site, sentence("step"), {7, 3}, {175, 100}});
  check("step");
}

// The elapsed time is most of what a user asks about: rows that nothing fills make room for it.
TEST(Text, ShowsLargeDelays) {
  Profile profile = paper_with_cost(5);
  profile.sites.resize(2);
  profile.warnings.clear();
  profile.run.work_reason = "r";
  profile.bounds.assign(4, profile.bounds[0]);
  profile.advice = std::string(90, 'a');
  profile.what_if.clear();
  profile.elapsed.path = {};
  profile.elapsed.path.running = 7;
  profile.elapsed.path.delays[0] = {.busy = 0, .scheduler = 93};
  const std::string text = write_text(profile, {});
  EXPECT_NE(std::string::npos, text.find("93 % of the elapsed time")) << text;
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 25);
  // However many sites there are, if the delays are most of the run.
  while (profile.sites.size() < 50)
    profile.sites.push_back(profile.sites[1]);
  EXPECT_NE(std::string::npos, write_text(profile, {}).find("93 % of the elapsed time"));
}

std::string line_with(const std::string& text, const std::string& begin) {
  const std::size_t at = text.find("\n" + begin);
  return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
}

// Regions first, then what gains most; TaskProf's example has 145 units of span, of which 70 and 50
// are marked.
TEST(Text, WhatIfIsATableOfLimits) {
  Profile profile = paper();
  const std::string text = write_text(profile, {});
  EXPECT_EQ("What if N-fold parallel: limit       2x       8x     free",
            line_with(text, "What if"));
  EXPECT_EQ("initialize                         1.67     2.33     2.68  most to gain",
            line_with(text, "initialize"));
  EXPECT_EQ("compute                            1.40     1.59     1.67",
            line_with(text, "compute"));
  EXPECT_EQ("all 2 marked regions               2.06     4.38     6.92  together",
            line_with(text, "all 2"));
  EXPECT_LT(text.find("all 2 marked"), text.find("\nthe tasks of paper.cpp:25 "));
  // The order of the JSON, which is that of the page.
  const auto changes = nlohmann::json::parse(write_json(profile))["what_if"]["changes"];
  ASSERT_LE(4u, changes.size());
  EXPECT_EQ("initialize", changes[0]["name"]);
  EXPECT_EQ("compute", changes[1]["name"]);
  EXPECT_EQ("all 2 marked regions", changes[2]["name"]);
  EXPECT_EQ("the tasks of paper.cpp:25", changes[3]["name"]);
  EXPECT_EQ(2.68, changes[0]["parallelism_at_most"]);
  // The best that is hidden is not called less.
  for (WhatIfPoint& point : profile.explored[2].points)
    point.parallelism = {1000, 1};
  EXPECT_EQ("initialize                         1.67     2.33     2.68",
            line_with(write_text(profile, {}), "initialize"));
  // Columns do not run into each other.
  profile.what_if[1].points.back().parallelism = {1024000000, 1};
  EXPECT_EQ("compute                               1.40        1.59  1024000000  most to gain",
            line_with(write_text(profile, {}), "compute"));
}

// What the advice begins with is not said twice; everything else of the verdict is.
TEST(Text, VerdictsDetailIsSaidOnce) {
  Profile profile = paper();
  profile.verdict.detail = "The detail.";
  profile.findings.resize(2);
  profile.verdict.finding = 1;
  profile.advised_finding = 1;
  EXPECT_EQ(std::string::npos, write_text(profile, {}).find("The detail."));
  profile.advised_finding = 0;
  EXPECT_NE(std::string::npos, write_text(profile, {}).find("The detail."));
  profile.verdict.finding = profile.advised_finding = std::nullopt;
  EXPECT_NE(std::string::npos, write_text(profile, {}).find("The detail."));
}

TEST(Text, IsNoWiderThanATerminal) {
  Profile profile = paper();
  std::string sentence;
  for (int i = 0; i < 40; ++i)
    sentence += "word ";
  for (SiteRow& site : profile.sites)
    site.info.name = "/a/long/path" + std::string(100, 'x') + ".cpp:1";
  for (WhatIfCandidate& target : profile.explored)
    target.name = sentence;
  profile.warnings.assign(5, {"x", sentence});
  profile.read.incomplete_reasons = {sentence};
  profile.run.work_reason = profile.advice = sentence;
  profile.run.program = sentence;
  profile.bounds.assign(4, profile.bounds[0]);
  profile.elapsed.path.delays[0] = {.busy = 1, .scheduler = 1000};
  const auto check =
      [&](const char* what) {
        std::istringstream text(write_text(profile, {}));
        std::size_t lines = 0;
        for (std::string line; std::getline(text, line); ++lines)
          EXPECT_LE(line.size(), 100u) << line;
        EXPECT_LE(lines, 25u + 13)
            << what; // every sentence takes three lines, and two steps of a search are shown
      };
  check("with regions");
  profile.what_if.clear();
  check("without regions");
  TargetSearch& search = profile.search.emplace();
  search.target = search.factor = 1048576;
  search.minimal = true;
  search.steps.assign(32, {ChoiceKind::Site, sentence, {7, 3}, {175, 100}});
  for (const bool reached : {true, false}) {
    search.reached = reached;
    check("with a search");
    EXPECT_NE(std::string::npos, write_text(profile, {}).find("  1.75  with "));
  }
}

} // namespace
} // namespace tp::analysis
