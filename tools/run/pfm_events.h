// Names of events that libpfm4 knows, made into numbers here: the runtime in the user's process
// needs no library.
#pragma once

#include <string>

namespace tp::tool {

// The list of -e with each of libpfm4's names (those with a capital letter, '_' or a ':' behind
// something else than a number) written as TYPE:CONFIG[:CONFIG1:CONFIG2]=NAME. False: `problem` says which
// name is unknown or asks for more than counting, or that this build has no libpfm4.
bool resolve_events(std::string& events, std::string& problem);

} // namespace tp::tool
