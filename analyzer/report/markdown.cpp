// The summary as Markdown, for issues and merge requests.
#include "report/lines.h"
#include "report/numbers.h"
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
  std::string text = fmt::format(
      "\nBurdened parallelism {} (oneTBB), {} (Cilk).\n\n| Cpus | Speedup at least | at most | as "
      "divisible at most |\n|---:|---:|---:|---:|\n",
      decimal2({profile.work, profile.burdened_span_tbb}),
      decimal2({profile.work, profile.burdened_span_cilk}));
  for (const SpeedupBound& bound : profile.bounds)
    text += fmt::format(
        "| {} | {} | {} | {} |\n", bound.procs, decimal2(bound.estimate_tbb), decimal2(bound.upper),
        profile.divisible_is_known() ? decimal2(bound.divisible_upper) : "not known");
  if (!profile.prediction.skipped_because.empty())
    return text + fmt::format("\nPrediction not made: {}.\n", profile.prediction.skipped_because);
  text += "\n| Cpus | Predicted speedup | efficiency % |\n|---:|---:|---:|\n";
  for (const PredictedRun& run : profile.prediction.runs)
    text += fmt::format("| {} | {} | {} |\n", run.procs, decimal2(run.speedup),
                        percent2(run.efficiency.numerator, run.efficiency.denominator));
  return text;
}

// What was asked without annotations.
static std::string targets_table(const Profile& profile, std::size_t top) {
  std::string text;
  if (!profile.explored.empty())
    text += "\n| What if | times as fast | Parallelism as executed |\n|---|---:|---:|\n";
  for (std::size_t i = 0; i < std::min(profile.explored.size(), top); ++i) {
    const WhatIfCandidate& target = profile.explored[i];
    text += fmt::format("| {} | {} | {} |\n", cell(target.name),
                        target.kind == CandidateKind::Wait ? "not there"
                                                           : std::to_string(target.quoted.factor),
                        decimal2(target.quoted.parallelism));
  }
  for (const WhatIfCandidate& grain : profile.grains)
    text += grain.skipped_because.empty()
                ? fmt::format("\n{}: parallelism {}.\n", cell(grain.name),
                              as_divisible(profile, grain.quoted.parallelism))
                : fmt::format("\n{}: {}.\n", cell(grain.name), grain.skipped_because);
  return text;
}

// The outcome stands at the end where it is the advice, too.
static std::string search_table(const Profile& profile) {
  const TargetSearch& search = *profile.search;
  if (!search.skipped_because.empty())
    return fmt::format("\nParallelism {} not searched for: {}.\n", search.target,
                       search.skipped_because);
  std::string text =
      search.outcome == profile.advice ? "" : fmt::format("\n{}\n", cell(search.outcome));
  if (!search.steps.empty())
    text += fmt::format(
        "\n| To reach parallelism {}, each {} times as fast | Parallelism |\n|---|---:|\n",
        search.target, search.factor);
  for (const TargetSearch::Step& step : search.steps)
    text += fmt::format("| {} | {} |\n", cell(step.name), decimal2(step.after));
  if (!search.steps.empty() && !search.reached)
    text += fmt::format("| not reached | {} |\n", decimal2(search.steps.back().after));
  return text;
}

std::string write_markdown(const Profile& profile, const TextOptions& options) {
  std::string text = fmt::format("## Taskpath profile of {}\n\n", cell(profile.run.program));
  text += fmt::format(
      "Unit: {} ({}){}. {}.\n\n", cell(profile.run.work.unit), cell(profile.run.work.name),
      step_cost(profile.run),
      profile.read.complete
          ? "Complete"
          : cell(fmt::format("Incomplete: {}", fmt::join(profile.read.incomplete_reasons, "; "))));
  if (!profile.run.work_reason.empty())
    text += fmt::format("No better clock: {}.\n\n", cell(profile.run.work_reason));
  text += fmt::format("Work {}; as executed span {}, parallelism {}{}; {}.\n\n", profile.work,
                      profile.span, decimal2(profile.parallelism()), as_if_cores(profile.run),
                      as_divisible(profile, profile.divisible_parallelism()));
  text +=
      "| Source file | Line | Work | Span as executed | Parallelism as executed | Critical work % "
      "|\n|---|---:|---:|---:|---:|---:|\n";
  bool any_too_short = false;
  for (std::size_t i = 0; i < profile.sites.size() && i < options.top; ++i) {
    const SiteRow& site = profile.sites[i];
    text +=
        fmt::format("| {}{} | {} | {} | {} | {} | {} |\n", cell(site.info.file),
                    mark_of(site.too_short), site.info.line, site.work, site.span,
                    decimal2({site.work, site.span}), percent2(site.critical_work, profile.span));
    any_too_short |= site.too_short;
  }
  if (any_too_short)
    text += fmt::format("\n{}\n", kTooShort);
  text += bounds_table(profile);
  if (!profile.what_if.empty()) {
    text +=
        fmt::format("\n| What if all regions {} | Parallelism as executed |\n|---:|---:|\n",
                    profile.what_if_mode == "optimize" ? "took less work" : "were parallelized");
    for (const WhatIfPoint& point : profile.what_if[0].points)
      text += fmt::format("| {}x | {} |\n", point.factor, decimal2(point.parallelism));
  }
  text += targets_table(profile, options.top);
  if (profile.search)
    text += search_table(profile);
  for (const Warning& warning : profile.warnings)
    text += fmt::format("\n- warning: {}", cell(warning.text));
  return text + fmt::format("\n{}\n", cell(profile.advice));
}

} // namespace tp::analysis
