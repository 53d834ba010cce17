// GRAINS: what loops would be with other grains (passes/loop_pieces.h): those that the user asks for,
// and those that this run's overhead suggests. Called by profile.cpp.
#pragma once

#include "profile/make_profile.h"
#include "profile/trace_readings.h"

namespace tp::analysis {

// --grain: what loops would allow, as divisible.
void try_grains(Profile& profile, const Readings& readings, const ProfileOptions& options);

// Fills profile.advised_grains: for each loop that loses more than a twentieth to tasking overhead,
// or that a finer grain would make more parallel, the smallest grain at which overhead is about a
// fiftieth, as long as that leaves enough parallelism.
void advise_grains(Profile& profile, const Readings& readings);

} // namespace tp::analysis
