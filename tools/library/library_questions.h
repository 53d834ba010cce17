// What only our libtbb can answer: which events and clocks work here. Each question is asked in a
// process of its own, so that no counters or threads of the library stay behind in the tool. The
// answers are JSON.
#pragma once

#include <optional>
#include <string>

#include "common/prefix.h"

namespace tp::tool {

struct NotMeasurable {
  std::string reason;
  std::string command; // that changes it; may be empty
};

// Nothing if all events of -e can be counted.
std::optional<NotMeasurable> why_not_measurable(const std::string& events, const Prefix& prefix);

// What can be measured here: JSON of schema taskpath.doctor/1. Throws Failure.
std::string report_clocks(const Prefix& prefix);

// That our library is there. Throws Failure.
void require_library(const Prefix& prefix);

} // namespace tp::tool
