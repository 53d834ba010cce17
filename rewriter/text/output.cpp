// SPDX-License-Identifier: Apache-2.0
// The diff is Myers' greedy algorithm (An O(ND) difference algorithm, 1986): the number of changed
// lines D is small.
#include "text/output.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tp::rewrite {
namespace {

constexpr size_t kContext = 3;

struct DiffLine {
  char kind; // ' ', '-', '+'
  std::string_view text;
};

using Lines = std::vector<std::string_view>;

Lines lines_of(const std::string& text) {
  Lines lines;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size() - 1);
    lines.push_back(std::string_view(text).substr(start, end + 1 - start));
    start = end + 1;
  }
  return lines;
}

// Furthest x reached on each diagonal, one vector per number of edits.
using Frontier = std::vector<long>;

std::vector<Frontier> shortest_edit(const Lines& before, const Lines& after) {
  const long n = static_cast<long>(before.size()), m = static_cast<long>(after.size());
  const long middle = n + m + 1;
  Frontier furthest(static_cast<size_t>(2 * middle + 1), 0);
  std::vector<Frontier> trace;
  for (long d = 0; d <= n + m; ++d) {
    trace.push_back(furthest);
    for (long k = -d; k <= d; k += 2) {
      const bool down = k == -d || (k != d && furthest[middle + k - 1] < furthest[middle + k + 1]);
      long x = down ? furthest[middle + k + 1] : furthest[middle + k - 1] + 1;
      while (x < n && x - k < m && before[x] == after[x - k])
        ++x;
      furthest[middle + k] = x;
      if (x >= n && x - k >= m)
        return trace;
    }
  }
  return trace;
}

std::vector<DiffLine> compare(const Lines& before, const Lines& after) {
  const std::vector<Frontier> trace = shortest_edit(before, after);
  long x = static_cast<long>(before.size()), y = static_cast<long>(after.size());
  const long middle = x + y + 1;
  std::vector<DiffLine> reversed;
  for (long d = static_cast<long>(trace.size()) - 1; d >= 0; --d) {
    const Frontier& furthest = trace[d];
    const long k = x - y;
    const bool down = k == -d || (k != d && furthest[middle + k - 1] < furthest[middle + k + 1]);
    const long from_x = d == 0 ? 0 : furthest[middle + (down ? k + 1 : k - 1)];
    const long from_y = d == 0 ? 0 : from_x - (down ? k + 1 : k - 1);
    while (x > from_x && y > from_y)
      --x, --y, reversed.push_back({' ', before[x]});
    if (d > 0)
      reversed.push_back(down ? DiffLine{'+', after[from_y]} : DiffLine{'-', before[from_x]});
    x = from_x, y = from_y;
  }
  return {reversed.rbegin(), reversed.rend()};
}

std::string range_text(size_t start, size_t count) {
  return std::to_string(count == 0 ? start : start + 1) +
         (count == 1 ? "" : ',' + std::to_string(count));
}

} // namespace

std::string unified_diff(const std::string& name, const std::string& before,
                         const std::string& after) {
  if (before == after)
    return "";
  const std::vector<DiffLine> lines = compare(lines_of(before), lines_of(after));
  std::string result = "--- a/" + name + "\n+++ b/" + name + "\n";
  size_t old_line = 0, new_line = 0;
  for (size_t i = 0; i < lines.size();) {
    size_t change = i;
    while (change < lines.size() && lines[change].kind == ' ')
      ++change;
    if (change == lines.size())
      break;
    const size_t begin = std::max(i, change - std::min(change, kContext));
    old_line += begin - i, new_line += begin - i;
    size_t end = change, equal = 0;
    for (size_t j = change; j < lines.size() && equal <= 2 * kContext; ++j) {
      equal = lines[j].kind == ' ' ? equal + 1 : 0;
      end = j + 1;
    }
    end -= equal > kContext ? equal - kContext : 0;
    std::string body;
    size_t old_count = 0, new_count = 0;
    for (size_t j = begin; j < end; ++j) {
      old_count += lines[j].kind != '+';
      new_count += lines[j].kind != '-';
      body += lines[j].kind + std::string(lines[j].text);
      if (!lines[j].text.ends_with('\n'))
        body += "\n\\ No newline at end of file\n";
    }
    result += "@@ -" + range_text(old_line, old_count) + " +" + range_text(new_line, new_count) +
              " @@\n" + body;
    old_line += old_count, new_line += new_count;
    i = end;
  }
  return result;
}

} // namespace tp::rewrite
