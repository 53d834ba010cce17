// SPDX-License-Identifier: Apache-2.0
// See row_names.h. First functions get different names, then the calls in each.
#include "sites/row_names.h"

#include "sites/display_names.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace tp::analysis {
namespace {

constexpr int kMostMarks = 3;

using Names = std::map<std::string, std::string>; // by function or type

bool differ(const Names& names) {
  std::set<std::string_view> seen;
  return std::ranges::all_of(names,
                             [&](const auto& each) { return seen.insert(each.second).second; });
}

struct Word {
  std::string text;
  bool is_scope; // of what follows
};

std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  while (!text.empty()) {
    const auto begin = std::ranges::find_if(text, is_word);
    const auto end = std::find_if_not(begin, text.end(), is_word);
    const std::string_view rest(end, text.end());
    std::string word(begin, end);
    if (word == "anonymous" && rest.starts_with(" namespace)")) {
      text = rest.substr(std::string_view(" namespace)").size());
      continue;
    }
    if (!word.empty()) {
      // LLVM's 'lambda', 'lambda0', 'lambda1' are the first, the second, the third.
      const bool is_lambda = rest.starts_with('\'') && word.starts_with("lambda");
      if (is_lambda && word.size() > std::string_view("lambda").size())
        word = "lambda " + std::to_string(std::stoul(word.substr(6)) + 2);
      else if (is_lambda)
        word += " 1";
      words.push_back({std::move(word), rest.starts_with("::")});
    }
    text = rest;
  }
  return words;
}

// How often all of the functions have a word.
std::map<std::string, std::size_t> common_words(const std::vector<std::vector<Word>>& functions) {
  std::map<std::string, std::size_t> common;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    std::map<std::string, std::size_t> counts;
    for (const Word& word : functions[i])
      ++counts[word.text];
    if (i == 0)
      common = std::move(counts);
    else
      for (auto& [word, count] : common)
        count = std::min(count, counts[word]);
  }
  return common;
}

// The first word that the function has more often; of namespaces and classes only if there is no
// other. Empty: none.
std::string first_word_beyond(std::map<std::string, std::size_t> common,
                              const std::vector<Word>& function) {
  std::string scope;
  for (const Word& word : function) {
    if (std::size_t& count = common[word.text]; count > 0)
      --count;
    else if (!word.is_scope)
      return word.text;
    else if (scope.empty())
      scope = word.text;
  }
  return scope;
}

// Per function, the first word that no other has; empty: there is none. Not of namespaces and
// classes.
std::vector<std::string> words_of_its_own(const std::vector<std::vector<Word>>& functions) {
  std::map<std::string, std::set<std::size_t>> functions_with;
  for (std::size_t i = 0; i < functions.size(); ++i)
    for (const Word& word : functions[i])
      functions_with[word.text].insert(i);
  std::vector<std::string> result;
  for (const std::vector<Word>& words : functions) {
    const auto found = std::ranges::find_if(words, [&](const Word& word) {
      return !word.is_scope && functions_with[word.text].size() == 1;
    });
    result.push_back(found == words.end() ? "" : found->text);
  }
  return result;
}

// For functions with the same name: marks with a word that others of them do not have, and more
// marks for those that still have the same.
Names marks_of(const std::vector<std::string>& functions, int most) {
  Names marks;
  if (functions.size() < 2 || most == 0) {
    for (const std::string& what : functions)
      marks[what];
    return marks;
  }
  std::vector<std::vector<Word>> words;
  for (const std::string& what : functions)
    words.push_back(words_of(what));
  const std::vector<std::string> own = words_of_its_own(words);
  if (std::ranges::count(own, "") <= 1) {
    for (std::size_t i = 0; i < functions.size(); ++i)
      marks[functions[i]] = own[i].empty() ? "" : " [" + own[i] + "]";
    return marks;
  }
  const auto common = common_words(words);
  std::map<std::string, std::vector<std::string>> functions_of; // by mark
  for (std::size_t i = 0; i < functions.size(); ++i)
    functions_of[first_word_beyond(common, words[i])].push_back(functions[i]);
  for (const auto& [word, same] : functions_of)
    for (const auto& [what, more] : marks_of(same, functions_of.size() > 1 ? most - 1 : 0)) {
      std::string& mark = marks[what];
      mark.clear();
      if (!word.empty())
        mark.append(" [").append(word).append("]");
      mark += more;
    }
  return marks;
}

// Different names for different functions whose short names are the same.
Names separate(const std::set<std::string>& functions, std::size_t room) {
  Names names;
  for (const std::string& what : functions)
    names[what] = short_name(what, room);
  if (differ(names))
    return names;
  Names longer;
  for (const std::string& what : functions)
    longer[what] = longer_name(what);
  if (differ(longer) &&
      std::ranges::all_of(longer, [room](const auto& each) { return each.second.size() <= room; }))
    return longer;
  std::map<std::string, std::vector<std::string>> functions_of; // by name
  for (const auto& [what, name] : names)
    functions_of[name].push_back(what);
  for (const auto& [name, same] : functions_of)
    for (const auto& [what, mark] : marks_of(same, kMostMarks)) {
      std::string base = short_name(what, room > mark.size() ? room - mark.size() : 0);
      if (!mark.empty() && base.ends_with("...>")) // what is left of the arguments says less
        base.resize(base.rfind('<'));
      names[what] = base + mark;
    }
  return names;
}

// The rows of each name. The numbers of filters and suffixes become part of it.
std::map<std::tuple<std::uint32_t, std::string, std::string>, std::vector<Row>>
by_name(const IdVector<Row, SiteInfo>& rows, const std::vector<RowCode>& codes) {
  std::map<std::tuple<std::uint32_t, std::string, std::string>, std::vector<Row>> result;
  for (const Row row : ids_below(rows.end_id()))
    result[{rows[row].filter, rows[row].name, codes[index_of(row)].suffix}].push_back(row);
  return result;
}

} // namespace

void name_codes(IdVector<Row, SiteInfo>& rows, const std::vector<RowCode>& codes) {
  const auto what = [&](Row row) -> const std::string& { return codes[index_of(row)].what; };
  std::vector<bool> is_named_here;
  for (const Row row : ids_below(rows.end_id())) {
    is_named_here.push_back(rows[row].name.empty() && !what(row).empty());
    if (rows[row].name.empty())
      rows[row].name = what(row).empty() ? rows[row].file : short_name(what(row));
  }
  // Rewrites the names that several rows have.
  const auto rewrite = [&](const std::function<void(const std::vector<Row>&)>& each) {
    for (auto& [name, same] : by_name(rows, codes)) {
      const bool is_alone = same.size() == 1;
      std::erase_if(same, [&](Row row) { return !is_named_here[index_of(row)]; });
      if (!is_alone && !same.empty())
        each(same);
    }
  };
  rewrite([&](const std::vector<Row>& same) {
    std::set<std::string> functions;
    std::map<std::string, std::size_t> calls;
    std::size_t place = 0;
    for (const Row row : same) {
      functions.insert(what(row));
      if (++calls[what(row)] > 1)
        place = std::max(place, codes[index_of(row)].place.size());
    }
    const Names names = separate(functions, kNameRoom - place);
    for (const Row row : same)
      rows[row].name = names.at(what(row));
  });
  rewrite([&](const std::vector<Row>& same) {
    std::map<std::string, std::set<std::string>> wrappers_of;
    for (const Row row : same)
      wrappers_of[what(row)].insert(codes[index_of(row)].wrapper);
    for (const auto& [function, wrappers] : wrappers_of) {
      const Names marks = marks_of({wrappers.begin(), wrappers.end()}, kMostMarks);
      for (const Row row : same)
        if (what(row) == function)
          rows[row].name += marks.at(codes[index_of(row)].wrapper);
    }
  });
  // Rows with the same place differ in the places of their wrappers.
  const auto append = [&](std::string RowCode::* part, const char* before) {
    rewrite([&](const std::vector<Row>& same) {
      const RowCode& first = codes[index_of(same.front())];
      if (!first.wrapper.empty() && std::ranges::all_of(same, [&](Row row) {
            return codes[index_of(row)].*part == first.*part;
          }))
        return;
      for (const Row row : same)
        rows[row].name += before + codes[index_of(row)].*part;
    });
  };
  append(&RowCode::place, "");
  append(&RowCode::in_module, "@");
  rewrite([&](const std::vector<Row>& same) {
    for (const Row row : same)
      if (codes[index_of(row)].wrapper.empty())
        rows[row].name = rows[row].file;
  });
}

} // namespace tp::analysis
