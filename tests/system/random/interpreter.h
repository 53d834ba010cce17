// SPDX-License-Identifier: Apache-2.0
// Runs a program on oneTBB, with the virtual clock.
#pragma once

#include "program.h"

namespace tp::random {

// Runs on `threads` threads of oneTBB. Reports wrong results of algorithms on stderr; returns
// whether all were right.
bool run(const Program& program, unsigned threads);

} // namespace tp::random
