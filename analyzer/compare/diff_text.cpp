// SPDX-License-Identifier: Apache-2.0
// The terminal output of tp-diff: at most 25 lines unless --top asks for more.
#include "common/files.h"
#include "compare/diff_writers.h"
#include "report/lines.h"
#include "report/numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace tp::analysis {
namespace {

bool can_compare(const Comparison& comparison, const Metric& metric) {
  return comparison.same_unit || !is_amount(metric);
}

void add_program(Lines& lines, const Comparison& comparison) {
  lines.add("{}", lines.bold(fmt::format("{:<16}{:>16}{:>16}  {:>14}", "This run", "base", "new",
                                         "change")));
  for (const DiffLine& line : diff_lines(comparison)) {
    const Change change{measure(line.metric, *comparison.base, nullptr),
                        measure(line.metric, *comparison.now, nullptr)};
    lines.add("{:<16}{:>16}{:>16}  {:>14}", line.label,
              figure_text(change.base, line.metric, *comparison.base),
              figure_text(change.now, line.metric, *comparison.now),
              can_compare(comparison, line.metric) ? change_text(change) : "other unit");
  }
}

std::string name_of(const SitePair& pair) {
  return shortened(pair.either().name) + mark_of(pair.too_short());
}

bool any_too_short(const Comparison& comparison, std::size_t shown) {
  const auto begin = comparison.sites.begin();
  return std::any_of(begin, begin + static_cast<std::ptrdiff_t>(shown),
                     [](const SitePair& pair) { return pair.too_short(); });
}

void add_sites(Lines& lines, const Comparison& comparison, std::size_t top) {
  const std::size_t shown = std::min(comparison.sites.size(), std::max<std::size_t>(top, 1));
  const std::string_view title = "Spawn site (this run)";
  std::size_t width = title.size();
  for (std::size_t i = 0; i < shown; ++i)
    width = std::max(width, name_of(comparison.sites[i]).size());
  lines.add("{}",
            lines.bold(fmt::format("{:<{}}{:>26}{:>22}", title, width, "work", "critical %")));
  for (std::size_t i = 0; i < shown; ++i) {
    const SitePair& pair = comparison.sites[i];
    const auto both = [&](const char* metric) {
      const Change change = site_change(comparison, pair, metric);
      const auto number = [](const Measured& of) {
        return of.percent ? percent2(of.value.numerator, of.value.denominator) : of.text();
      };
      return fmt::format("{:>8} -> {:>7}", pair.base ? number(*change.base) : "-",
                         pair.now ? number(*change.now) : "-");
    };
    const Change work = site_change(comparison, pair, "work");
    const auto amount = [](const SiteFigures* side, const std::optional<Measured>& of,
                           const Figures& figures) {
      return side ? figure_text(of, {"", "work"}, figures) : "-";
    };
    lines.add("{:<{}}{:>12} -> {:>10}   {}  {}", name_of(pair), width,
              amount(pair.base, work.base, *comparison.base),
              amount(pair.now, work.now, *comparison.now), both("critical"), match_text(pair));
  }
  if (shown < comparison.sites.size())
    lines.add("... and {} more (--top)", comparison.sites.size() - shown);
  if (any_too_short(comparison, shown))
    lines.add("{}", lines.yellow(kTooShort));
}

} // namespace

std::string write_diff_text(const Comparison& comparison, const DiffText& options) {
  Lines lines(options.color);
  for (const std::string& line :
       wrapped(fmt::format("Taskpath comparison: {} -> {}", options.base, options.now), 0))
    lines.add("{}", lines.bold(line));
  lines.add_text("Clock           " + comparison.now->unit +
                 (comparison.same_unit ? "" : ", was " + comparison.base->unit));
  for (const auto& [figures, name] :
       {std::pair{comparison.base, &options.base}, std::pair{comparison.now, &options.now}})
    if (!figures->complete)
      lines.add("{}", lines.yellow(printable("incomplete: " + *name)));
  add_program(lines, comparison);
  lines.add("");
  add_sites(lines, comparison, options.top);
  lines.add("");
  for (const std::string& line : wrapped(diff_advice(comparison), 0))
    lines.add("{}", lines.bold(line));
  if (const std::string hint = unlike_work_text(comparison); !hint.empty())
    for (const std::string& line : wrapped("! " + hint, 2))
      lines.add("{}", lines.yellow(line));
  lines.add("next: tp-analyze {}", printable(tool::shell_quoted(options.now)));
  return lines.take();
}

std::string write_diff_markdown(const Comparison& comparison, const DiffText& options) {
  const auto cell = [](const std::string& text) {
    std::string escaped;
    for (const char c : printable(text))
      escaped += c == '|' ? std::string("\\|") : std::string(1, c);
    return escaped;
  };
  std::string text = fmt::format("### Taskpath: {}\n\nUnit: {}{}.\n\n| This run | {} | {} | "
                                 "change |\n|---|---:|---:|---:|\n",
                                 cell(diff_advice(comparison)), cell(comparison.now->unit),
                                 comparison.same_unit ? "" : ", was " + cell(comparison.base->unit),
                                 cell(options.base), cell(options.now));
  for (const DiffLine& line : diff_lines(comparison)) {
    const Change change{measure(line.metric, *comparison.base, nullptr),
                        measure(line.metric, *comparison.now, nullptr)};
    text += fmt::format("| {} | {} | {} | {} |\n", line.label,
                        figure_text(change.base, line.metric, *comparison.base),
                        figure_text(change.now, line.metric, *comparison.now),
                        can_compare(comparison, line.metric) ? change_text(change) : "other unit");
  }
  text += "\n| Spawn site | work | | critical path % | | parallelism | | "
          "|\n|---|---:|---:|---:|---:|---:|---:|---|\n";
  const std::size_t shown = std::min(comparison.sites.size(), options.top);
  for (std::size_t i = 0; i < shown; ++i) {
    const SitePair& pair = comparison.sites[i];
    const Change critical = site_change(comparison, pair, "critical");
    const Change parallelism = site_change(comparison, pair, "chain_parallelism");
    const Change work = site_change(comparison, pair, "work");
    const Metric metric{"", "work"};
    text += fmt::format("| {}{} | {} | {} | {} | {} | {} | {} | {} |\n", cell(pair.either().name),
                        mark_of(pair.too_short()), figure_text(work.base, metric, *comparison.base),
                        figure_text(work.now, metric, *comparison.now), critical.base->text(),
                        critical.now->text(), parallelism.base->text(), parallelism.now->text(),
                        match_text(pair));
  }
  if (const std::string hint = unlike_work_text(comparison); !hint.empty())
    text += fmt::format("\n{}\n", cell(hint));
  return any_too_short(comparison, shown) ? text + fmt::format("\n{}\n", kTooShort) : text;
}

} // namespace tp::analysis
