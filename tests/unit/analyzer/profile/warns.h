// SPDX-License-Identifier: Apache-2.0
// What several tests ask of a profile.
#pragma once

#include "model/profile.h"

#include <algorithm>
#include <string>

namespace tp::analysis {

inline bool warns(const Profile& profile, const std::string& name) {
  return std::ranges::any_of(profile.warnings,
                             [&](const Warning& warning) { return warning.name == name; });
}

} // namespace tp::analysis
