// Names of events that libpfm4 knows, made into numbers here: the runtime in the user's process
// needs no library.
#pragma once

#include <string>

namespace tp::tool {

// Replaces each of libpfm4's names in the list of -e by TYPE:CONFIG[:CONFIG1:CONFIG2]=NAME. A name is
// libpfm4's if it has a capital letter or '_', or a ':' and no number in front of it. False: `problem`
// is the name that is unknown or asks for more than counting, or that this build has no libpfm4.
bool resolve_events(std::string& events, std::string& problem);

} // namespace tp::tool
