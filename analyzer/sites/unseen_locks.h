// SPDX-License-Identifier: Apache-2.0
// LOCKS THAT COULD NOT BE SEEN: the code of most of oneTBB's mutexes is in its headers. A module that
// was compiled with others than ours takes them without a word to the library, and its spinning
// counts as work. This finds such modules by the hooks that they lack, and the places in the user's
// code where they take a lock by their debug information. Called by site_table.
#pragma once

#include "model/lock.h"
#include "model/run_info.h"
#include "sites/module_files.h"

#include <vector>

namespace tp::analysis {

// Reads the names in the debug information of the modules that were in stacks; their descriptions
// of code only where these say that a lock is used, and if they are below kMostDescriptions bytes.
inline constexpr std::size_t kMostDescriptions = std::size_t{96} << 20;
UnseenLocks find_unseen_locks(const std::vector<Module>& modules, ModuleFiles& files);

// Adds those of modules that were loaded and are in no stack. A module that does not call oneTBB is asked for debug information
// only in its own file.
void add_unseen_locks_of_others(const std::vector<Module>& others, UnseenLocks& found);

} // namespace tp::analysis
