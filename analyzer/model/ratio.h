// SPDX-License-Identifier: Apache-2.0
// Quotients of integers.
#pragma once

#include <cstdint>

namespace tp::analysis {

// A quotient that is rounded only for output. 0/0 is 1: no work, done serially.
struct Ratio {
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 0;
  double value() const {
    return denominator == 0 ? 1.0
                            : static_cast<double>(numerator) / static_cast<double>(denominator);
  }
};

} // namespace tp::analysis
