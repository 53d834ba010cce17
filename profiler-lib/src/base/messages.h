// What the runtime says on stderr, inside of the user's process. Cold; any thread.
#pragma once

#include <string>

namespace tp::rt {

// TP_VERBOSE: from which level on note() is silent. 0 at first.
void set_verbosity(int level);

// One line on stderr: "tp: warning: <object>: <what>". At most a few times per process, never more
// than once for the same text.
void warn(const std::string& object, const std::string& what);
// The same without the word warning, only if TP_VERBOSE >= level.
void note(int level, const std::string& text);

} // namespace tp::rt
