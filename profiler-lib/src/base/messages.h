// SPDX-License-Identifier: Apache-2.0
// Messages of the runtime on stderr, inside the user's process. Any thread. Cold.
#pragma once

#include <string>

namespace tp::rt {

// Sets the level of TP_VERBOSE up to which note() writes. 0 at first.
void set_verbosity(int level);

// Writes one line: "tp: warning: <object>: <what>". `object` is a file, a variable or a place in
// the program. Callers warn a few times per process at most, and once about the same thing.
void warn(const std::string& object, const std::string& what);
// Writes one line, "tp: <text>", if TP_VERBOSE >= level.
void note(int level, const std::string& text);

} // namespace tp::rt
