// SPDX-License-Identifier: Apache-2.0
// Every number of CPUs in a headline is from the simulation, or said to be from bounds. A prediction
// is too high if an order was not seen, which the headline says with "at most", and too low if
// loops could be split further than for the CPUs of this run.
#include "profile/verdict.h"

#include "base/rounding.h"
#include "profile/prediction.h"
#include "report/numbers.h"
#include "report/phrases.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tp::analysis {
namespace {

// On two CPUs, an efficiency of a half gains nothing.
constexpr double kHardly = 1.5;

// The largest power of two at which Brent's bound guarantees the efficiency.
std::uint64_t worth_by_bounds(const Profile& profile) {
  std::uint64_t worth = 1;
  while (worth < kMostVerdictProcs && Wide{2 * worth} * profile.span * kWorthEfficiencyPercent <=
                                          Wide{profile.work} * (100 - kWorthEfficiencyPercent))
    worth *= 2;
  return worth;
}

// More CPUs would split loops further than this run did, and that gains a half.
bool gains_by_splitting(const Profile& profile) {
  return profile.divisible_is_known() &&
         profile.divisible_at_least().value() >= 1.5 * profile.parallelism().value();
}

// "speedup at most 2.47", with what finer loops would give.
std::string limit_of(const Profile& profile) {
  std::string text = fmt::format("speedup at most {}", three_digits(profile.parallelism()));
  if (!profile.divisible_is_known() ||
      profile.divisible_parallelism().value() < 1.05 * profile.parallelism().value())
    return text + " on any number of them";
  const std::string low = three_digits(profile.divisible_at_least());
  const std::string high = three_digits(profile.divisible_parallelism());
  return text + fmt::format(", or {} with loops split to their grain size",
                            profile.divisible_is_measured() ? high : low + " to " + high);
}

std::string headline_of(const Profile& profile, const Verdict& verdict) {
  const bool order_unseen = !profile.unseen_order.empty();
  const bool splits = gains_by_splitting(profile);
  const std::string how =
      verdict.is_simulated ? "" : " by bounds, without overhead (not simulated)";
  if (verdict.is_ample() && order_unseen)
    return fmt::format("May scale to {} CPUs{}: not all order was seen.", verdict.worth_procs, how);
  if (verdict.is_ample() && profile.limit().value() >= 2.0 * kMostVerdictProcs)
    return fmt::format("Scales to {} CPUs and beyond{}.", verdict.worth_procs, how);
  if (verdict.is_ample())
    return fmt::format("Scales well to {} CPUs{}.", verdict.worth_procs, how);
  const std::string more = splits ? " or more" : order_unseen ? " at most" : "";
  if (profile.parallelism().value() < kHardly)
    return fmt::format("Hardly faster on more CPUs{}: {}.", how, limit_of(profile));
  if (verdict.worth_procs > 1)
    return fmt::format("Scales well to {} CPUs{}{}; {}.", verdict.worth_procs, more, how,
                       limit_of(profile));
  return fmt::format("No faster on 2 CPUs than on one{}; {}.", how, limit_of(profile));
}

// Serial code at the ends, if it is most of the critical path.
std::string serial_ends(const Profile& profile) {
  const Phases& phases = profile.phases;
  const std::uint64_t serial = phases.before + phases.after;
  if (Wide{serial} * 2 < profile.span || phases.span == 0)
    return "";
  const auto part = [&](std::uint64_t of, std::string_view where) {
    return Wide{of} * 100 < profile.span
               ? std::string()
               : fmt::format("{} % of the critical path is serial code {}",
                             percent(of, profile.span), where);
  };
  std::string text = part(phases.before, "before the first task");
  if (std::string after = part(phases.after, "after the last one"); !after.empty())
    text = text.empty() ? after
                        : text + fmt::format(", {} % after the last one",
                                             percent(phases.after, profile.span));
  return text + fmt::format("; with tasks, parallelism is {}.", three_digits(phases.limit()));
}

// The code that has most of the critical path. Null: none was found.
const Finding* longest(const Profile& profile) {
  const Finding* found = nullptr;
  for (const Finding& each : profile.findings)
    if (each.shape != Shape::OffCpu && each.shape != Shape::TinyTasks &&
        (!found || each.critical_work > found->critical_work))
      found = &each;
  return found;
}

// Null: none is on the critical path.
const RegionInfo* largest(const IdVector<RegionId, RegionInfo>& regions) {
  const RegionInfo* found = nullptr;
  for (const RegionInfo& each : regions)
    if (each.critical_work > (found ? found->critical_work : 0))
      found = &each;
  return found;
}

} // namespace

// What to do about a run that shows nothing about scaling.
std::string why_meaningless(const Profile& profile) {
  if (profile.work == 0 && profile.read.threads.paused_work == 0)
    return "No work was recorded: check that the program ran long enough and used oneTBB.";
  if (profile.read.begun == 0)
    return "No oneTBB task was recorded, so this run shows nothing about scaling: check that the "
           "program ran to its end, and that it uses oneTBB for this input.";
  if (profile.sites[0].exclusive_work == profile.work && profile.read.threads.paused_work > 0)
    return "No work of a task was recorded, and recording was paused for a part of the run: if "
           "tasks ran there, call tp::resume() before the part to profile, or run without "
           "--paused.";
  return "";
}

Verdict judge(const Profile& profile) {
  Verdict verdict{.limit = profile.parallelism()};
  if (std::string text = why_meaningless(profile); !text.empty()) {
    verdict.headline = std::move(text);
    return verdict;
  }
  verdict.is_simulated = !profile.prediction.scaling.empty();
  verdict.worth_procs =
      verdict.is_simulated ? worth_procs(profile.prediction) : worth_by_bounds(profile);
  verdict.headline = headline_of(profile, verdict);
  if (verdict.is_ample())
    return verdict;
  const Finding* const most = longest(profile);
  const RegionInfo* const region = largest(profile.regions);
  verdict.detail = serial_ends(profile);
  const auto is_of_path = [&](std::uint64_t critical_work, const std::string& code) {
    if (verdict.detail.empty())
      verdict.detail = fmt::format("{} % of the critical path is {}.",
                                   percent(critical_work, profile.span), code);
  };
  // Names that the program gives itself are better.
  if (region && Wide{region->critical_work} * 10 >= Wide{most ? most->critical_work : 0} * 9) {
    is_of_path(region->critical_work, "the marked region " + region_name(*region));
    verdict.file = region->file;
    verdict.line = region->line;
  } else if (most) {
    is_of_path(most->critical_work, most->code);
    verdict.file = most->place.file;
    verdict.line = most->place.line;
  }
  return verdict;
}

} // namespace tp::analysis
