// SPDX-License-Identifier: Apache-2.0
// The command line of tp-run, with its syntax checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/message.h"

namespace tp::tool {

struct Options {
  std::string data_pattern; // -o; empty: TP_DATA, else tp-data
  std::string events;       // -e; empty: TP_EVENT, else the runtime's default
  unsigned as_if_cores = 0; // 0: the number of CPUs
  bool divide = false;
  std::string locks;      // empty: TP_LOCKS, else auto
  std::string sample;     // empty: TP_SAMPLE, else the runtime's default
  std::string call_graph; // empty: TP_CALL_GRAPH, else dwarf
  bool openmp = true;
  bool paused = false;
  std::uint64_t delay_ns = 0;
  std::uint64_t duration_ns = 0; // 0: to the end of the program
  std::uint64_t max_size = 0;    // bytes; 0: no limit
  std::string analyze_to;        // profile written by tp-analyze; empty: no analysis
  std::string report_to;         // page written by tp-report; empty: none
  MessageStyle style;
  std::vector<std::string> command; // the program and its arguments, never empty
  // Instead of a command: a process to pause or to resume; 0: none.
  std::uint32_t pause = 0, resume = 0;

  bool has_window() const { return delay_ns != 0 || duration_ns != 0; }
};

// Empty if help or the version was shown. Throws Failure.
std::optional<Options> parse_options(const std::vector<std::string>& arguments);

} // namespace tp::tool
