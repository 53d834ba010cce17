// SPDX-License-Identifier: Apache-2.0
// Processes, as /proc shows them.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace tp::tool {

// Children, their children and so on; at most 1000. Those that end meanwhile may be missing.
std::vector<pid_t> descendants_of(pid_t root);

// Those that run and were started, or forked from one that was, with that "NAME=VALUE" in the environment, as far as this user
// may know.
std::vector<pid_t> processes_started_with(const std::string& variable);

} // namespace tp::tool
