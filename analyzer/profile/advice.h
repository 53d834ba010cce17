// ADVICE: the one sentence at the end of a report.
#pragma once

#include "model/profile.h"

#include <string>

namespace tp::analysis {

// Of a profile that is complete but for its advice.
std::string advise(const Profile& profile);

} // namespace tp::analysis
