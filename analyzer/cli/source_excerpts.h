// SPDX-License-Identifier: Apache-2.0
// SOURCE EXCERPTS: the lines around spawn sites and marked regions, for the page of tp-report.
#pragma once

#include "model/profile.h"

#include <string>

namespace tp::analysis {

// JSON: an array of {"name", "newer_than_program", "lines"} (export/page.h), in the order of the
// sites. Files are searched as named, in the program's directory, and in that of the data. Files
// that cannot be read are left out.
std::string source_excerpts(const Profile& profile, const std::string& data);

} // namespace tp::analysis
