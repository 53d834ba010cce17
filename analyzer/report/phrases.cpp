// SPDX-License-Identifier: Apache-2.0
#include "report/phrases.h"

#include <fmt/format.h>

namespace tp::analysis {

const WhatIfPoint* headline_point(const std::vector<WhatIfPoint>& points) {
  const WhatIfPoint* best = points.empty() ? nullptr : &points.front();
  for (const WhatIfPoint& each : points)
    if (each.factor <= 8 && each.factor > best->factor)
      best = &each;
  return best;
}

std::string region_name(const RegionInfo& region) {
  return region.names.empty() ? region.place
                              : fmt::format("\"{}\" ({})", region.names.front(), region.place);
}

std::string function_place(const FunctionRow& row) {
  const std::string file = row.file.substr(row.file.find_last_of('/') + 1);
  return file.empty() ? "" : fmt::format("{}:{}", file, row.line);
}

std::string function_phrase(const FunctionRow& row) {
  return row.is_lambda() ? row.short_name
                         : MainFunction{row.short_name, function_place(row)}.phrase();
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
  return fmt::format("{}{} in an arena of {}{}", code, others ? " and other code run" : " runs",
                     threads, at_a_time);
}

} // namespace tp::analysis
