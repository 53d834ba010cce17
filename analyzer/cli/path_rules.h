// SPDX-License-Identifier: Apache-2.0
// PATH RULES: the values of --map-path, or of TP_MAP_PATH if the option is not given.
#pragma once

#include "sites/site_table.h"

#include <string>
#include <vector>

namespace tp::analysis {

// `given`: the values of --map-path, each OLD=NEW. If it is empty, TP_MAP_PATH contains the rules,
// one per line. Throws tool::Failure.
PathMap path_rules(const std::vector<std::string>& given);

} // namespace tp::analysis
