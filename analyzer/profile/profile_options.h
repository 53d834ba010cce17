// SPDX-License-Identifier: Apache-2.0
// What the user asks of a data directory.
#pragma once

#include "base/progress_sink.h"
#include "passes/what_if.h"
#include "sites/module_files.h"
#include "sites/site_table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tp::analysis {

// For a question that costs time: Auto asks it unless the trace is large.
enum class Ask : std::uint8_t { Auto, Always, Never };

struct ProfileOptions {
  std::vector<std::uint64_t> factors{2, 4, 8, 16, 50, 100, 200, 400};
  WhatIfMode mode = WhatIfMode::Parallelize;
  std::vector<std::string> regions;       // names or file:line; empty: all
  std::vector<std::uint64_t> procs;       // empty: the CPUs of the run, and 4 times as many
  std::vector<std::uint64_t> more_procs;  // in addition to these
  std::uint64_t advised_procs = 0;        // what advice is about; 0: the most of `procs`
  std::optional<std::uint64_t> burden_ns; // of a migration
  bool measure_burden = false;            // take it from the trace
  Ask explore = Ask::Auto;                // what-if without annotations
  Ask simulate = Ask::Auto;               // times on P worker threads
  std::optional<std::uint64_t> target;    // parallelism to reach
  std::vector<std::pair<std::string, std::uint64_t>> grains; // file:line of a loop, grain size
  bool from_first_use = false; // leave out what threads did before their first oneTBB call
  bool contexts = false;       // calling contexts and the timeline, for exports
  bool pictures = false;       // figures by position and time, for pages
  unsigned jobs = 1;
  PathMap path_map;
  std::vector<std::string> wrappers; // functions whose callers are sites: see sites/callers.h
  DebugFiles debug_files;
  ProgressSink* progress = nullptr; // receives the phases; null: no progress display
};

} // namespace tp::analysis
