// SCHEDULE: which figures are those of this run's schedule only.
#pragma once

#include "model/profile.h"
#include "passes/dag_fold.h"
#include "sites/site_table.h"

namespace tp::analysis {

// Sets Profile::divisible. Needs Profile::sites.
void tell_divisible(Profile& profile, const Analysis::Results& results);
// What to say about it: before all other warnings.
void add_schedule_warnings(Profile& profile, const SiteTable& table,
                           const Analysis::Results& results);

} // namespace tp::analysis
