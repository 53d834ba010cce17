// SPDX-License-Identifier: Apache-2.0
// All code between two events of oneTBB, from the classes of steps (passes/step_class.h).
#pragma once

#include "model/profile.h"
#include "profile/measured.h"

#include <vector>

namespace tp::analysis {

// `sites`: in the order of the profile; the result refers to them by index.
// `idle_ns`: by class (ExplainedTime::idle_of_classes_ns), empty if it is not known.
std::vector<CodeSegment> code_segments(const Measured& measured, const std::vector<SiteRow>& sites,
                                       const IdVector<StepClassId, std::uint64_t>& idle_ns);

} // namespace tp::analysis
