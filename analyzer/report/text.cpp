// The terminal summary: at most 25 lines unless --top asks for more.
#include "report/numbers.h"
#include "report/writers.h"

#include <fmt/format.h>

#include <algorithm>

namespace tp::analysis {
namespace {

constexpr std::size_t kMaxLines = 25;
constexpr std::size_t kMaxNameWidth = 44;

std::string site_name(const SiteInfo& info) {
  return info.line == 0 ? info.file : fmt::format("{}:{}", info.file, info.line);
}

// Bytes that would move the cursor or change colours have no place in a table.
std::string printable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = '?';
  return text;
}

// Long paths lose their beginning, not their line number.
std::string shortened(std::string name) {
  name = printable(std::move(name));
  return name.size() <= kMaxNameWidth ? name : "..." + name.substr(name.size() - kMaxNameWidth + 3);
}

// With the mark of a row that is not to be trusted.
std::string row_name(const SiteRow& site) {
  return shortened(site_name(site.info)) + (site.too_short ? " ~" : "");
}

class Lines {
public:
  explicit Lines(bool colour) : colour_(colour) {}
  template <typename... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    text_ += fmt::format(format, std::forward<Values>(values)...);
    while (!text_.empty() && text_.back() == ' ')
      text_.pop_back();
    text_ += '\n';
    ++count_;
  }
  std::string bold(const std::string& text) const {
    return colour_ ? "\033[1m" + text + "\033[0m" : text;
  }
  std::string yellow(const std::string& text) const {
    return colour_ ? "\033[33m" + text + "\033[0m" : text;
  }
  std::size_t count() const { return count_; }
  std::string take() { return std::move(text_); }

private:
  bool colour_;
  std::size_t count_ = 0;
  std::string text_;
};

double hz_of_work(const Profile& profile) {
  return profile.run.same_as_time ? profile.read.time_hz : static_cast<double>(profile.run.work.hz);
}

std::string clock_line(const Profile& profile) {
  const RunInfo& run = profile.run;
  std::string line = fmt::format("{} ({})", run.work.unit, run.work.name);
  if (!run.work_event.empty() && run.work_event != run.work.name)
    line += ", " + run.work_event;
  return printable(line) + step_cost(run);
}

std::string attribution_line(const Profile& profile) {
  const Attribution& a = profile.attribution;
  const std::string rest =
      fmt::format("overhead {}, idle {}", human_ns(a.overhead_ns), human_ns(a.idle_ns));
  switch (a.basis) {
  case AttributionBasis::None:
    return "cannot be computed: the totals of the run (end.json) are missing; " + rest;
  case AttributionBasis::Virtual:
    return fmt::format("{} % of {} virtual units; {}", percent2(a.attributed, a.total), a.total,
                       rest);
  case AttributionBasis::Time:
    return fmt::format("{} % of {} CPU time; {}", percent2(a.attributed, a.total),
                       human_ns(a.total), rest);
  case AttributionBasis::StepTime:
    return fmt::format("{} % of {} CPU time (by wall time of steps); {}",
                       percent2(a.attributed, a.total), human_ns(a.total), rest);
  }
  return rest;
}

std::string bounds_line(const Profile& profile) {
  std::string line;
  for (const SpeedupBound& bound : profile.bounds)
    line += fmt::format("{}{} to {} on {} cpus", line.empty() ? "" : "; ", decimal2(bound.lower),
                        decimal2(bound.upper), bound.procs);
  return line;
}

std::vector<const SiteRow*> sorted(const Profile& profile, SortKey key) {
  std::vector<const SiteRow*> rows;
  for (const SiteRow& site : profile.sites)
    rows.push_back(&site);
  const auto order = [&](auto less) { std::stable_sort(rows.begin() + 1, rows.end(), less); };
  switch (key) {
  case SortKey::Critical:
    break; // as they are
  case SortKey::Work:
    order([](const SiteRow* a, const SiteRow* b) { return a->work > b->work; });
    break;
  case SortKey::Parallelism:
    order([](const SiteRow* a, const SiteRow* b) {
      return Ratio{a->work, a->span}.value() < Ratio{b->work, b->span}.value();
    });
    break;
  case SortKey::Overhead:
    order([](const SiteRow* a, const SiteRow* b) { return a->overhead_ticks > b->overhead_ticks; });
    break;
  }
  return rows;
}

void add_table(Lines& lines, const Profile& profile, const TextOptions& options, std::size_t room) {
  const auto rows = sorted(profile, options.sort);
  const auto is_too_short = [](const SiteRow* site) { return site->too_short; };
  if (std::any_of(rows.begin(), rows.end(), is_too_short) && room > 2)
    --room;
  const std::size_t wanted = std::min(rows.size(), std::max<std::size_t>(options.top, 1));
  // A line each is kept for "and n more" and the mark of short steps.
  std::size_t shown = options.top_is_explicit ? wanted : std::min(wanted, room);
  if (shown < rows.size() && !options.top_is_explicit)
    shown = std::min(shown, room - 1);
  std::size_t width = 4;
  for (std::size_t i = 0; i < shown; ++i)
    width = std::max(width, row_name(*rows[i]).size());
  lines.add("{}",
            lines.bold(fmt::format("{:<{}}  {:>12}  {:>12}  {:>11}  {:>10}  {:>9}", "Site", width,
                                   "work", "span", "parallelism", "critical %", "tasks")));
  const double hz = hz_of_work(profile);
  for (std::size_t i = 0; i < shown; ++i) {
    const SiteRow& site = *rows[i];
    lines.add("{:<{}}  {:>12}  {:>12}  {:>11}  {:>10}  {:>9}", row_name(site), width,
              human(site.work, profile.run.work, hz), human(site.span, profile.run.work, hz),
              decimal2({site.work, site.span}), percent2(site.critical_work, profile.span),
              human_count(site.invocations));
  }
  if (shown < rows.size())
    lines.add("... and {} more (--top)", rows.size() - shown);
  if (std::any_of(rows.begin(), rows.end(), is_too_short))
    lines.add("{}", lines.yellow(kTooShort));
}

std::string what_if_line(const Profile& profile) {
  if (profile.what_if.empty()) {
    const SiteRow* most = &profile.sites[0];
    for (const SiteRow& site : profile.sites)
      if (site.critical_work > most->critical_work)
        most = &site;
    return fmt::format("no causal regions marked; {} has the most critical work ({} %)",
                       most == &profile.sites[0] ? "main, the serial part of the program,"
                                                 : site_name(most->info),
                       percent2(most->critical_work, profile.span));
  }
  const WhatIfCurve& all = profile.what_if[0];
  const bool one = all.regions.size() == 1;
  std::string line = fmt::format("marked {} {}: parallelism", one ? "region" : "regions",
                                 profile.what_if_mode == "optimize" ? "optimized" : "parallelized");
  // The terminal gets the first factors and the last; the CSV files have them all.
  constexpr std::size_t kFactorsShown = 5;
  for (std::size_t i = 0; i < all.points.size(); ++i)
    if (i + 1 < kFactorsShown || i + 1 == all.points.size())
      line += fmt::format(" {}x -> {};", all.points[i].factor, decimal2(all.points[i].parallelism));
  line.back() = ' ';
  return fmt::format("{} {}", all.regions.size(), line);
}

} // namespace

std::string write_text(const Profile& profile, const TextOptions& options) {
  Lines lines(options.colour);
  const double hz = hz_of_work(profile);
  const auto amount = [&](std::uint64_t value) { return human(value, profile.run.work, hz); };
  lines.add("{}", lines.bold(printable(fmt::format("Taskpath profile of {} ({})",
                                                   profile.run.program, profile.data))));
  lines.add("Unit and clock  {}", clock_line(profile));
  if (!profile.run.work_reason.empty())
    lines.add("                not better: {} (tp-doctor)", printable(profile.run.work_reason));
  if (profile.read.complete)
    lines.add("Completeness    complete");
  for (const std::string& reason : profile.read.incomplete_reasons)
    lines.add("Completeness    {}", lines.yellow("incomplete: " + reason));
  lines.add("Work T1         {}", amount(profile.work));
  lines.add("Span Tinf       {} as executed, {} as divisible", amount(profile.span),
            amount(profile.divisible_span));
  lines.add("Parallelism     {} as executed, {} as divisible", decimal2(profile.parallelism()),
            decimal2(profile.divisible_parallelism()));
  lines.add("Speedup bounds  {}", bounds_line(profile));
  lines.add("Attributed      {}", attribution_line(profile));
  const std::size_t warnings = std::min<std::size_t>(profile.warnings.size(), 4);
  for (std::size_t i = 0; i < warnings; ++i) {
    const bool last = i + 1 == warnings && profile.warnings.size() > warnings;
    lines.add("{}",
              lines.yellow("warning: " + printable(last ? fmt::format("{} more warnings (--json)",
                                                                      profile.warnings.size() - i)
                                                        : profile.warnings[i].text)));
  }
  lines.add("");
  // Below the table: an empty line, the what-if answer, the advice, the next command.
  const std::size_t used = lines.count() + 1 + 4;
  add_table(lines, profile, options, used < kMaxLines ? kMaxLines - used : 2);
  lines.add("");
  lines.add("What if         {}", printable(what_if_line(profile)));
  lines.add("{}", printable(profile.advice));
  lines.add("Next: tp-analyze --json - {}", printable(profile.data));
  return lines.take();
}

std::string pretty_print_csv(std::string_view csv) {
  std::vector<std::vector<std::string>> rows;
  while (!csv.empty()) {
    const std::size_t end = std::min(csv.find('\n'), csv.size());
    std::string_view line = csv.substr(0, end);
    csv.remove_prefix(std::min(end + 1, csv.size()));
    if (!line.empty() && line.back() == '\r')
      line.remove_suffix(1);
    if (rows.empty() && line != kProfileHeader)
      return {};
    if (line.empty())
      continue;
    rows.push_back(split_csv_line(line));
    rows.back().resize(6);
  }
  std::vector<std::size_t> widths(6);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < 6; ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : rows) {
    text += fmt::format("{:<{}}", printable(row[0]), widths[0]);
    for (std::size_t i = 1; i < 6; ++i)
      text += fmt::format("  {:>{}}", printable(row[i]), widths[i]);
    text += '\n';
  }
  return text;
}

} // namespace tp::analysis
