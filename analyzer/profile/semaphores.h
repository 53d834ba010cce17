// SPDX-License-Identifier: Apache-2.0
// SEMAPHORES: how many tasks may be past one at a time is not recorded, only that they have passed it. So no bound and no
// prediction contains what it limits, and the report says so where it could matter.
#pragma once

#include "model/lock.h"
#include "model/profile.h"
#include "profile/measured.h"

#include <cstdint>
#include <vector>

namespace tp::analysis {

// Steps of tasks in which semaphores were passed have a twentieth of the work, or more.
bool semaphores_matter(const Locks& locks, std::uint64_t work);

// One warning if they matter, else none.
std::vector<Warning> passed_semaphores(const Measured& measured, const Locks& locks);

} // namespace tp::analysis
