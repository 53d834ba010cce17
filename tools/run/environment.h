// What the profiled program finds in its environment: our libtbb in front of any other, and the TP_
// settings.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/prefix.h"
#include "run/options.h"

namespace tp::tool {

using Variables = std::vector<std::pair<std::string, std::string>>;

// LD_LIBRARY_PATH serves children that load libtbb later; LD_PRELOAD wins against RPATHs.
// `preload` is false for programs that insist on another first library (AddressSanitizer).
Variables program_environment(const Options& options, const Prefix& prefix,
                              const std::string& data_pattern, bool preload);

// Is the variable set to anything but "" and "0"?
bool is_set(const char* variable);

} // namespace tp::tool
