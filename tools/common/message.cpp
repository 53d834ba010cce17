// SPDX-License-Identifier: Apache-2.0
// See message.h.
#include "common/message.h"

#include <unistd.h>

namespace tp::tool {
namespace {

constexpr std::string_view kRed = "\033[1;31m", kYellow = "\033[1;33m", kBold = "\033[1m";

MessageStyle style;

void write_line(std::string_view escape, std::string_view label, std::string_view text) {
  std::string line;
  if (!escape.empty() && wants_color(style.color, STDERR_FILENO))
    line.append(escape).append(label).append("\033[0m");
  else
    line.append(label);
  line.append(text).append("\n");
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

} // namespace

void set_message_style(const MessageStyle& chosen) {
  style = chosen;
}

void error(std::string_view text) {
  write_line(kRed, "tp: error: ", text);
}

void continued(std::string_view text) {
  write_line("", "  ", text);
}

void warning(std::string_view text) {
  write_line(kYellow, "tp: warning: ", text);
}

void hint(std::string_view command) {
  write_line(kBold, "hint: ", command);
}

void finding(std::string_view text) {
  write_line("", "tp: ", text);
}

void note(std::string_view text) {
  if (!style.is_quiet())
    write_line("", "tp: ", text);
}

void detail(std::string_view text) {
  if (style.is_verbose())
    write_line("", "tp: ", text);
}

void next(std::string_view command) {
  if (!style.is_quiet())
    write_line(kBold, "next: ", command);
}

std::string plain_error(std::string_view text, std::string_view hint) {
  std::string lines = "tp: error: ";
  lines.append(text).append("\n");
  if (!hint.empty())
    lines.append("hint: ").append(hint).append("\n");
  return lines;
}

} // namespace tp::tool
