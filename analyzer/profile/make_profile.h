// SPDX-License-Identifier: Apache-2.0
// From a data directory to a Profile: everything that reports show is computed below this call.
#pragma once

#include "model/profile.h"
#include "profile/profile_options.h"
#include "trace/trace_source.h"

namespace tp::analysis {

// Reads and analyzes a data directory. Throws Error.
Profile make_profile(const TraceSource& source, const ProfileOptions& given);

} // namespace tp::analysis
