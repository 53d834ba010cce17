// SPDX-License-Identifier: Apache-2.0
// CODE NAMES: names for code without annotations: "from the spawn at a.cpp:12 to the wait after
// a.cpp:14".
#pragma once

#include "passes/step_class.h"
#include "sites/site_table.h"

#include <string>
#include <utility>

namespace tp::analysis {

// Whether the boundary names a row of its own: the row of a spawn, or of the spawn before a wait.
bool names_row(const Boundary& boundary);

// Where the steps of a class begin and end.
std::pair<std::string, std::string> ends_of(const StepClass& of, const SiteTable& table);

std::string segment_name(const StepClass& of, const SiteTable& table);

// The name of the segment, preceded by the site of the task if neither end names it.
std::string class_name(const StepClass& of, const SiteTable& table);

} // namespace tp::analysis
