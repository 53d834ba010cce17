// SPDX-License-Identifier: Apache-2.0
// The summary as Markdown, for issues and merge requests.
#include "report/lines.h"
#include "report/numbers.h"
#include "report/phrases.h"
#include "report/writers.h"

#include <fmt/format.h>

#include <algorithm>

namespace tp::analysis {

static std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|')
      escaped += '\\';
    escaped += c == '\n' ? ' ' : printable(c);
  }
  return escaped;
}

static std::string bounds_table(const Profile& profile) {
  if (profile.bounds.empty())
    return fmt::format("\nNo prediction: {}.\n", profile.prediction.skipped_because);
  std::string text = fmt::format("\nBurdened parallelism {} (oneTBB), {} (Cilk).\n\n| CPUs | "
                                 "Speedup, estimate | at most, tasks of this run | at "
                                 "most, loops split |\n|---:|---:|---:|---:|\n",
                                 fixed2({profile.work, profile.burdened_span_tbb}),
                                 fixed2({profile.work, profile.burdened_span_cilk}));
  for (const SpeedupBound& bound : profile.bounds)
    text += fmt::format("| {} | {} | {} | {} |\n", bound.procs, fixed2(bound.estimate_tbb),
                        fixed2(bound.upper),
                        profile.divisible_is_known() ? fixed2(bound.divisible_upper) : "unknown");
  if (!profile.prediction.skipped_because.empty())
    return text + fmt::format("\nNo prediction: {}.\n", profile.prediction.skipped_because);
  text += "\n| CPUs | Predicted speedup | efficiency % |\n|---:|---:|---:|\n";
  for (const PredictedRun& run : profile.prediction.runs)
    text += fmt::format("| {} | {} | {} |\n", run.procs, fixed2(run.speedup),
                        percent2(run.efficiency.numerator, run.efficiency.denominator));
  return text;
}

// What-if without annotations.
static std::string targets_table(const Profile& profile, std::size_t top) {
  std::string text;
  if (!profile.explored.empty())
    text += "\n| What if | faster | Parallelism of this run |\n|---|---:|---:|\n";
  for (std::size_t i = 0; i < std::min(profile.explored.size(), top); ++i) {
    const WhatIfCandidate& target = profile.explored[i];
    if (target.kind == CandidateKind::Wait && !target.is_removable)
      continue;
    text +=
        fmt::format("| {} | {} | {} |\n", cell(target.name),
                    target.kind == CandidateKind::Wait ? "wait removed"
                                                       : fmt::format("{}x", target.quoted.factor),
                    fixed2(target.quoted.parallelism));
  }
  for (const WhatIfCandidate& grain : profile.grains)
    text += grain.skipped_because.empty()
                ? fmt::format("\n{}: parallelism {}.\n", cell(grain.name),
                              if_loops_split(profile, grain.quoted.parallelism))
                : fmt::format("\n{}: {}.\n", cell(grain.name), grain.skipped_because);
  return text;
}

// Omits the outcome if it is also the advice, which follows at the end.
static std::string search_table(const Profile& profile) {
  const TargetSearch& search = *profile.search;
  if (!search.skipped_because.empty())
    return fmt::format("\nNo search for parallelism {}: {}.\n", search.target,
                       search.skipped_because);
  std::string text =
      search.outcome == profile.advice ? "" : fmt::format("\n{}\n", cell(search.outcome));
  if (!search.steps.empty())
    text += fmt::format(
        "\n| To reach parallelism {}{} | Parallelism |\n|---|---:|\n", search.target,
        search.has_others() ? "" : ", each " + improved_by(search.factor, search.optimizes));
  for (const TargetSearch::Step& step : search.steps)
    text += fmt::format("| {} | {} |\n", cell(step_in_words(search, step)), fixed2(step.after));
  if (!search.steps.empty() && !search.reached)
    text += fmt::format("| not reached | {} |\n", fixed2(search.steps.back().after));
  return text;
}

std::string write_markdown(const Profile& profile, const TextOptions& options) {
  std::string text = fmt::format("## Taskpath profile of {}\n\n", cell(profile.run.program));
  if (!profile.verdict.headline.empty())
    text += fmt::format("**{}**\n\n", cell(profile.verdict.headline));
  text += fmt::format(
      "Unit: {} ({}){}. {}.\n\n", cell(profile.run.work.unit), cell(profile.run.work.name),
      step_cost(profile.run),
      profile.read.complete
          ? "Complete"
          : cell(fmt::format("Incomplete: {}", fmt::join(profile.read.incomplete_reasons, "; "))));
  if (!profile.run.work_reason.empty())
    text += fmt::format("No better clock: {}.\n\n", cell(profile.run.work_reason));
  text += fmt::format("Work {}; in this run span {}, parallelism {}{}; {}.\n\n", profile.work,
                      profile.span, fixed2(profile.parallelism()), as_if_cores(profile.run),
                      divisible_parallelism_text(profile));
  text += "| Source file | Line | Work | Longest chain | Parallelism | Critical work % "
          "|\n|---|---:|---:|---:|---:|---:|\n";
  bool any_too_short = false;
  for (std::size_t i = 0; i < profile.sites.size() && i < options.top; ++i) {
    const SiteRow& site = profile.sites[i];
    text +=
        fmt::format("| {}{} | {} | {} | {} | {} | {} |\n", cell(site.info.file),
                    mark_of(site.too_short), site.info.line, site.work, site.longest_chain,
                    fixed2(site.chain_parallelism()), percent2(site.critical_work, profile.span));
    any_too_short |= site.too_short;
  }
  if (any_too_short)
    text += fmt::format("\n{}\n", kTooShort);
  text += bounds_table(profile);
  if (!profile.what_if.empty()) {
    text += fmt::format("\n| What if all regions {} | Parallelism of this run |\n|---:|---:|\n",
                        profile.what_if_mode == "optimize" ? "took less work" : "ran faster");
    for (const WhatIfPoint& point : profile.what_if[0].points)
      text += fmt::format("| {}x | {} |\n", point.factor, fixed2(point.parallelism));
  }
  text += targets_table(profile, options.top);
  if (profile.search)
    text += search_table(profile);
  for (const Warning& warning : profile.warnings)
    text += fmt::format("\n- warning: {}", cell(warning.text));
  return text + fmt::format("\n{}\n", cell(profile.advice));
}

} // namespace tp::analysis
