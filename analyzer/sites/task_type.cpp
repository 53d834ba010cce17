// SPDX-License-Identifier: Apache-2.0
// See task_type.h. The names of oneTBB's task templates, and which of their arguments is the user's
// code, are part of its ABI: a program that was not recompiled contains them.
#include "sites/task_type.h"

#include "sites/constructs.h"
#include "sites/cxx_names.h"

#include "tp/trace/library_code.h"

#include <string_view>

namespace tp::analysis {
namespace {

constexpr std::string_view kNamespace = "tbb::detail::";

template <std::size_t Size>
const TaskTemplate* find(const TaskTemplate (&table)[Size], std::string_view type) {
  if (!type.starts_with(kNamespace))
    return nullptr;
  type.remove_prefix(kNamespace.size());
  const std::string_view name = type.substr(0, type.find('<'));
  for (const TaskTemplate& row : table)
    if (row.name == name)
      return &row;
  return nullptr;
}

std::string_view argument(std::string_view type, std::size_t position) {
  const auto arguments = template_arguments(type);
  return position < arguments.size() ? arguments[position] : std::string_view();
}

// Where the template at the beginning of the text ends.
std::size_t end_of_template(std::string_view text) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '<')
      ++depth;
    else if (text[at] == '>' && (at == 0 || text[at - 1] != '-') && --depth == 0)
      return at + 1;
  }
  return text.size();
}

// The function around a lambda; other types are their own name. A lambda among template arguments
// or parameters is not the body's.
std::string_view owner(std::string_view body) {
  std::size_t end = 0;
  for (const NameScope& scope : scopes_of(body)) {
    if (scope.is_local && end != 0)
      return body.substr(0, end);
    end = scope.end;
  }
  return body;
}

// "void (int)", "void (*)(int)": code that the type does not name.
bool is_function(std::string_view type) {
  if (!type.ends_with(')'))
    return false;
  int depth = 0;
  for (std::size_t at = 0; at + 1 < type.size(); ++at) {
    depth += (type[at] == '<') - (type[at] == '>');
    if (depth == 0 && type.substr(at, 2) == " (")
      return true;
  }
  return false;
}

} // namespace

std::string look_at_thread_type(const std::string& type) {
  constexpr std::string_view kInvoker = "std::thread::_Invoker<";
  std::string_view code;
  // std::async wraps the invoker of the user's function in a lambda of its own.
  for (std::string_view rest = type;;) {
    const std::size_t at = rest.find(kInvoker);
    if (at == std::string_view::npos)
      break;
    rest.remove_prefix(at);
    code = argument(argument(rest.substr(0, end_of_template(rest)), 0), 0);
    rest.remove_prefix(kInvoker.size());
  }
  if (code.find("(*)") != std::string_view::npos)
    return {}; // a pointer to a function
  if (const std::size_t member = code.find("::*)"); member != std::string_view::npos) {
    const std::size_t begin = code.rfind('(', member);
    return std::string(code.substr(begin + 1, member - begin - 1));
  }
  if (trace::is_standard_namespace(trace::outermost_scope(code)))
    return {};
  return std::string(owner(code));
}

TaskType look_at_task_type(const std::string& type) {
  const TaskTemplate* const task = find(kTaskTemplates, type);
  if (!task)
    return {};
  if (argument(type, 0).starts_with("tbb::detail::d1::quick_sort_range"))
    return {"", "", std::string(name_of(trace::Construct::ParallelSort))};
  std::string_view body = argument(type, task->body), construct = task->construct;
  if (task->construct.empty() && body.find(kCallOnceTask) != std::string_view::npos)
    construct = kCallOnce;
  while (const TaskTemplate* const wrapper = find(kBodyWrappers, body)) {
    if (!wrapper->construct.empty())
      construct = wrapper->construct;
    body = argument(body, wrapper->body);
  }
  if (const std::string_view scope = trace::outermost_scope(body);
      trace::is_task_namespace(scope) || trace::is_standard_namespace(scope) || is_function(body))
    body = {}; // not the user's code, or not named
  return {std::string(owner(body)), std::string(body), std::string(construct)};
}

} // namespace tp::analysis
