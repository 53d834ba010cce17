// SPDX-License-Identifier: Apache-2.0
// LOADED LIBRARY: watches from outside which libtbb.so.12 the processes of a run have loaded. A
// program whose environment was cleared on the way to it does not load ours, and nothing in its
// files shows that.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <sys/types.h>

#include "common/prefix.h"

namespace tp::tool {

// A process that uses another libtbb.so.12, or ours without the settings of tp-run.
struct OtherLibrary {
  std::string program; // path of its executable
  std::string library; // path
  std::string reason;  // a clause: why ours was not loaded
};

class LoadedLibraryWatch {
public:
  // `run`: the value of TP_RUN that this run passes on.
  LoadedLibraryWatch(const Prefix& prefix, std::string run);

  // Looks at `root` and its descendants once. Does nothing after it has found something.
  void look(pid_t root);
  const std::optional<OtherLibrary>& found() const { return found_; }

private:
  void look_at(pid_t pid);

  std::string library_, run_;
  // Processes that have ours and its settings: not looked at again, until another program runs in them. Their auxiliary
  // vectors, with random addresses.
  std::map<pid_t, std::string> right_;
  std::optional<OtherLibrary> found_;
};

} // namespace tp::tool
