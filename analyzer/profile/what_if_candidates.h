// WHAT-IF WITHOUT ANNOTATIONS: every site's own serial work, every code segment between two
// spawns or waits, every wait.
#pragma once

#include "model/what_if.h"
#include "profile/measured.h"
#include "profile/profile_options.h"
#include "profile/trace_readings.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tp::analysis {

struct Exploration {
  std::vector<WhatIfCandidate> candidates; // by the parallelism that they would give
  std::string skipped_because;             // why they were not asked for; empty: they were
  // Sites and code segments with less than a hundredth of the critical path: they could gain no more than that.
  std::uint64_t left_out = 0;
};

// `options.procs` is filled in.
Exploration explore(const Measured& measured, const TraceReadings& readings,
                    const ProfileOptions& options);

} // namespace tp::analysis
