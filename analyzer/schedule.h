// SCHEDULE: which figures are those of this run's schedule only.
#pragma once

#include "passes/analysis.h"
#include "report/report.h"

namespace tp::analysis {

// Sets Profile::divisible. Needs Profile::sites.
void tell_divisible(Profile& profile, const Analysis::Results& results);

} // namespace tp::analysis
