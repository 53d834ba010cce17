// SPDX-License-Identifier: Apache-2.0
// --annotate: a source file with what samples say of each line.
#pragma once

#include "model/profile.h"

#include <string>

namespace tp::analysis {

// `file`: the end of a path; the file with most critical work of those that end so is shown. Its text is
// read from where the debug information says it is. Throws tool::Failure if samples hit no such file, or
// if it cannot be read.
std::string annotated_source(const Profile& profile, const std::string& file);

} // namespace tp::analysis
