// SPDX-License-Identifier: Apache-2.0
// Halving a range.
#include "dag/loop_part.h"

#include <algorithm>

namespace tp::analysis {

LoopPart LoopPart::of(std::uint64_t iterations, std::uint64_t grain) {
  LoopPart part{
      .iterations = iterations, .grain = grain, .largest = iterations, .deepest = iterations};
  grain = std::max<std::uint64_t>(grain, 1);
  // Halving makes parts of two sizes that differ by one. The smaller ones may stop one halving
  // earlier, if they have exactly the grain size.
  std::uint64_t larger = iterations, smaller = iterations;
  while (larger > grain) {
    ++part.halvings;
    if (smaller <= grain) { // only the larger ones are halved: what they become is not larger
      part.largest = smaller;
      part.deepest = larger - larger / 2;
      return part;
    }
    larger -= larger / 2;
    smaller /= 2;
  }
  part.largest = part.deepest = larger;
  return part;
}

LoopPart LoopPart::of(std::span<const trace::LoopDimension> shape) {
  LoopPart whole;
  whole.is_flat = shape.size() == 1;
  for (const trace::LoopDimension& dimension : shape) {
    const LoopPart one = of(dimension.iterations, dimension.grain);
    whole.iterations *= one.iterations;
    whole.grain *= std::max<std::uint64_t>(one.grain, 1);
    whole.largest *= one.largest;
    whole.halvings += one.halvings;
    whole.deepest = whole.is_flat ? one.deepest : whole.largest;
  }
  return whole;
}

LoopPart LoopPart::rest(std::uint64_t count) const {
  LoopPart part = of(count, grain);
  part.joins = joins;
  part.is_flat = is_flat;
  return part;
}

} // namespace tp::analysis
