// SPDX-License-Identifier: Apache-2.0
// The phases of a run's critical path (model/phases.h).
#pragma once

#include "model/phases.h"
#include "profile/measured.h"

namespace tp::analysis {

Phases phases_of(const Measured& measured, Divisible divisible);

} // namespace tp::analysis
