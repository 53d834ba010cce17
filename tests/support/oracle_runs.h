// SPDX-License-Identifier: Apache-2.0
// How many random programs a test compares with its oracle: TP_ORACLE_RUNS, if it is set.
#pragma once

#include <cstdlib>

namespace tp::test {

inline unsigned oracle_runs(unsigned otherwise = 1000) {
  const char* const text = std::getenv("TP_ORACLE_RUNS");
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

} // namespace tp::test
