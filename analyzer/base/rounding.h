// SPDX-License-Identifier: Apache-2.0
// Conversion of doubles to counts. A trace may contain any rate and any time.
#pragma once

#include <cstdint>

namespace tp::analysis {

// The nearest integer; 0 for negative values and NaN, the largest integer for values beyond it.
inline std::uint64_t rounded(double value) {
  constexpr double kBeyond = 18446744073709551616.0; // 2^64
  const double up = value + 0.5;
  if (!(up >= 1))
    return 0;
  return up < kBeyond ? static_cast<std::uint64_t>(up) : ~std::uint64_t{0};
}

// `hz`: ticks per second; 0 if unknown.
inline std::uint64_t to_ns(std::uint64_t ticks, double hz) {
  return hz <= 0 ? 0 : rounded(static_cast<double>(ticks) * 1e9 / hz);
}

} // namespace tp::analysis
