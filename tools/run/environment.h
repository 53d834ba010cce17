// What the profiled program finds in its environment: our libtbb in front of any other, and the TP_
// settings.
#ifndef TP_LAUNCHER_ENVIRONMENT_H
#define TP_LAUNCHER_ENVIRONMENT_H

#include <string>
#include <utility>
#include <vector>

#include "library/prefix.h"
#include "run/options.h"

namespace tp::launcher {

using Variables = std::vector<std::pair<std::string, std::string>>;

// LD_LIBRARY_PATH serves children that load libtbb later; LD_PRELOAD wins against RPATHs.
// `preload` is false for programs that insist on another first library (AddressSanitizer).
Variables program_environment(const Options& options, const Prefix& prefix,
                              const std::string& data_pattern, bool preload);

// Whether a variable is set to something else than "" and "0".
bool is_set(const char* variable);

} // namespace tp::launcher

#endif
