// SPDX-License-Identifier: Apache-2.0
// WAITING IN LOOPS of the program's own, by samples: what the report says of it.
#pragma once

#include "model/functions.h"
#include "model/profile.h"
#include "profile/measured.h"

#include <string>
#include <vector>

namespace tp::analysis {

// Sets `matters`.
void decide_if_it_matters(SampledWaiting& waiting, const Measured& measured);

// One warning if it matters, else none.
std::vector<Warning> waits_in_loops(const Measured& measured, const SampledWaiting& waiting);

// What to do about it first; empty: it is less than a tenth of the work and of the critical path.
std::string remedy_of_waiting(const Profile& profile);

} // namespace tp::analysis
