// SPDX-License-Identifier: Apache-2.0
// The diff is compared with what `patch` would make of it, by an applier that only knows the format.
#include "text/output.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <string_view>
#include <vector>

namespace tp::rewrite {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

// `before` with the hunks of `diff` applied. Context and removed lines must be there.
std::string applied(const std::string& before, const std::string& diff) {
  const std::vector<std::string> old_lines = lines_of(before);
  std::vector<std::string> hunks = lines_of(diff);
  std::string result;
  size_t at = 0;
  for (size_t i = 2; i < hunks.size(); ++i) { // after the two names
    std::string line = hunks[i];
    if (line.starts_with("@@")) {
      size_t start = 0, count = 1;
      std::sscanf(line.c_str(), "@@ -%zu,%zu", &start, &count);
      for (start -= count > 0; at < start; ++at)
        result += old_lines.at(at);
      continue;
    }
    if (i + 1 < hunks.size() && hunks[i + 1].starts_with("\\")) {
      line.pop_back(); // the newline that the file does not have
      hunks.erase(hunks.begin() + static_cast<long>(i) + 1);
    }
    if (line[0] != '+') {
      EXPECT_EQ(old_lines.at(at++), line.substr(1));
    }
    if (line[0] != '-')
      result += line.substr(1);
  }
  for (; at < old_lines.size(); ++at)
    result += old_lines[at];
  return result;
}

TEST(UnifiedDiff, OfEqualTextsIsEmpty) {
  EXPECT_EQ(unified_diff("f", "", ""), "");
  EXPECT_EQ(unified_diff("f", "a\nb", "a\nb"), "");
}

TEST(UnifiedDiff, HasThreeLinesOfContext) {
  EXPECT_EQ(unified_diff("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\nnew\n6\n7\n8\n9\n"),
            "--- a/f\n+++ b/f\n@@ -3,6 +3,7 @@\n 3\n 4\n 5\n+new\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, MarksAMissingNewline) {
  EXPECT_EQ(unified_diff("f", "a", "x\na"),
            "--- a/f\n+++ b/f\n@@ -1 +1,2 @@\n+x\n a\n\\ No newline at end of file\n");
}

TEST(UnifiedDiff, AppliedToTheTextBeforeGivesTheTextAfter) {
  std::mt19937 random(1);
  for (int turn = 0; turn < 2000; ++turn) {
    std::string before, after;
    for (unsigned i = 0, lines = random() % 40; i < lines; ++i) {
      const std::string line = std::string(1, static_cast<char>('a' + random() % 4)) + "\n";
      before += line;
      after += line;
      while (random() % 8 == 0)
        after += std::string("new ") + static_cast<char>('a' + random() % 4) + "\n";
    }
    if (random() % 2 == 0) {
      before += "end";
      after += "end";
    }
    const std::string diff = unified_diff("f", before, after);
    ASSERT_EQ(diff.empty(), before == after);
    ASSERT_EQ(applied(before, diff), after) << "turn " << turn << "\n" << diff;
  }
}

} // namespace
} // namespace tp::rewrite
