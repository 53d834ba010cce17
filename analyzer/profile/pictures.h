// SPDX-License-Identifier: Apache-2.0
// What pages draw (model/pictures.h). Takes a reading; what depends on time comes from explain_elapsed().
#pragma once

#include "model/pictures.h"
#include "model/site.h"
#include "passes/run_path.h"
#include "profile/measured.h"
#include "profile/trace_readings.h"

#include <cstdint>
#include <vector>

namespace tp::analysis {

// Sums of ticks per bucket in ns. In total as much as the total of the ticks: what rounding leaves of one
// bucket goes to the next one.
std::vector<std::uint64_t> sums_in_ns(std::vector<std::uint64_t> ticks, double hz);

// `sites`: in the order of the profile. `run`, `path`: of the time of the run; null and empty if that
// was skipped.
Pictures draw_pictures(const Measured& measured, const std::vector<SiteRow>& sites,
                       const RunPictures* run, const std::vector<RunPath::Part>& path,
                       const TraceReadings& readings);

} // namespace tp::analysis
