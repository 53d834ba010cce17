// SPDX-License-Identifier: Apache-2.0
// How many random programs a test compares with its oracle.
#pragma once

#include <cstdlib>

namespace tp::test {

// A sanitizer makes a run 5 to 20 times as long, and finds in a few what it would find in many: tests whose number of
// random inputs is their own divide it by this.
#if defined(TP_SANITIZED)
inline constexpr unsigned kFewer = 4;
#else
inline constexpr unsigned kFewer = 1;
#endif

// TP_ORACLE_RUNS, if it is set.
inline unsigned oracle_runs(unsigned otherwise = 1000) {
  const char* const text = std::getenv("TP_ORACLE_RUNS");
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

} // namespace tp::test
