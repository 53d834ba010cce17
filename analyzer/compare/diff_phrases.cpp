// SPDX-License-Identifier: Apache-2.0
// Phrases that the writers of tp-diff share.
#include "base/wide.h"
#include "compare/diff_writers.h"
#include "report/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tp::analysis {
namespace {

std::string both(const Change& change) {
  return fmt::format("from {} to {}", change.base->text(), change.now->text());
}

// The site, other than main, whose critical work changed most.
const SitePair* most_changed(const Comparison& comparison) {
  for (const SitePair& pair : comparison.sites) {
    const auto points = amount_of(site_change(comparison, pair, "critical"), false);
    if (pair.either().line > 0 && points && std::abs(*points) >= 1)
      return &pair;
  }
  return nullptr;
}

// The largest number of CPUs that both profiles have a prediction for; 0: none.
std::uint64_t most_predicted(const Comparison& comparison) {
  std::uint64_t most = 0;
  for (const PredictedFigures& base : comparison.base->predicted)
    for (const PredictedFigures& now : comparison.now->predicted)
      if (base.procs == now.procs)
        most = std::max(most, base.procs);
  return most;
}

// For a hundredth of the time of all threads, or more.
bool waits_for_locks(const Figures& figures) {
  return Wide{figures.lock_waits.numerator} * 100 >= figures.lock_waits.denominator &&
         figures.lock_waits.numerator > 0;
}

} // namespace

std::vector<DiffLine> diff_lines(const Comparison& comparison) {
  std::vector<DiffLine> lines;
  if (const std::uint64_t procs = most_predicted(comparison); procs > 0)
    lines.push_back({"Time, " + human_cpus(procs), {"", "time", procs}});
  const bool is_whole = comparison.base->wall_ns > 0 && comparison.now->wall_ns > 0;
  for (const auto& [label, metric] :
       {std::pair{"Elapsed", is_whole ? "wall" : "elapsed"}, std::pair{"Work T1", "work"},
        std::pair{"Span Tinf", "span"}, std::pair{"Overhead", "overhead"},
        std::pair{"Waiting (idle)", "idle"}, std::pair{"Waiting (locks)", "lock_waits"},
        std::pair{"Parallelism", "parallelism"},
        std::pair{"  loops split", "divisible_parallelism"},
        std::pair{"  burdened", "burdened_parallelism"}, std::pair{"Tasks", "tasks"}})
    if (std::string_view(metric) != "lock_waits" || waits_for_locks(*comparison.base) ||
        waits_for_locks(*comparison.now))
      lines.push_back({label, {"", metric}});
  return lines;
}

std::string figure_text(const std::optional<Measured>& measured, const Metric& metric,
                        const Figures& figures) {
  if (!measured)
    return "unknown";
  const std::uint64_t number = measured->value.numerator;
  if (measured->percent || measured->value.denominator != 1)
    return measured->text();
  if (metric.name == "elapsed" || metric.name == "wall")
    return human_ns(number);
  return is_amount(metric) && figures.hz > 0 ? human(number, figures.clock, figures.hz)
                                             : human_count(number);
}

std::string change_text(const Change& change) {
  const auto amount = amount_of(change, true);
  if (!amount)
    return "";
  if (std::isinf(*amount))
    return "new";
  const char* const unit = change.now->percent ? "points" : "%";
  return *amount == 0 ? fmt::format("0 {}", unit)
                      : fmt::format("{:+.2f} {}", static_cast<double>(*amount), unit);
}

Change site_change(const Comparison& comparison, const SitePair& pair, const char* metric) {
  const Metric of{pair.either().name, metric};
  const SiteFigures none;
  return {measure(of, *comparison.base, pair.base ? pair.base : &none),
          measure(of, *comparison.now, pair.now ? pair.now : &none)};
}

std::string match_text(const SitePair& pair) {
  switch (pair.match) {
  case Match::Moved:
    return fmt::format("was line {}", pair.base->line);
  case Match::Added:
    return "new";
  case Match::Removed:
    return "gone";
  case Match::SameLine:
    break;
  }
  return "";
}

// What changed in time, if the profiles can be compared in time.
static std::string time_advice(const Comparison& comparison) {
  const std::uint64_t procs = most_predicted(comparison);
  if (!comparison.same_unit)
    return "";
  const Metric time = procs > 0 ? Metric{"", "time", procs} : Metric{"", "wall"};
  const auto percent = amount_of(change_of(time, comparison), true);
  if (!percent || std::isinf(*percent))
    return "";
  const std::string on =
      procs > 0 ? "predicted time on " + human_cpus(procs) : "elapsed time of the runs";
  if (std::abs(*percent) < 1)
    return fmt::format("The {} stayed the same. ", on);
  return fmt::format("The {} {} by {:.2f} %. ", on, *percent < 0 ? "fell" : "rose",
                     static_cast<double>(std::abs(*percent)));
}

// Parallelism falls with the work, too.
static std::string work_and_span(const Comparison& comparison) {
  if (!comparison.same_unit)
    return "";
  const auto work = amount_of(change_of({"", "work"}, comparison), true);
  const auto span = amount_of(change_of({"", "span"}, comparison), true);
  const auto is_finite = [](const auto& change) { return change && !std::isinf(*change); };
  if (!is_finite(work) || !is_finite(span) || *work > -1)
    return "";
  return fmt::format(" (work {:+.2f} %, span {:+.2f} %)", static_cast<double>(*work),
                     static_cast<double>(*span));
}

// Whether its loops of OpenMP were split for as many threads as the run had, and more threads may split them further.
static bool depends_on_threads(const Figures& figures) {
  const bool has_regions = std::ranges::any_of(figures.sites, [](const SiteFigures& site) {
    return std::ranges::any_of(site.constructs, [](const std::string& construct) {
      return construct.starts_with("omp_parallel") || construct.starts_with("omp_teams");
    });
  });
  return has_regions && (figures.divisible == Divisible::HiddenLoops ||
                         (figures.divisible == Divisible::Known &&
                          Wide{figures.divisible_span_at_most} * 3 <= Wide{figures.span} * 2));
}

std::string diff_advice(const Comparison& comparison) {
  const Change parallelism = change_of({"", "parallelism"}, comparison);
  const auto percent = amount_of(parallelism, true);
  const bool fell = *percent <= -1, rose = *percent >= 1;
  std::string text = time_advice(comparison);
  text += fmt::format("Parallelism {} {}",
                      fell   ? "fell"
                      : rose ? "rose"
                             : "stayed",
                      fell || rose ? both(parallelism) : "at " + parallelism.now->text());
  if (fell)
    text += work_and_span(comparison);
  if (const SitePair* const site = most_changed(comparison))
    text += fmt::format("; the share of {} in the critical path went {}", site->either().name,
                        both(site_change(comparison, *site, "critical")));
  text += ".";
  if (depends_on_threads(*comparison.base) || depends_on_threads(*comparison.now))
    text += " Both are of teams of as many threads as in the runs: larger ones (OMP_NUM_THREADS) "
            "may divide "
            "OpenMP's loops further.";
  return text;
}

std::string unlike_work_text(const Comparison& comparison) {
  const SitePair* const pair = unlike_work(comparison);
  if (!pair)
    return "";
  const auto [less, more] = std::minmax(pair->base->exclusive_work, pair->now->exclusive_work);
  const bool is_loop = pair->now->iterations > 0;
  const std::uint64_t count = is_loop ? pair->now->iterations : pair->now->tasks;
  const char* const noun = is_loop ? "iteration" : "task";
  return fmt::format("{} has {} work in {}, with as many {}s ({}): unless its code or input "
                     "differs, or memory and "
                     "CPUs are slower there, it waits in a loop, which counts as work "
                     "(<tp/lock.h>: tp::BusyWait).",
                     pair->now->name,
                     less > 0 ? fmt::format("{:.2f} times the",
                                            static_cast<double>(more) / static_cast<double>(less))
                              : "all its",
                     pair->base->exclusive_work < pair->now->exclusive_work ? "new" : "base", noun,
                     human_count(count));
}

} // namespace tp::analysis
