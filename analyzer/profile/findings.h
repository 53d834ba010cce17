// SPDX-License-Identifier: Apache-2.0
// FINDINGS: the code that limits the run, what its problem has the shape of, and the time that the
// remedy for that shape would save.
#pragma once

#include "model/concurrency_limit.h"
#include "model/finding.h"
#include "model/prediction.h"
#include "profile/measured.h"
#include "profile/profile_options.h"
#include "profile/trace_readings.h"

#include <vector>

namespace tp::analysis {

// Those that save most come first; without texts. `options.procs` must not be empty. `may_read`:
// ask what other grain sizes of loops would do.
std::vector<Finding> find_problems(const Measured& measured, const std::vector<SiteRow>& sites,
                                   const std::vector<WhatIfCandidate>& advised_grains,
                                   const std::vector<ConcurrencyLimit>& limits,
                                   const Prediction& prediction, bool may_read,
                                   const TraceReadings& readings, const ProfileOptions& options);

// Whether of the tasks that run at the same time each has about as much to do as those on the critical path.
bool is_even(const Finding& finding);

} // namespace tp::analysis
