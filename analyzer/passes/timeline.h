// SPDX-License-Identifier: Apache-2.0
// TIMELINE: which stream worked for which site when, in as many slices as a viewer can show. One
// slice per step, or, with a resolution, one per sequence of consecutive steps of a stream that
// begin within that time. Work and number of steps are exact.
#pragma once

#include "dag/dag_visitor.h"

#include <cstdint>
#include <map>
#include <vector>

namespace tp::analysis {

// Row of a slice with steps of more than one row.
inline constexpr Row kSeveralRows{~std::uint32_t{0}};

class Timeline {
public:
  struct Slice { // times in ticks; slices of a stream are in order and do not overlap
    std::uint32_t stream = 0;
    Row row = kMainRow;
    std::uint64_t begin = 0, end = 0;
    std::uint64_t work = 0, steps = 0;
  };

  // `resolution` in ticks; 0: every step is a slice.
  explicit Timeline(std::uint64_t resolution) : resolution_(resolution) {}

  void step(Row row, const Step& step);
  // Ordered by stream, then begin. The timeline is empty afterwards.
  std::vector<Slice> take();

private:
  const std::uint64_t resolution_;
  std::map<std::uint32_t, std::vector<Slice>> streams_;
};

} // namespace tp::analysis
