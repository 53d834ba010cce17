// SPDX-License-Identifier: Apache-2.0
// Scans demangled names with a count of open brackets. "operator" is read as one word with the
// symbol after it, since that may be a bracket.
#include "sites/cxx_names.h"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>

namespace tp::analysis {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}

constexpr std::string_view kOperator = "operator";
constexpr std::string_view kAnonymous = "(anonymous namespace)";

// The length of "operator" and its symbol at the beginning of `text`; 0 if `text` begins otherwise.
std::size_t operator_length(std::string_view text) {
  if (!text.starts_with(kOperator) ||
      (text.size() > kOperator.size() && is_word(text[kOperator.size()])))
    return 0;
  const std::string_view symbol = text.substr(kOperator.size());
  if (symbol.starts_with("()"))
    return kOperator.size() + 2;
  const std::size_t end = symbol.starts_with(' ') // a conversion, new, delete, or a literal's
                              ? symbol.find('(')
                              : symbol.find_first_not_of("<>=!+-*/%^&|~,[]");
  return kOperator.size() + std::min(end, symbol.size());
}

// The length of a return type that the compiler deduces from an expression, at the beginning of
// `text`; 0 if `text` begins otherwise.
std::size_t decltype_length(std::string_view text) {
  constexpr std::string_view kDecltype = "decltype (";
  if (!text.starts_with(kDecltype))
    return 0;
  std::size_t end = kDecltype.size();
  for (int depth = 1; depth > 0 && end < text.size(); ++end)
    depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
  return end;
}

// The length of an operator's name at this position; its symbol may look like a bracket.
std::size_t operator_at(std::string_view text, std::size_t position) {
  return position > 0 && is_word(text[position - 1]) ? 0 : operator_length(text.substr(position));
}

} // namespace

std::string demangle(const std::string& name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  if (status != 0 || !text)
    return name;
  std::string result = text;
  std::free(text);
  return result;
}

std::string plain_name(const std::string& function) {
  std::string plain;
  int depth = 0;
  bool in_word = false;
  for (std::string_view rest = function; !rest.empty();) {
    if (const std::size_t skipped = depth == 0 && !in_word ? decltype_length(rest) : 0) {
      rest.remove_prefix(skipped);
      continue;
    }
    std::size_t length = depth == 0 && !in_word ? operator_length(rest) : 0;
    if (length == 0 && depth == 0 && rest.starts_with(kAnonymous))
      length = kAnonymous.size();
    const char c = rest.front();
    if (length != 0)
      plain += rest.substr(0, length);
    else if (c == '<' || (c == '(' && depth > 0))
      ++depth;
    else if ((c == '>' && depth > 0) || (c == ')' && depth > 0))
      --depth;
    else if (depth == 0 && c == ' ' && !rest.starts_with(" <")) // as in "operator< <int>"
      plain.clear(); // what came before was the return type
    else if (depth == 0 && (c == '(' || c == '{' || c == '['))
      break; // parameters, a lambda, an ABI tag
    else if (depth == 0 && c != ' ')
      plain += c;
    in_word = length == 0 && is_word(c);
    rest.remove_prefix(length != 0 ? length : 1);
  }
  while (plain.ends_with(':'))
    plain.pop_back();
  return plain.empty() ? function : plain;
}

std::string short_name(const std::string& plain) {
  std::string_view name = plain;
  std::vector<std::string_view> components;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = name.find("::");
    const std::string_view component = name.substr(0, end);
    if (component != kAnonymous)
      components.push_back(component);
    if (end != std::string_view::npos)
      name.remove_prefix(end + 2);
  }
  if (components.empty())
    return plain;
  std::string result(components.back());
  if (components.size() > 1)
    result = std::string(components[components.size() - 2]) + "::" + result;
  return result;
}

std::size_t find_outside_brackets(std::string_view name, std::string_view part) {
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (depth == 0 && name.substr(i).starts_with(part))
      return i;
    if (const std::size_t length = operator_at(name, i)) {
      i += length - 1;
      continue;
    }
    const char c = name[i];
    depth += c == '<' || c == '(' || c == '{' ? 1 : c == '>' || c == ')' || c == '}' ? -1 : 0;
  }
  return std::string_view::npos;
}

std::vector<std::string_view> template_arguments(std::string_view type) {
  std::vector<std::string_view> arguments;
  const std::size_t open = type.find('<');
  if (open == std::string_view::npos)
    return arguments;
  int depth = 0;
  std::size_t begin = open + 1;
  for (std::size_t i = open; i < type.size(); ++i) {
    if (const std::size_t length = operator_at(type, i)) {
      i += length - 1;
      continue;
    }
    const char c = type[i];
    if (c == '<' || c == '(' || c == '{')
      ++depth;
    else if (c == '>' || c == ')' || c == '}')
      --depth;
    if ((c != ',' || depth != 1) && depth != 0)
      continue;
    std::string_view argument = type.substr(begin, i - begin);
    while (argument.starts_with(' '))
      argument.remove_prefix(1);
    while (argument.ends_with(' '))
      argument.remove_suffix(1);
    arguments.push_back(argument);
    begin = i + 1;
    if (depth == 0)
      break;
  }
  return arguments;
}

} // namespace tp::analysis
