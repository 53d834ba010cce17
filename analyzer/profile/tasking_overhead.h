// TASKING OVERHEAD: what the time between steps says of the cost of tasks, for the whole run and per
// site.
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
// `burden`: refined_burden().
TaskingCosts tasking_costs(const Measured& measured, const Burden& burden);

IdVector<Row, SiteOverhead> site_overheads(const Measured& measured, const TaskingCosts& costs);

// The site's overhead if `leaves` body calls stood in place of those of this run.
Ratio overhead_with(const SiteRow& site, std::uint64_t leaves);

} // namespace tp::analysis
