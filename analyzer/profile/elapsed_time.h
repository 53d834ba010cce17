// ELAPSED TIME: the path of the run (passes/run_path.h). Called by profile.cpp.
#pragma once

#include "profile/make_profile.h"
#include "profile/trace_readings.h"

namespace tp::analysis {

// After add_balance. Reads the trace twice more, and fills profile.elapsed and the sites' on_run_path.
void explain_elapsed(Profile& profile, const Readings& readings, const ProfileOptions& options);

} // namespace tp::analysis
