// SPDX-License-Identifier: Apache-2.0
// Reads demangled names from left to right. A `<` or `>` is a bracket unless it is part of an
// operator: of one that is a function's name ("operator<", "operator->"), or of an expression among
// template arguments, which demanglers put into parentheses.
#include "sites/cxx_names.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <utility>

namespace tp::analysis {
namespace {

constexpr std::string_view kOperator = "operator";
constexpr auto npos = std::string_view::npos;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}

bool begins_with_any(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes,
                             [&](std::string_view each) { return text.starts_with(each); });
}

// The length of "operator" and its symbol at this position; 0 if there is none.
std::size_t operator_at(std::string_view text, std::size_t position) {
  if (position > 0 && is_word(text[position - 1]))
    return 0;
  text.remove_prefix(position);
  if (!text.starts_with(kOperator) ||
      (text.size() > kOperator.size() && is_word(text[kOperator.size()])))
    return 0;
  const std::string_view symbol = text.substr(kOperator.size());
  if (symbol.starts_with("()"))
    return kOperator.size() + 2;
  if (begins_with_any(symbol, {" ", "\""})) // a conversion, new, delete, co_await, or a literal's
    return kOperator.size() + std::min(symbol.find('('), symbol.size());
  std::size_t end = std::min(symbol.find_first_not_of("<>=!+-*/%^&|~,[]"), symbol.size());
  // "operator<<int>": the last character opens template arguments, or a tag.
  if (end > 1 && end < symbol.size() && (is_word(symbol[end]) || symbol[end] == ':') &&
      (symbol[end - 1] == '<' || symbol[end - 1] == '['))
    --end;
  return kOperator.size() + end;
}

bool opens_arguments(std::string_view text, std::size_t position) {
  if (position == 0)
    return true;
  const char before = text[position - 1];
  if (before != ' ')
    return before != '<' && before != '(' && before != '-';
  // "operator< <int>", as one of the demanglers writes it
  const std::size_t word = text.rfind(kOperator, position);
  return word != npos && word + operator_at(text, word) == position - 1;
}

// The position after the bracket that closes the one at `open`; npos: none does.
std::size_t after_bracket(std::string_view text, std::size_t open) {
  std::string closing; // of the brackets that are open
  for (std::size_t i = open; i < text.size(); ++i) {
    if (const std::size_t length = operator_at(text, i)) {
      i += length - 1;
      continue;
    }
    switch (const char c = text[i]) {
    case '(':
      closing += ')';
      break;
    case '{':
      closing += '}';
      break;
    case '[':
      closing += ']';
      break;
    case '<':
      if (i == open || opens_arguments(text, i))
        closing += '>';
      break;
    case '>':
      if (closing.back() == '>' && text[i - 1] != '-')
        closing.pop_back();
      break;
    default:
      if (c == closing.back())
        closing.pop_back();
    }
    if (closing.empty())
      return i + 1;
  }
  return npos;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' '))
    text.remove_prefix(1);
  while (text.ends_with(' '))
    text.remove_suffix(1);
  return text;
}

// What is between the brackets, separated by commas.
std::vector<std::string_view> arguments_between(std::string_view text, std::size_t open,
                                                std::size_t end) {
  std::vector<std::string_view> arguments;
  std::size_t begin = open + 1;
  for (std::size_t i = begin; i < end; ++i) {
    const char c = text[i];
    if (const std::size_t length = operator_at(text, i)) {
      i += length - 1;
      continue;
    }
    if (c == '(' || c == '{' || c == '[' || (c == '<' && opens_arguments(text, i))) {
      const std::size_t after = after_bracket(text, i);
      if (after >= end)
        break;
      i = after - 1;
      continue;
    }
    if (c != ',' && i + 1 != end)
      continue;
    if (const std::string_view argument = trimmed(text.substr(begin, i - begin)); !argument.empty())
      arguments.push_back(argument);
    begin = i + 1;
  }
  return arguments;
}

class ScopeReader {
public:
  explicit ScopeReader(std::string_view text) : text_(text) {}

  std::vector<NameScope> read() {
    while (at_ < text_.size() && !is_done_)
      if (!read_part())
        return {};
    finish();
    return std::move(scopes_);
  }

private:
  bool at_start() const { return at_ == here_.begin && here_.name.empty(); }
  std::string_view rest() const { return text_.substr(at_); }

  // Names the component that has been read so far.
  void name_it() {
    if (here_.name.empty() && here_.begin < at_)
      here_.name = text_.substr(here_.begin, at_ - here_.begin);
  }
  void finish() {
    name_it();
    here_.is_local |= here_.name.starts_with("$_"); // clang's name for some lambdas
    here_.end = at_;
    if (!here_.name.empty())
      scopes_.push_back(std::move(here_));
    here_ = NameScope{.begin = at_};
  }
  void start_anew() { // what came before was the return type
    scopes_.clear();
    here_ = NameScope{.begin = at_};
  }
  bool skip_bracket() {
    at_ = after_bracket(text_, at_);
    return at_ != npos;
  }
  bool skip_bracket_of(std::vector<std::string_view>& contents) {
    const std::size_t open = at_;
    if (!skip_bracket())
      return false;
    contents = arguments_between(text_, open, at_);
    return true;
  }

  bool read_start() {
    for (const std::string_view anonymous : {"(anonymous namespace)", "{anonymous}"})
      if (rest().starts_with(anonymous)) {
        here_.is_anonymous = true;
        at_ += anonymous.size();
        name_it();
        return true;
      }
    const char c = text_[at_];
    if (c == '\'') { // a lambda, by LLVM
      const std::size_t end = text_.find('\'', at_ + 1);
      if (end == npos)
        return false;
      at_ = end + 1;
    } else if (!skip_bracket()) { // a lambda, by the runtime or in debug information; or a type
      return false;
    }
    here_.is_local = c != '(';
    if (here_.is_local)
      name_it();
    return true;
  }

  // A type's qualifiers: what follows them has the type.
  void end_of_type() {
    finish();
    for (std::string_view skipped = " "; !skipped.empty();) {
      skipped = {};
      for (const std::string_view each : {" const", " volatile", " restrict", "*", "&", " *", " &"})
        if (rest().starts_with(each))
          skipped = each;
      at_ += skipped.size();
    }
    is_done_ =
        rest().size() < 2 || text_[at_] != ' ' || text_[at_ + 1] == '[' || text_[at_ + 1] == '(';
    if (is_done_) {
      here_.begin = text_.size(); // no further component
    } else {
      ++at_;
      start_anew();
    }
  }

  void read_space() {
    const std::string_view after = rest().substr(1);
    const bool qualifies =
        begins_with_any(after, {"const", "volatile", "restrict", "noexcept", "*", "&", "[", "(."});
    const bool is_function_type = after.starts_with('(') && !after.starts_with("(anonymous");
    if (!here_.is_function && qualifies) {
      end_of_type();
    } else if (after.starts_with("requires ") || is_function_type) {
      is_done_ = true; // a clause may contain any expression
    } else if (here_.is_function && qualifies) {
      name_it();
      const std::size_t next = text_.find("::", at_);
      const std::size_t tail =
          std::min({rest().find(" ["), rest().find(" (."), rest().find(" requires ")});
      is_done_ = next == npos || (tail != npos && at_ + tail < next);
      if (!is_done_)
        at_ = next;
    } else if (after.starts_with('<')) { // "operator< <int>"
      name_it();
      ++at_;
    } else {
      ++at_;
      start_anew();
    }
  }

  bool read_part() {
    const char c = text_[at_];
    if (const std::size_t length = operator_at(text_, at_)) {
      at_ += length;
      name_it();
      return true;
    }
    if (at_start() && (c == '\'' || c == '(' || c == '{' || c == '<'))
      return read_start();
    if (rest().starts_with("::")) {
      finish();
      at_ += 2;
      here_.begin = at_;
      return true;
    }
    switch (c) {
    case '<':
      name_it();
      return skip_bracket_of(here_.arguments);
    case '(':
      if (text_.substr(here_.begin, at_ - here_.begin).starts_with("decltype"))
        return skip_bracket();
      name_it();
      here_.is_function = !here_.is_local;
      return skip_bracket_of(here_.parameters);
    case '[': // a tag
      name_it();
      return skip_bracket();
    case ' ':
      if (text_.substr(here_.begin, at_ - here_.begin) == "decltype")
        ++at_;
      else
        read_space();
      return true;
    case '@': // a module
      name_it();
      ++at_;
      while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '.'))
        ++at_;
      return true;
    case '*':
    case '&':
      end_of_type();
      return true;
    default:
      ++at_;
      return true;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  NameScope here_;
  std::vector<NameScope> scopes_;
  bool is_done_ = false;
};

} // namespace

namespace {

// A lambda or a type without a name in the form that the runtime's demangler gives it: from
// "'lambda0'(int)" to "{lambda(int)#2}".
std::string local_name(std::string_view text) {
  if (!text.starts_with('\''))
    return std::string(text);
  const std::size_t quote = text.find('\'', 1);
  const std::string_view quoted = text.substr(1, quote - 1), parameters = text.substr(quote + 1);
  const std::size_t digits = std::min(quoted.find_first_of("0123456789"), quoted.size());
  std::size_t number = 0;
  for (const char digit : quoted.substr(digits))
    number = number * 10 + static_cast<std::size_t>(digit - '0');
  const bool is_first = digits == quoted.size();
  std::string name = "{" + std::string(quoted.substr(0, digits));
  if (name == "{unnamed")
    name += " type";
  return name.append(parameters).append("#") + std::to_string(is_first ? 1 : number + 2) + "}";
}

} // namespace

std::vector<NameScope> scopes_of(std::string_view name) {
  return ScopeReader(name).read();
}

std::string plain_name(const std::string& function) {
  std::string plain;
  for (const NameScope& scope : scopes_of(function)) {
    if (scope.is_local)
      break;
    plain.append(plain.empty() ? "" : "::").append(scope.name);
    if (scope.is_function)
      break;
  }
  return plain.empty() ? function : plain;
}

std::string qualified_name(const std::string& function) {
  std::string qualified;
  bool after_local = false;
  for (const NameScope& scope : scopes_of(function)) {
    if (after_local && scope.name == "operator()")
      continue; // the lambda's code
    after_local = scope.is_local;
    qualified += qualified.empty() ? "" : "::";
    if (scope.is_local) {
      qualified +=
          local_name(std::string_view(function).substr(scope.begin, scope.end - scope.begin));
      continue;
    }
    qualified += scope.name;
    for (std::size_t i = 0; i < scope.arguments.size(); ++i)
      qualified.append(i == 0 ? "<" : ", ").append(scope.arguments[i]);
    if (!scope.arguments.empty())
      qualified += '>';
  }
  return qualified.empty() ? function : qualified;
}

std::string variable_name(const std::string& name) {
  constexpr std::size_t kLong = 60;
  if (name.find('<') == npos)
    return name;
  if (const std::string qualified = qualified_name(name); qualified.size() <= kLong)
    return qualified;
  std::string result;
  for (const NameScope& scope : scopes_of(name)) {
    if (scope.is_anonymous)
      continue;
    result += result.empty() ? "" : "::";
    result += scope.is_local
                  ? local_name(std::string_view(name).substr(scope.begin, scope.end - scope.begin))
                  : std::string(scope.name);
  }
  return result.empty() ? name : result;
}

std::vector<std::string_view> template_arguments(std::string_view type) {
  const std::size_t open = type.find('<');
  if (open == npos)
    return {};
  const std::size_t end = after_bracket(type, open);
  return arguments_between(type, open, end == npos ? type.size() : end);
}

} // namespace tp::analysis
