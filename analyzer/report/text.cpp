// SPDX-License-Identifier: Apache-2.0
// The terminal summary: at most 25 lines unless --top asks for more. Whole lines give way to that
// limit, in a fixed order; no sentence is cut, so very long names may exceed it.
#include "base/rounding.h"
#include "report/lines.h"
#include "report/numbers.h"
#include "report/writers.h"

#include <fmt/format.h>

#include <algorithm>

namespace tp::analysis {
namespace {

constexpr std::size_t kMaxLines = 25;

// With the mark if the row is unreliable.
std::string row_name(const SiteRow& site) {
  return shortened(site.info.name) + mark_of(site.too_short);
}

std::string clock_line(const Profile& profile) {
  const RunInfo& run = profile.run;
  std::string line = run.work.name;
  if (!run.work_event.empty() && run.work_event != run.work.name)
    line += ", event " + run.work_event;
  return printable(line + ", in " + run.work.unit) + step_cost(run);
}

std::string attribution_line(const Profile& profile) {
  const Attribution& a = profile.attribution;
  std::string share = fixed_percent2(a.attributed, a.total);
  switch (a.basis) {
  case AttributionBasis::None:
    return "unknown: the totals of the run (end.json) are missing";
  case AttributionBasis::Virtual:
    return fmt::format("{} % of {} virtual units", share, a.total);
  case AttributionBasis::Time:
    return fmt::format("{} % of {} CPU time", share, human_ns(a.total));
  case AttributionBasis::StepTime:
    return fmt::format("{} % of {} CPU time (by the wall time of steps)", share, human_ns(a.total));
  }
  return share;
}

// Work counts from the start of each thread, times from its first oneTBB call: reports say so
// where that makes a difference.
bool has_prior_work(const Profile& profile) {
  return profile.read.prior_work > profile.work / 100;
}

// P x elapsed, and how it was spent.
std::string balance_line(const Profile& profile) {
  const TimeBalance& b = profile.balance;
  const double hz = profile.read.time_hz;
  const std::uint64_t whole = b.threads * b.elapsed;
  if (whole == 0 || hz <= 0)
    return "no time was recorded";
  const auto share = [&](std::uint64_t part) { return percent(part, whole) + " %"; };
  const bool waited = b.descheduled > whole / 100;
  // Before a thread's first and after its last record.
  const std::string outside =
      b.absent > whole / 100 ? ", " + share(b.absent) + " outside the recording" : "";
  const std::string reading =
      b.recording > whole / 20
          ? fmt::format(" ({} for reading the clock and events)", share(b.recording))
          : "";
  return fmt::format("{} threads x {}{}: {} work, {}{} overhead{}, {} idle{}", b.threads,
                     human_ns(to_ns(b.elapsed, hz)),
                     has_prior_work(profile) ? " from the first oneTBB call on" : "",
                     share(b.steps - (waited ? b.descheduled : 0)),
                     waited ? share(b.descheduled) + " off-CPU, " : "", share(b.overhead), reading,
                     share(b.idle), outside);
}

// What delayed the end of this run; empty if the scheduler cost less than a tenth of it.
std::string delays_line(const Profile& profile) {
  static constexpr const char* kWhere[] = {"before a created task began",
                                           "before its creator continued", "before a wait ended",
                                           "after the end of a task", "inside a task"};
  const RunPathPart& path = profile.elapsed.path;
  const std::uint64_t length = path.length();
  if (length == 0 || path.scheduler() < length / 10)
    return "";
  const auto most =
      std::max_element(path.delays.begin(), path.delays.end(),
                       [](const Delays& a, const Delays& b) { return a.scheduler < b.scheduler; });
  return fmt::format(
      "{} % of the elapsed time work was ready while a CPU ran no task (mostly {}); {} % all CPUs "
      "had other work",
      percent(path.scheduler(), length),
      kWhere[static_cast<std::size_t>(most - path.delays.begin())], percent(path.busy(), length));
}

std::string burden_line(const Profile& profile) {
  static constexpr const char* kOrigins[] = {"assuming", "given", "measured:"};
  return fmt::format("{} ({} {} per steal)", fixed2({profile.work, profile.burdened_span_tbb}),
                     kOrigins[static_cast<std::size_t>(profile.burden.origin)],
                     human(profile.burden.work, profile.run.work, hz_of_work(profile)));
}

// A selection of `all` that fits a line, evenly spaced, with the first and the last.
template <typename T>
std::vector<const T*> shown_of(const std::vector<T>& all, std::size_t most) {
  std::vector<const T*> shown;
  for (std::size_t i = 0; i < std::min(all.size(), most); ++i)
    shown.push_back(&all[all.size() <= most ? i : i * (all.size() - 1) / (most - 1)]);
  return shown;
}

// For each number of CPUs: the bound of any schedule of this run's tasks, the same with loops split,
// the prediction of the simulation, and its limiter.
void add_speedups(Lines& lines, const Profile& profile, bool verbose) {
  static constexpr const char* kLimiters[] = {"work", "span", "overhead", "grain size"};
  const Prediction& prediction = profile.prediction;
  const bool split_helps = profile.divisible_is_known() &&
                           std::ranges::any_of(profile.bounds, [](const SpeedupBound& bound) {
                             return bound.divisible_upper.value() > 1.1 * bound.upper.value();
                           });
  // It is a bound for this program, however it is split, only if splitting loops further would not
  // help.
  lines.add("Speedup         {:>5}  {:>8}  {}{:>9}  {:>10}  {}", "CPUs",
            profile.divisible_is_known() && !split_helps ? "at most" : "this run",
            split_helps ? "loops split  " : "", "predicted", "time", "limited by");
  for (const SpeedupBound* bound : shown_of(profile.bounds, profile.search ? 3 : 4)) {
    const auto run = std::ranges::find(prediction.runs, bound->procs,
                                       [](const auto& each) { return each.procs; });
    const bool simulated = run != prediction.runs.end();
    lines.add("                {:>5}  {:>8}  {}{:>9}  {:>10}  {}", bound->procs,
              fixed2(bound->upper),
              split_helps ? fmt::format("{:>11}  ", fixed2(bound->divisible_upper)) : "",
              simulated ? fixed2(run->speedup) : "-",
              simulated ? human(run->time, profile.run.work, hz_of_work(profile)) : "-",
              simulated ? kLimiters[static_cast<std::size_t>(run->limiter)] : "-");
  }
  if (verbose && !prediction.runs.empty())
    lines.add_text(
        "                predicted: by simulated work stealing, which may take longer than "
        "T1/P + Tinf, the bound of greedy schedules (JSON: greedy_time)");
  if (!prediction.skipped_because.empty())
    lines.add_text("                no prediction: " + prediction.skipped_because);
}

std::vector<const SiteRow*> sorted(const Profile& profile, SortKey key) {
  std::vector<const SiteRow*> rows;
  for (const SiteRow& site : profile.sites)
    rows.push_back(&site);
  const auto order = [&](auto less) { std::stable_sort(rows.begin() + 1, rows.end(), less); };
  switch (key) {
  case SortKey::Critical:
    break; // already in this order
  case SortKey::Work:
    order([](const SiteRow* a, const SiteRow* b) { return a->work > b->work; });
    break;
  case SortKey::Parallelism:
    order([](const SiteRow* a, const SiteRow* b) {
      return a->chain_parallelism().value() < b->chain_parallelism().value();
    });
    break;
  case SortKey::Overhead:
    order([](const SiteRow* a, const SiteRow* b) { return a->overhead.cost > b->overhead.cost; });
    break;
  }
  return rows;
}

void add_table(Lines& lines, const Profile& profile, const TextOptions& options, std::size_t room) {
  const auto rows = sorted(profile, options.sort);
  const bool any_too_short =
      std::any_of(rows.begin(), rows.end(), [](const SiteRow* site) { return site->too_short; });
  const std::size_t wanted = std::min(rows.size(), std::max<std::size_t>(options.top, 1));
  std::size_t shown = wanted;
  // One line is reserved for the mark of short steps and "and n more".
  if (!options.top_is_explicit)
    shown = std::min(wanted,
                     any_too_short || wanted < rows.size() || room < rows.size() ? room - 1 : room);
  const std::string_view title = "Spawn site (this run)";
  std::size_t width = title.size();
  for (std::size_t i = 0; i < shown; ++i)
    width = std::max(width, row_name(*rows[i]).size());
  // If sorted by overhead: its share, and the mean size of a task.
  const bool by_overhead = options.sort == SortKey::Overhead;
  lines.add("{}", lines.bold(fmt::format(
                      "{:<{}}  {:>12} {:>13}  {:>11}  {:>10}  {:>9}", title, width, "work",
                      by_overhead ? "work / task" : "longest chain", "parallelism",
                      by_overhead ? "overhead %" : "critical %", "tasks")));
  const double hz = hz_of_work(profile);
  for (std::size_t i = 0; i < shown; ++i) {
    const SiteRow& site = *rows[i];
    const std::uint64_t second =
        by_overhead ? site.exclusive_work / std::max<std::uint64_t>(site.invocations, 1)
                    : site.longest_chain;
    lines.add("{:<{}}  {:>12} {:>13}  {:>11}  {:>10}  {:>9}", row_name(site), width,
              human(site.work, profile.run.work, hz), human(second, profile.run.work, hz),
              fixed2(site.chain_parallelism()),
              by_overhead
                  ? fixed_percent2(site.overhead.share.numerator, site.overhead.share.denominator)
                  : fixed_percent2(site.critical_work, profile.span),
              human_count(site.invocations));
  }
  const std::string more =
      shown < rows.size() ? fmt::format("... and {} more (--top)", rows.size() - shown) : "";
  if (any_too_short)
    lines.add("{}{}", more.empty() ? "" : more + "; ", lines.yellow(kTooShort));
  else if (!more.empty())
    lines.add("{}", more);
}

// The report on the whole program, up to the warnings, of which as many are shown as lines are
// left.
void add_summary(Lines& lines, const Profile& profile, bool verbose) {
  const double hz = hz_of_work(profile);
  const auto amount = [&](std::uint64_t value) { return human(value, profile.run.work, hz); };
  for (const std::string& line :
       wrapped(fmt::format("Taskpath profile of {} ({}){}", profile.run.program, profile.data,
                           profile.read.complete ? ": complete" : ""),
               0))
    lines.add("{}", lines.bold(line));
  const auto& reasons = profile.read.incomplete_reasons;
  if (!reasons.empty())
    for (const std::string& line : wrapped("incomplete: " + reasons.front(), 12))
      lines.add("{}", lines.yellow(line));
  if (reasons.size() > 1)
    lines.add("{}", lines.yellow(
                        fmt::format("incomplete: {} more reasons (--json)", reasons.size() - 1)));
  lines.add_text("Clock           " + clock_line(profile));
  if (!profile.run.work_reason.empty())
    lines.add_text("                no better clock: " + profile.run.work_reason +
                   " (see tp-doctor)");
  lines.add("Work T1         {} in {} tasks, {} per step{}", amount(profile.work),
            human_count(profile.read.begun),
            amount(profile.work / std::max<std::uint64_t>(profile.read.steps, 1)),
            has_prior_work(profile)  ? fmt::format("; {} before its thread's first oneTBB call",
                                                   amount(profile.read.prior_work))
            : profile.from_first_use ? fmt::format("; {} before the first oneTBB call left out",
                                                   amount(profile.read.left_out_work))
                                     : "");
  lines.add("Span Tinf       {} in this run{}", amount(profile.span),
            profile.divisible_is_known()
                ? fmt::format("; {} if loops were split to their grain size",
                              profile.divisible_is_measured()
                                  ? amount(profile.divisible_span)
                                  : fmt::format("{} to {}", amount(profile.divisible_span),
                                                amount(profile.divisible_span_at_most)))
                : "");
  lines.add_text(fmt::format("Parallelism     {} in this run{}; {}", fixed2(profile.parallelism()),
                             as_if_cores(profile.run), divisible_parallelism_text(profile)));
  if (verbose)
    lines.add_text("Burdened        " + burden_line(profile));
  add_speedups(lines, profile, verbose);
  lines.add_text("Time            " + balance_line(profile));
  lines.add_text("Attributed      " + attribution_line(profile));
}

// Uses at most `room` lines, but the first warning is always shown.
void add_warnings(Lines& lines, const Profile& profile, std::size_t room) {
  const auto& warnings = profile.warnings;
  for (std::size_t i = 0; i < warnings.size(); ++i) {
    const std::size_t others = warnings.size() - i - 1;
    auto text = wrapped("warning: " + warnings[i].text, 9);
    const bool is_last = text.size() + (others > 0 ? 1 : 0) > room;
    if (is_last && i > 0) {
      lines.add("{}", lines.yellow(fmt::format("warning: {} more (-v)", others + 1)));
      return;
    }
    if (is_last && others > 0)
      text = wrapped(fmt::format("warning: {}; {} more (-v)", warnings[i].text, others), 9);
    for (const std::string& line : text)
      lines.add("{}", lines.yellow(line));
    if (is_last)
      return;
    room -= text.size();
  }
}

} // namespace

// The command that continues with the finding of the advice.
static std::string next_command(const Profile& profile) {
  if (!profile.advised_grains.empty() &&
      profile.advice.find(profile.advised_grains.front().name) != std::string::npos) {
    const WhatIfCandidate& grain = profile.advised_grains.front();
    return fmt::format("tp-analyze --grain {}:{}={} {}", grain.place.file, grain.place.line,
                       grain.grain, profile.data);
  }
  if (!profile.findings.empty() && profile.findings.front().shape == Shape::SerialStart &&
      profile.advice.ends_with(profile.findings.front().text))
    return fmt::format("tp-analyze --from first-use {}", profile.data);
  if (profile.search || profile.has_ample_parallelism() || profile.work == 0)
    return fmt::format("tp-analyze --export speedscope:profile.speedscope.json {}", profile.data);
  return fmt::format("tp-analyze --target {} {}", std::max<std::uint64_t>(2 * profile.run.cpus, 8),
                     profile.data);
}

std::string write_text(const Profile& profile, const TextOptions& options) {
  Lines lines(options.color);
  add_summary(lines, profile, options.verbose);
  const auto advice = wrapped(profile.advice, 0);
  // Lines left after the text so far, the fixed lines (the table's header, an empty line, the
  // advice, the next command), and `more`.
  const auto room = [&](std::size_t more) {
    return kMaxLines - std::min(lines.count() + 3 + advice.size() + more, kMaxLines);
  };
  constexpr std::size_t kLeastRows = 2, kLeastWhatIf = 2, kMostWarnings = 4;
  // What the user asked for comes first: a search, its heading and steps.
  // With the line below the table.
  const std::size_t rows = profile.search
                               ? kLeastRows
                               : std::clamp<std::size_t>(profile.sites.size() + 1, kLeastRows, 5);
  const std::size_t what_if_wants =
      profile.search ? 1 + std::clamp<std::size_t>(profile.search->steps.size(), 1, 5)
                     : kLeastWhatIf;
  // The delays are shown if there is room; those of half the run take the place of rows.
  const RunPathPart& path = profile.elapsed.path;
  const bool large = path.scheduler() >= path.length() / 2;
  const std::size_t warned =
      profile.warnings.empty() ? 0 : wrapped("warning: " + profile.warnings.front().text, 9).size();
  if (const auto delays = wrapped("Delays          " + delays_line(profile), Lines::kLabelWidth);
      !delays_line(profile).empty() && room(0) >= 1 + (large ? kLeastRows : rows) + 1 +
                                                      (large ? warned : 0) + what_if_wants +
                                                      delays.size())
    for (const std::string& line : delays)
      lines.add("{}", line);
  add_warnings(lines, profile,
               std::clamp<std::size_t>(room(1 + rows + what_if_wants), 1, kMostWarnings));
  lines.add("");
  Lines what_if(options.color);
  // A search takes all available lines; otherwise two lines are left for the grain size.
  add_what_if(what_if, profile,
              profile.search ? std::max(room(rows), kLeastWhatIf)
                             : std::clamp<std::size_t>(room(rows + 2), kLeastWhatIf, 5));
  add_table(lines, profile, options, std::max(room(what_if.count()), kLeastRows));
  lines.add("");
  lines.add(what_if);
  for (const std::string& line : advice)
    lines.add("{}", lines.bold(line));
  lines.add("next: {}", printable(next_command(profile)));
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
