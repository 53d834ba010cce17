// SPDX-License-Identifier: Apache-2.0
// The report of the terminal: at most 25 lines, whatever there is to say, and with all changes that
// --target asks for.
#include "profile/make_profile.h"
#include "report/writers.h"
#include "trace_script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace tp::analysis {
namespace {

// Main, and a task of each of eight sites, all of which acquire one lock.
Profile profile_of_a_lock() {
  std::string script = "run locks=all c_locks_seen=1 cpus=4\n";
  for (int site = 1; site <= 8; ++site)
    script += "site " + std::to_string(site) + " src/part_of_a_program.cpp " +
              std::to_string(100 * site) + "\n";
  script += "lock-place 0 spin_mutex src/part_of_a_program.cpp 170\n"
            "stream 0\nthread role=main\nlock slot=3 address=64 kind=spin_mutex\n"
            "spawn work=500 site=1 ctx=new-exclusive\n";
  for (int site = 2; site <= 8; ++site)
    script += "spawn site=" + std::to_string(site) + " ctx=last\n";
  script += "wait ctx=last\n";
  for (int i = 0; i < 8; ++i)
    script += "section slot=3 place=0 lead=10 work=" + std::to_string(60 + i) + "\ntask task=0." +
              std::to_string(i) + " work=100\n";
  return make_profile(
      test::parse_trace_script(script + "wait-end\nend work=5\nthread-end\n").source(), {});
}

std::string sentences(std::size_t length) {
  std::string text = "The tasks of the loop";
  while (text.size() < length)
    text += " and some more words";
  return text + ".";
}

// More than most runs have at once.
void say_much(Profile& profile, std::size_t notes, std::size_t run_check, std::size_t advice) {
  for (std::size_t i = 0; i < notes; ++i)
    profile.warnings.push_back({"note" + std::to_string(i), sentences(250), false});
  profile.run_check.text = run_check == 0 ? "" : sentences(run_check);
  profile.advice = advice == 0 ? "" : sentences(advice);
  profile.elapsed.path.delays[0].scheduler = 1'000'000; // most of the elapsed time
}

TargetSearch search_of(std::size_t steps) {
  TargetSearch search{.target = 64, .factor = 64, .reached = true};
  for (std::size_t i = 0; i < steps; ++i) {
    TargetSearch::Step step;
    step.name = "part " + std::to_string(i) + " of the program";
    step.alone = step.after = {100 * (i + 2), 100};
    search.steps.push_back(step);
  }
  return search;
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

TEST(Text, HasAtMostTwentyFiveLines) {
  for (const std::size_t notes : {0, 1, 4})
    for (const std::size_t run_check : {0, 280})
      for (const std::size_t advice : {0, 90, 380})
        for (const std::size_t steps : {0, 1, 3, 7}) {
          Profile profile = profile_of_a_lock();
          say_much(profile, notes, run_check, advice);
          if (steps > 0)
            profile.search = search_of(steps);
          const std::string text = write_text(profile, {});
          EXPECT_GE(25u, lines_of(text)) << text;
          for (std::size_t i = 0; i < steps; ++i)
            EXPECT_NE(std::string::npos, text.find("part " + std::to_string(i) + " of the program"))
                << text;
          EXPECT_NE(std::string::npos, text.find(profile.verdict.headline.substr(0, 40))) << text;
          EXPECT_TRUE(notes == 0 || text.find("note") != std::string::npos ||
                      text.find("! ") != std::string::npos)
              << text;
          EXPECT_NE(std::string::npos, text.find("next: ")) << text;
        }
}

// What does not fit is said to be left out, and is there with --verbose.
TEST(Text, SaysHowManyChangesDoNotFit) {
  Profile profile = profile_of_a_lock();
  profile.search = search_of(30);
  const std::string text = write_text(profile, {});
  EXPECT_GE(25u, lines_of(text)) << text;
  EXPECT_NE(std::string::npos, text.find(" more (--verbose)")) << text;
  TextOptions verbose;
  verbose.verbose = true;
  EXPECT_NE(std::string::npos, write_text(profile, verbose).find("part 29 of the program"));
}

// A short report gives nothing up.
TEST(Text, KeepsAllThatFits) {
  Profile profile = profile_of_a_lock();
  profile.warnings = {{"note", "One note.", false}};
  const std::string text = write_text(profile, {});
  EXPECT_NE(std::string::npos, text.find("Lock       spin_mutex")) << text;
  EXPECT_NE(std::string::npos, text.find("! One note.")) << text;
}

} // namespace
} // namespace tp::analysis
