// SPDX-License-Identifier: Apache-2.0
// Locks: a table for terminals, and locks.csv.
#include "common/files.h"
#include "report/lines.h"
#include "report/numbers.h"
#include "report/phrases.h"
#include "report/writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tp::analysis {
namespace {

constexpr std::string_view kLocksHeader =
    "Lock,Kind,Source file,Line number,Objects,Acquisitions,Shared,Contended,Percent "
    "contended,Held,"
    "Percent of work held,Longest held,Held is an estimate,Waited ns,Waited ns per contended,"
    "Longest waited ns,Bound,Kind of bound,Parallelism";
// Of the object whose sections take longest with what is slept inside of them. Files of older versions have no such columns.
constexpr std::string_view kSleepHeader = ",Asleep,Bound with sleep,Speedup";
// Likewise.
constexpr std::string_view kTriesHeader = ",Failed tries,Retried";

std::uint64_t ns_of(const Profile& profile, std::uint64_t ticks) {
  return profile.read.time_hz > 0 ? to_ns(ticks, profile.read.time_hz) : 0;
}

// Empty where the length of a tick is not known.
std::string ns_cell(const Profile& profile, std::uint64_t ticks, std::uint64_t divided_by = 1) {
  return profile.read.time_hz > 0 && divided_by > 0
             ? fmt::format("{}", ns_of(profile, ticks) / divided_by)
             : std::string();
}

} // namespace

std::string write_locks_text(const Profile& profile, const TextOptions& options) {
  Lines lines(options.color);
  const double hz = hz_of_work(profile);
  const auto amount = [&](std::uint64_t work) { return human(work, profile.run.work, hz); };
  const auto waits = [&](std::uint64_t ticks) {
    return profile.read.time_hz > 0 ? human_ns(ns_of(profile, ticks))
                                    : fmt::format("{} ticks", ticks);
  };
  const std::vector<LockRow>& rows = profile.locks.rows;
  const bool any_sleeps =
      std::ranges::any_of(rows, [&](const LockRow& lock) { return profile.counts_sleep_of(lock); });
  lines.add("{}", lines.bold(fmt::format("{:>9}  {:>9}  {:>9}  {:>8}  {}{:>9}  {:>9}  {:>11}  {}",
                                         "acquired", "contended", "held", "of work",
                                         any_sleeps ? "   asleep  " : "", "waited", "each time",
                                         any_sleeps ? "leaves" : "parallelism", "lock")));
  const std::size_t most = std::max<std::size_t>(options.top, 1);
  bool any_estimate = false, any_condition = false, any_of_schedule = false, any_rest = false;
  for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) {
    const LockTotals& totals = rows[i].totals;
    const std::string_view sign = rows[i].bound_kind == LockBoundKind::Estimate      ? "~"
                                  : rows[i].bound_kind == LockBoundKind::IfOneObject ? "?"
                                  : rows[i].is_of_schedule()                         ? "*"
                                                                                     : "";
    any_estimate |= totals.is_sampled || sign == "~";
    any_rest |= totals.not_apart > 0;
    any_condition |= sign == "?" && rows[i].bound.length() > 0;
    any_of_schedule |= sign == "*" && rows[i].bound.length() > 0;
    const std::string asleep = profile.counts_sleep_of(rows[i]) ? amount(rows[i].asleep) : "";
    lines.add(
        "{:>9}  {:>7} %  {:>9}  {:>6} %  {}{:>9}  {:>9}  {:>11}  {}",
        human_count(totals.acquisitions), short_percent(totals.contended, totals.acquisitions),
        (totals.is_sampled ? "~" : "") + amount(totals.held),
        short_percent(totals.held, profile.work), any_sleeps ? fmt::format("{:>9}  ", asleep) : "",
        waits(totals.waited), totals.contended > 0 ? waits(totals.waited / totals.contended) : "",
        profile.left_by(rows[i]).denominator > 0
            ? fmt::format("{}{}", sign, three_digits(profile.left_by(rows[i])))
            : "",
        end_of(printable(rows[i].phrase()), 60));
  }
  if (rows.size() > most)
    lines.add("      {} more with --top", rows.size() - most);
  if (rows.empty())
    lines.add_text(profile.locks.observed
                       ? "No lock was seen."
                       : "Locks were not recorded: tp-run --locks=auto records them.",
                   0);
  lines.add("");
  lines.add_text(
      fmt::format(
          "held: sum of the sections{}; those of several objects may run at once; waited: by "
          "all threads, added up; each time: by one that found it taken; {}: at "
          "most, because of this lock{}{}{}{}",
          any_sleeps ? ", without sleep; asleep: inside of those of one object" : "",
          any_sleeps ? "leaves: parallelism, with sleep speedup" : "parallelism",
          any_estimate ? "; ~: an estimate, since sections were sampled" : "",
          any_condition ? "; ?: if what was at its address was one lock throughout" : "",
          any_of_schedule
              ? "; *: if tasks take the same lock of several on other threads: those of only "
                "one thread took it here"
              : "",
          any_rest ? "; locks that are taken rarely were not kept apart: their acquisitions count, "
                     "their number does not"
                   : ""),
      0);
  lines.add("next: tp-analyze -v {}", printable(tool::shell_quoted(profile.data)));
  return lines.take();
}

std::string write_locks_csv(const Profile& profile) {
  std::string text{kLocksHeader};
  text += kSleepHeader;
  text += kTriesHeader;
  text += '\n';
  for (const LockRow& lock : profile.locks.rows) {
    const LockTotals& totals = lock.totals;
    const SiteInfo& place = lock.places.front().info;
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}{},{},{}\n", quote_csv(lock.name),
        quote_csv(lock.kind), quote_csv(place.file), place.line, lock.objects, totals.acquisitions,
        totals.shared, totals.contended, percent2(totals.contended, totals.acquisitions),
        totals.held, percent2(totals.held, profile.work), totals.longest_held,
        totals.is_sampled ? "true" : "false", ns_cell(profile, totals.waited),
        ns_cell(profile, totals.waited, totals.contended), ns_cell(profile, totals.longest_waited),
        lock.bound.length(), kLockBoundNames[static_cast<std::size_t>(lock.bound_kind)],
        lock.bound.length() > 0 ? decimal2({profile.work, lock.bound.length()}) : "",
        profile.latency && lock.with_latency > 0
            ? fmt::format(",{},{},{}", lock.asleep, lock.with_latency,
                          decimal2({profile.work + *profile.latency, lock.with_latency}))
            : ",,,",
        totals.failed_tries, totals.retried);
  }
  return text;
}

bool is_locks_csv(std::string_view text) {
  return text.starts_with(kLocksHeader);
}

} // namespace tp::analysis
