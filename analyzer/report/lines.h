// SPDX-License-Identifier: Apache-2.0
// Building blocks of terminal output for the writers text.cpp and text_what_if.cpp.
#pragma once

#include "report/writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tp::analysis {

inline constexpr std::size_t kMaxWidth = 100, kMaxNameWidth = 36;

// Replaces control characters: they could move the terminal's cursor or change its attributes.
inline char printable(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
}
inline std::string printable(std::string text) {
  for (char& c : text)
    c = printable(c);
  return text;
}
// The same for a text of several lines.
inline std::string printable_lines(std::string text) {
  for (char& c : text)
    c = c == '\n' ? c : printable(c);
  return text;
}

// Shortens paths and qualified names at the beginning, to keep the line number; by whole components,
// as long as that costs less than half of the width.
inline std::string end_of(std::string name, std::size_t width) {
  if (name.size() <= width)
    return name;
  name.erase(0, name.size() - width + 3);
  if (const std::size_t component = name.find_first_of(":/"); component < width / 2)
    name.erase(0, component);
  while (name.starts_with(':'))
    name.erase(0, 1);
  return "..." + name;
}

// The same for the name of a site; first where a wrapper calls oneTBB, and never the number of a
// filter.
inline std::string shortened(std::string name) {
  name = printable(std::move(name));
  if (name.size() <= kMaxNameWidth)
    return name;
  std::string number;
  if (const std::size_t end = name.find(" of "); name.starts_with("filter ") && end < 18) {
    number = name.substr(0, end + 4);
    name.erase(0, end + 4);
  }
  const std::size_t width = kMaxNameWidth - number.size();
  constexpr std::string_view kCalls = " <- ";
  const std::size_t calls = std::min(name.find(kCalls), name.size());
  std::string place = end_of(name.substr(0, calls), width);
  constexpr std::size_t kLeastOfWrapper = 8;
  if (const std::size_t room = width - place.size();
      calls < name.size() && room >= kCalls.size() + kLeastOfWrapper) {
    const std::string wrapper = end_of(name.substr(calls + kCalls.size()), room - kCalls.size());
    if (wrapper.find(':') != std::string::npos) // more than its line is left
      place.append(kCalls) += wrapper;
  }
  return number + place;
}

// Shortens sentences at the end.
inline std::string clipped(std::string text, std::size_t width) {
  text = printable(std::move(text));
  return text.size() <= width ? text : text.substr(0, width - 3) + "...";
}

// Whether a line may not end before the word at `at`: a unit stays with its number.
inline bool is_unit_of_number(const std::string& text, std::size_t at) {
  if (at < 2 || text[at - 2] < '0' || text[at - 2] > '9')
    return false;
  std::string_view word = std::string_view(text).substr(at);
  word = word.substr(0, word.find_first_of(" .,;:)"));
  for (const std::string_view unit : {"%", "ns", "us", "ms", "s", "k", "M", "CPUs", "units"})
    if (word == unit)
      return true;
  return false;
}

// Splits `text` at spaces into lines no wider than a terminal; all but the first are indented.
inline std::vector<std::string> wrapped(std::string text, std::size_t indent) {
  std::vector<std::string> lines;
  text = printable(std::move(text));
  while (text.size() > kMaxWidth) {
    std::size_t space = text.rfind(' ', kMaxWidth);
    if (space != std::string::npos && is_unit_of_number(text, space + 1))
      space = text.rfind(' ', space - 1);
    if (space == std::string::npos || space <= indent)
      space = text.find(' ', kMaxWidth);
    if (space == std::string::npos)
      break; // one long word
    lines.push_back(text.substr(0, space));
    text = std::string(indent, ' ') + text.substr(space + 1);
  }
  lines.push_back(text);
  return lines;
}

class Lines {
public:
  explicit Lines(bool color) : color_(color) {}
  template <typename... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    text_ += fmt::format(format, std::forward<Values>(values)...);
    while (!text_.empty() && text_.back() == ' ')
      text_.pop_back();
    text_ += '\n';
    ++count_;
  }
  std::string bold(const std::string& text) const {
    return color_ ? "\033[1m" + text + "\033[0m" : text;
  }
  std::string yellow(const std::string& text) const {
    return color_ ? "\033[33m" + text + "\033[0m" : text;
  }
  static constexpr int kOrange = 208, kBlue = 33; // of 256 colors
  std::string colored(const std::string& text, int color) const {
    return color_ ? fmt::format("\033[38;5;{}m{}\033[0m", color, text) : text;
  }
  // Adds a line of the form `label  text`, or several.
  void add_text(const std::string& text, std::size_t indent = kLabelWidth) {
    for (const std::string& line : wrapped(text, indent))
      add("{}", line);
  }
  void add(const Lines& others) {
    text_ += others.text_;
    count_ += others.count_;
  }
  std::size_t count() const { return count_; }
  static constexpr std::size_t kLabelWidth = 16;
  std::string take() { return std::move(text_); }

private:
  bool color_;
  std::size_t count_ = 0;
  std::string text_;
};

// text_what_if.cpp: the changes that would help, in at most `room` lines.
void add_what_if(Lines& lines, const Profile& profile, std::size_t room);

} // namespace tp::analysis
