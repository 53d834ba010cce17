// SPDX-License-Identifier: Apache-2.0
// FAILED TRIES: what threads did between failed attempts to acquire a lock, by calls that do not wait, is part of the
// work. In a loop that waits so, none of it is; where the thread does something else meanwhile, all of it. Nothing distinguishes
// the two, so the report says how much of the work is waiting at most.
#pragma once

#include "model/functions.h"
#include "model/lock.h"
#include "model/profile.h"
#include "profile/measured.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tp::analysis {

// A twentieth of the work, or more.
bool tries_matter(const Locks& locks, std::uint64_t work);

// Leaves out the loops that samples show in functions which try such locks: they are in `retried`, exactly.
void leave_out_tries(SampledWaiting& waiting, const Locks& locks, const Measured& measured);

// One warning if it matters, else none.
std::vector<Warning> failed_tries(const Measured& measured, const Locks& locks);

// What to do about it first; empty: it is less than a tenth of the work.
std::string remedy_of_tries(const Profile& profile);

} // namespace tp::analysis
