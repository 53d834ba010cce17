// The command line of tp-run, and nothing else: what was asked for, checked for form.
#ifndef TP_LAUNCHER_OPTIONS_H
#define TP_LAUNCHER_OPTIONS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/common_options.h"

namespace tp::launcher {

struct Options {
  std::string data_pattern; // -o; empty: TP_DATA, else tp-data
  std::string events;       // -e; empty: TP_EVENT, else the runtime's default
  unsigned as_if_cores = 0; // 0: as many as there are
  bool paused = false;
  std::uint64_t max_size = 0; // bytes; 0: no limit
  std::string analyze_to;     // profile written by tp-analyze; empty: no analysis
  MessageStyle style;
  std::vector<std::string> command; // the program and its arguments, never empty
};

// Either options, or the exit status with which to end (help was shown, or an error reported).
struct ParsedOptions {
  std::optional<Options> options;
  int exit_status = 0;
};

ParsedOptions parse_options(int argc, char** argv);

// "64M" -> 67108864; nothing for anything else than digits and one of the suffixes K M G T (with or
// without B).
std::optional<std::uint64_t> parse_size(const std::string& text);

} // namespace tp::launcher

#endif
