#include "cli/path_rules.h"

#include "cli/command_line.h"

#include <cstdlib>

namespace tp::analysis {
namespace {

constexpr const char* kVariable = "TP_MAP_PATH";

void add_rule(const char* source, const std::string& rule, PathMap& rules) {
  const std::size_t equals = rule.find('=');
  if (equals == std::string::npos || equals == 0)
    usage(source, "OLD=NEW", "'" + rule + "'");
  rules.emplace_back(rule.substr(0, equals), rule.substr(equals + 1));
}

} // namespace

PathMap path_rules(const std::vector<std::string>& given) {
  PathMap rules;
  for (const std::string& rule : given)
    add_rule("--map-path", rule, rules);
  const char* const variable = std::getenv(kVariable);
  if (!given.empty() || variable == nullptr)
    return rules;
  for (const std::string& rule : CLI::detail::split(variable, '\n'))
    if (!rule.empty())
      add_rule(kVariable, rule, rules);
  return rules;
}

} // namespace tp::analysis
