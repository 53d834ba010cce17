// SPDX-License-Identifier: Apache-2.0
#include "report/phrases.h"

#include "base/rounding.h"
#include "base/wide.h"
#include "report/numbers.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace tp::analysis {

const WhatIfPoint* headline_point(const std::vector<WhatIfPoint>& points) {
  const WhatIfPoint* best = points.empty() ? nullptr : &points.front();
  for (const WhatIfPoint& each : points)
    if (each.factor <= 8 && each.factor > best->factor)
      best = &each;
  return best;
}

std::string threads_phrase(const ThreadRange& threads) {
  return fmt::format(
      "{}{} {}{}", threads.least < threads.most ? fmt::format("{} to ", threads.least) : "",
      threads.most, threads.are_teams ? "team" : "thread", threads.most == 1 ? "" : "s");
}

std::string region_name(const RegionInfo& region) {
  if (region.names.empty())
    return region.place;
  constexpr std::size_t kMost = 60; // of a sentence, which has to fit into a line
  const std::string& name = region.names.front();
  return fmt::format("\"{}\" ({})", name.size() <= kMost ? name : name.substr(0, kMost - 3) + "...",
                     region.place);
}

std::string function_place(const FunctionRow& row) {
  const std::string file = row.file.substr(row.file.find_last_of('/') + 1);
  return file.empty() ? "" : fmt::format("{}:{}", file, row.line);
}

std::string function_phrase(const FunctionRow& row) {
  return row.is_lambda() ? row.short_name
                         : MainFunctions{{{row.short_name, function_place(row)}}}.phrase();
}

std::string limit_in_words(const ConcurrencyLimit& limit) {
  const std::string threads =
      fmt::format("{} {}", limit.asked, limit.asked == 1 ? "thread" : "threads");
  const std::string at_a_time =
      limit.width == limit.asked ? "" : fmt::format(", with at most {} at a time", limit.width);
  if (!limit.is_arena)
    return fmt::format("The program allows oneTBB {} (global_control){}", threads,
                       limit.width == limit.asked
                           ? ""
                           : fmt::format(", with its own threads at most {}", limit.width));
  const bool is_main = limit.row == kMainRow;
  const std::string code = is_main ? "Code outside of tasks" : limit.name;
  const bool others = Wide{limit.work_of_row} * 10 < Wide{limit.work} * 9;
  return fmt::format("{}{} in {}{}", code, others ? " and other code run" : " runs",
                     limit.is_of_openmp ? fmt::format("parallel regions with {} in all", threads)
                                        : fmt::format("an arena of {}", threads),
                     at_a_time);
}

std::string arena_in_words(const ConcurrencyLimit& limit) {
  return fmt::format("the {} of {}", limit.is_of_openmp ? "parallel regions" : "arena",
                     limit.row == kMainRow ? "code outside of tasks" : limit.name);
}

std::string sleep_in_words(const SleepTimes& times, std::uint64_t all, double hz) {
  std::vector<std::size_t> kinds;
  Wide named = 0;
  for (std::size_t kind = 1; kind < kSleepKinds; ++kind)
    if (times.of[kind] > 0 && Wide{times.of[kind]} * 10 >= all) {
      kinds.push_back(kind);
      named += times.of[kind];
    }
  if (kinds.empty() || named * 10 < Wide{all} * 9)
    return "";
  if (kinds.size() == 1)
    return kSleepPhrases[kinds[0]];
  std::ranges::stable_sort(kinds, std::ranges::greater(),
                           [&](std::size_t kind) { return times.of[kind]; });
  std::string text;
  for (const std::size_t kind : kinds)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", kSleepPhrases[kind],
                        human_ns(to_ns(times.of[kind], hz)));
  return text;
}

std::string parts_text(std::size_t count) {
  return count == 1 ? "one part of the code" : fmt::format("{} parts of the code", count);
}

std::string changes_text(std::size_t count) {
  return count == 1 ? "one change" : fmt::format("{} changes", count);
}

std::string improved_by(std::uint64_t factor, bool optimizes) {
  return optimizes ? fmt::format("{} times faster", factor)
                   : fmt::format("divided among {} CPUs", factor);
}

std::string faster_code(const TargetSearch& search, const std::string& parts) {
  return search.optimizes ? fmt::format("speeding up {} {}x", parts, search.factor)
                          : fmt::format("dividing {} among {} CPUs{}", parts, search.factor,
                                        search.steps.size() > 1 ? " each" : "");
}

std::string what_is_changed(const TargetSearch& search) {
  const std::size_t count = search.steps.size();
  return search.has_others() ? changes_text(count) : faster_code(search, parts_text(count));
}

// What runs under a limit is known to need its work divided by the threads: it may need more.
std::string search_heading(const TargetSearch& search) {
  const std::string what = what_is_changed(search);
  if (!search.reached)
    return fmt::format("parallelism {} is out of reach: {}", search.target, what);
  const bool are_several = search.steps.size() > 1;
  if (search.has_limits())
    return fmt::format("{} {} room for parallelism {}{}", what, are_several ? "leave" : "leaves",
                       search.target, search.minimal && are_several ? "; fewer do not" : "");
  return fmt::format("{} {} enough to reach parallelism {}{}", what,
                     search.has_others() && are_several ? "are" : "is", search.target,
                     search.minimal && are_several ? "; fewer are not" : "");
}

std::string step_in_words(const TargetSearch& search, const TargetSearch::Step& step) {
  if (!search.has_others() || is_of_lock(step.kind) || step.kind == ChoiceKind::Threads)
    return step.name;
  return search.optimizes ? fmt::format("speed up {} {}x", step.name, search.factor)
                          : fmt::format("divide {} among {} CPUs", step.name, search.factor);
}

} // namespace tp::analysis
