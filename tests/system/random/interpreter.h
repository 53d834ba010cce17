// Runs a program on oneTBB, with the virtual clock.
#pragma once

#include "program.h"

namespace tp::random {

// On `threads` threads of oneTBB. Complains on stderr about results of algorithms that are wrong; returns whether all
// were right.
bool run(const Program& program, unsigned threads);

} // namespace tp::random
