// SPDX-License-Identifier: Apache-2.0
// tp-run --pause PID, --resume PID: for a process that records, however it was started. For one that
// does not, such as tp-run or a shell, all of its descendants that do.
#pragma once

#include <sys/types.h>

#include "common/prefix.h"

namespace tp::tool {

// Returns the exit status. Throws Failure.
int pause_process(pid_t pid, bool pause, const Prefix& prefix);

} // namespace tp::tool
