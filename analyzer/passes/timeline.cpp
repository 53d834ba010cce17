// SPDX-License-Identifier: Apache-2.0
// Steps arrive in the order of their stream.
#include "passes/timeline.h"

#include <algorithm>

namespace tp::analysis {

void Timeline::step(Row row, const Step& step) {
  auto& slices = streams_[step.stream];
  // Clocks that went backwards are reported elsewhere; a viewer needs an order.
  const std::uint64_t begin = slices.empty() ? step.begin : std::max(step.begin, slices.back().end);
  if (slices.empty() || resolution_ == 0 || begin - slices.back().begin >= resolution_)
    slices.push_back({.stream = step.stream, .row = row, .begin = begin});
  Slice& slice = slices.back();
  if (slice.row != row)
    slice.row = kSeveralRows;
  slice.end = begin + step.length;
  slice.work += step.work;
  ++slice.steps;
}

std::vector<Timeline::Slice> Timeline::take() {
  std::vector<Slice> all;
  for (const auto& [stream, slices] : streams_)
    all.insert(all.end(), slices.begin(), slices.end());
  streams_.clear();
  return all;
}

} // namespace tp::analysis
