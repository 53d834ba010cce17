// SPDX-License-Identifier: Apache-2.0
// See callers.h.
#include "sites/callers.h"

#include "tp/trace/trace_format.h"

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

// `name` or the last components of it.
bool is_named(std::string_view function, std::string_view name) {
  if (!function.ends_with(name))
    return false;
  function.remove_suffix(name.size());
  return function.empty() || function.ends_with("::");
}

// Whether the function is around its own call. Functions of one name that are declared at different
// lines are overloads, of which one may call the other.
bool calls_itself(const std::vector<UserCall>& stack, std::size_t index) {
  const UserCall& call = stack[index];
  for (std::size_t i = index + 1; i < stack.size() && stack[i].function == call.function; ++i)
    if (call.declared_at == 0 || stack[i].declared_at == 0 ||
        stack[i].declared_at == call.declared_at)
      return true;
  return false;
}

} // namespace

bool is_in_system_folder(std::string_view file) {
  for (const std::string_view folder : {"/usr/include/", "/usr/local/include/"})
    if (file.starts_with(folder))
      return true;
  return false;
}

void add_callers(std::vector<UserCall>& calls, const std::vector<UserCall>& callers) {
  for (const UserCall& caller : callers)
    if (UserCall* const last = calls.empty() ? nullptr : &calls.back();
        last && last->is_of_construct && last->function == caller.function) {
      last->code = caller.code;
      last->declared_at = caller.declared_at;
      last->is_of_construct = caller.is_of_construct;
    } else {
      calls.push_back(caller);
    }
}

std::vector<std::size_t> calls_by_wrappers(const std::vector<std::vector<UserCall>>& calls,
                                           const std::vector<std::string>& wrappers) {
  if (std::ranges::find(wrappers, kNoWrappers) != wrappers.end())
    return std::vector<std::size_t>(calls.size(), 0);
  std::map<std::string, Function> functions;
  for (const std::vector<UserCall>& stack : calls)
    for (std::size_t i = 0; i < stack.size(); ++i) {
      const UserCall& call = stack[i];
      Function& function = functions[call.function];
      function.code = std::max(function.code, call.code);
      function.in_system_folder |= is_in_system_folder(call.place.file);
      // What oneTBB calls is not called by name, and a lambda has the name of the function around it.
      if (i + 1 < stack.size() && !call.is_called_back) {
        const UserCall& caller = stack[i + 1];
        function.is_recursive |= !caller.is_indirect && calls_itself(stack, i);
        function.callers.insert(caller.function);
        function.called_at.emplace(caller.place.file, caller.place.line);
      }
    }
  // `layers`: how many wrappers may be around it, where that matters.
  const auto find = [&](const auto& self, const std::string& name, unsigned layers) -> bool {
    if (name.empty())
      return false;
    const Function& function = functions[name];
    if (function.in_system_folder ||
        std::ranges::any_of(wrappers, [&](const auto& given) { return is_named(name, given); }))
      return true;
    if (function.is_recursive)
      return false;
    return function.code == CodeParameter::Code ||
           (function.code == CodeParameter::Object &&
            (function.called_at.size() >= 2 ||
             (layers > 0 && function.callers.size() == 1 &&
              functions[*function.callers.begin()].code == CodeParameter::Object &&
              self(self, *function.callers.begin(), layers - 1)))) ||
           function.callers.size() >= kManyCallers;
  };
  const auto is_wrapper = [&](const std::string& name) {
    return find(find, name, trace::kMostPathCalls);
  };
  std::vector<std::size_t> result;
  for (const std::vector<UserCall>& stack : calls) {
    std::size_t level = 0;
    while (level + 1 < stack.size()) {
      const UserCall& call = stack[level];
      if (call.is_called_back && level + 2 < stack.size() && is_wrapper(stack[level + 1].function))
        level += 2;
      else if (is_wrapper(call.function) &&
               !(call.is_called_back && stack[level + 1].function == call.function))
        ++level;
      else
        break;
    }
    result.push_back(level);
  }
  return result;
}

std::vector<std::string> unknown_wrappers(const std::vector<std::vector<UserCall>>& calls,
                                          const std::vector<std::string>& wrappers) {
  std::vector<std::string> unknown;
  for (const std::string& wrapper : wrappers)
    if (wrapper != kNoWrappers &&
        std::ranges::none_of(calls, [&](const std::vector<UserCall>& stack) {
          return std::ranges::any_of(
              stack, [&](const UserCall& call) { return is_named(call.function, wrapper); });
        }))
      unknown.push_back(wrapper);
  return unknown;
}

} // namespace tp::analysis
