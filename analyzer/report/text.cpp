// SPDX-License-Identifier: Apache-2.0
// The terminal summary: at most 25 lines unless --top or --verbose asks for more. Whole parts give way to
// that limit, in a fixed order (Brevity), those first that --verbose or another option shows and that the
// answer does not need; no sentence is cut, so very long names may exceed it. With --target the changes
// that were asked for are the answer, and give way last.
#include "base/rounding.h"
#include "common/files.h"
#include "report/lines.h"
#include "report/numbers.h"
#include "report/phrases.h"
#include "report/writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>

namespace tp::analysis {
namespace {

constexpr std::size_t kMaxLines = 25;

// What a report does without to be short enough. Each step includes those before it.
enum class Brevity : std::uint8_t {
  Whole,
  NoFunctions,  // in --functions
  NoWhatIf,     // in --verbose, unless four rows of sites leave room for it
  NoDelays,     // in --verbose
  ShortLocks,   // without bounds that the headline has
  OneLock,      // the others in --verbose
  NoLocks,      // what limits the program is in the headline
  CountedNotes, // how many there are, instead of the first, unless it says that figures are wrong
  OneRow,       // of the table of sites; with a search, which names the code, none
  NoRunCheck,   // whether the run took as long as predicted
  NoRun,        // how the run spent its time
  NoNotes,      // nor the first that says so
  Least         // a search as well is cut
};

constexpr bool operator<(Brevity a, Brevity b) {
  return static_cast<int>(a) < static_cast<int>(b);
}

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

// What threads did between steps, as at barriers, if that is much.
std::string with_between_steps(const Attribution& a) {
  return Wide{a.accounted() - a.attributed} * 20 > a.total
             ? fmt::format(" to steps, {} % with what threads did between them",
                           fixed_percent2(a.accounted(), a.total))
             : "";
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
    return fmt::format("{} % of {} CPU time{}", share, human_ns(a.total), with_between_steps(a));
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
  // Before a thread's first and after its last record.
  const std::string outside =
      b.absent > whole / 100 ? ", " + share(b.absent) + " outside the recording" : "";
  const std::string reading =
      b.recording > whole / 20
          ? fmt::format(" ({} for reading the clock and events)", share(b.recording))
          : "";
  const auto if_much = [&](std::uint64_t ticks, const char* what) {
    return ticks > whole / 100 ? share(ticks) + what : std::string();
  };
  return fmt::format(
      "{} threads x {}{}: {} work, {}{}{}{}{} overhead{}, {} idle{}", b.threads,
      human_ns(to_ns(b.elapsed, hz)),
      has_prior_work(profile) ? fmt::format(" from the first {} call on", models_of(profile)) : "",
      share(b.steps - b.descheduled), if_much(b.asleep, " asleep, "),
      if_much(b.lock_waits, " waiting for locks, "), if_much(b.without_cpu(), " no CPU, "),
      if_much(b.lock_calls, " releasing locks for which others waited, "),
      share(b.overhead - b.lock_calls), reading, share(b.idle), outside);
}

// Threads and the path of the run are known from then on. Said where that leaves out a tenth of the run.
std::string since_first_use(const Profile& profile) {
  const std::uint64_t recorded = to_ns(profile.balance.elapsed, profile.read.time_hz);
  return Wide{recorded} * 10 < Wide{run_ns(profile)} * 9
             ? fmt::format(" from the first {} call on", models_of(profile))
             : "";
}

// What delayed the end of this run; empty if the scheduler cost less than a tenth of it.
std::string delays_line(const Profile& profile) {
  static constexpr const char* kWhere[] = {"before a created task began",
                                           "before its creator continued",
                                           "before a wait ended",
                                           "after the end of a task",
                                           "inside a task",
                                           "at a lock"};
  const RunPathPart& path = profile.elapsed.path;
  const std::uint64_t length = path.length();
  if (length == 0 || path.scheduler() < length / 10)
    return "";
  const auto most =
      std::max_element(path.delays.begin(), path.delays.end(),
                       [](const Delays& a, const Delays& b) { return a.scheduler < b.scheduler; });
  const std::string_view how = path.blocked_at_locks() * 2 >= path.scheduler()
                                   ? "while its thread waited for a lock inside a task"
                               : path.blocked() * 2 >= path.scheduler()
                                   ? "while its thread slept or waited inside a task"
                               : path.delay_taken() * 2 >= path.scheduler()
                                   ? "while others had the CPU of its thread"
                                   : kWhere[static_cast<std::size_t>(most - path.delays.begin())];
  const std::string since = since_first_use(profile);
  return fmt::format("{} % of the elapsed time{}{} work was ready while a CPU ran no task (mostly "
                     "{}); {} % all CPUs "
                     "had other work",
                     percent(path.scheduler(), length), since, since.empty() ? "" : ",", how,
                     percent(path.busy(), length));
}

std::string burden_line(const Profile& profile) {
  static constexpr const char* kOrigins[] = {"assuming", "given", "measured:"};
  return fmt::format("{} ({} {} per steal)",
                     three_digits({profile.work, profile.burdened_span_tbb}),
                     kOrigins[static_cast<std::size_t>(profile.burden.origin)],
                     human(profile.burden.work, profile.run.work, hz_of_work(profile)));
}

// Details: for each number of CPUs that was asked for, the bound of any schedule of this run's tasks,
// the same with loops split, the prediction of the simulation, and its limiter.
void add_bounds(Lines& lines, const Profile& profile) {
  static constexpr const char* kLimiters[] = {"work",       "span",   "overhead",
                                              "grain size", "a lock", "concurrency"};
  if (profile.bounds.empty())
    return;
  const Prediction& prediction = profile.prediction;
  lines.add("Speedup         {:>5}  {:>8}  {}{:>9}  {:>10}  {}", "CPUs", "this run",
            profile.divisible_is_known() ? "loops split  " : "", "predicted", "time", "limited by");
  for (const SpeedupBound& bound : profile.bounds) {
    const auto run = std::ranges::find(prediction.runs, bound.procs, &PredictedRun::procs);
    const bool simulated = run != prediction.runs.end();
    lines.add(
        "                {:>5}  {:>8}  {}{:>9}  {:>10}  {}", bound.procs, three_digits(bound.upper),
        profile.divisible_is_known() ? fmt::format("{:>11}  ", three_digits(bound.divisible_upper))
                                     : "",
        simulated ? three_digits(run->speedup) : "-",
        simulated ? human(run->time, profile.run.work, hz_of_work(profile)) : "-",
        simulated ? kLimiters[static_cast<std::size_t>(run->limiter)] : "-");
  }
  if (!prediction.runs.empty())
    lines.add_text(
        "                predicted: by simulated work stealing, which may take longer than "
        "T1/P + Tinf, the bound of greedy schedules (JSON: greedy_time); this run, loops split: "
        "upper bounds");
}

// What the first table of the report has a column for.
struct ScalingColumn {
  std::uint64_t procs = 0;
  std::uint64_t time = 0;
  Ratio speedup;
};

// The numbers of CPUs that the user asked for, else powers of two, that of this machine, and where
// efficiency falls below a half; so many that they fit.
std::vector<ScalingColumn> scaling_columns(const Profile& profile, bool asked) {
  constexpr std::size_t kMost = 7;
  const Prediction& prediction = profile.prediction;
  std::vector<ScalingColumn> columns;
  const auto add = [&](const PredictedRun& run) {
    if (std::ranges::find(columns, run.procs, &ScalingColumn::procs) == columns.end())
      columns.push_back({run.procs, run.time, run.speedup});
  };
  for (const PredictedRun& run : prediction.runs)
    if (asked || run.procs == profile.run.cpus)
      add(run);
  if (!asked)
    for (const PredictedRun& run : prediction.scaling)
      add(run);
  std::ranges::sort(columns, {}, &ScalingColumn::procs);
  // Gives up the second largest first.
  while (columns.size() > kMost)
    columns.erase(columns.end() - 2);
  return columns;
}

void add_speedups(Lines& lines, const Profile& profile, bool asked) {
  std::vector<ScalingColumn> columns = scaling_columns(profile, asked);
  if (columns.empty()) {
    lines.add_text("no prediction: " + profile.prediction.skipped_because);
    return;
  }
  const double hz = hz_of_work(profile);
  const auto amount = [&](std::uint64_t time) { return human(time, profile.run.work, hz); };
  // What readings of the clock add to short steps is not in predictions, but in the limit.
  std::uint64_t least = profile.speedup_limit().denominator;
  for (const ScalingColumn& column : columns)
    least = std::min(least, column.time);
  const std::string limit = amount(least);
  std::size_t width = std::max<std::size_t>(10, limit.size());
  for (const ScalingColumn& column : columns)
    width = std::max(width, amount(column.time).size());
  constexpr std::size_t kLabelWidth = 8;
  const std::size_t most = std::max<std::size_t>((kMaxWidth - kLabelWidth) / (width + 1), 2) - 1;
  while (columns.size() > most)
    columns.erase(columns.end() - 2);
  std::string procs = "CPUs    ", time = "time    ", speedup = "speedup ";
  const auto add = [&](const std::string& first, const std::string& second,
                       const std::string& third) {
    procs += fmt::format(" {:>{}}", first, width);
    time += fmt::format(" {:>{}}", second, width);
    speedup += fmt::format(" {:>{}}", third, width);
  };
  for (const ScalingColumn& column : columns)
    add(fmt::format("{}", column.procs), amount(column.time), three_digits(column.speedup));
  add("limit", limit, three_digits(profile.speedup_limit()));
  lines.add("{}", lines.bold(procs));
  lines.add("{}", time);
  lines.add("{}", speedup);
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

// A share of `width` columns, to an eighth of one where the terminal shows it.
std::string bar(std::uint64_t part, std::uint64_t whole, std::size_t width, bool unicode) {
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  part = std::min(part, whole);
  const auto eighths = whole == 0 ? 0 : static_cast<std::size_t>(Wide{part} * width * 8 / whole);
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i)
    text += unicode ? "█" : "#";
  std::size_t columns = eighths / 8;
  if (eighths % 8 != 0 && unicode) {
    text += kEighths[eighths % 8];
    ++columns;
  } else if (columns == 0 && part > 0) {
    text += unicode ? "▏" : "-";
    ++columns;
  }
  return text + std::string(width - columns, ' ');
}

std::string name_of(const SiteRow& site) {
  return site.row == kMainRow ? "code outside tasks" + mark_of(site.too_short) : row_name(site);
}

// Rows below half a percent of all are noise.
bool is_small(const SiteRow& site, const Profile& profile) {
  return Wide{site.critical_work} * 200 < profile.span &&
         Wide{site.exclusive_work} * 200 < profile.work &&
         Wide{site.latency} * 200 <= profile.latency.value_or(0);
}

std::vector<const SiteRow*> table_rows(const Profile& profile, const TextOptions& options) {
  auto rows = sorted(profile, options.sort);
  if (!options.top_is_explicit)
    std::erase_if(rows, [&](const SiteRow* site) {
      return is_small(*site, profile) &&
             (options.sort != SortKey::Overhead || site->overhead.cost == 0);
    });
  return rows;
}

bool any_too_short(const std::vector<const SiteRow*>& rows) {
  return std::ranges::any_of(rows, &SiteRow::too_short);
}

// A hundredth of the work and the latency of the program.
bool has_latency(const std::vector<const SiteRow*>& rows, const Profile& profile) {
  return std::ranges::any_of(rows, [&](const SiteRow* site) {
    return site->latency > 0 &&
           Wide{site->latency} * 100 >= Wide{profile.work} + profile.latency.value_or(0);
  });
}

void add_table(Lines& lines, const Profile& profile, const TextOptions& options, std::size_t room) {
  constexpr std::size_t kBarWidth = 10;
  const auto rows = table_rows(profile, options);
  const std::size_t all = profile.sites.size();
  const bool by_overhead = options.sort == SortKey::Overhead;
  const bool has_mark = any_too_short(rows);
  const std::size_t wanted = std::min(rows.size(), std::max<std::size_t>(options.top, 1));
  std::size_t shown = wanted;
  if (!options.top_is_explicit) // one line is for the mark of short steps
    shown = std::min(wanted, std::max<std::size_t>(room, has_mark ? 2 : 1) - (has_mark ? 1 : 0));
  const double hz = hz_of_work(profile);
  std::string title = fmt::format("Critical path {}", human(profile.span, profile.run.work, hz));
  if (shown < all)
    title += fmt::format("; {} more with --top", all - shown);
  std::size_t width = std::max(title.size(), kBarWidth + 8) - kBarWidth - 8;
  for (std::size_t i = 0; i < shown; ++i)
    width = std::max(width, name_of(*rows[i]).size());
  // Sleep has a column if there is any; if that needs the room, instead of overhead.
  const bool sleeps = !by_overhead && has_latency(rows, profile);
  const bool has_overhead = !sleeps || kBarWidth + 8 + width + 13 + 11 + 9 + 10 + 10 <= kMaxWidth;
  const auto last_columns = [&](const std::string& latency, const std::string& overhead) {
    return (sleeps ? fmt::format("  {:>8}", latency) : "") +
           (has_overhead ? fmt::format("  {:>8}", overhead) : "");
  };
  lines.add("{}",
            lines.bold(fmt::format("{:<{}}  {:>11}  {:>9}  {:>7}{}", title, kBarWidth + 8 + width,
                                   by_overhead ? "work/task" : "parallelism", "work", "tasks",
                                   last_columns("asleep", "overhead"))));
  for (std::size_t i = 0; i < shown; ++i) {
    const SiteRow& site = *rows[i];
    const bool has_tasks = site.invocations > 0 && site.row != kMainRow;
    const auto of_tasks = [&](const std::string& text) { return has_tasks ? text : ""; };
    lines.add(
        "{} {:>4} %  {:<{}}  {:>11}  {:>9}  {:>7}{}",
        lines.colored(bar(site.critical_work, profile.span, kBarWidth, options.unicode),
                      site.row == kMainRow ? Lines::kOrange : Lines::kBlue),
        short_percent(site.critical_work, profile.span), name_of(site), width,
        by_overhead
            ? of_tasks(human(site.exclusive_work / std::max<std::uint64_t>(site.invocations, 1),
                             profile.run.work, hz))
            : three_digits(site.row == kMainRow ? Ratio{site.exclusive_work, site.critical_work}
                                                : site.chain_parallelism()),
        human(site.row == kMainRow ? site.exclusive_work : site.work, profile.run.work, hz),
        of_tasks(human_count(site.invocations)),
        last_columns(
            site.latency > 0 ? human(site.latency, profile.run.work, hz) : "",
            of_tasks(percent(site.overhead.share.numerator, site.overhead.share.denominator) +
                     " %")));
  }
  if (any_too_short({rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(shown)}))
    lines.add("{}", lines.yellow(kTooShort));
}

std::string how_often(std::uint64_t count) {
  return count == 1 ? "once" : human_count(count) + " times";
}

// "150 ms"; of a sample, with its standard error: "about 150 ms (± 2 ms)".
std::string held_in_words(const Profile& profile, const LockTotals& totals) {
  const auto amount = [&](std::uint64_t work) {
    return human(work, profile.run.work, hz_of_work(profile));
  };
  if (!totals.is_sampled)
    return amount(totals.held);
  return fmt::format("about {}{}", amount(totals.held),
                     totals.held_error > 0 ? fmt::format(" (± {})", amount(totals.held_error))
                                           : "");
}

// Whether its bound is at least half of the critical path.
bool nearly_limits(const Profile& profile, const LockRow& lock) {
  const bool sleeps = profile.counts_sleep_of(lock);
  const std::uint64_t bound = profile.left_by(lock).denominator;
  return bound > 0 && Wide{bound} * 2 >= (sleeps ? profile.span_with_latency.value_or(profile.span)
                                                 : profile.span);
}

// "2.00 k times, 48 % contended, held 150 ms, waited 30 ms; parallelism at most 1.33"
std::string lock_figures(const Profile& profile, const LockRow& lock, bool with_bound = true) {
  const LockTotals& totals = lock.totals;
  static constexpr const char* kLimits[] = {
      "{} at most {}", "if it is one object, {} at most {}", "{} about {}",
      "if tasks take the same lock on other threads, {} at most {}"};
  std::string text = how_often(totals.acquisitions);
  if (totals.shared > 0)
    text += fmt::format(" ({} % shared)", percent(totals.shared, totals.acquisitions));
  if (totals.contended > 0)
    text += fmt::format(", {} % contended", percent(totals.contended, totals.acquisitions));
  if (totals.not_apart > 0)
    text += fmt::format(", {} % of them of locks that were not kept apart",
                        percent(totals.not_apart, totals.acquisitions));
  text += ", held " + held_in_words(profile, totals);
  const bool sleeps = profile.counts_sleep_of(lock);
  if (sleeps)
    text += fmt::format(", {}asleep for {}", lock.objects > 1 ? "one of them " : "",
                        human(lock.asleep, profile.run.work, hz_of_work(profile)));
  if (totals.waited > 0 && profile.read.time_hz > 0)
    text += ", waited " + human_ns(to_ns(totals.waited, profile.read.time_hz));
  if (totals.failed_tries > 0)
    text += fmt::format(", tried in vain {} ({} up to the next attempt)",
                        how_often(totals.failed_tries),
                        human(totals.retried, profile.run.work, hz_of_work(profile)));
  if (with_bound && nearly_limits(profile, lock))
    text +=
        "; " + fmt::format(fmt::runtime(kLimits[static_cast<std::size_t>(lock.bound_kind)]),
                           sleeps ? "speedup" : "parallelism", three_digits(profile.left_by(lock)));
  return text;
}

// "half as long 98 ms, 2 locks 99 ms, without it 25 ms": predicted times on the most CPUs that they were
// predicted for. Empty: there are none.
std::string times_without_lock(const Profile& profile, const LockRow& lock) {
  std::string text;
  for (const LockWhatIf& each : lock.what_if) {
    if (each.predicted.empty() || each.change == LockChange::Shared ||
        (each.change == LockChange::Split && lock.library.is_known()))
      continue;
    const auto most = std::ranges::max_element(each.predicted, {}, &PredictedTime::procs);
    text += text.empty()
                ? fmt::format(
                      "{}predicted on {} if sections were ",
                      lock.bound_kind == LockBoundKind::IfOneObject ? "if it is one object, " : "",
                      human_cpus(most->procs))
                : ", ";
    switch (each.change) {
    case LockChange::Shorter:
      text += fmt::format("{} times as short ", each.factor);
      break;
    case LockChange::Split:
      text += fmt::format("{} locks ", each.factor);
      break;
    case LockChange::Shared:
    case LockChange::Gone:
      text += "without it ";
      break;
    }
    text += human(most->time, profile.run.work, hz_of_work(profile));
  }
  return text;
}

// Those whose bounds matter or nearly do, at most `most`, the greatest bound first.
void add_locks(Lines& lines, const Profile& profile, std::size_t most, bool is_short) {
  std::vector<const LockRow*> rows;
  for (const LockRow& lock : profile.locks.rows)
    if (nearly_limits(profile, lock))
      rows.push_back(&lock);
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [&](const LockRow* lock) { return profile.left_by(*lock).denominator; });
  for (std::size_t i = 0; i < std::min(rows.size(), most); ++i) {
    std::string text =
        fmt::format("Lock       {}: {}", rows[i]->phrase(), lock_figures(profile, *rows[i]));
    // The headline has the bound of a lock that it names.
    if (is_short && profile.verdict.headline.find(rows[i]->phrase()) != std::string::npos)
      text = fmt::format("Lock       {}: {}", rows[i]->phrase(),
                         lock_figures(profile, *rows[i], false));
    lines.add_text(text, 11);
  }
}

// What the clock is, and the figures behind the verdict.
void add_details(Lines& lines, const Profile& profile) {
  const double hz = hz_of_work(profile);
  const auto amount = [&](std::uint64_t value) { return human(value, profile.run.work, hz); };
  lines.add_text("Clock           " + clock_line(profile));
  if (!profile.run.work_reason.empty())
    lines.add_text("                no better clock: " + profile.run.work_reason +
                   " (see tp-doctor)");
  lines.add(
      "Work T1         {} in {} tasks, {} per step{}", amount(profile.work),
      human_count(profile.read.ran()),
      amount(profile.work / std::max<std::uint64_t>(profile.read.steps, 1)),
      has_prior_work(profile)  ? fmt::format("; {} before its thread's first {} call",
                                             amount(profile.read.prior_work), models_of(profile))
      : profile.from_first_use ? fmt::format("; {} before the first {} call left out",
                                             amount(profile.read.left_out_work), models_of(profile))
                               : "");
  lines.add("Span Tinf       {} in this run{}", amount(profile.span),
            profile.divisible_is_known()
                ? fmt::format("; {} if loops were split to their grain size",
                              profile.divisible_is_measured()
                                  ? amount(profile.divisible_span)
                                  : fmt::format("{} to {}", amount(profile.divisible_span),
                                                amount(profile.divisible_span_at_most)))
                : "");
  lines.add_text(fmt::format("Parallelism     {} in this run{}; {}",
                             three_digits(profile.parallelism()), as_if_cores(profile.run),
                             divisible_parallelism_text(profile)));
  if (profile.latency.value_or(0) > 0) {
    const std::string kinds =
        sleep_in_words(profile.slept_in, *profile.latency, profile.read.time_hz);
    lines.add_text(fmt::format(
        "Sleep           {} in all steps, not waiting for other threads as far as is known{}; the "
        "longest path with it {}",
        amount(*profile.latency), kinds.empty() ? "" : ": " + kinds,
        amount(*profile.span_with_latency)));
  }
  constexpr std::size_t kMostLocks = 15;
  const auto& locks = profile.locks.rows;
  for (std::size_t i = 0; i < std::min(locks.size(), kMostLocks); ++i) {
    lines.add_text(
        fmt::format("Lock            {}: {}", locks[i].phrase(), lock_figures(profile, locks[i])));
    if (const std::string times = times_without_lock(profile, locks[i]); !times.empty())
      lines.add_text("                " + times, 16);
    const auto& places = locks[i].places;
    const auto blame = [&](const LockTotals& totals) {
      return totals.wait_blame == 0 || profile.read.time_hz <= 0
                 ? ""
                 : ", waits charged to it " +
                       human_ns(to_ns(totals.wait_blame, profile.read.time_hz));
    };
    for (std::size_t place = 0; places.size() > 1 && place < places.size() && place < 5; ++place)
      lines.add_text(fmt::format("                at {}: {}, held {}{}", places[place].info.name,
                                 how_often(places[place].totals.acquisitions),
                                 held_in_words(profile, places[place].totals),
                                 blame(places[place].totals)),
                     16);
    if (places.size() > 1 && locks[i].no_holder > 0 && profile.read.time_hz > 0)
      lines.add_text(fmt::format("                no holder known: waits {}",
                                 human_ns(to_ns(locks[i].no_holder, profile.read.time_hz))),
                     16);
  }
  if (locks.size() > kMostLocks)
    lines.add("                {} more locks in --json", locks.size() - kMostLocks);
  for (std::size_t i = 0; i < profile.findings.size(); ++i)
    if (const Finding& each = profile.findings[i]; each.shape == Shape::FewThreads &&
                                                   profile.advised_finding != i &&
                                                   Wide{each.saves_at_most()} * 10 >= each.time)
      lines.add_text("Threads         " + each.text, 16);
  lines.add_text("Burdened        " + burden_line(profile));
  add_bounds(lines, profile);
  lines.add_text("Time            " + balance_line(profile));
  if (const std::string delays = delays_line(profile); !delays.empty())
    lines.add_text("Delays          " + delays);
  lines.add_text("Attributed      " + attribution_line(profile));
}

// What the recording is of, and what distorts it as a whole.
void add_title(Lines& lines, const Profile& profile) {
  const std::string run = fmt::format(
      "{}: {} {}, {} {}{}{}", std::filesystem::path(profile.run.program).filename().string(),
      human_count(profile.read.ran()), profile.read.ran() == 1 ? "task" : "tasks",
      profile.balance.threads, profile.balance.threads == 1 ? "thread" : "threads",
      as_if_cores(profile.run),
      profile.end && (profile.end->has_pauses() || profile.end->end == "window")
          ? fmt::format(", recorded {} of {}", human_ns(profile.end->recorded_ns),
                        human_ns(profile.end->wall_ns))
      : run_ns(profile) > 0 ? ", " + human_ns(run_ns(profile))
                            : "");
  for (const std::string& line : wrapped(fmt::format("{} ({})", run, profile.data), 0))
    lines.add("{}", line);
  const auto& reasons = profile.read.incomplete_reasons;
  if (!reasons.empty())
    for (const std::string& line : wrapped("incomplete: " + reasons.front(), 12))
      lines.add("{}", lines.yellow(line));
  if (reasons.size() > 1)
    lines.add("{}", lines.yellow(
                        fmt::format("incomplete: {} more reasons (--json)", reasons.size() - 1)));
}

void add_verdict(Lines& lines, const Profile& profile, bool with_run_check) {
  lines.add("");
  for (const std::string& line : wrapped(profile.verdict.headline, 0))
    lines.add("{}", lines.bold(line));
  for (const std::string& text :
       {with_run_check ? profile.run_check.text : std::string(),
        profile.advice_repeats_verdict() ? std::string() : profile.verdict.detail, profile.advice})
    if (!text.empty())
      lines.add_text(text, 0);
  lines.add("");
}

// How the threads of this run spent their time.
void add_run(Lines& lines, const Profile& profile, bool unicode) {
  const TimeBalance& balance = profile.balance;
  const std::uint64_t whole = balance.threads * balance.elapsed;
  if (whole == 0)
    return;
  struct Part {
    const char* name;
    std::uint64_t ticks;
    const char* block;
    char letter;
  };
  const Part parts[] = {{"work", balance.steps - balance.descheduled, "█", '#'},
                        {"asleep", balance.asleep, "▒", '~'},
                        {"waiting for locks", balance.lock_waits, "▞", '%'},
                        {"no CPU", balance.without_cpu(), "▓", '='},
                        {"releasing locks", balance.lock_calls, "▚", '+'},
                        {"overhead", balance.overhead - balance.lock_calls, "▚", '+'},
                        {"idle", balance.idle, "░", '-'},
                        {"outside the recording", balance.absent, "·", '.'}};
  const auto is_shown = [&](const Part& part) { // no block without its name
    return &part == parts || (part.ticks > 0 && part.ticks >= whole / 200);
  };
  std::string text;
  for (const Part& part : parts)
    if (is_shown(part))
      text +=
          fmt::format("{}{} {} %", text.empty() ? "" : ", ", part.name, percent(part.ticks, whole));
  if (const std::string since = since_first_use(profile); !since.empty())
    text += "," + since;
  constexpr std::size_t kMostWidth = 36, kLeastWidth = 10, kAround = 13;
  const std::size_t width =
      std::clamp(kMaxWidth - std::min(kMaxWidth, kAround + text.size()), kLeastWidth, kMostWidth);
  std::string bar;
  std::uint64_t sum = 0;
  std::size_t drawn = 0;
  for (const Part& part : parts) {
    if (!is_shown(part))
      continue;
    sum += part.ticks;
    for (const auto end = std::min(width, static_cast<std::size_t>(Wide{sum} * width / whole));
         drawn < end; ++drawn)
      bar += unicode ? std::string(part.block) : std::string(1, part.letter);
  }
  // What does not fit into the line of the bar follows below it.
  const std::string before(kAround + width, ' ');
  const std::vector<std::string> rest = wrapped(before + text, before.size());
  lines.add("This run   {}  {}", bar, rest.front().substr(before.size()));
  for (std::size_t i = 1; i < rest.size(); ++i)
    lines.add("{}", rest[i]);
}

// What counts as work and is none, or makes predicted times wrong.
bool is_about_figures(const Warning& warning) {
  return warning.name == "waits_in_loops" || warning.name == "failed_tries" ||
         warning.name == "dense_lock";
}

// What distorts the report, that first which is most of all about its figures.
std::vector<std::string> notes_of(const Profile& profile) {
  std::vector<std::string> warnings;
  const auto is_first = [](const Warning& warning) {
    return is_about_figures(warning) || warning.name == "semaphores";
  };
  for (const Warning& warning : profile.warnings)
    if (is_first(warning))
      warnings.push_back(warning.text);
  const bool is_crowded = profile.balance.threads > profile.run.cpus;
  const bool is_dense =
      std::ranges::find(profile.warnings, "dense_lock", &Warning::name) != profile.warnings.end();
  if (profile.balance.machine_was_shared() && !is_crowded && profile.elapsed.is_queued_rather())
    warnings.emplace_back(
        "Threads had to wait for CPUs that no other program had: work and critical "
        "path are not affected, and no prediction contains such waits");
  else if (profile.balance.machine_was_shared())
    warnings.emplace_back(fmt::format(
        "{}, so this run took too long: {}{}",
        is_crowded ? "Threads had to wait for CPUs (there were more of them, or other programs "
                     "had some)"
                   : "The machine was shared",
        is_dense ? "how often threads wait for that lock depends on it, and so do work and "
                   "predictions"
                 : "work, critical path and predictions are not affected",
        is_dense || profile.prediction.simulated_locks.empty()
            ? ""
            : ", but for how long it takes to hand over a lock"));
  for (const Warning& warning : profile.warnings)
    if (!is_first(warning))
      warnings.push_back(warning.text);
  return warnings;
}

void add_count_of_notes(Lines& lines, std::size_t count, std::string_view more) {
  lines.add("{}", lines.yellow(fmt::format("! {} {}{} (--verbose)", count, more,
                                           count == 1 ? "note" : "notes")));
}

// Notes in at most `room` lines, but one of them always; all with a room of 0.
void add_warnings(Lines& lines, const Profile& profile, std::size_t room) {
  const std::vector<std::string> warnings = notes_of(profile);
  std::size_t used = 0;
  for (std::size_t i = 0; i < warnings.size(); ++i) {
    const std::size_t others = warnings.size() - i - 1;
    const auto text = wrapped("! " + warnings[i], 2);
    if (room > 0 && i > 0 && used + text.size() + (others > 0 ? 1 : 0) > room) {
      add_count_of_notes(lines, others + 1, "more ");
      return;
    }
    for (const std::string& line : text)
      lines.add("{}", lines.yellow(line));
    used += text.size();
  }
}

} // namespace

// The command that continues with the finding of the advice.
static std::string next_command(const Profile& profile) {
  const std::string data = tool::shell_quoted(profile.data);
  if (!profile.advised_grains.empty() &&
      profile.advice.find(profile.advised_grains.front().name) != std::string::npos) {
    const WhatIfCandidate& grain = profile.advised_grains.front();
    return fmt::format("tp-analyze --grain {} {}",
                       tool::shell_quoted(fmt::format("{}:{}={}", grain.place.file,
                                                      grain.place.line, grain.grain)),
                       data);
  }
  if (profile.advised_finding &&
      profile.findings[*profile.advised_finding].shape == Shape::SerialStart)
    return fmt::format("tp-analyze --from first-use {}", data);
  // There is nothing to look at: another recording, by a clock that measures time.
  if (profile.work == 0) {
    std::string command = profile.run.work.name == "virtual" ? "tp-run -e auto --" : "tp-run --";
    if (profile.run.arguments.empty())
      command += " " + tool::shell_quoted(profile.run.program);
    for (const std::string& argument : profile.run.arguments)
      command += " " + tool::shell_quoted(argument);
    return command;
  }
  if (profile.search || profile.verdict.is_ample())
    return fmt::format("tp-analyze --export speedscope:profile.speedscope.json {}", data);
  return fmt::format("tp-analyze --target {} {}", std::max<std::uint64_t>(2 * profile.run.cpus, 8),
                     data);
}

// The answer first: verdict, predicted times, the critical path by site, the what-if answer; then how the run spent its
// time, and what distorts the figures.
static Lines compose(const Profile& profile, const TextOptions& options, Brevity brevity) {
  const auto has = [&](Brevity without) { return brevity < without; };
  Lines head(options.color), what_if(options.color), tail(options.color), warnings(options.color);
  add_title(head, profile);
  add_verdict(head, profile, has(Brevity::NoRunCheck));
  if (profile.work > 0 && profile.read.ran() > 0) {
    add_speedups(head, profile, options.asks_procs);
    head.add("");
  }
  if (has(Brevity::NoRun))
    add_run(tail, profile, options.unicode);
  if (!options.verbose && has(Brevity::NoLocks))
    add_locks(tail, profile, has(Brevity::OneLock) ? 2 : 1, !has(Brevity::ShortLocks));
  if (const std::string functions = functions_line(profile);
      !functions.empty() && has(Brevity::NoFunctions))
    tail.add_text("Functions  " + functions, 11);
  const RunPathPart& path = profile.elapsed.path;
  const std::string delays = delays_line(profile);
  // The check of the run's time names them, too.
  if (!delays.empty() && path.scheduler() >= path.length() / 2 && has(Brevity::NoDelays) &&
      profile.run_check.text.empty())
    tail.add_text("Delays     " + delays, 11);
  // Lines left for rows, warnings and the what-if answer, without the header of the table, an empty
  // line, and the last line.
  const std::size_t fixed = head.count() + tail.count() + 3;
  std::size_t room = fixed < kMaxLines ? kMaxLines - fixed : 0;
  const auto take = [&](std::size_t lines) { room -= std::min(room, lines); };
  constexpr std::size_t kMostWarnings = 3, kLeastWhatIf = 2, kMostWhatIf = 5;
  const std::vector<const SiteRow*> rows = table_rows(profile, options);
  const std::size_t least_rows = std::min<std::size_t>(profile.search ? 2 : 4, rows.size());
  const auto beyond_rows = [&] { return room > least_rows ? room - least_rows : 0; };
  const std::size_t notes = notes_of(profile).size();
  const bool first_matters = std::ranges::any_of(profile.warnings, is_about_figures);
  if (has(first_matters ? Brevity::NoNotes : Brevity::CountedNotes))
    add_warnings(warnings, profile,
                 options.verbose ? 0 : std::clamp<std::size_t>(beyond_rows(), 1, kMostWarnings));
  else if (notes > 0)
    add_count_of_notes(warnings, notes, "");
  take(options.verbose ? kMostWarnings : warnings.count());
  // With an empty line. A search is what the user asked for.
  const bool is_asked = profile.search || !profile.grains.empty();
  const bool always = is_asked || has(Brevity::NoWhatIf);
  if (is_asked || (profile.work > 0 && !profile.verdict.is_ample() &&
                   (always || beyond_rows() > kLeastWhatIf))) {
    const bool is_whole = profile.search && (options.verbose || has(Brevity::Least));
    add_what_if(what_if, profile,
                is_whole ? std::numeric_limits<std::size_t>::max()
                         : std::clamp<std::size_t>(beyond_rows(), kLeastWhatIf + 1,
                                                   (profile.search ? kMaxLines : kMostWhatIf) + 1) -
                               1);
    // A long name may take more lines than there are.
    if (!always && what_if.count() > std::max<std::size_t>(beyond_rows(), 1) - 1)
      what_if = Lines(options.color);
    take(what_if.count() > 0 ? what_if.count() + 1 : 0);
  }
  if (profile.work > 0 && (!profile.search || has(Brevity::OneRow))) {
    // Rows do not give way to a what-if answer: the report is too long then, and the next step of brevity makes room.
    const bool displaces = always && !is_asked && what_if.count() > 0;
    const std::size_t least = displaces              ? least_rows + any_too_short(rows)
                              : has(Brevity::OneRow) ? 2
                                                     : 1;
    add_table(head, profile, options, std::max(room, least));
    head.add("");
  }
  if (what_if.count() > 0) {
    head.add(what_if);
    head.add("");
  }
  head.add(tail);
  head.add(warnings);
  if (options.verbose) {
    head.add("");
    add_details(head, profile);
  }
  head.add("next: {}", printable(next_command(profile)));
  return head;
}

std::string write_text(const Profile& profile, const TextOptions& options) {
  Lines lines = compose(profile, options, Brevity::Whole);
  const bool is_limited = !options.verbose && !options.top_is_explicit;
  for (auto brevity = Brevity::Whole;
       is_limited && lines.count() > kMaxLines && brevity < Brevity::Least;) {
    brevity = static_cast<Brevity>(static_cast<int>(brevity) + 1);
    lines = compose(profile, options, brevity);
  }
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
