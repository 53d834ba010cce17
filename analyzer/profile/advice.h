// ADVICE: the one sentence at the end of a report, and the names of things in sentences.
#pragma once

#include "model/profile.h"
#include "passes/step_class.h"

#include <string>
#include <vector>

namespace tp::analysis {

std::string region_name(const RegionInfo& region);
// Where a step begins or ends: "the spawn at a.cpp:12".
std::string boundary_name(const Boundary& boundary, const SiteInfo& own, const SiteInfo& other);

// The point that sentences quote: of the largest factor up to 8, else of the first; null if none.
const WhatIfPoint* point_near_8(const std::vector<WhatIfPoint>& points);

std::string advise(const Profile& profile);

} // namespace tp::analysis
