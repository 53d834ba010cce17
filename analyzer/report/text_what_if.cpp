// The what-if answer on a terminal: marked regions, else the code that would help most, or what it
// takes to reach a target.
#include "report/lines.h"
#include "report/numbers.h"

#include <algorithm>

namespace tp::analysis {
namespace {

// The terminal gets the first factors and the last; the CSV files have them all.
std::string curve_line(const Profile& profile, const WhatIfCurve& curve) {
  constexpr std::size_t kFactorsShown = 4;
  const bool one = curve.regions.size() == 1;
  std::string line =
      fmt::format("{} marked {} {}: parallelism", curve.regions.size(), one ? "region" : "regions",
                  profile.what_if_mode == "optimize" ? "optimized" : "parallelized");
  for (std::size_t i = 0; i < curve.points.size(); ++i)
    if (i + 1 < kFactorsShown || i + 1 == curve.points.size())
      line +=
          fmt::format(" {}x -> {};", curve.points[i].factor, decimal2(curve.points[i].parallelism));
  line.back() = ' ';
  return line;
}

void add_search(Lines& lines, const TargetSearch& search, std::size_t room) {
  lines.add(
      "What if         to reach parallelism {}, {} of code {} enough{}, each {} times as fast:",
      search.target,
      search.steps.size() == 1 ? "1 piece" : fmt::format("{} pieces", search.steps.size()),
      search.reached ? search.steps.size() == 1 ? "is" : "are" : "are not",
      search.minimal ? " (no fewer are)" : "", search.factor);
  const std::size_t shown = std::min(search.steps.size(), room - 1);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == shown && shown < search.steps.size();
    lines.add("  -> {:>8}  {}{}", decimal2(search.steps[i].after),
              clipped(search.steps[i].name, 84), last ? ", ... (--json)" : "");
  }
}

// Pieces of code that alone gain a twentieth, at most `most`. A site is left out where a stretch of
// code gains nearly as much: that says more.
std::vector<const WhatIfTarget*> best_pieces(const Profile& profile, std::size_t most) {
  std::vector<const WhatIfTarget*> best;
  const auto gain = [&](const WhatIfTarget& target) {
    return target.quoted.parallelism.value() - profile.parallelism().value();
  };
  const auto stretch =
      std::find_if(profile.explored.begin(), profile.explored.end(),
                   [](const WhatIfTarget& target) { return target.kind == TargetKind::Stretch; });
  for (const WhatIfTarget& target : profile.explored) {
    const bool is_site = target.kind == TargetKind::Site;
    if (target.kind == TargetKind::Wait || 20 * gain(target) < profile.parallelism().value() ||
        (is_site && stretch != profile.explored.end() && 5 * gain(*stretch) >= 4 * gain(target)))
      continue;
    if (best.size() < most)
      best.push_back(&target);
  }
  return best;
}

void add_explored(Lines& lines, const Profile& profile, std::size_t room) {
  const auto best = best_pieces(profile, room - 1);
  if (best.empty()) {
    lines.add("What if         {}", profile.not_explored.empty()
                                        ? "no single piece of code gains a twentieth"
                                        : "not asked: " + profile.not_explored);
    return;
  }
  lines.add("What if         one piece of code were {} times as fast: parallelism (as executed)",
            best.front()->quoted.factor);
  for (const WhatIfTarget* target : best)
    lines.add("  -> {:>8}  {}", decimal2(target->quoted.parallelism), clipped(target->name, 84));
}

std::string grain_text(const Profile& profile, const WhatIfTarget& grain) {
  const auto share = [](const Ratio& of) { return percent2(of.numerator, of.denominator); };
  std::string text = fmt::format("{}: parallelism {}", grain.name,
                                 as_divisible(profile, grain.quoted.parallelism));
  if (profile.divisible_is_known())
    text += ", now " + decimal2(profile.divisible_parallelism());
  if (grain.loop)
    text += fmt::format("; overhead {} % -> {} %", share(grain.loop->overhead_now),
                        share(grain.loop->overhead));
  return text;
}

} // namespace

void add_what_if(Lines& lines, const Profile& profile, std::size_t room) {
  if (profile.search && !profile.search->steps.empty() && room > 1)
    add_search(lines, *profile.search, room);
  else if (!profile.what_if.empty())
    lines.add_text("What if         " + curve_line(profile, profile.what_if[0]));
  else
    add_explored(lines, profile, room);
  for (const WhatIfTarget& grain : profile.grains)
    lines.add_text("What if         " + grain_text(profile, grain));
  // One is enough, and none where something else was asked for or the advice is just that: --json has them all.
  if (profile.advised_grains.empty() || !profile.grains.empty() || profile.search)
    return;
  const WhatIfTarget& grain = profile.advised_grains.front();
  if (profile.advice.find(grain.name) == std::string::npos)
    lines.add_text("Better          " + grain_text(profile, grain));
}

} // namespace tp::analysis
