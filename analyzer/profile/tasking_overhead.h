// TASKING OVERHEAD: what the time between steps says of the cost of tasks, for the whole run and per
// site. Called by profile.cpp after the first reading.
#pragma once

#include "model/profile.h"
#include "passes/dag_fold.h"

#include <cstdint>
#include <vector>

namespace tp::analysis {

// Time in the unit of work; where that is no time, by the run's work per nanosecond of its steps.
std::uint64_t work_of_ns(const Profile& profile, std::uint64_t ns);

// One per BoundaryKind, in its order.
std::vector<EventCost> event_costs(const Profile& profile, const Analysis::Results& first);

// One per row. `steal` is what a steal costs.
std::vector<SiteOverhead> site_overheads(const Profile& profile, const Analysis::Results& first,
                                         const std::vector<EventCost>& costs, const Burden& steal);

// The site's overhead if `leaves` body calls stood in place of those of this run.
Ratio overhead_with(const SiteRow& site, std::uint64_t leaves);

} // namespace tp::analysis
