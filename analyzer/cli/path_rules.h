// PATH RULES: the values of --map-path, or of TP_MAP_PATH where the option is not given.
#pragma once

#include "sites/site_table.h"

#include <string>
#include <vector>

namespace tp::analysis {

// `given`: the values of --map-path, OLD=NEW each. If there is none, TP_MAP_PATH contains the rules,
// one per line. Throws tool::Failure.
PathMap path_rules(const std::vector<std::string>& given);

} // namespace tp::analysis
