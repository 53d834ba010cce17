// SPDX-License-Identifier: Apache-2.0
// LOCKS: the rows of the report, the bounds that they give, and what would change them.
#pragma once

#include "model/lock.h"
#include "model/profile.h"
#include "profile/measured.h"
#include "profile/profile_options.h"
#include "profile/trace_readings.h"

#include <vector>

namespace tp::analysis {

// Reads the trace again if there are locks in it, once more if the sections of one of them take a hundredth of the span
// or more, and once more if a bound matters.
Locks analyze_locks(const Measured& measured, const TraceReadings& readings,
                    const ProfileOptions& options);

// Adds the locks that limit the run, in the order of what findings save.
void add_lock_findings(std::vector<Finding>& findings, const Measured& measured, const Locks& locks,
                       const Prediction& prediction, const ProfileOptions& options);

// What the report cannot say of locks, and why.
std::vector<Warning> lock_warnings(const Locks& locks);
// A lock that several threads acquire so often that what that costs them, and the recording, is much of the work.
std::vector<Warning> dense_locks(const Measured& measured, const Locks& locks);
// The simulation takes what was at one address for one lock: what it predicts otherwise.
std::vector<Warning> reused_addresses(const Measured& measured, const Locks& locks,
                                      const Prediction& prediction);

// Where in a step a thread slept is not known, so that no bound and no prediction has sleep inside of a section that lies in
// one step. The locks whose bounds could be more than a tenth greater than the span with it; reads the trace once more if
// the program slept and had locks.
inline constexpr const char* kSleepWithLock = "sleep_with_lock";
std::vector<Warning> sleep_with_locks(const Measured& measured, const Locks& locks,
                                      const TraceReadings& readings);

} // namespace tp::analysis
