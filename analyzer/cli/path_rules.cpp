// SPDX-License-Identifier: Apache-2.0
// One rule per option, or per line of the variable; folders as in $PATH.
#include "cli/path_rules.h"

#include "common/message.h"
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

DebugFiles debug_files(const std::vector<std::string>& given) {
  DebugFiles files{.folders = given, .asking = [](const std::string& text) { tool::note(text); }};
  const char* const variable = std::getenv("TP_DEBUG_DIR");
  if (!given.empty() || variable == nullptr)
    return files;
  std::istringstream folders(variable);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty())
      files.folders.push_back(folder);
  return files;
}

} // namespace tp::analysis
