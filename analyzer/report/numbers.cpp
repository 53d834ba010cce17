// SPDX-License-Identifier: Apache-2.0
// Rounding and units.
#include "report/numbers.h"

#include "base/rounding.h"
#include "base/wide.h"
#include "report/missing_openmp.h"

#include <fmt/format.h>

#include <algorithm>

namespace tp::analysis {
namespace {

// `hundredths` / 100 without trailing zeros.
std::string trimmed(Wide hundredths) {
  const auto whole = static_cast<std::uint64_t>(hundredths / 100);
  const auto rest = static_cast<unsigned>(hundredths % 100);
  if (rest == 0)
    return std::to_string(whole);
  if (rest % 10 == 0)
    return fmt::format("{}.{}", whole, rest / 10);
  return fmt::format("{}.{:02}", whole, rest);
}

// Three significant digits: 1.23, 12.3, 123.
std::string with_three_digits(double value) {
  if (value < 9.995)
    return fmt::format("{:.2f}", value);
  if (value < 99.95)
    return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

} // namespace

std::string decimal2(Ratio ratio) {
  if (ratio.denominator == 0)
    return "1";
  return trimmed((Wide{ratio.numerator} * 200 + ratio.denominator) / (Wide{ratio.denominator} * 2));
}

std::string fixed2(Ratio ratio) {
  if (ratio.denominator == 0)
    return "1.00";
  const Wide hundredths =
      (Wide{ratio.numerator} * 200 + ratio.denominator) / (Wide{ratio.denominator} * 2);
  return fmt::format("{}.{:02}", static_cast<std::uint64_t>(hundredths / 100),
                     static_cast<unsigned>(hundredths % 100));
}

std::string three_digits(Ratio ratio) {
  if (ratio.value() < 9.995)
    return fixed2(ratio);
  const Wide tenths =
      (Wide{ratio.numerator} * 20 + ratio.denominator) / (Wide{ratio.denominator} * 2);
  return tenths < 1000 ? fmt::format("{}.{}", static_cast<std::uint64_t>(tenths / 10),
                                     static_cast<unsigned>(tenths % 10))
                       : fmt::format("{}", static_cast<std::uint64_t>(
                                               (Wide{ratio.numerator} * 2 + ratio.denominator) /
                                               (Wide{ratio.denominator} * 2)));
}

std::string percent2(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0)
    return "0";
  return trimmed(Wide{part} * 10000 / whole);
}

std::string fixed_percent2(std::uint64_t part, std::uint64_t whole) {
  const auto hundredths = whole == 0 ? 0 : static_cast<std::uint64_t>(Wide{part} * 10000 / whole);
  return fmt::format("{}.{:02}", hundredths / 100, hundredths % 100);
}

std::string short_percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0 || part == 0)
    return "0";
  const Wide tenths = (Wide{part} * 2000 + whole) / (Wide{whole} * 2);
  if (tenths == 0)
    return "<0.1";
  return tenths >= 100 ? fmt::format("{}", static_cast<std::uint64_t>((tenths + 5) / 10))
                       : fmt::format("{}.{}", static_cast<std::uint64_t>(tenths / 10),
                                     static_cast<std::uint64_t>(tenths % 10));
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0 || part == 0)
    return "0";
  const Wide rounded_part = (Wide{part} * 200 + whole) / (Wide{whole} * 2);
  return rounded_part == 0 ? "<1" : fmt::format("{}", static_cast<std::uint64_t>(rounded_part));
}

double hz_of_work(const Profile& profile) {
  return profile.run.same_as_time ? profile.read.time_hz : static_cast<double>(profile.run.work.hz);
}

std::string human_ns(std::uint64_t ns) {
  const auto value = static_cast<double>(ns);
  if (ns < 1000)
    return fmt::format("{} ns", ns);
  if (value < 999.5e3)
    return with_three_digits(value / 1e3) + " us";
  if (value < 999.5e6)
    return with_three_digits(value / 1e6) + " ms";
  return with_three_digits(value / 1e9) + " s";
}

std::uint64_t run_ns(const Profile& profile) {
  if (profile.read.time_hz <= 0 || profile.balance.elapsed == 0)
    return 0;
  const std::uint64_t recorded = to_ns(profile.balance.elapsed, profile.read.time_hz);
  // Work counts from the start of the process.
  return profile.end && !profile.from_first_use ? std::max(recorded, profile.end->wall_ns)
                                                : recorded;
}

std::string step_cost(const RunInfo& run) {
  return run.step_cost == 0 ? "" : fmt::format(", {} ns added to each step", run.step_cost_ns);
}

std::string human_cpus(std::uint64_t count) {
  return fmt::format("{} CPU{}", count, count == 1 ? "" : "s");
}

std::string human_count(std::uint64_t value) {
  if (value < 10000)
    return std::to_string(value);
  const auto number = static_cast<double>(value);
  if (number < 999.5e3)
    return with_three_digits(number / 1e3) + " k";
  if (number < 999.5e6)
    return with_three_digits(number / 1e6) + " M";
  if (number < 999.5e9)
    return with_three_digits(number / 1e9) + " G";
  return with_three_digits(number / 1e12) + " T";
}

std::string human(std::uint64_t value, const Clock& clock, double hz) {
  if (clock.hz == 0 || hz <= 0)
    return human_count(value) + " " + clock.unit;
  return human_ns(to_ns(value, hz));
}

std::string as_if_cores(const RunInfo& run) {
  return run.as_if_cores == 0 ? std::string()
                              : fmt::format(" (as if on {} cores)", run.as_if_cores);
}

const char* reason_of(Divisible divisible) {
  static constexpr const char* kReasons[] = {
      "", "loops not compiled with tp-c++", "parallel_scan depends on the schedule",
      "chunks of static loops of OpenMP by g++, also of distributed ones, are not reported",
      "OpenMP ran and was not recorded"};
  return kReasons[static_cast<std::size_t>(divisible)];
}

std::string_view models_of(const Profile& profile) {
  Runtimes runtimes;
  bool has_tasks = false;
  for (const SiteRow& site : profile.sites) {
    runtimes.add(site.info);
    has_tasks |= std::ranges::any_of(
        site.info.constructs, [](const std::string& construct) { return construct != "thread"; });
  }
  return !has_tasks && openmp_is_missing(profile) ? "OpenMP" : runtimes.name();
}

std::string divisible_parallelism_text(const Profile& profile) {
  if (!profile.divisible_is_known() || profile.divisible_is_measured())
    return if_loops_split(profile, profile.divisible_at_least());
  Runtimes loops;
  for (const SiteRow& site : profile.sites)
    if (site.loops.divisible_parts > 0)
      loops.add(site.info);
  return fmt::format(
      "{} to {} if loops were split to their grain size: the upper end only if their "
      "iterations cost the same (to measure it: {})",
      fixed2(profile.divisible_at_least()), fixed2(profile.divisible_parallelism()),
      loops.measured_by());
}

std::string if_loops_split(const Profile& profile, Ratio parallelism) {
  return profile.divisible_is_known()
             ? fixed2(parallelism) + " if loops were split to their grain size" +
                   (profile.divisible_is_measured() ? "" : " and their iterations cost the same")
             : fmt::format("unknown for loops split to their grain size ({})",
                           reason_of(profile.divisible));
}

} // namespace tp::analysis
