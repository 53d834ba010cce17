// SPDX-License-Identifier: Apache-2.0
// OpenMP that ran and was not recorded: the warning that says so, by which all reports and checks know it.
#pragma once

#include "model/profile.h"

#include <algorithm>

namespace tp::analysis {

inline constexpr const char* kOpenMpNotRecorded = "openmp_not_recorded";

inline bool openmp_is_missing(const Profile& profile) {
  return std::ranges::find(profile.warnings, kOpenMpNotRecorded, &Warning::name) !=
         profile.warnings.end();
}

} // namespace tp::analysis
