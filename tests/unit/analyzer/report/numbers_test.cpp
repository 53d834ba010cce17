// SPDX-License-Identifier: Apache-2.0
// How numbers are written and quoted, and where lines break.
#include "report/lines.h"
#include "report/numbers.h"
#include "report/writers.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ("1 CPU", human_cpus(1));
  EXPECT_EQ("8 CPUs", human_cpus(8));
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

TEST(Percent, IsWhole) {
  EXPECT_EQ("0", percent(0, 7));
  EXPECT_EQ("<1", percent(1, 1000));
  EXPECT_EQ("1", percent(5, 1000));
  EXPECT_EQ("67", percent(2, 3));
  EXPECT_EQ("100", percent(~std::uint64_t{0}, ~std::uint64_t{0}));
}

TEST(Text, NamesKeepThePlaceOfTheCallAndTheNumberOfAFilter) {
  const std::pair<const char*, const char*> names[] = {
      {"main.cpp:31 <- wrappers.h:20", "main.cpp:31 <- wrappers.h:20"},
      {"thumbnails.cpp:142 <- library/deep/wrapper.h:8", "thumbnails.cpp:142 <- ...wrapper.h:8"},
      {"thumbnails.cpp:1420 <- application/pool.h:17", "thumbnails.cpp:1420 <- .../pool.h:17"},
      {"a/very/long/path/to/the/image/thumbnails.cpp:1 <- pool.h:8",
       ".../to/the/image/thumbnails.cpp:1"},
      {"filter 2 of wrapped.cpp:38 <- wrapped.cpp:16", "filter 2 of wrapped.cpp:38"},
      {"filter 2 of video.cpp:49 <- stages.h:9", "filter 2 of video.cpp:49"},
      {"filter 2 of a.cpp:38 <- wrappers/pipeline.h:16", "filter 2 of a.cpp:38 <- ...line.h:16"},
      {"filter 12 of a/very/long/path/to/pipe.cpp:38", "filter 12 of .../path/to/pipe.cpp:38"},
  };
  for (const auto& [name, expected] : names) {
    EXPECT_EQ(expected, shortened(name));
    EXPECT_LE(shortened(name).size(), kMaxNameWidth);
  }
}

TEST(Text, LinesBreakAtSpacesButNotBeforePercent) {
  using Texts = std::vector<std::string>;
  const std::string word(97, 'x'), longer(150, 'x');
  EXPECT_EQ((Texts{word, "  5 % y"}), wrapped(word + " 5 % y", 2));
  // A unit stays with its number, at the end of a sentence as well.
  EXPECT_EQ((Texts{word, "  5 ms. y"}), wrapped(word + " 5 ms. y", 2));
  EXPECT_EQ((Texts{word + " a", "  ms. y"}), wrapped(word + " a ms. y", 2));
  EXPECT_EQ((Texts{word + " 5", "  y z"}), wrapped(word + " 5 y z", 2));
  EXPECT_EQ((Texts{longer}), wrapped(longer, 2));
  EXPECT_EQ((Texts{longer, "  y"}), wrapped(longer + " y", 2));
}

TEST(Numbers, OfSentencesHaveThreeDigits) {
  EXPECT_EQ("1.21", three_digits(Ratio{175, 145}));
  EXPECT_EQ("9.99", three_digits(Ratio{999, 100}));
  EXPECT_EQ("10.0", three_digits(Ratio{9999, 1000}));
  EXPECT_EQ("15.8", three_digits(Ratio{1575, 100}));
  EXPECT_EQ("1566", three_digits(Ratio{15658, 10}));
  EXPECT_EQ("123", three_digits(Ratio{12346, 100}));
  EXPECT_EQ("6.4", short_percent(64, 1000));
  EXPECT_EQ("75", short_percent(749, 1000));
  EXPECT_EQ("<0.1", short_percent(1, 10000));
  EXPECT_EQ("0", short_percent(0, 10));
}

} // namespace
} // namespace tp::analysis
