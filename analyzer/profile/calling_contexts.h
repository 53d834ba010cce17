// What exports show beside the profile: calling contexts and the timeline, from a reading of their
// own. Called by profile.cpp once the sites have their order.
#pragma once

#include "model/profile.h"
#include "profile/trace_readings.h"

namespace tp::analysis {

void add_contexts(Profile& profile, const Readings& readings, const SiteTable& table);

} // namespace tp::analysis
