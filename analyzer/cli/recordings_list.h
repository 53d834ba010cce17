// SPDX-License-Identifier: Apache-2.0
// tp-analyze --list: recordings of related names, one line each, oldest first.
#pragma once

#include <string>

namespace tp::analysis {

// Those named `directory`, `directory`.old, `directory`.PID and `directory`.PID.NUMBER; if
// `directory` is none itself, also those in it. Throws tool::Failure if there are none.
std::string list_recordings(const std::string& directory);

} // namespace tp::analysis
