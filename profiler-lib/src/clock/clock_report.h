// What can be measured on this machine, for tp-doctor.
#pragma once

#include <string>

namespace tp::rt {

// JSON, schema taskpath.doctor/1: {"schema", "auto": {"clock", "event", "reason"}, "sources": [...]},
// a source being {"clock", "event", "works"} and either {"reason", "command"} or {"unit",
// "kernel_included", "ns_per_read"}. Takes some ms, and the process's clock: only where nothing is
// profiled.
std::string clock_report();

} // namespace tp::rt
