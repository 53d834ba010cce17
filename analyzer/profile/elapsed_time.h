// SPDX-License-Identifier: Apache-2.0
// ELAPSED TIME: the path of the run (passes/run_path.h), for the whole run and for each site.
#pragma once

#include "model/run_time.h"
#include "model/site.h"
#include "passes/run_path.h"
#include "profile/measured.h"
#include "profile/trace_readings.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tp::analysis {

struct ExplainedTime {
  ElapsedTime whole;
  std::vector<RunPathPart> of_sites;         // one per site, or empty if skipped
  std::vector<std::uint64_t> idle_beside_ns; // the same
  // By class of steps. The sum is that of idle_beside_ns; with ElapsedTime::idle_beside_nothing_ns that
  // is ElapsedTime::idle_ns.
  IdVector<StepClassId, std::uint64_t> idle_of_classes_ns;
};

// `threads`: how many were recorded (TimeBalance::threads). Reads the trace two more times, unless
// `skipped_because` gives a reason not to. `pictures`, `parts`: null, or filled.
ExplainedTime explain_elapsed(const Measured& measured, const std::vector<SiteRow>& sites,
                              std::uint64_t threads, const std::string& skipped_because,
                              const TraceReadings& readings, RunPictures* pictures = nullptr,
                              std::vector<RunPath::Part>* parts = nullptr);

} // namespace tp::analysis
