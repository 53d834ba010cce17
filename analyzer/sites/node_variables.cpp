// SPDX-License-Identifier: Apache-2.0
// Reads a source as a list of tokens, and goes from the place of a construction outwards:
//
//   Node track(graph, ...), next{graph, ...};            a declaration
//   Stages() : first(graph, ...), second(graph, ...) {}  an initializer of a member
//   track = std::make_unique<Node>(graph, ...)           what is constructed is assigned,
//   std::unique_ptr<Node> track(new Node(graph, ...));   or is the argument of a declaration
//   track.reset(new Node(graph, ...));
#include "sites/node_variables.h"

#include "base/source_files.h"
#include "sites/constructs.h"
#include "tp/trace/trace_format.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace tp::analysis {
namespace {

struct Token {
  std::string_view text; // a word, a literal (as "0"), "::", "->", or one character
  std::uint32_t line = 0, column = 0;
  std::size_t width = 0;
};

bool is_identifier(std::string_view token) {
  return !token.empty() && (std::isalpha(static_cast<unsigned char>(token[0])) || token[0] == '_');
}

// Words before a name with which it is not declared as a variable.
bool is_before_others(std::string_view word) {
  constexpr std::array<std::string_view, 14> kWords = {
      "return", "new",       "throw",    "else",   "do",    "case",  "and",
      "or",     "co_return", "co_yield", "struct", "class", "union", "namespace"};
  return std::ranges::find(kWords, word) != kWords.end();
}

// No comments, no directives.
class Tokenizer {
public:
  explicit Tokenizer(std::string_view source) : source_(source) {}

  std::vector<Token> all() {
    std::vector<Token> tokens;
    while (at_ < source_.size())
      if (const std::size_t skipped = blank(); skipped > 0)
        advance(skipped);
      else
        tokens.push_back(next());
    return tokens;
  }

private:
  char peek(std::size_t ahead) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  // The characters up to `end` and including it, from here; all that are left if it is not found.
  std::size_t up_to(std::string_view end, std::size_t from) const {
    const std::size_t found = source_.find(end, at_ + from);
    return found == std::string_view::npos ? source_.size() - at_ : found + end.size() - at_;
  }

  std::size_t blank() const {
    const char c = peek(0);
    if (std::isspace(static_cast<unsigned char>(c)))
      return 1;
    if (c == '/' && peek(1) == '*')
      return up_to("*/", 2);
    if (c == '/' && peek(1) == '/')
      return line_end();
    return c == '#' && is_first_of_line() ? line_end() : 0;
  }
  bool is_first_of_line() const {
    const std::size_t before = source_.find_last_not_of(" \t", at_ == 0 ? 0 : at_ - 1);
    return at_ == 0 || before == std::string_view::npos || source_[before] == '\n';
  }
  // Of a line that may be continued.
  std::size_t line_end() const {
    std::size_t length = 0;
    do
      length = up_to("\n", length);
    while (length >= 2 && at_ + length < source_.size() &&
           (source_[at_ + length - 2] == '\\' ||
            (length >= 3 && source_.substr(at_ + length - 3, 2) == "\\\r")));
    return length;
  }

  Token next() {
    const std::size_t begin = at_;
    Token token{{}, line_, column_, 0};
    const char c = peek(0);
    std::size_t length = 1;
    bool is_literal = false;
    if (std::isalpha(static_cast<unsigned char>(c)) || c == '_') {
      while (is_of_word(peek(length)))
        ++length;
      const std::string_view word = source_.substr(at_, length);
      if (peek(length) == '"' && word.ends_with('R') && word.size() <= 3) {
        const std::size_t bracket = up_to("(", length + 1);
        length =
            up_to(")" + std::string(source_.substr(at_ + length + 1, bracket - length - 2)) + '"',
                  bracket);
        is_literal = true;
      }
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      while (is_of_word(peek(length)) || peek(length) == '.' ||
             (peek(length) == '\'' && is_of_word(peek(length + 1))))
        ++length;
      is_literal = true;
    } else if (c == '"' || c == '\'') {
      while (peek(length) != '\0' && peek(length) != c && peek(length) != '\n')
        length += peek(length) == '\\' ? 2 : 1;
      ++length;
      is_literal = true;
    } else if ((c == ':' && peek(1) == ':') || (c == '-' && peek(1) == '>')) {
      length = 2;
    }
    length = std::min(length, source_.size() - at_);
    token.width = length;
    token.text = is_literal ? std::string_view("0") : source_.substr(begin, length);
    advance(length);
    return token;
  }
  static bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

  void advance(std::size_t length) {
    for (const char c : source_.substr(at_, length)) {
      column_ = c == '\n' ? 1 : column_ + 1;
      line_ += c == '\n';
    }
    at_ += length;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1, column_ = 1;
};

class Construction {
public:
  explicit Construction(const std::vector<Token>& tokens) : tokens_(tokens) {}

  // The variable of what is constructed by the token at `index`.
  std::string_view variable(std::size_t index) {
    is_end_ = is(index, ")") || is(index, "}");
    if (is_end_)
      index = opening(index);
    if (is(index, "(") || is(index, "{"))
      return index == 0 ? std::string_view() : variable_before(index, 0);
    if (!is_identifier(text(index)))
      return {};
    const std::size_t arguments = is(index + 1, "<") ? behind_angles(index + 1) : index + 1;
    return is(arguments, "(") || is(arguments, "{") ? variable_before(arguments, 0)
                                                    : std::string_view();
  }

private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  static constexpr int kDeepest = 4;

  std::string_view text(std::size_t index) const {
    return index < tokens_.size() ? tokens_[index].text : std::string_view();
  }
  bool is(std::size_t index, std::string_view wanted) const { return text(index) == wanted; }

  std::size_t opening(std::size_t closing) const {
    for (std::size_t depth = 0, i = closing;; --i) {
      if (is(i, ")") || is(i, "}") || is(i, "]"))
        ++depth;
      else if (is(i, "(") || is(i, "{") || is(i, "["))
        if (--depth == 0)
          return i;
      if (i == 0)
        return kNone;
    }
  }
  std::size_t closing(std::size_t opening) const {
    std::size_t depth = 0;
    for (std::size_t i = opening; i < tokens_.size(); ++i)
      if (is(i, "(") || is(i, "{") || is(i, "["))
        ++depth;
      else if ((is(i, ")") || is(i, "}") || is(i, "]")) && --depth == 0)
        return i;
    return kNone;
  }
  std::size_t behind_angles(std::size_t opening) const {
    std::size_t depth = 0;
    for (std::size_t i = opening; i < tokens_.size() && !is(i, ";"); ++i)
      if (is(i, "<"))
        ++depth;
      else if (is(i, ">") && --depth == 0)
        return i + 1;
      else if (is(i, "(")) {
        i = closing(i);
        if (i == kNone)
          return kNone;
      }
    return kNone;
  }
  std::size_t angles_of(std::size_t closing) const {
    std::size_t depth = 0;
    for (std::size_t i = closing; !is(i, ";"); --i) {
      if (is(i, ")"))
        i = opening(i);
      if (i == kNone)
        return kNone;
      if (is(i, ">"))
        ++depth;
      else if (is(i, "<") && --depth == 0)
        return i;
      if (i == 0)
        return kNone;
    }
    return kNone;
  }

  // Of what gets the arguments that begin with the bracket at `arguments`.
  std::string_view variable_before(std::size_t arguments, int depth) const {
    if (arguments == 0 || arguments == kNone || depth == kDeepest)
      return {};
    std::size_t head = arguments - 1;
    bool is_expression = false;
    if (is(head, ">")) { // a class or a maker
      const std::size_t angles = angles_of(head);
      if (angles == kNone || angles == 0)
        return {};
      head = angles - 1;
      is_expression = true;
    }
    if (!is_identifier(text(head)) || head == 0)
      return {};
    std::size_t before = head - 1;
    while (is(before, "::") && before > 1) {
      is_expression = true;
      before -= is_identifier(text(before - 1)) ? 2 : 1;
    }
    if (is(before, ".") || is(before, "->"))
      return is(head, "reset") && is_identifier(text(before - 1)) ? text(before - 1) : "";
    if (is(before, "new")) {
      is_expression = true;
      before = before == 0 ? 0 : before - 1;
    }
    if (is_expression || is(before, "="))
      return receiver(before, depth);
    return is_declared(before, arguments) ? text(head) : "";
  }

  // What gets the value of an expression; `before` is the token before it.
  std::string_view receiver(std::size_t before, int depth) const {
    if (before > 0 && is(before, "=") && is_identifier(text(before - 1)))
      return text(before - 1);
    if (is(before, "(") || is(before, "{"))
      return variable_before(before, depth + 1);
    return {};
  }

  // Whether a word with arguments is a variable or a member, and not a function or a class.
  bool is_declared(std::size_t before, std::size_t arguments) const {
    if (is_identifier(text(before)) || is(before, ">") || is(before, "*") || is(before, "&")) {
      const std::size_t end = closing(arguments);
      return !is_before_others(text(before)) && end != kNone &&
             (is(end + 1, ";") || is(end + 1, ","));
    }
    const bool is_member = is(before, ":");
    if (!is_member && !is(before, ","))
      return false;
    // Others that are initialized follow, and then the constructor's body or the end of the
    // declaration.
    for (std::size_t at = arguments;;) {
      const std::size_t end = closing(at);
      if (end == kNone)
        return false;
      if (is(end + 1, "{"))
        return !is_end_;
      if (!is(end + 1, ","))
        return !is_member && is(end + 1, ";");
      at = end + 2;
      while (is_identifier(text(at)) || is(at, "::") || is(at, "*") || is(at, "&"))
        ++at;
      if (is(at, "<"))
        at = behind_angles(at);
      if (!is(at, "(") && !is(at, "{"))
        return false;
    }
  }

  const std::vector<Token>& tokens_;
  // The place is the end of the arguments: g++ gives that of the last member in a constructor's list
  // to those that are initialized where they are declared.
  bool is_end_ = false;
};

} // namespace

std::string variable_at(std::string_view source, std::uint32_t line, std::uint32_t column) {
  const std::vector<Token> tokens = Tokenizer(source).all();
  Construction construction(tokens);
  std::set<std::string> names;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (const Token& token = tokens[i];
        token.line == line &&
        (column == 0 || (token.column <= column && column < token.column + token.width)))
      if (const std::string_view name = construction.variable(i); !name.empty() || column != 0)
        names.emplace(name);
  return names.size() == 1 ? *names.begin() : std::string();
}

namespace {

constexpr std::uintmax_t kLargestSource = 16 << 20;

std::string read_source(const std::string& name, const SourceFolders& where) {
  const auto file = find_source(name, where.program, where.recording);
  std::error_code error;
  if (!file || is_newer(*file, where.program) ||
      std::filesystem::file_size(*file, error) > kLargestSource)
    return {};
  std::ifstream stream(*file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

} // namespace

bool is_node(const SiteInfo& row) {
  const auto is_made_there = [](const std::string& found_by) {
    return found_by == "explicit" || found_by == "header";
  };
  const auto is_of_node = [&](const ConstructNoun& each) {
    return each.noun == kNode && row.constructs.front() == each.construct;
  };
  return row.line != 0 && !row.constructs.empty() && std::ranges::any_of(kNouns, is_of_node) &&
         std::ranges::all_of(row.found_by, is_made_there);
}

void name_nodes(SiteTable& table, const SourceFolders& where) {
  std::map<std::string, std::string> sources;
  const auto variable_of = [&](const SiteInfo& row, std::uint32_t column) {
    if (row.line == 0 || !row.wrapper.file.empty())
      return std::string();
    const auto [source, is_new] = sources.try_emplace(row.file);
    if (is_new)
      source->second = read_source(row.file, where);
    return variable_at(source->second, row.line, column);
  };
  for (SiteInfo& row : table.rows) {
    if (!is_node(row) || !row.is_one_call)
      continue;
    row.variable = variable_of(row, row.column);
    if (!row.variable.empty())
      row.name = row.variable + " (" + row.name + ")";
  }
  constexpr auto kOfNode =
      trace::kLockKindNames[static_cast<unsigned>(trace::LockKind::FlowGraphNode)];
  for (LockPlace& place : table.lock_places)
    if (place.kinds == std::vector<std::string>{kOfNode} && place.columns.size() == 1 &&
        place.names.size() == 1 && !place.names.front().empty())
      place.info.variable = variable_of(place.info, *place.columns.begin());
}

} // namespace tp::analysis
