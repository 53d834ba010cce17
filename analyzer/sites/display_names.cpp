// SPDX-License-Identifier: Apache-2.0
// See display_names.h. Recursion follows the nesting of templates, which demanglers limit.
#include "sites/display_names.h"

#include "sites/cxx_names.h"

#include "tp/trace/library_code.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

namespace tp::analysis {
namespace {

constexpr std::size_t kMaxArguments = 28; // characters of a component
constexpr int kMaxDepth = 64;             // of templates that are looked at
constexpr std::string_view kCall = "operator()";

using Scopes = std::vector<NameScope>;

bool is_library(std::string_view name) {
  const std::string_view scope = trace::outermost_scope(name);
  return trace::is_task_namespace(scope) || trace::is_standard_namespace(scope);
}

// A number, a built-in type, or another value.
bool is_plain(std::string_view argument) {
  if (argument.empty())
    return true;
  const char c = argument[0];
  if (!std::isalpha(static_cast<unsigned char>(c)) && c != '_' && !argument.starts_with("(anon") &&
      c != '\'' && !argument.starts_with("{lambda") && !argument.starts_with("{unnamed"))
    return true;
  static constexpr std::string_view kWords[] = {
      "void",     "bool",     "char",     "short",      "int",     "long",  "float",    "const",
      "double",   "unsigned", "signed",   "wchar_t",    "char8_t", "auto",  "char16_t", "volatile",
      "char32_t", "__int128", "_Float16", "__float128", "true",    "false", "nullptr"};
  // What follows may be more of a function's or an array's type; or, after the return type, the name
  // of a function.
  while (!argument.empty() && argument[0] != '(' && argument[0] != '[') {
    const std::string_view word = argument.substr(0, argument.find_first_of(" *&[("));
    if (!word.empty() && std::ranges::find(kWords, word) == std::end(kWords))
      return false;
    argument.remove_prefix(std::max<std::size_t>(word.size(), 1));
  }
  return !argument.starts_with("(anon");
}

// Whether the name is inside a function: of a lambda, of a local class.
bool is_in_function(const Scopes& scopes) {
  return std::ranges::any_of(scopes, &NameScope::is_local) ||
         (scopes.size() > 1 &&
          std::any_of(scopes.begin(), scopes.end() - 1,
                      [](const NameScope& scope) { return scope.is_function; }));
}

// The scopes up to the outermost function; a lambda belongs to the function around it.
Scopes up_to_function(Scopes scopes) {
  for (std::size_t i = 0; i < scopes.size(); ++i)
    if (scopes[i].is_local || scopes[i].is_function) {
      scopes.resize(scopes[i].is_local ? i : i + 1);
      break;
    }
  return scopes;
}

// "&f(int)" or "&(f(int))", an argument that is the address of a function: "f(int)".
std::string_view without_address(std::string_view argument) {
  if (!argument.starts_with('&'))
    return argument;
  argument.remove_prefix(1);
  if (argument.starts_with('(') && argument.ends_with(')') && !argument.starts_with("(anon"))
    argument = argument.substr(1, argument.size() - 2);
  return argument;
}

// Calls visit(argument) for each template argument, those of inner scopes first, until it returns
// something.
template <typename Visit>
std::optional<std::string_view> first_of(const Scopes& scopes, Visit visit) {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    for (const std::string_view argument : scope->arguments)
      if (const std::optional<std::string_view> found = visit(argument))
        return found;
  return std::nullopt;
}

// The innermost code of the user in a function that is among the template arguments.
std::optional<std::string_view> local_code(const Scopes& scopes, int depth) {
  if (depth == kMaxDepth)
    return std::nullopt;
  return first_of(scopes, [&](std::string_view argument) -> std::optional<std::string_view> {
    const std::string_view name = without_address(argument);
    if (is_plain(name))
      return std::nullopt;
    const Scopes inner = scopes_of(name);
    if (const auto found = local_code(inner, depth + 1))
      return found;
    const bool is_code = is_in_function(inner) || name.size() != argument.size();
    if (is_code && !is_library(name) && !up_to_function(inner).empty())
      return name;
    return std::nullopt;
  });
}

// The first class of the user among the template arguments, also as the argument of a library's.
std::optional<std::string_view> wrapped_class(const Scopes& scopes, int depth) {
  if (depth == kMaxDepth)
    return std::nullopt;
  return first_of(scopes, [&](std::string_view argument) -> std::optional<std::string_view> {
    if (is_plain(argument))
      return std::nullopt;
    if (!is_library(argument))
      return argument;
    return wrapped_class(scopes_of(argument), depth + 1);
  });
}

std::string last_name(const Scopes& scopes) {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (!scope->is_anonymous)
      return std::string(scope->name);
  return "";
}

// Whether numbers are among the arguments of the class, as in LeafNode<Mask, 3>.
bool has_numbers(const Scopes& scopes) {
  return !scopes.empty() &&
         std::ranges::any_of(scopes.back().arguments, [](std::string_view argument) {
           return std::isdigit(static_cast<unsigned char>(argument[0])) || argument[0] == '-';
         });
}

// What a class wraps, through all layers, and how many these are; none through a class that holds
// data.
struct Wrapped {
  Scopes innermost;
  int layers = 0;
  bool holds_data = false;
};

Wrapped unwrapped(const Scopes& scopes) {
  Wrapped result{.innermost = scopes};
  while (!result.innermost.empty() && result.layers < kMaxDepth) {
    if (result.layers > 0 && has_numbers(result.innermost))
      break;
    const auto next = wrapped_class({result.innermost.back()}, 0);
    if (!next)
      break;
    result.innermost = scopes_of(*next);
    ++result.layers;
  }
  result.holds_data = result.innermost.empty() || !result.innermost.back().arguments.empty();
  return result;
}

// Of an argument that is a class or a function.
std::string argument_name(std::string_view argument) {
  const Scopes scopes = up_to_function(scopes_of(argument));
  const Wrapped wrapped = unwrapped(scopes);
  return last_name(wrapped.holds_data ? scopes : wrapped.innermost);
}

// "<List, 3>" as far as there is room: without types of libraries, and cut at the end. Empty if
// there is none.
std::string shown_arguments(const NameScope& scope, std::size_t room) {
  constexpr std::string_view kMore = "...";
  constexpr std::size_t kFew = 8; // characters say too little
  std::string shown;
  for (const std::string_view argument : scope.arguments) {
    const std::string_view name = without_address(argument);
    const bool is_function_type = is_plain(argument) && argument.find(" (") != argument.npos;
    if (is_function_type || (!is_plain(name) && is_library(name)))
      continue;
    if (!shown.empty())
      shown += ", ";
    shown += is_plain(name) ? std::string(argument) : argument_name(name);
    if (shown.size() + 2 > room) {
      shown.resize(room < kFew + 2 ? 0 : room - kMore.size() - 2);
      return shown.empty() ? "" : "<" + shown.append(kMore) + ">";
    }
  }
  return shown.empty() ? "" : "<" + shown + ">";
}

// The last components with their arguments, at most so many of them.
std::string joined(const Scopes& scopes, std::size_t most, std::size_t room) {
  std::string result;
  std::size_t count = 0;
  for (auto scope = scopes.rbegin(); scope != scopes.rend() && count < most; ++scope)
    if (!scope->is_anonymous) {
      const std::string name = std::string(scope->name) + shown_arguments(*scope, room);
      result = count++ == 0 ? name : name + "::" + result;
    }
  return result;
}

// Two components, or as much of them as there is room for; at least the last one's name.
std::string brief(const Scopes& scopes, std::size_t room) {
  std::string name;
  for (const std::size_t most : {std::size_t{2}, std::size_t{1}})
    for (const std::size_t arguments : {room, std::size_t{0}}) {
      name = joined(scopes, most, std::min(arguments, kMaxArguments));
      // Rather the last one's arguments than the first one.
      const bool loses_arguments =
          arguments == 0 && most == 2 &&
          std::ranges::any_of(scopes.back().arguments,
                              [](std::string_view argument) { return !is_plain(argument); });
      if (name.size() <= room && !loses_arguments)
        return name;
      if (most == 1 && arguments != 0) {
        const std::size_t plain = joined(scopes, 1, 0).size();
        name = joined(scopes, 1, room > plain ? room - plain : 0);
        if (name.size() <= room)
          return name;
      }
    }
  return name;
}

// A class by what it wraps.
std::string class_name(Scopes scopes, std::size_t room) {
  const auto inner = wrapped_class({scopes.back()}, 0);
  if (!inner)
    return brief(scopes, room);
  const Wrapped wrapped = unwrapped(scopes);
  if (wrapped.layers > 1 && !wrapped.holds_data)
    return brief(wrapped.innermost, room);
  scopes.back().arguments = {*inner};
  return brief(scopes, room);
}

} // namespace

std::string short_name(std::string_view name, std::size_t room) {
  Scopes scopes = scopes_of(name);
  if (scopes.empty())
    return std::string(name);
  std::string result;
  if (const auto code = local_code(up_to_function(scopes), 0)) {
    result = short_name(*code, room);
  } else if (is_library(name)) {
    const auto inner = wrapped_class(scopes, 0);
    result = inner ? short_name(*inner, room) : brief(up_to_function(scopes), room);
  } else {
    const bool is_class = !is_in_function(scopes) && !scopes.back().is_function;
    scopes = up_to_function(std::move(scopes));
    const bool is_call = scopes.size() > 1 && scopes.back().name == kCall;
    if (is_call)
      scopes.pop_back();
    result = is_class || is_call ? class_name(std::move(scopes), room) : brief(scopes, room);
  }
  return result.empty() ? std::string(name) : result;
}

std::string longer_name(std::string_view name) {
  const std::string result = joined(up_to_function(scopes_of(name)), kMaxDepth, kMaxArguments);
  return result.empty() ? std::string(name) : result;
}

} // namespace tp::analysis
