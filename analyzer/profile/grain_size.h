// SPDX-License-Identifier: Apache-2.0
// GRAIN SIZES: the parallelism of loops with other grain sizes (passes/loop_tasks.h): those that
// the user asks for, and those that this run's overhead suggests.
#pragma once

#include "model/site.h"
#include "model/what_if.h"
#include "profile/measured.h"
#include "profile/profile_options.h"
#include "profile/trace_readings.h"

#include <vector>

namespace tp::analysis {

// --grain: the schedule-independent parallelism with these grain sizes. `options.procs` must not be
// empty.
std::vector<WhatIfCandidate> try_grains(const Measured& measured, const std::vector<SiteRow>& sites,
                                        const TraceReadings& readings,
                                        const ProfileOptions& options);

// For each loop that loses more than a twentieth to tasking overhead, or that a smaller grain size
// would make more parallel: the smallest grain size at which overhead is about a fiftieth, if that
// leaves enough parallelism. `limit`: the parallelism of the program as far as it is known.
std::vector<WhatIfCandidate> advise_grains(const Measured& measured,
                                           const std::vector<SiteRow>& sites, const Ratio& limit,
                                           const TraceReadings& readings,
                                           const ProfileOptions& options);

} // namespace tp::analysis
