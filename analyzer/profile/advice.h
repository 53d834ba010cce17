// SPDX-License-Identifier: Apache-2.0
// ADVICE: the text at the end of a report that recommends what to change first, and the texts of
// all findings: each names code of the program and the remedy that fits the shape of its problem.
#pragma once

#include "model/profile.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tp::analysis {

// Sets the texts of the findings. `profile` must be complete except for them and its advice.
void describe_findings(Profile& profile);

struct Advice {
  std::string text;
  std::optional<std::size_t> finding; // index of the one that it is about
};
// `profile` must be complete except for its advice.
Advice advise(const Profile& profile);

// Whether the least time may be a tenth less because threads that sleep until others have done something, as in a loop that looks
// at the clock, sleep for less where these are faster. What they sleep for is not known, so that all sleep counts that may be such.
bool may_sleep_for_less(const Profile& profile);

// What helps where a lock limits the program, which it can neither split nor hold for a shorter time; a clause.
std::string_view remedy_in_library(const LibraryLock& lock);

} // namespace tp::analysis
