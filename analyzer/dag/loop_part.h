// SPDX-License-Identifier: Apache-2.0
// LOOP PART: a body call of a loop, or a portion of one, and what would be left of it if its range
// were halved until no dimension exceeds its grain size: what oneTBB's simple_partitioner does.
#pragma once

#include "tp/trace/trace_format.h"

#include <cstdint>
#include <span>

namespace tp::analysis {

struct LoopPart {
  std::uint64_t iterations = 1; // of all dimensions: their product; 0: divisible, size not known
  // With 0 iterations: how many there are, which wait for each other; 0: not known.
  std::uint64_t ordered = 0;
  std::uint64_t grain = 1;    // likewise
  std::uint64_t largest = 1;  // iterations of the largest leaf
  std::uint64_t halvings = 0; // on the way to the deepest leaves
  // Iterations of the largest of these. If there are fewer than in the largest leaf, the way to
  // that one has one halving less. Several dimensions: as the largest leaf, which may be more.
  std::uint64_t deepest = 1;
  bool joins = false;  // the results of its leaves have to be joined
  bool is_flat = true; // one dimension

  static LoopPart of(std::uint64_t iterations, std::uint64_t grain);
  // One element per dimension; the dimensions are halved independently of each other.
  static LoopPart of(std::span<const trace::LoopDimension> shape);

  bool is_divisible() const { return iterations != largest; }
  // The same part with `count` of its iterations: what is left of a body call after its portions.
  LoopPart rest(std::uint64_t count) const;
};

} // namespace tp::analysis
