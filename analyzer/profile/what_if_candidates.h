// WHAT-IF WITHOUT ANNOTATIONS: every site's own serial work, every stretch of code between two
// spawns or waits, every wait, and the search for the smallest set of them that reaches a wanted
// parallelism. Called by profile.cpp after the first reading, which tells what there is.
#pragma once

#include "profile/make_profile.h"
#include "profile/trace_readings.h"

namespace tp::analysis {

// What has less than a hundredth of the critical path is left out: it could gain no more than that.
void explore(Profile& profile, const Readings& readings, const SiteTable& table,
             const Analysis::Results& first, const ProfileOptions& options);

// --target. `chosen`: annotated regions that may be part of the answer.
void search_target(Profile& profile, const Readings& readings, const SiteTable& table,
                   const Analysis::Results& first, const ProfileOptions& options,
                   const std::vector<std::uint8_t>& chosen);

} // namespace tp::analysis
