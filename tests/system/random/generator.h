// SPDX-License-Identifier: Apache-2.0
// Makes a random program whose figures are determined: by construction every wait has one possible
// set of tasks to wait for, whatever the schedule, and no schedule deadlocks. generator.cpp lists
// the rules.
#pragma once

#include "program.h"

namespace random_program {

// The same seed makes the same program on every machine.
Program generate(std::uint64_t seed);

} // namespace random_program
