// SPDX-License-Identifier: Apache-2.0
// The rows of what-if tables, the same in all reports.
#pragma once

#include "model/profile.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tp::analysis {

enum class ChangeKind : std::uint8_t {
  Region,
  AllRegions,
  Site,
  CodeSegment,
  Wait,
  Grain,
  Lock,
  Function,
  Threads
};
// In JSON: stable.
inline constexpr const char* kChangeNames[] = {"region", "regions", "site",     "stretch", "wait",
                                               "grain",  "lock",    "function", "threads"};

struct Change {
  ChangeKind kind = ChangeKind::Site;
  // Into Profile::what_if, Profile::grains (Grain), Locks::rows (Lock), SampledFunctions::functions
  // (Function), Profile::limits (Threads), or Profile::explored.
  std::uint32_t index = 0;
  std::string name;                                 // in words
  const std::vector<WhatIfPoint>* points = nullptr; // the profile's, or `of_lock`; not empty
  std::shared_ptr<const std::vector<WhatIfPoint>> of_lock = {}; // Lock
  LockChange lock_change{};                                     // Lock
  Ratio most;                      // the parallelism that it gives at most
  std::uint64_t critical_work = 0; // AllRegions, Wait, Grain: 0
};

// Marked regions first, then those that gain most. Of two changes of the same code, as far as
// figures show, the plainer one stays.
std::vector<Change> changes_of(const Profile& profile);

// Worth a row: it raises the limit by a twentieth.
inline bool helps(const Change& change, const Profile& profile) {
  return change.most.value() > 1.05 * profile.parallelism_now().value();
}

} // namespace tp::analysis
