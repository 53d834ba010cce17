// SPDX-License-Identifier: Apache-2.0
// LOCK WHAT-IFS IN TIME: the recorded DAG, simulated with the locks that each change would leave.
#pragma once

#include "model/lock.h"
#include "model/prediction.h"
#include "profile/measured.h"
#include "profile/trace_readings.h"

namespace tp::analysis {

// Adds the times on the CPUs of this run and on those that advice is about, of the locks that limit
// most first, as far as that takes no longer than a few readings. Reads the trace again if there is any
// such lock.
void predict_lock_changes(Locks& locks, const Measured& measured, const Prediction& prediction,
                          const TraceReadings& readings, std::uint64_t advised_procs);

} // namespace tp::analysis
