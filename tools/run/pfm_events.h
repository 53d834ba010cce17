// SPDX-License-Identifier: Apache-2.0
// Turns the event names of libpfm4 into numbers, so that the runtime in the user's process does not
// need the library.
#pragma once

#include <string>

namespace tp::tool {

// Replaces each name of libpfm4 in the list of -e by TYPE:CONFIG[:CONFIG1:CONFIG2]=NAME. A name
// belongs to libpfm4 if it has a capital letter or '_', or a ':' without a number before it. False:
// `problem` is the name that is unknown or does more than count, or says that this build lacks
// libpfm4.
bool resolve_events(std::string& events, std::string& problem);

} // namespace tp::tool
