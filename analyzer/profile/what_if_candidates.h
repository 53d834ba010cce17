// SPDX-License-Identifier: Apache-2.0
// WHAT-IF WITHOUT ANNOTATIONS: the serial work of every site, every code segment between two spawns
// or waits, and every wait.
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
  std::string skipped_because;             // why they were not evaluated; empty: they were
  // Sites and code segments with less than a hundredth of the critical path: that bounds their
  // gain.
  std::uint64_t left_out = 0;
};

// Three of the factors describe a curve: the smallest, one near 8, the largest.
std::vector<std::uint64_t> few_factors(std::vector<std::uint64_t> factors);

// `options.procs` must not be empty.
Exploration explore(const Measured& measured, const TraceReadings& readings,
                    const ProfileOptions& options);

} // namespace tp::analysis
