// SPDX-License-Identifier: Apache-2.0
// See thread_work.h.
#include "passes/thread_work.h"

#include <cmath>

namespace tp::analysis {

namespace {
constexpr double kStandardErrors = 10;
} // namespace

std::optional<UnevenWork> ThreadWork::uneven(StepClassId of, double factor,
                                             std::uint64_t least_steps) const {
  if (!classes_.contains(of))
    return std::nullopt;
  const std::vector<Sums>& threads = classes_[of];
  Sums all;
  for (const Sums& each : threads) {
    all.steps += each.steps;
    all.work += each.work;
    all.squares += each.squares;
  }
  std::optional<UnevenWork> most;
  for (std::uint32_t stream = 0; stream < threads.size(); ++stream) {
    const Sums& here = threads[stream];
    const Sums others{all.steps - here.steps, all.work - here.work, all.squares - here.squares};
    if (here.steps < least_steps || others.steps < least_steps ||
        here.mean() < factor * others.mean() ||
        here.mean() - others.mean() <
            kStandardErrors * std::sqrt(here.variance() + others.variance()))
      continue;
    const UnevenWork found{of, stream, here.steps, others.steps, here.mean(), others.mean()};
    if (!most || found.excess() > most->excess())
      most = found;
  }
  return most;
}

} // namespace tp::analysis
