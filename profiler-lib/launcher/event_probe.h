// Asks our libtbb whether the events of -e can be measured here.
#ifndef TP_LAUNCHER_EVENT_PROBE_H
#define TP_LAUNCHER_EVENT_PROBE_H

#include <optional>
#include <string>

#include "prefix.h"

namespace tp::launcher {

// Nothing if all can be opened, else the reason in words. A process of its own loads the library:
// ours stays clean.
std::optional<std::string> why_not_measurable(const std::string& events, const Prefix& prefix);

} // namespace tp::launcher

#endif
