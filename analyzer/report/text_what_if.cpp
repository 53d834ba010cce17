// SPDX-License-Identifier: Apache-2.0
// The what-if answer on a terminal: marked regions, or otherwise the code whose improvement helps
// most, or the changes that reach a target.
#include "report/lines.h"
#include "report/numbers.h"

#include <algorithm>

namespace tp::analysis {
namespace {

constexpr std::size_t kArrowWidth = 15; // of "  -> PARALLELISM  "

// The terminal shows the first factors and the last; the CSV files contain all of them.
std::string curve_line(const Profile& profile, const WhatIfCurve& curve) {
  constexpr std::size_t kFactorsShown = 4;
  const bool one = curve.regions.size() == 1;
  std::string line = fmt::format(
      "if {} {}: parallelism",
      one ? "the marked region" : fmt::format("all {} marked regions", curve.regions.size()),
      profile.what_if_mode == "optimize" ? "took an Nth of its work" : "ran N times faster");
  for (std::size_t i = 0; i < curve.points.size(); ++i)
    if (i + 1 < kFactorsShown || i + 1 == curve.points.size())
      line +=
          fmt::format(" {} ({}x),", fixed2(curve.points[i].parallelism), curve.points[i].factor);
  line.pop_back();
  return line;
}

std::string search_heading(const TargetSearch& search) {
  const std::size_t count = search.steps.size();
  const std::string parts =
      count == 1 ? "one part of the code" : fmt::format("{} parts of the code", count);
  if (!search.reached)
    return fmt::format("parallelism {} is out of reach: speeding up {} {}x", search.target, parts,
                       search.factor);
  return fmt::format("speeding up {} {}x is enough to reach parallelism {}{}", parts, search.factor,
                     search.target, search.minimal && count > 1 ? "; fewer are not" : "");
}

// The last line states the result of all steps, even if there is no room for each of them.
void add_search(Lines& lines, const TargetSearch& search, std::size_t room) {
  const std::size_t count = search.steps.size();
  lines.add_text(fmt::format("What if         {}:", search_heading(search)));
  const std::size_t left = room > lines.count() ? room - lines.count() : 1;
  const std::size_t shown = count <= left ? count : left - 1;
  for (std::size_t i = 0; i < shown; ++i)
    lines.add_text(
        fmt::format("  -> {:>8}  {}", fixed2(search.steps[i].after), search.steps[i].name),
        kArrowWidth);
  if (shown < count)
    lines.add("  -> {:>8}  {} (--json)", fixed2(search.steps.back().after),
              shown == 0 ? "with all of them" : fmt::format("with {} more", count - shown));
}

// Candidates that by themselves gain a twentieth, at most `most`. A site is left out if a code
// segment gains nearly as much (prefer_segment); of several segments with one name (the body of a
// node, between messages) the best is shown.
std::vector<const WhatIfCandidate*> best_candidates(const Profile& profile, std::size_t most) {
  std::vector<const WhatIfCandidate*> best;
  const auto gain = [&](const WhatIfCandidate& target) {
    return target.quoted.parallelism.value() - profile.parallelism().value();
  };
  const auto segment = std::find_if(
      profile.explored.begin(), profile.explored.end(),
      [](const WhatIfCandidate& target) { return target.kind == CandidateKind::CodeSegment; });
  for (const WhatIfCandidate& target : profile.explored) {
    // Parts of main say more than all of it.
    if (target.kind == CandidateKind::Site && target.place.line == 0 &&
        target.place.file == "main" &&
        std::ranges::any_of(profile.explored, [](const WhatIfCandidate& each) {
          return each.kind == CandidateKind::CodeSegment && each.of_main;
        }))
      continue;
    const bool is_site = target.kind == CandidateKind::Site;
    if (target.kind == CandidateKind::Wait || 20 * gain(target) < profile.parallelism().value() ||
        (is_site && segment != profile.explored.end() &&
         prefer_segment(gain(*segment), gain(target))))
      continue;
    const bool is_named = std::ranges::any_of(
        best, [&](const WhatIfCandidate* other) { return other->name == target.name; });
    if (best.size() < most && !is_named)
      best.push_back(&target);
  }
  return best;
}

// The wait whose removal makes the program most parallel, if that gains a twentieth and more than
// any of `others`; otherwise null.
const WhatIfCandidate* best_wait(const Profile& profile,
                                 const std::vector<const WhatIfCandidate*>& others) {
  double least = 1.05 * profile.parallelism().value();
  for (const WhatIfCandidate* const other : others)
    least = std::max(least, other->quoted.parallelism.value());
  const auto wait = std::find_if(profile.explored.begin(), profile.explored.end(),
                                 [](const WhatIfCandidate& target) {
                                   return target.kind == CandidateKind::Wait && target.is_removable;
                                 });
  return wait != profile.explored.end() && wait->quoted.parallelism.value() > least ? &*wait
                                                                                    : nullptr;
}

void add_explored(Lines& lines, const Profile& profile, std::size_t room) {
  auto best = best_candidates(profile, room - 1);
  const WhatIfCandidate* const wait = best_wait(profile, best);
  if (wait) {
    lines.add_text(fmt::format("What if         parallelism {} without {}",
                               fixed2(wait->quoted.parallelism), wait->name));
    best.resize(std::min(best.size(), room - 2));
    if (best.empty())
      return;
  }
  if (best.empty()) {
    lines.add("What if         {}", profile.not_explored.empty()
                                        ? "no single change would raise parallelism by 5 %"
                                        : "not evaluated: " + profile.not_explored);
    return;
  }
  lines.add("What if         one part of the code ran {}x faster: parallelism of this run",
            best.front()->quoted.factor);
  for (const WhatIfCandidate* target : best)
    lines.add_text(fmt::format("  -> {:>8}  {}", fixed2(target->quoted.parallelism), target->name),
                   kArrowWidth);
}

std::string grain_text(const Profile& profile, const WhatIfCandidate& grain) {
  if (!grain.skipped_because.empty())
    return fmt::format("{}: {}", grain.name, grain.skipped_because);
  const auto share = [](const Ratio& of) { return percent2(of.numerator, of.denominator); };
  std::string text = fmt::format("{}: parallelism {}", grain.name,
                                 if_loops_split(profile, grain.quoted.parallelism));
  if (profile.divisible_is_known())
    text += ", now " + fixed2(profile.divisible_parallelism());
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
    add_search(lines, *profile.search, room);
  else if (!profile.what_if.empty())
    lines.add_text("What if         " + curve_line(profile, profile.what_if[0]));
  else
    add_explored(lines, profile, room);
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
