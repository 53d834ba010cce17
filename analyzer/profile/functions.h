// SPDX-License-Identifier: Apache-2.0
// FUNCTIONS: from samples that are filed under steps to the functions and lines that work and critical
// path are made of, and what it would gain if they were faster.
#pragma once

#include "model/functions.h"
#include "profile/measured.h"
#include "profile/profile_options.h"
#include "profile/trace_readings.h"

namespace tp::analysis {

// `readings` know the samples and their weights. Reads the trace again.
SampledFunctions sampled_functions(const Measured& measured, const SampleFile& file,
                                   const SampledCode& code, const SampleWeights& weights,
                                   const TraceReadings& readings, const ProfileOptions& options);

} // namespace tp::analysis
