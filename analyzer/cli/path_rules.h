// SPDX-License-Identifier: Apache-2.0
// PATH RULES: the values of --map-path, or of TP_MAP_PATH if the option is not given; and where
// debug information is: --debug-dir, or TP_DEBUG_DIR.
#pragma once

#include "sites/module_files.h"
#include "sites/site_table.h"

#include <string>
#include <vector>

namespace tp::analysis {

// `given`: the values of --map-path, each OLD=NEW. If it is empty, TP_MAP_PATH contains the rules,
// one per line. Throws tool::Failure.
PathMap path_rules(const std::vector<std::string>& given);

// `given`: the values of --debug-dir. If it is empty, TP_DEBUG_DIR contains the folders, separated
// by colons. Servers are asked after a note.
DebugFiles debug_files(const std::vector<std::string>& given);

} // namespace tp::analysis
