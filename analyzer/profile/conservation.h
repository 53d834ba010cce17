// CONSERVATION: what must not be lost between the program and the profile, checked in every run and
// shown (docs/design.md). Called by profile.cpp once everything else of the profile is there.
#pragma once

#include "model/profile.h"

namespace tp::analysis {

// The share of the process's CPU time that stands in steps; adds a warning when much is missing.
void add_attribution(Profile& profile);
// P x elapsed = steps + overhead + idle + absent; adds a warning when it does not hold.
void add_balance(Profile& profile);
// Sums over all rows against T1 and Tinf.
void check_sums(Profile& profile);

} // namespace tp::analysis
