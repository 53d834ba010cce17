// The summary as Markdown, for issues and merge requests.
#include "report/numbers.h"
#include "report/writers.h"

#include <fmt/format.h>

namespace tp::analysis {

static std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|')
      escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

std::string write_markdown(const Profile& profile, const TextOptions& options) {
  std::string text = fmt::format("## Taskpath profile of {}\n\n", cell(profile.run.program));
  text += fmt::format("Unit: {} ({}){}. {}.\n\n", cell(profile.run.work.unit),
                      cell(profile.run.work.name), step_cost(profile.run),
                      profile.read.complete ? "Complete" : "Incomplete");
  text += fmt::format("Work {}, span {}, parallelism {} as executed, {} as divisible.\n\n",
                      profile.work, profile.span, decimal2(profile.parallelism()),
                      decimal2(profile.divisible_parallelism()));
  text += "| Source file | Line | Work | Span | Parallelism | Critical work % "
          "|\n|---|---:|---:|---:|---:|---:|\n";
  bool any_too_short = false;
  for (std::size_t i = 0; i < profile.sites.size() && i < options.top; ++i) {
    const SiteRow& site = profile.sites[i];
    text +=
        fmt::format("| {}{} | {} | {} | {} | {} | {} |\n", cell(site.info.file),
                    site.too_short ? " ~" : "", site.info.line, site.work, site.span,
                    decimal2({site.work, site.span}), percent2(site.critical_work, profile.span));
    any_too_short |= site.too_short;
  }
  if (any_too_short)
    text += fmt::format("\n{}\n", kTooShort);
  if (!profile.what_if.empty()) {
    text +=
        fmt::format("\n| What if all regions {} | Parallelism |\n|---:|---:|\n",
                    profile.what_if_mode == "optimize" ? "took less work" : "were parallelized");
    for (const WhatIfPoint& point : profile.what_if[0].points)
      text += fmt::format("| {}x | {} |\n", point.factor, decimal2(point.parallelism));
  }
  for (const Warning& warning : profile.warnings)
    text += fmt::format("\n- warning: {}", cell(warning.text));
  return text + fmt::format("\n{}\n", cell(profile.advice));
}

} // namespace tp::analysis
