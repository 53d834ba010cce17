// How numbers are written. Exact integer arithmetic, so that the same data gives the same bytes
// everywhere.
#pragma once

#include "model/profile.h"

#include <cstdint>
#include <string>

namespace tp::analysis {

// Two decimals, half up, without trailing zeros: 1.21, 1.5, 1.
std::string decimal2(Ratio ratio);
// 100 * part / whole, two decimals, cut off (never 100 for less than all), without trailing zeros.
std::string percent2(std::uint64_t part, std::uint64_t whole);
// For people: whole ones, "<1" for less than half of one.
std::string percent(std::uint64_t part, std::uint64_t whole);
// For people: "12.3 ms" for a unit of time (hz > 0), else "1.23 G instructions".
std::string human(std::uint64_t value, const Clock& clock, double hz);
std::string human_ns(std::uint64_t ns);
// For people: 1234567 -> "1.23 M"; below 10000 as it is.
std::string human_count(std::uint64_t value);
// What stands beside the unit: ", reading it adds 10 ns to each step"; empty if that is not known.
std::string step_cost(const RunInfo& run);
// What stands beside figures as executed: " (as if on 32 cores)"; empty if loops were split for the cores there were.
std::string as_if_cores(const RunInfo& run);
// Why the figures as divisible are not known.
const char* reason_of(Divisible divisible);
// A parallelism: "3.08 as divisible", or that it is not known, and why.
std::string as_divisible(const Profile& profile, Ratio parallelism);
// Explains the mark of a row that is too_short.
inline constexpr const char* kTooShort =
    "~ steps too short to trust: reading the clock is more than 10 % of their work";
inline std::string mark_of(bool too_short) {
  return too_short ? " ~" : "";
}

} // namespace tp::analysis
