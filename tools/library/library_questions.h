// What only our libtbb can answer: which events and clocks work here. Each question is asked in a
// process of its own, so that neither counters nor threads of the library stay behind in the tool.
#ifndef TP_LAUNCHER_LIBRARY_QUESTIONS_H
#define TP_LAUNCHER_LIBRARY_QUESTIONS_H

#include <optional>
#include <string>

#include "library/prefix.h"

namespace tp::launcher {

// Nothing if all events of -e can be counted, else the reason in words; a second line "hint: ..."
// names the command that mends it, where there is one.
std::optional<std::string> why_not_measurable(const std::string& events, const Prefix& prefix);

// What can be measured here: JSON of schema taskpath.doctor/1. Nothing: `problem` says why.
std::optional<std::string> report_clocks(const Prefix& prefix, std::string& problem);

} // namespace tp::launcher

#endif
