// What sentences of several reports say in the same words.
#pragma once

#include "model/site.h"
#include "model/what_if.h"

#include <string>
#include <vector>

namespace tp::analysis {

// "NAME" (file:line), or the place alone.
std::string region_name(const RegionInfo& region);

// The point that sentences quote: of the largest factor up to 8, else of the first; null if none.
const WhatIfPoint* headline_point(const std::vector<WhatIfPoint>& points);

} // namespace tp::analysis
