// SPDX-License-Identifier: Apache-2.0
// PHASES of the critical path: serial code at its beginning and its end hides how parallel the
// program is between them.
#pragma once

#include "model/ratio.h"

#include <cstdint>

namespace tp::analysis {

// In the unit of work. All three parts of the work add up to T1, those of the span to Tinf.
struct Phases {
  std::uint64_t before = 0; // of the critical path: before it creates its first task
  std::uint64_t after = 0;  // code outside of tasks, after the last tasks on it have been joined
  std::uint64_t work = 0, span = 0; // of the rest: with tasks
  // Of the rest, with loops split to their grain size, at most; 0: not known.
  std::uint64_t divisible_span_at_most = 0;
  Ratio parallelism() const { return {work, span}; }
  // What the program has at least.
  Ratio limit() const { return {work, divisible_span_at_most > 0 ? divisible_span_at_most : span}; }
};

} // namespace tp::analysis
