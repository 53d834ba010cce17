// SPDX-License-Identifier: Apache-2.0
// TASKING OVERHEAD: the cost of tasks, derived from the time between steps, for the whole run and
// for each site.
#pragma once

#include "model/prediction.h"
#include "model/site.h"
#include "profile/measured.h"

#include <cstdint>
#include <vector>

namespace tp::analysis {

struct TaskingCosts {
  std::vector<EventCost> events; // one per BoundaryKind, in its order
  std::uint64_t recording = 0;   // what reading the clock adds to each step, in the unit of work
  Burden steal;
};
// `burden`: the result of refined_burden().
TaskingCosts tasking_costs(const Measured& measured, const Burden& burden);

IdVector<Row, SiteOverhead> site_overheads(const Measured& measured, const TaskingCosts& costs);

// The site's overhead with `leaves` body calls instead of those of this run.
Ratio overhead_with(const SiteRow& site, std::uint64_t leaves);

} // namespace tp::analysis
