// SPDX-License-Identifier: Apache-2.0
// Quotients of large integers: computed exactly in 128 bits, then shortened to fit a Ratio.
#include "model/speedup_bounds.h"

namespace tp::analysis {
Ratio shortened_ratio(Wide numerator, Wide denominator) {
  while ((numerator | denominator) >> 64 != 0) {
    numerator >>= 1;
    denominator >>= 1;
  }
  return {static_cast<std::uint64_t>(numerator), static_cast<std::uint64_t>(denominator)};
}

Ratio speedup_estimate(std::uint64_t work, std::uint64_t burdened_span, std::uint64_t procs) {
  if (work == 0)
    return {1, 1};
  return shortened_ratio(Wide{10} * work * procs,
                         Wide{10} * work + Wide{17} * (procs - 1) * burdened_span);
}

Ratio speedup_limit(std::uint64_t work, std::uint64_t span, std::uint64_t procs) {
  if (span == 0)
    return {1, 1};
  return Wide{procs} * span <= work ? Ratio{procs, 1} : Ratio{work, span};
}

SpeedupRange predicted_speedup(std::uint64_t work, const WhatIfPoint& changed,
                               std::uint64_t procs) {
  const std::uint64_t new_work = changed.parallelism.numerator;
  const std::uint64_t new_span = changed.parallelism.denominator;
  if (new_work == 0 || new_span == 0)
    return {procs, {1, 1}, {1, 1}};
  const Wide scaled = Wide{work} * changed.factor; // fits: the analysis has checked it
  const Wide parallel_span = Wide{procs} * new_span;
  return {procs, shortened_ratio(scaled * procs, Wide{new_work} + parallel_span),
          parallel_span <= new_work ? shortened_ratio(scaled * procs, new_work)
                                    : shortened_ratio(scaled, new_span)};
}

WhatIfPoint with_speedups(std::uint64_t work, WhatIfPoint changed,
                          const std::vector<std::uint64_t>& procs) {
  for (const std::uint64_t each : procs)
    changed.speedups.push_back(predicted_speedup(work, changed, each));
  return changed;
}

} // namespace tp::analysis
