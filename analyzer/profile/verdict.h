// SPDX-License-Identifier: Apache-2.0
// How far the program scales, and what limits it: the first lines of every report.
#pragma once

#include "model/profile.h"

#include <string>

namespace tp::analysis {

// The warning that libomp's chunks of g++'s loops may not be those of libgomp.
inline constexpr const char* kOrderedOfGcc = "ordered_of_gcc";

// `profile` must be complete except for its verdict and its advice.
Verdict judge(const Profile& profile);

// Why a run shows nothing about scaling; empty if it does.
std::string why_meaningless(const Profile& profile);

} // namespace tp::analysis
