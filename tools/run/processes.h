// SPDX-License-Identifier: Apache-2.0
// Processes, as /proc shows them.
#pragma once

#include <sys/types.h>
#include <vector>

namespace tp::tool {

// Children, their children and so on; at most 1000. Those that end meanwhile may be missing.
std::vector<pid_t> descendants_of(pid_t root);

} // namespace tp::tool
