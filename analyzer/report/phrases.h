// SPDX-License-Identifier: Apache-2.0
// Phrases that several reports share.
#pragma once

#include "model/site.h"
#include "model/what_if.h"

#include <string>
#include <vector>

namespace tp::analysis {

// "NAME" (file:line), or only the place.
std::string region_name(const RegionInfo& region);

// The point that sentences quote: that of the largest factor up to 8, or else the first; null if
// there is none.
const WhatIfPoint* headline_point(const std::vector<WhatIfPoint>& points);

} // namespace tp::analysis
