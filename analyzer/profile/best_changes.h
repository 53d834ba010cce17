// SPDX-License-Identifier: Apache-2.0
// Predicted times with the changes that gain most.
#pragma once

#include "model/profile.h"
#include "profile/measured.h"
#include "profile/profile_options.h"
#include "profile/trace_readings.h"

namespace tp::analysis {

// Sets WhatIfPoint::predicted of the first changes of all reports (report/changes.h) that help: times on
// 1, 2, 4, .. 128 CPUs. One reading per change; none without a prediction.
// `profile` must be complete except for its verdict and its advice.
// `functions`: the code of each of the profile's functions.
void predict_best_changes(Profile& profile, const std::vector<StepSet>& functions,
                          const Measured& measured, const TraceReadings& readings,
                          const ProfileOptions& options);

} // namespace tp::analysis
