// SPDX-License-Identifier: Apache-2.0
// How numbers are written. Exact integer arithmetic: the same data gives the same bytes on every
// machine.
#pragma once

#include "model/profile.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tp::analysis {

// For programs: two decimals, half up, without trailing zeros: 1.21, 1.5, 1.
std::string decimal2(Ratio ratio);
// For people: two decimals always: 1.21, 1.50, 1.00.
std::string fixed2(Ratio ratio);
// For sentences: three digits at least: 1.21, 15.8, 1566.
std::string three_digits(Ratio ratio);
// 100 * part / whole, two decimals, truncated (never 100 for less than all), without trailing
// zeros.
std::string percent2(std::uint64_t part, std::uint64_t whole);
// For tables: "75", "6.4", "<0.1".
std::string short_percent(std::uint64_t part, std::uint64_t whole);
// The same for people: two decimals always.
std::string fixed_percent2(std::uint64_t part, std::uint64_t whole);
// For people: integers, and "<1" for less than 0.5.
std::string percent(std::uint64_t part, std::uint64_t whole);
// For people: "12.3 ms" for a unit of time (hz > 0), else "1.23 G instructions".
std::string human(std::uint64_t value, const Clock& clock, double hz);
std::string human_ns(std::uint64_t ns);
// Units of work per second; 0 if work is not time.
double hz_of_work(const Profile& profile);
// How long the run took, from its start, as far as the profile is about it; 0 if times are not known.
std::uint64_t run_ns(const Profile& profile);
// For people: 1234567 -> "1.23 M"; unchanged below 10000.
std::string human_count(std::uint64_t value);
// For people: "1 CPU", "8 CPUs".
std::string human_cpus(std::uint64_t count);
// To follow the clock: ", 10 ns added to each step"; empty if that is not known.
std::string step_cost(const RunInfo& run);
// To follow figures of this run: " (as if on 32 cores)"; empty if loops were split for the cores of
// the machine.
std::string as_if_cores(const RunInfo& run);
// Why the schedule-independent figures are not known.
const char* reason_of(Divisible divisible);
// Whose calls create the tasks of the program: "oneTBB", "OpenMP", or both.
std::string_view models_of(const Profile& profile);
// A parallelism: "3.08 if loops were split to their grain size", or that it is unknown, and why.
std::string if_loops_split(const Profile& profile, Ratio parallelism);
// The same for both ends of the program's own: "1.10 to 17.64 if loops were split ...".
std::string divisible_parallelism_text(const Profile& profile);
// Explains the mark of a row with too_short.
inline constexpr const char* kTooShort =
    "~ unreliable: reading the clock accounts for over 10 % of the measured work";
inline std::string mark_of(bool too_short) {
  return too_short ? " ~" : "";
}

} // namespace tp::analysis
