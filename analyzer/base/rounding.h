// Doubles to counts. A trace may state any rate and any time.
#pragma once

#include <cstdint>

namespace tp::analysis {

// The nearest integer; 0 for what is below it or no number, the largest for what is above that.
inline std::uint64_t rounded(double value) {
  constexpr double kBeyond = 18446744073709551616.0; // 2^64
  const double up = value + 0.5;
  if (!(up >= 1))
    return 0;
  return up < kBeyond ? static_cast<std::uint64_t>(up) : ~std::uint64_t{0};
}

// `hz` is of the ticks; 0 if it is not known.
inline std::uint64_t to_ns(std::uint64_t ticks, double hz) {
  return hz <= 0 ? 0 : rounded(static_cast<double>(ticks) * 1e9 / hz);
}

} // namespace tp::analysis
