// SPDX-License-Identifier: Apache-2.0
// What can be measured on this machine, for tp-doctor. Changes the process's clock, so it is called
// in a process that profiles nothing. Cold.
#pragma once

#include <string>

namespace tp::rt {

// JSON, schema taskpath.doctor/1: {"schema", "auto": {"clock", "event", "reason"}, "sources":
// [...]}, where each source is {"clock", "event", "works"} and either {"reason", "command"} or
// {"unit", "kernel_included", "ns_per_read"}; "sampling" is a JSON value of the caller's. Takes some ms.
std::string clock_report(const std::string& sampling);

} // namespace tp::rt
