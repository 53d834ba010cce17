// SPDX-License-Identifier: Apache-2.0
// VERDICT: how far the program scales, and what limits it, in two sentences. The headline comes from
// the simulation, or from Brent's bounds if there is none.
#pragma once

#include "model/ratio.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tp::analysis {

// Parallel efficiency that makes CPUs worth having.
inline constexpr std::uint64_t kWorthEfficiencyPercent = 50;
// Verdicts look no further.
inline constexpr std::uint64_t kMostVerdictProcs = 128;

struct Verdict {
  std::uint64_t worth_procs =
      0; // of those with that efficiency, not slower than fewer: the largest number; 0: not known
  bool is_simulated = false;    // else by bounds: without overhead and with the best schedule
  Ratio limit;                  // T1/Tinf of this run: no schedule of its tasks is faster
  bool is_disproved = false;    // this run took longer than predicted (RunCheck::disproves)
  std::string headline, detail; // detail: empty if there is nothing to say
  bool is_of_ends = false;      // the detail is about serial code before and after all tasks
  std::string file;             // of the code that limits most; empty: none
  std::uint32_t line = 0;
  // Index of the finding that all of the detail is about.
  std::optional<std::size_t> finding;

  // More parallelism would gain nothing on any number of CPUs that is looked at.
  bool is_ample() const { return worth_procs >= kMostVerdictProcs && !is_disproved; }
};

} // namespace tp::analysis
