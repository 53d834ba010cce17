// SPDX-License-Identifier: Apache-2.0
// Runs one program to its end as a shell would: it receives signals, and its full status is
// reported.
#pragma once

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "run/environment.h"

namespace tp::tool {

struct ChildResult {
  pid_t pid = -1;
  int exec_errno = 0;  // not 0: the program was not started
  int wait_status = 0; // as returned by waitpid

  int exit_status() const; // 0-255, or 128 + signal
};

// Called with the child's process id while the program runs: soon after its start, and then at
// growing intervals, but not later than after the number of ms that it returned, unless that is
// negative.
using Observer = std::function<int(pid_t)>;

// Starts `command` with `variables` added to the environment and waits for it. Meanwhile SIGINT and
// SIGQUIT are ignored here (the terminal sends them to the program as well) and TERM, HUP, USR1 and
// USR2 are forwarded.
ChildResult run_child(const std::vector<std::string>& command, const Variables& variables,
                      const Observer& observer = {});

// Ends this process like the child: with its exit status, or by the same signal (without a core
// dump of our own).
[[noreturn]] void end_like(const ChildResult& child);

} // namespace tp::tool
