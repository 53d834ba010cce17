// SPDX-License-Identifier: Apache-2.0
// The advice on a profile, in plain words.
#include "profile/advice.h"

#include "base/rounding.h"
#include "profile/verdict.h"
#include "report/numbers.h"
#include "report/phrases.h"

#include <fmt/format.h>

#include <algorithm>

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

// Worth mentioning if it gains a tenth.
bool gains(const Best& best, const Profile& profile) {
  return !best.name.empty() && best.parallelism.value() >= 1.1 * profile.parallelism().value();
}

std::string worth(const std::string& what, const Best& best, const Profile& profile) {
  return fmt::format("Making {} {}x faster would raise parallelism from {} to {}.", what,
                     best.factor, fixed2(profile.parallelism()), fixed2(best.parallelism));
}

// A loop that loses much to tasking overhead, or that a smaller grain size would make more
// parallel.
std::string grain_advice(const Profile& profile, const WhatIfCandidate& grain) {
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

std::string capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string amount(const Profile& profile, std::uint64_t work) {
  return human(work, profile.run.work, hz_of_work(profile));
}

// Null: there is none for this site.
const WhatIfCandidate* advised_grain(const Profile& profile, const Finding& finding) {
  for (const WhatIfCandidate& each : profile.advised_grains)
    if (each.place.file == finding.place.file && each.place.line == finding.place.line)
      return &each;
  return nullptr;
}

std::string tiny_tasks(const Profile& profile, const Finding& finding) {
  if (const WhatIfCandidate* const grain = advised_grain(profile, finding))
    return grain_advice(profile, *grain);
  const auto site = std::ranges::find(profile.sites, finding.row, &SiteRow::row);
  const Ratio& share = site->overhead.share;
  return capitalized(fmt::format(
      "{} take {} each, and {} % of their time is tasking overhead: give each of them more work.",
      finding.code.starts_with("the tasks of ") ? finding.code : "the tasks of " + finding.code,
      amount(profile, finding.work / std::max<std::uint64_t>(finding.tasks, 1)),
      percent2(share.numerator, share.denominator)));
}

// "one of the 64 tasks of a.cpp:12", "3 of the 10 calls of the body of node a.cpp:12".
std::string tasks_on_path(const Finding& finding) {
  const std::string_view tasks_of = "the tasks of ";
  const bool is_body = finding.code.starts_with("the body of ");
  const std::string rest =
      finding.code.starts_with(tasks_of) ? finding.code.substr(tasks_of.size()) : finding.code;
  if (finding.tasks <= 1)
    return finding.code;
  std::string of =
      fmt::format("the {} {} of {}", human_count(finding.tasks), is_body ? "calls" : "tasks", rest);
  if (finding.critical_tasks == finding.tasks)
    return of;
  return fmt::format("{} of {}",
                     finding.critical_tasks == 1 ? "one" : human_count(finding.critical_tasks), of);
}

std::string sentence(const Profile& profile, const Finding& finding) {
  const std::string share = percent2(finding.critical_work, profile.span);
  const auto of_path = [&](const std::string& code, const std::string& remedy) {
    return fmt::format("{} % of the critical path is {}: {}.", share, code, remedy);
  };
  switch (finding.shape) {
  case Shape::SerialStart:
    return of_path(finding.code, "make it parallel or shorter, or leave it out of the profile "
                                 "(--from first-use)");
  case Shape::SerialCode:
    return of_path(finding.code, "make it parallel or shorter");
  case Shape::LongTask:
    return of_path(tasks_on_path(finding), finding.critical_tasks > 1 ? "split them" : "split it");
  case Shape::SerialTasks:
    return of_path(tasks_on_path(finding) + ", one after the other",
                   "let them run in parallel, or split them");
  case Shape::SerialFilter:
    return of_path(finding.code + ", one item after the other",
                   "move work out of it, into a parallel filter");
  case Shape::SerialNode:
    return of_path(finding.code + ", one message after the other",
                   "give the node more concurrency, or move work out of it");
  case Shape::Imbalance: {
    const std::uint64_t mean = finding.iterations / std::max<std::uint64_t>(finding.body_calls, 1);
    const WhatIfCandidate* const grain = advised_grain(profile, finding);
    return of_path(fmt::format("{}, whose {} calls are too large ({} iterations on average)",
                               finding.code, human_count(finding.body_calls), human_count(mean)),
                   "divide the loop more finely, by " +
                       (grain && grain->grain < mean
                            ? grain->name
                            : "a smaller grain size or simple_partitioner"));
  }
  case Shape::TinyTasks:
    return tiny_tasks(profile, finding);
  case Shape::OffCpu:
    break;
  }
  return fmt::format(
      "{} had no CPU for {} of {} in this run ({} %): asleep (in a lock, in input or "
      "output), or while other programs ran; the recording does not say which.",
      capitalized(finding.code), human_ns(to_ns(finding.off_cpu_ticks, profile.read.time_hz)),
      human_ns(to_ns(finding.ticks, profile.read.time_hz)),
      percent(finding.off_cpu_ticks, finding.ticks));
}

// What the remedy saves; empty if that is not known.
std::string saving(const Profile& profile, const Finding& finding) {
  if (finding.saves_at_most() == 0 || finding.shape == Shape::OffCpu)
    return "";
  return fmt::format(" On {} CPUs that saves at most {} of {}.", finding.procs,
                     amount(profile, finding.saves_at_most()), amount(profile, finding.time));
}

// Worth advising if it saves a tenth of the time.
bool is_worth_it(const Finding& finding) {
  return Wide{finding.saves_at_most()} * 10 >= finding.time && finding.saves_at_most() > 0;
}

// Null: there is none.
const Finding* longest_off_cpu(const Profile& profile) {
  const Finding* longest = nullptr;
  for (const Finding& each : profile.findings)
    if (each.shape == Shape::OffCpu && (!longest || each.off_cpu_ticks > longest->off_cpu_ticks))
      longest = &each;
  return longest;
}

// "A (30 %), B (12 %) and C (9 %)"
std::string longest_stretches(const Profile& profile) {
  std::vector<const Finding*> longest;
  for (const Finding& each : profile.findings)
    if (each.shape != Shape::OffCpu && each.shape != Shape::TinyTasks)
      longest.push_back(&each);
  std::ranges::stable_sort(longest, std::ranges::greater(), &Finding::critical_work);
  longest.resize(std::min<std::size_t>(longest.size(), 3));
  std::string text;
  for (std::size_t i = 0; i < longest.size(); ++i)
    text += fmt::format("{}{} ({} %)",
                        i == 0                    ? ""
                        : i + 1 == longest.size() ? " and "
                                                  : ", ",
                        longest[i]->code, percent2(longest[i]->critical_work, profile.span));
  return text;
}

} // namespace

void describe_findings(Profile& profile) {
  for (Finding& finding : profile.findings)
    finding.text = sentence(profile, finding) + saving(profile, finding);
}

std::string advise(const Profile& profile) {
  if (!why_meaningless(profile).empty())
    return "";
  if (const auto& search = profile.search;
      search && search->skipped_because.empty() && (search->steps.empty() || !search->reached))
    return search->outcome;
  // Overhead that is a tenth of the work comes first, and so does time without a CPU if it is a
  // quarter of all threads' time: no other figure shows it.
  const WhatIfCandidate* const grain =
      profile.advised_grains.empty() ? nullptr : &profile.advised_grains.front();
  if (grain && grain->loop->cost_now >= profile.work / 10)
    return grain_advice(profile, *grain);
  const auto tiny = std::ranges::find_if(profile.findings, [&](const Finding& finding) {
    return finding.shape == Shape::TinyTasks &&
           std::ranges::find(profile.sites, finding.row, &SiteRow::row)->overhead.cost >=
               profile.work / 10;
  });
  const Finding* const off_cpu = longest_off_cpu(profile);
  if (off_cpu &&
      Wide{off_cpu->off_cpu_ticks} * 4 >= Wide{profile.balance.threads} * profile.balance.elapsed)
    return off_cpu->text;
  const Finding* const first = profile.findings.empty() || !is_worth_it(profile.findings.front())
                                   ? nullptr
                                   : &profile.findings.front();
  if (tiny != profile.findings.end() && (profile.verdict.is_ample() || !first))
    return tiny->text;
  if (profile.verdict.is_ample())
    return "";
  const Best region = best_region(profile);
  if (gains(region, profile))
    return worth(region.name, region, profile);
  const std::string elsewhere = region.name.empty() ? "" : "The marked regions would gain little. ";
  if (first)
    return elsewhere + first->text;
  if (grain)
    return grain_advice(profile, *grain);
  const std::string longest = longest_stretches(profile);
  if (profile.findings.empty() || longest.empty())
    return elsewhere + "No single change would save a tenth of the time.";
  return elsewhere + fmt::format("No single change saves a tenth of the time on {} CPUs. The most "
                                 "of the critical path is {}.",
                                 profile.findings.front().procs, longest);
}

} // namespace tp::analysis
