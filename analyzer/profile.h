// From the passes' results to a Profile: everything that reports show is computed here.
#pragma once

#include "passes/analysis.h"
#include "passes/what_if.h"
#include "report/report.h"
#include "site_table.h"
#include "trace_source.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tp::analysis {

struct ProfileOptions {
  std::vector<std::uint64_t> factors{2, 4, 8, 16, 50, 100, 200, 400};
  WhatIfMode mode = WhatIfMode::Parallelize;
  std::vector<std::string> regions; // names or file:line; empty: all
  std::vector<std::uint64_t> procs; // empty: P and 4P of the machine
  PathMap path_map;
};

// Reads and analyzes a data directory. Throws Error.
Profile make_profile(const TraceSource& source, const ProfileOptions& options);

} // namespace tp::analysis
