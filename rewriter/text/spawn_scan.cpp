// SPDX-License-Identifier: Apache-2.0
// Reads the source and then, breadth first, each own header that it may include, until one mentions
// a construct. Does not evaluate conditions around an #include.
#include "text/spawn_scan.h"

#include "text/compiler_options.h"
#include "text/constructs.h"
#include "text/project.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>

namespace tp::rewrite {
namespace {

namespace fs = std::filesystem;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// "@par" and "\par" are commands in a comment.
bool continues_word(char before) {
  return is_word_character(before) || before == '@' || before == '\\';
}

// Whether `at` is in a line that starts with "//".
bool is_in_comment_line(std::string_view text, size_t at) {
  const size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  const std::string_view before = text.substr(line, at - line);
  const size_t first = std::min(before.find_first_not_of(" \t"), before.size());
  return before.substr(first).starts_with("//") && before.find("*/") == before.npos;
}

// A C++20 module unit must keep its beginning; our text cannot come first.
bool declares_module(std::string_view text) {
  for (size_t at = text.find("module"); at != text.npos; at = text.find("module", at + 1)) {
    const size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    const std::string_view before = text.substr(line, at - line);
    const std::string_view after = text.substr(at + 6, 2);
    const bool begins = before.find_first_not_of(" \t") == before.npos || before == "export ";
    if (begins && !after.empty() && (after[0] == ';' || (after[0] == ' ' && after != " =")))
      return true;
  }
  return false;
}

using Words = std::vector<std::string_view>;

// A text with a site contains at least one of these words.
Words words_of_sites(std::string_view wrappers) {
  Words words(std::begin(kPolicyWords), std::end(kPolicyWords));
  words.insert(words.end(), std::begin(kNodes), std::end(kNodes));
  for (const Construct& construct : kConstructs)
    words.emplace_back(construct.word ? construct.word : construct.function);
  while (!wrappers.empty()) {
    const std::string_view name = wrappers.substr(0, wrappers.find(','));
    words.push_back(name.substr(name.rfind(':') + 1));
    wrappers.remove_prefix(std::min(name.size() + 1, wrappers.size()));
  }
  return words;
}

bool has_any_word(std::string_view text, const Words& words) {
  return std::ranges::any_of(
      words, [text](std::string_view word) { return !word.empty() && has_word(text, word); });
}

struct Include {
  std::string name;
  bool is_angled;
};

std::vector<Include> includes_of(std::string_view text) {
  std::vector<Include> includes;
  for (size_t at = text.find("include"); at != text.npos; at = text.find("include", at + 1)) {
    const size_t before = at == 0 ? text.npos : text.find_last_not_of(" \t", at - 1);
    const size_t open = text.find_first_not_of(" \t", at + 7);
    if (before == text.npos || text[before] != '#' || open == text.npos ||
        (text[open] != '"' && text[open] != '<'))
      continue;
    const bool is_angled = text[open] == '<';
    const size_t close = text.find_first_of(is_angled ? ">\n" : "\"\n", open + 1);
    if (close != text.npos && text[close] != '\n')
      includes.push_back({std::string(text.substr(open + 1, close - open - 1)), is_angled});
  }
  return includes;
}

struct SearchPath {
  std::vector<std::string> quoted; // -iquote
  std::vector<std::string> all;    // -I
  std::vector<std::string> forced; // -include
};

SearchPath search_path(const std::vector<std::string>& arguments) {
  SearchPath path;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const bool has_value = takes_next_argument(argument) && i + 1 < arguments.size();
    const std::string value = has_value ? arguments[i + 1] : "";
    if (argument == "-I")
      path.all.push_back(value);
    else if (argument.starts_with("-I"))
      path.all.push_back(argument.substr(2));
    else if (argument == "-iquote")
      path.quoted.push_back(value);
    else if (argument == "-include")
      path.forced.push_back(value);
    i += has_value;
  }
  return path;
}

// The files still to be read, each once; only those below `root`.
class OwnHeaders {
public:
  OwnHeaders(const std::string& source, const std::vector<std::string>& arguments)
      : root_(project_root(source)), path_(search_path(arguments)) {
    for (const std::string& forced : path_.forced)
      add(".", {forced, false});
  }

  void add(const fs::path& includer, const Include& include) {
    if (!include.is_angled &&
        (add_file(includer / include.name) || add_first(path_.quoted, include.name)))
      return;
    add_first(path_.all, include.name);
  }

  bool next(std::string& file) {
    if (next_ == files_.size())
      return false;
    file = files_[next_++];
    return true;
  }

private:
  bool add_first(const std::vector<std::string>& directories, const std::string& name) {
    for (const std::string& directory : directories)
      if (add_file(fs::path(directory) / name))
        return true;
    return false;
  }

  bool add_file(const fs::path& file) {
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored))
      return false;
    const std::string path = canonical(file.string());
    if (is_below(path, root_) && known_.insert(path).second)
      files_.push_back(path);
    return true;
  }

  std::string root_;
  SearchPath path_;
  std::set<std::string> known_;
  std::vector<std::string> files_;
  size_t next_ = 0;
};

} // namespace

bool has_word(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !continues_word(text[at - 1])) &&
        (end == text.size() || !is_word_character(text[end])) && !is_in_comment_line(text, at))
      return true;
  }
  return false;
}

bool may_spawn(const std::string& source, const std::vector<std::string>& arguments,
               const std::string& wrappers) {
  const Words words = words_of_sites(wrappers);
  std::string text = read_file(source);
  if (declares_module(text))
    return false;
  OwnHeaders headers(source, arguments);
  std::string file = source;
  while (!has_any_word(text, words)) {
    for (const Include& include : includes_of(text))
      headers.add(fs::path(file).parent_path(), include);
    if (!headers.next(file))
      return false;
    text = read_file(file);
  }
  return true;
}

} // namespace tp::rewrite
