// SPDX-License-Identifier: Apache-2.0
#include "profile/phases.h"

#include <algorithm>

namespace tp::analysis {

Phases phases_of(const Measured& measured, Divisible divisible) {
  const DagFold::Results& fold = measured.fold;
  const std::uint64_t serial = fold.span_before + fold.span_after;
  Phases phases{.before = fold.span_before,
                .after = fold.span_after,
                .work = fold.work - serial,
                .span = fold.span - serial};
  // With one thread that creates tasks, and no task that outlives all waits, every longest path
  // begins and ends with the same code.
  const ThreadTotals& threads = measured.read.threads;
  if (divisible == Divisible::Known && threads.threads - threads.workers <= 1 &&
      !fold.left_unjoined && fold.span_after > 0)
    phases.divisible_span_at_most = std::min(
        phases.span, fold.divisible_span_at_most - std::min(fold.divisible_span_at_most, serial));
  return phases;
}

} // namespace tp::analysis
