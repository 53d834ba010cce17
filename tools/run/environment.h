// SPDX-License-Identifier: Apache-2.0
// The environment of the profiled program: the search path with our libtbb first, and the TP_
// settings.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/prefix.h"
#include "run/diagnosis.h"
#include "run/openmp.h"
#include "run/options.h"

namespace tp::tool {

using Variables = std::vector<std::pair<std::string, std::string>>;

// LD_LIBRARY_PATH serves child processes that load libtbb later; LD_PRELOAD takes precedence over
// RPATHs. `run` goes into TP_RUN: the name by which recordings of one tp-run are known.
Variables program_environment(const Options& options, const Prefix& prefix,
                              const std::string& data_pattern, const std::string& run,
                              Loading loading, const OpenMpLoading& openmp);

// What a program that the profiled one has started needs for its OpenMP, beyond what it has; `preload`: its LD_PRELOAD.
Variables openmp_environment(const Prefix& prefix, const std::string& preload,
                             const OpenMpLoading& openmp);

// The library that programs annotated with ittnotify load, as the user has chosen it: then it is not ours,
// and locks that are announced by __itt_sync_* are not recorded. Empty: none.
std::string itt_collector();

// Whether the variable is set to a value other than "" and "0".
bool is_set(const char* variable);

} // namespace tp::tool
