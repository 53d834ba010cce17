// SPDX-License-Identifier: Apache-2.0
// Variation of the cost of iterations.
#include "model/site_measures.h"

#include <algorithm>
#include <cmath>

namespace tp::analysis {

// Weighted by iterations: sqrt(E[x^2] - E[x]^2) / E[x], where x is the cost of an iteration.
double LoopCounts::cost_variation() const {
  if (parts < 2 || cost == 0 || iterations == 0)
    return 0;
  const auto mean = static_cast<long double>(cost) / static_cast<long double>(iterations);
  const long double square = cost_squares / static_cast<long double>(iterations);
  return static_cast<double>(std::sqrt(std::max(square - mean * mean, 0.0L)) / mean);
}

} // namespace tp::analysis
