// SPDX-License-Identifier: Apache-2.0
#include "report/phrases.h"

#include <fmt/format.h>

namespace tp::analysis {

const WhatIfPoint* headline_point(const std::vector<WhatIfPoint>& points) {
  const WhatIfPoint* best = points.empty() ? nullptr : &points.front();
  for (const WhatIfPoint& each : points)
    if (each.factor <= 8 && each.factor > best->factor)
      best = &each;
  return best;
}

std::string region_name(const RegionInfo& region) {
  return region.names.empty() ? region.place
                              : fmt::format("\"{}\" ({})", region.names.front(), region.place);
}

} // namespace tp::analysis
