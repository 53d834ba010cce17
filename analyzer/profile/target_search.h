// SPDX-License-Identifier: Apache-2.0
// --target: the smallest set of changes that reaches a parallelism (smallest_set.h), for one trace.
#pragma once

#include "model/lock.h"
#include "model/what_if.h"
#include "profile/functions.h"
#include "profile/measured.h"
#include "profile/profile_options.h"
#include "profile/trace_readings.h"

#include <cstdint>
#include <optional>

namespace tp::analysis {

// `chosen`: marked regions that may be part of the answer. `functions`: that were sampled, or null. What the
// sections of locks, and the limits of concurrency that `readings` know, leave is part of all figures; the outcome names
// the lock in the way. Empty if there is no target or no work.
std::optional<TargetSearch> search_target(const Measured& measured, const TraceReadings& readings,
                                          const ProfileOptions& options,
                                          const IdVector<RegionId, std::uint8_t>& chosen,
                                          const Locks& locks, const FoundFunctions* functions);

} // namespace tp::analysis
