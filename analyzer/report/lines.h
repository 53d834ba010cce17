// Building blocks of terminal output. Used by the writers text.cpp and text_what_if.cpp.
#pragma once

#include "report/writers.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace tp::analysis {

inline constexpr std::size_t kMaxNameWidth = 44;

// Bytes that would move the cursor or change colours have no place in a table.
inline std::string printable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = '?';
  return text;
}

// Long paths lose their beginning, not their line number.
inline std::string shortened(std::string name) {
  name = printable(std::move(name));
  return name.size() <= kMaxNameWidth ? name : "..." + name.substr(name.size() - kMaxNameWidth + 3);
}

class Lines {
public:
  explicit Lines(bool colour) : colour_(colour) {}
  template <typename... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    text_ += fmt::format(format, std::forward<Values>(values)...);
    while (!text_.empty() && text_.back() == ' ')
      text_.pop_back();
    text_ += '\n';
    ++count_;
  }
  std::string bold(const std::string& text) const {
    return colour_ ? "\033[1m" + text + "\033[0m" : text;
  }
  std::string yellow(const std::string& text) const {
    return colour_ ? "\033[33m" + text + "\033[0m" : text;
  }
  void add(const Lines& others) {
    text_ += others.text_;
    count_ += others.count_;
  }
  std::size_t count() const { return count_; }
  std::string take() { return std::move(text_); }

private:
  bool colour_;
  std::size_t count_ = 0;
  std::string text_;
};

// Sentences lose their end.
inline std::string clipped(std::string text, std::size_t width) {
  text = printable(std::move(text));
  return text.size() <= width ? text : text.substr(0, width - 3) + "...";
}

// text_what_if.cpp: what would help, in at most `room` lines.
void add_what_if(Lines& lines, const Profile& profile, std::size_t room);

} // namespace tp::analysis
