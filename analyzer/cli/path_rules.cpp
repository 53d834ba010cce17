// SPDX-License-Identifier: Apache-2.0
// One rule per option, or per line of the variable.
#include "cli/path_rules.h"

#include "options/command_line.h"

#include <cstdlib>
#include <sstream>

namespace tp::analysis {

PathMap path_rules(const std::vector<std::string>& given) {
  PathMap rules;
  for (const std::string& rule : given)
    rules.push_back(tool::parse_pair("--map-path", rule, "OLD=NEW"));
  const char* const variable = std::getenv("TP_MAP_PATH");
  if (!given.empty() || variable == nullptr)
    return rules;
  std::istringstream lines(variable);
  for (std::string rule; std::getline(lines, rule);)
    if (!rule.empty())
      rules.push_back(tool::parse_pair("TP_MAP_PATH", rule, "OLD=NEW"));
  return rules;
}

} // namespace tp::analysis
