// SPDX-License-Identifier: Apache-2.0
// ADVICE: the sentence at the end of a report that recommends what to change first.
#pragma once

#include "model/profile.h"

#include <string>

namespace tp::analysis {

// `profile` must be complete except for its advice.
std::string advise(const Profile& profile);

} // namespace tp::analysis
