// SPDX-License-Identifier: Apache-2.0
// WAITING IN LOOPS of the program's own, by samples: what the report says of it.
#pragma once

#include "model/functions.h"
#include "model/profile.h"
#include "profile/measured.h"

#include <vector>

namespace tp::analysis {

// One warning if it matters, else none.
std::vector<Warning> waits_in_loops(const Measured& measured, const SampledWaiting& waiting);

} // namespace tp::analysis
