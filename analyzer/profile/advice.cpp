// SPDX-License-Identifier: Apache-2.0
// The advice on a profile, in plain words.
#include "profile/advice.h"

#include "report/numbers.h"
#include "report/phrases.h"

#include <fmt/format.h>

namespace tp::analysis {
namespace {

// The marked region, or without marks the candidate, that by itself raises the parallelism most at
// the largest factor up to 8.
struct Best {
  std::string name;
  std::uint64_t factor = 0;
  Ratio parallelism;
  void consider(const std::string& candidate, const std::vector<WhatIfPoint>& points) {
    const WhatIfPoint* const point = headline_point(points);
    if (!point || (!name.empty() && point->parallelism.value() <= parallelism.value()))
      return;
    name = candidate;
    factor = point->factor;
    parallelism = point->parallelism;
  }
};

Best best_region(const Profile& profile) {
  Best best;
  for (const WhatIfCurve& curve : profile.what_if)
    if (curve.regions.size() == 1)
      best.consider("region " + region_name(profile.regions[curve.regions[0]]), curve.points);
  return best;
}

// The best code segment or site.
Best best_target(const Profile& profile) {
  Best site, segment;
  for (const WhatIfCandidate& target : profile.explored)
    if (target.kind == CandidateKind::Site)
      site.consider(target.name, target.points);
    else if (target.kind == CandidateKind::CodeSegment)
      segment.consider(target.name, target.points);
  const auto gain = [&](const Best& best) {
    return best.name.empty() ? 0 : best.parallelism.value() - profile.parallelism().value();
  };
  return prefer_segment(gain(segment), gain(site)) ? segment : site;
}

// Worth mentioning if it gains a tenth.
bool gains(const Best& best, const Profile& profile) {
  return !best.name.empty() && best.parallelism.value() >= 1.1 * profile.parallelism().value();
}

// "the code from A to B", "the code of a.cpp:12", or the name itself if it already describes code.
std::string code_of(const std::string& name) {
  if (name.starts_with("serial code") || name.starts_with("the loop bodies"))
    return "the " + (name.starts_with("the ") ? name.substr(4) : name);
  return (name.starts_with("from ") ? "the code " : "the code of ") + name;
}

std::string worth(const std::string& what, const Best& best, const Profile& profile) {
  return fmt::format("Making {} {}x faster would raise parallelism from {} to {}.", what,
                     best.factor, fixed2(profile.parallelism()), fixed2(best.parallelism));
}

// A loop that loses much to tasking overhead, or that a smaller grain size would make more
// parallel.
std::string grain_advice(const Profile& profile) {
  if (profile.advised_grains.empty())
    return "";
  const WhatIfCandidate& grain = profile.advised_grains.front();
  const auto share = [](const Ratio& ratio) {
    return percent2(ratio.numerator, ratio.denominator);
  };
  std::string text = fmt::format("With {} tasking overhead would go from {} % to {} %", grain.name,
                                 share(grain.loop->overhead_now), share(grain.loop->overhead));
  const double now = profile.divisible_parallelism().value();
  if (profile.divisible_is_known())
    text += fmt::format(", and parallelism would {} {}",
                        grain.quoted.parallelism.value() > 1.1 * now ? "rise to" : "still be",
                        fixed2(grain.quoted.parallelism));
  return text + ".";
}

} // namespace

// What to do about a run that shows nothing about scaling; empty if it does.
static std::string why_meaningless(const Profile& profile) {
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

std::string advise(const Profile& profile) {
  if (std::string text = why_meaningless(profile); !text.empty())
    return text;
  if (const auto& search = profile.search;
      search && search->skipped_because.empty() && (search->steps.empty() || !search->reached))
    return search->outcome;
  // Comes first if it loses a tenth of the work.
  std::string grain = grain_advice(profile);
  if (!grain.empty() && profile.advised_grains[0].loop->cost_now >= profile.work / 10)
    return grain;
  const SiteRow* most = &profile.sites[0];
  for (const SiteRow& site : profile.sites)
    if (site.critical_work > most->critical_work)
      most = &site;
  const std::string share = percent2(most->critical_work, profile.span);
  if (profile.has_ample_parallelism())
    return fmt::format("Parallelism {}{} is ample for {} CPUs; look at tasking overhead and "
                       "memory rather than at more tasks.",
                       fixed2(profile.limit()),
                       profile.divisible_is_known() ? " (if loops were split to their grain size)"
                                                    : "",
                       profile.run.cpus);
  const Best region = best_region(profile);
  if (gains(region, profile))
    return worth(region.name, region, profile);
  const std::string elsewhere = region.name.empty() ? "" : "The marked regions would gain little. ";
  if (const Best target = best_target(profile); gains(target, profile))
    return elsewhere + worth(code_of(target.name), target, profile);
  if (!grain.empty())
    return grain;
  if (most == &profile.sites[0])
    return elsewhere +
           fmt::format("{} % of the critical path is serial code of main: parallelize it, "
                       "or mark it with causal_begin/causal_end to see what that would "
                       "gain.",
                       share);
  return elsewhere +
         fmt::format(
             "{} % of the critical path is spent in tasks of {}: split that work, or mark it with "
             "causal_begin/causal_end to see what that would gain.",
             share, most->info.name);
}

} // namespace tp::analysis
