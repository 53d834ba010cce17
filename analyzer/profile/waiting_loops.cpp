// SPDX-License-Identifier: Apache-2.0
// See waiting_loops.h.
#include "profile/waiting_loops.h"

#include "report/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace tp::analysis {
namespace {

std::string phrase(const WaitingLoopRow& row) {
  const std::string file = row.file.substr(row.file.find_last_of('/') + 1);
  return file.empty() ? row.function : fmt::format("{} ({}:{})", row.function, file, row.line);
}

std::string places(const std::vector<WaitingLoopRow>& rows) {
  constexpr std::size_t kMost = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(rows.size(), kMost); ++i)
    text += (i == 0 ? "" : ", ") + phrase(rows[i]);
  if (rows.size() > kMost)
    text += fmt::format(" and {} more", rows.size() - kMost);
  return text;
}

} // namespace

void decide_if_it_matters(SampledWaiting& waiting, const Measured& measured) {
  const auto is_much = [](const SampledWork& part, std::uint64_t whole) {
    return part.low > 0 && Wide{part.low} * 100 >= whole;
  };
  waiting.matters =
      is_much(waiting.work, measured.work()) || is_much(waiting.critical_work, measured.span());
}

std::vector<Warning> waits_in_loops(const Measured& measured, const SampledWaiting& waiting) {
  if (!waiting.matters)
    return {};
  const double hz = measured.hz_of_work();
  const auto amount = [&](std::uint64_t work) { return human(work, measured.run().work, hz); };
  return {{"waits_in_loops",
           fmt::format("about {} % of the work ({} of {}; by samples, {} to {} %) was in loops "
                       "that only wait for "
                       "other threads: {}. That counts as work, and bounds and predictions do not "
                       "know what it waits for: announce it by <tp/lock.h>, or use locks that "
                       "Taskpath sees (docs/how-to/locks.md)",
                       percent(waiting.work.work, measured.work()), amount(waiting.work.work),
                       amount(measured.work()), percent(waiting.work.low, measured.work()),
                       percent(waiting.work.high, measured.work()), places(waiting.rows)),
           false}};
}

std::string remedy_of_waiting(const Profile& profile) {
  if (!profile.functions || !profile.functions->waiting.matters)
    return "";
  const SampledWaiting& waiting = profile.functions->waiting;
  if (Wide{waiting.work.work} * 10 < profile.work &&
      Wide{waiting.critical_work.work} * 10 < profile.span)
    return "";
  return fmt::format("About {} % of the work is waiting in {}. If that is a lock, hold it for a "
                     "shorter time, or divide what it protects; announced by <tp/lock.h>, it is in "
                     "bounds and predictions.",
                     percent(waiting.work.work, profile.work), places(waiting.rows));
}

} // namespace tp::analysis
