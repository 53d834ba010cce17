// SPDX-License-Identifier: Apache-2.0
// Runs a program on oneTBB, with the virtual clock.
#pragma once

#include "program.h"

#include <map>
#include <optional>

namespace random_program {

// Of this build.
extern const Sites sites_of_build;

// How often the joins of a reduction ran (has_loose_joins).
using JoinCounts = std::map<const Statement*, Units>;

// Runs on `threads` threads of oneTBB. Reports wrong results of algorithms on stderr; returns nothing
// if there are any.
std::optional<JoinCounts> run(const Program& program, unsigned threads);

} // namespace random_program
