// SPDX-License-Identifier: Apache-2.0
// See callers.h.
#include "sites/callers.h"

#include "sites/cxx_names.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>
#include <utility>

namespace tp::analysis {
namespace {

struct Function {
  CodeParameter code = CodeParameter::None;
  bool in_system_folder = false;
  bool is_recursive = false;
  std::set<std::string> callers;
  std::set<std::pair<std::string, std::uint32_t>> called_at; // file, line
};

bool is_in_system_folder(std::string_view file) {
  for (const std::string_view folder : {"/usr/include/", "/usr/local/include/"})
    if (file.starts_with(folder))
      return true;
  return false;
}

// `name` or the last components of it.
bool is_named(std::string_view function, std::string_view name) {
  if (!function.ends_with(name))
    return false;
  function.remove_suffix(name.size());
  return function.empty() || function.ends_with("::");
}

} // namespace

std::string enclosing_function(std::string_view demangled) {
  return plain_name(std::string(demangled));
}

std::vector<std::size_t> calls_by_wrappers(const std::vector<std::vector<UserCall>>& calls,
                                           const std::vector<std::string>& wrappers) {
  std::map<std::string, Function> functions;
  std::vector<std::vector<std::string>> names;
  for (const std::vector<UserCall>& stack : calls) {
    std::vector<std::string>& of_stack = names.emplace_back();
    for (const UserCall& call : stack)
      of_stack.push_back(enclosing_function(call.function));
    for (std::size_t i = 0; i < stack.size(); ++i) {
      Function& function = functions[of_stack[i]];
      function.code = std::max(function.code, stack[i].code);
      function.in_system_folder |= is_in_system_folder(stack[i].file);
      for (std::size_t outer = i + 1; outer < stack.size(); ++outer)
        function.is_recursive |= of_stack[outer] == of_stack[i];
      if (i + 1 < stack.size()) {
        function.callers.insert(of_stack[i + 1]);
        function.called_at.emplace(stack[i + 1].file, stack[i + 1].line);
      }
    }
  }
  const auto is_wrapper = [&](const std::string& name) {
    if (name.empty())
      return false;
    const Function& function = functions[name];
    if (function.in_system_folder ||
        std::ranges::any_of(wrappers, [&](const auto& given) { return is_named(name, given); }))
      return true;
    if (function.is_recursive)
      return false;
    return function.code == CodeParameter::Code ||
           (function.code == CodeParameter::Object && function.called_at.size() >= 2) ||
           function.callers.size() >= kManyCallers;
  };
  std::vector<std::size_t> result;
  for (std::size_t site = 0; site < calls.size(); ++site) {
    std::size_t level = 0;
    while (level + 1 < calls[site].size() && is_wrapper(names[site][level]))
      ++level;
    result.push_back(level);
  }
  return result;
}

} // namespace tp::analysis
