// The terminal summary: at most 25 lines unless --top asks for more.
#include "report/lines.h"
#include "report/numbers.h"
#include "report/writers.h"

#include <fmt/format.h>

#include <algorithm>

namespace tp::analysis {
namespace {

constexpr std::size_t kMaxLines = 25;

// With the mark of a row that is not to be trusted.
std::string row_name(const SiteRow& site) {
  return shortened(site.info.name) + (site.too_short ? " ~" : "");
}

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
  const std::string share = percent2(a.attributed, a.total);
  switch (a.basis) {
  case AttributionBasis::None:
    return "cannot be computed: the totals of the run (end.json) are missing";
  case AttributionBasis::Virtual:
    return fmt::format("{} % of {} virtual units", share, a.total);
  case AttributionBasis::Time:
    return fmt::format("{} % of {} CPU time", share, human_ns(a.total));
  case AttributionBasis::StepTime:
    return fmt::format("{} % of {} CPU time (by wall time of steps)", share, human_ns(a.total));
  }
  return share;
}

// P x elapsed and where it went.
std::string balance_line(const Profile& profile) {
  const TimeBalance& b = profile.balance;
  const double hz = profile.read.time_hz;
  const std::uint64_t whole = b.threads * b.elapsed;
  if (whole == 0 || hz <= 0)
    return "no time was recorded";
  const auto share = [&](std::uint64_t part) { return percent2(part, whole) + " %"; };
  const bool waited = b.descheduled > whole / 100;
  const auto elapsed_ns = static_cast<std::uint64_t>(static_cast<double>(b.elapsed) * 1e9 / hz);
  return fmt::format("{} threads x {}: {} work, {}{} overhead, {} idle, {} not there", b.threads,
                     human_ns(elapsed_ns), share(b.steps - (waited ? b.descheduled : 0)),
                     waited ? share(b.descheduled) + " waiting for a cpu, " : "", share(b.overhead),
                     share(b.idle), share(b.absent));
}

std::string burden_line(const Profile& profile) {
  static constexpr const char* kOrigins[] = {"assumed", "given", "measured"};
  const double hz = hz_of_work(profile);
  return fmt::format("{} (oneTBB), {} (Cilk), if a migration costs {} ({})",
                     decimal2({profile.work, profile.burdened_span_tbb}),
                     decimal2({profile.work, profile.burdened_span_cilk}),
                     human(profile.burden.work, profile.run.work, hz),
                     kOrigins[static_cast<std::size_t>(profile.burden.origin)]);
}

std::string bounds_line(const Profile& profile) {
  std::string line;
  constexpr std::size_t kShown = 4;
  for (std::size_t i = 0; i < std::min(profile.bounds.size(), kShown); ++i) {
    const SpeedupBound& bound = profile.bounds[i];
    line += fmt::format("{}{} to {} on {} cpus", line.empty() ? "" : "; ",
                        decimal2(bound.estimate_tbb), decimal2(bound.upper), bound.procs);
    const std::string divisible = decimal2(bound.divisible_upper);
    if (divisible != decimal2(bound.upper))
      line += fmt::format(" ({} as divisible)", divisible);
  }
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

} // namespace

std::string write_text(const Profile& profile, const TextOptions& options) {
  Lines lines(options.colour);
  const double hz = hz_of_work(profile);
  const auto amount = [&](std::uint64_t value) { return human(value, profile.run.work, hz); };
  lines.add("{}", lines.bold(printable(fmt::format("Taskpath profile of {} ({}){}",
                                                   profile.run.program, profile.data,
                                                   profile.read.complete ? ": complete" : ""))));
  const auto& reasons = profile.read.incomplete_reasons;
  if (!reasons.empty())
    lines.add("{}", lines.yellow("incomplete: " + reasons.front()));
  if (reasons.size() > 1)
    lines.add("{}", lines.yellow(
                        fmt::format("incomplete: {} more reasons (--json)", reasons.size() - 1)));
  lines.add("Unit and clock  {}", clock_line(profile));
  if (!profile.run.work_reason.empty())
    lines.add("                not better: {} (tp-doctor)", printable(profile.run.work_reason));
  lines.add("Work T1         {} in {} tasks, {} per step", amount(profile.work),
            human_count(profile.read.begun),
            amount(profile.work / std::max<std::uint64_t>(profile.read.steps, 1)));
  lines.add("Span Tinf       {} as executed, {} as divisible", amount(profile.span),
            amount(profile.divisible_span));
  lines.add("Parallelism     {} as executed, {} as divisible", decimal2(profile.parallelism()),
            decimal2(profile.divisible_parallelism()));
  lines.add("Burdened        {}", burden_line(profile));
  lines.add("Speedup         {}", bounds_line(profile));
  lines.add("Time            {}", balance_line(profile));
  lines.add("Attributed      {}", attribution_line(profile));
  const std::size_t warnings = std::min<std::size_t>(profile.warnings.size(), 3);
  for (std::size_t i = 0; i < warnings; ++i) {
    const bool last = i + 1 == warnings && profile.warnings.size() > warnings;
    lines.add("{}",
              lines.yellow("warning: " + printable(last ? fmt::format("{} more warnings (--json)",
                                                                      profile.warnings.size() - i)
                                                        : profile.warnings[i].text)));
  }
  lines.add("");
  // Beside what is there: the table's header and at least two rows, an empty line, the advice, the
  // next command; and the what-if answer, as long as there is room.
  const std::size_t used = lines.count() + 4;
  Lines what_if(options.colour);
  add_what_if(what_if, profile,
              std::clamp<std::size_t>(kMaxLines - std::min(used + 4, kMaxLines), 2, 5));
  const std::size_t below = used + what_if.count();
  add_table(lines, profile, options, below + 2 < kMaxLines ? kMaxLines - below : 2);
  lines.add("");
  lines.add(what_if);
  lines.add("{}", lines.bold(printable(profile.advice)));
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
