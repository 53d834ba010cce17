// GRAIN SIZES: what loops would be with other grain sizes (passes/loop_pieces.h): those that the user asks for,
// and those that this run's overhead suggests.
#pragma once

#include "model/site.h"
#include "model/what_if.h"
#include "profile/measured.h"
#include "profile/profile_options.h"
#include "profile/trace_readings.h"

#include <vector>

namespace tp::analysis {

// --grain: what loops would allow, as divisible. `options.procs` is filled in.
std::vector<WhatIfCandidate> try_grains(const Measured& measured, const std::vector<SiteRow>& sites,
                                        const TraceReadings& readings,
                                        const ProfileOptions& options);

// For each loop that loses more than a twentieth to tasking overhead, or that a finer grain would
// make more parallel, the smallest grain size at which overhead is about a fiftieth, as long as that
// leaves enough parallelism. `limit`: the parallelism of the program as far as it is known.
std::vector<WhatIfCandidate> advise_grains(const Measured& measured,
                                           const std::vector<SiteRow>& sites, const Ratio& limit,
                                           const TraceReadings& readings,
                                           const ProfileOptions& options);

} // namespace tp::analysis
