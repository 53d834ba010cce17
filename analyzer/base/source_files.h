// SPDX-License-Identifier: Apache-2.0
// Where the sources of a profiled program are, as far as they are still there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tp::analysis {

// `name`: as the compiler was given it; a relative one is looked for in the current folder, and next to
// the program and the recording.
std::optional<std::filesystem::path>
find_source(const std::string& name, const std::string& program, const std::string& recording);

// Whether a file has been changed since another one was written; false where that is not known.
bool is_newer(const std::filesystem::path& file, const std::string& than);

} // namespace tp::analysis
