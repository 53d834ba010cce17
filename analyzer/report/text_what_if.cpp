// SPDX-License-Identifier: Apache-2.0
// The what-if answer on a terminal: the limit after each change that helps, or the changes that
// reach a target.
#include "report/changes.h"
#include "report/lines.h"
#include "report/numbers.h"
#include "report/phrases.h"

#include <algorithm>
#include <string_view>

namespace tp::analysis {
namespace {

constexpr std::size_t kArrowWidth = 15; // of "  -> PARALLELISM  "

// In what needs most time under a limit, if that is longer than the critical path.
bool sleeps_under_limit(const Profile& profile) {
  return profile.binding_limit() && profile.binding_limit()->latency > 0;
}

// The last line states the result of all steps, even if there is no room for each of them.
void add_search(Lines& lines, const Profile& profile, std::size_t room) {
  const TargetSearch& search = *profile.search;
  const std::size_t count = search.steps.size();
  // The search is about work.
  const bool sleep_is_left_out = profile.sleeps_on_path() ||
                                 std::ranges::any_of(profile.locks.rows,
                                                     [&](const LockRow& lock) {
                                                       return profile.counts_sleep_of(lock) &&
                                                              lock.with_latency >= profile.span;
                                                     }) ||
                                 sleeps_under_limit(profile);
  lines.add_text(fmt::format("What if         {}{}:", sleep_is_left_out ? "without sleep, " : "",
                             search_heading(search)));
  const auto line_of = [&](const TargetSearch::Step& step) {
    return fmt::format("  -> {:>8}  {}", three_digits(step.after), step_in_words(search, step));
  };
  // Of the lines left, one is for the result, unless all steps fit.
  const std::size_t left = room > lines.count() ? room - lines.count() : 1;
  std::size_t shown = 0, used = 0;
  for (; shown < count; ++shown) {
    used += wrapped(line_of(search.steps[shown]), kArrowWidth).size();
    if (used + (shown + 1 < count ? 1 : 0) > left)
      break;
  }
  for (std::size_t i = 0; i < shown; ++i)
    lines.add_text(line_of(search.steps[i]), kArrowWidth);
  if (shown < count)
    lines.add("  -> {:>8}  {} (--verbose)", three_digits(search.steps.back().after),
              shown == 0 ? "with all of them" : fmt::format("with {} more", count - shown));
}

// The factors of the table: the smallest, one near 8, and the largest.
std::vector<std::uint64_t> columns_of(const std::vector<WhatIfPoint>& points) {
  std::uint64_t least = points.front().factor, most = least;
  for (const WhatIfPoint& point : points) {
    least = std::min(least, point.factor);
    most = std::max(most, point.factor);
  }
  std::vector<std::uint64_t> factors{least, headline_point(points)->factor, most};
  factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
  return factors;
}

// What is this much faster is as good as free.
std::string heading_of(std::uint64_t factor) {
  constexpr std::uint64_t kFree = 100;
  return factor >= kFree ? "free" : fmt::format("{}x", factor);
}

// One figure per factor; of what is made or not, the only one, in the last column.
std::vector<std::string> figures_of(const Change& change,
                                    const std::vector<std::uint64_t>& factors) {
  const bool is_switch = change.points->size() == 1;
  std::vector<std::string> figures;
  for (const std::uint64_t factor : factors) {
    const auto point = std::ranges::find(*change.points, factor, &WhatIfPoint::factor);
    figures.push_back(is_switch && factor == factors.back() ? three_digits(change.most)
                      : point == change.points->end()       ? ""
                                                            : three_digits(point->parallelism));
  }
  return figures;
}

constexpr std::size_t kLeastFigureWidth = 9;
std::size_t figure_width(const std::vector<Change>& changes,
                         const std::vector<std::uint64_t>& factors) {
  std::size_t width = kLeastFigureWidth;
  for (const Change& change : changes)
    for (const std::string& figure : figures_of(change, factors))
      width = std::max(width, figure.size() + 2);
  return width;
}

std::string in_columns(const std::vector<std::string>& figures, std::size_t width) {
  std::string text;
  for (const std::string& figure : figures)
    text += fmt::format("{:>{}}", figure, width);
  return text;
}

// The name in lines of `width` columns; figures follow the last one.
std::vector<std::string> name_lines(const std::string& name, std::size_t width) {
  std::vector<std::string> lines{""};
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = std::min(name.find(' ', at), name.size());
    const std::string word = name.substr(at, end - at);
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width)
      lines.emplace_back("  ");
    else if (!lines.back().empty())
      lines.back() += ' ';
    lines.back() += word;
    at = end + 1;
  }
  return lines;
}

// Rows for as many changes as have room; grain sizes have lines of their own.
void add_table(Lines& lines, const Profile& profile, std::size_t room) {
  std::vector<Change> changes = changes_of(profile);
  std::erase_if(changes, [&](const Change& change) {
    return change.kind == ChangeKind::Grain || !helps(change, profile);
  });
  if (changes.empty()) {
    lines.add("What if         {}",
              profile.not_explored.empty()
                  ? fmt::format("no single change would raise the limit{} by 5 %",
                                profile.sleeps_on_path() ? " without sleep" : "")
                  : "not evaluated: " + profile.not_explored);
    return;
  }
  const auto with_factors =
      std::ranges::find_if(changes, [](const Change& change) { return change.points->size() > 1; });
  const std::vector<std::uint64_t> factors =
      columns_of(*(with_factors == changes.end() ? changes.front() : *with_factors).points);
  const Change* best = nullptr; // of single ones
  for (const Change& change : changes)
    if (change.kind != ChangeKind::AllRegions &&
        (!best || change.most.value() > best->most.value()))
      best = &change;
  constexpr std::size_t kNoteWidth = 15;
  const std::size_t column = figure_width(changes, factors);
  const std::size_t most_width = kMaxWidth - kNoteWidth - column * factors.size();
  std::vector<std::vector<std::string>> rows;
  const std::string title =
      fmt::format("What if {}: limit{}",
                  with_factors == changes.end()        ? "changed"
                  : profile.what_if_mode == "optimize" ? "N times faster"
                                                       : "N-fold parallel",
                  profile.sleeps_on_path() || sleeps_under_limit(profile) ? " without sleep" : "");
  std::size_t used = 1, width = title.size();
  for (const Change& change : changes) {
    rows.push_back(name_lines(printable(change.name), most_width));
    used += rows.back().size();
    if (used > room && rows.size() > 1) {
      rows.pop_back();
      break;
    }
    for (const std::string& line : rows.back())
      width = std::max(width, std::min(line.size(), most_width));
  }
  std::string heading = fmt::format("{:<{}}", title, width);
  for (const std::uint64_t factor : factors)
    heading +=
        fmt::format("{:>{}}", with_factors == changes.end() ? "" : heading_of(factor), column);
  lines.add("{}", lines.bold(heading));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t line = 0; line + 1 < rows[i].size(); ++line)
      lines.add("{}", rows[i][line]);
    const char* note = &changes[i] == best                         ? "  most to gain"
                       : changes[i].kind == ChangeKind::AllRegions ? "  together"
                                                                   : "";
    lines.add("{:<{}}{}{}", rows[i].back(), width,
              in_columns(figures_of(changes[i], factors), column), note);
  }
}

std::string grain_text(const Profile& profile, const WhatIfCandidate& grain) {
  if (!grain.skipped_because.empty())
    return fmt::format("{}: {}", grain.name, grain.skipped_because);
  const auto share = [](const Ratio& of) { return percent2(of.numerator, of.denominator); };
  std::string text = fmt::format("{}: parallelism {}", grain.name,
                                 if_loops_split(profile, grain.quoted.parallelism));
  if (profile.divisible_is_known())
    text += ", now " + three_digits(profile.divisible_parallelism());
  if (grain.loop)
    text += fmt::format("; tasking overhead {} % -> {} %", share(grain.loop->overhead_now),
                        share(grain.loop->overhead));
  return text;
}

} // namespace

void add_what_if(Lines& lines, const Profile& profile, std::size_t room) {
  if (profile.search && !profile.search->skipped_because.empty())
    lines.add_text(fmt::format("What if         parallelism {} not searched for: {}",
                               profile.search->target, profile.search->skipped_because));
  else if (profile.search && !profile.search->steps.empty())
    add_search(lines, profile, room);
  else
    add_table(lines, profile, room);
  for (const WhatIfCandidate& grain : profile.grains)
    lines.add_text("What if         " + grain_text(profile, grain));
  // One is enough; none is shown if the user asked for something else or the advice already says
  // it. --json has all of them.
  if (profile.advised_grains.empty() || !profile.grains.empty() || profile.search)
    return;
  const WhatIfCandidate& grain = profile.advised_grains.front();
  if (profile.advice.find(grain.name) == std::string::npos)
    lines.add_text("Better          " + grain_text(profile, grain));
}

} // namespace tp::analysis
