// SPDX-License-Identifier: Apache-2.0
// Questions that only our libtbb can answer: which events and clocks work on this machine. Each
// question is asked in a separate process, so that no counters or threads of the library remain in
// the tool. The answers are JSON.
#pragma once

#include <optional>
#include <string>

#include "common/prefix.h"

namespace tp::tool {

struct NotMeasurable {
  std::string reason;
  std::string command; // that changes it; may be empty
};

// Empty if all events of -e can be counted.
std::optional<NotMeasurable> why_not_measurable(const std::string& events, const Prefix& prefix);

// What can be measured on this machine: JSON of schema taskpath.doctor/1. Throws Failure.
std::string report_clocks(const Prefix& prefix);

// Throws Failure if our library is missing.
void require_library(const Prefix& prefix);

} // namespace tp::tool
