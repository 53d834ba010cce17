// SPDX-License-Identifier: Apache-2.0
// See terminal.h.
#include "common/terminal.h"

#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tp::tool {
namespace {

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

} // namespace

bool is_dumb_terminal() {
  const std::string_view terminal = variable("TERM");
  return terminal.empty() || terminal == "dumb";
}

bool shows_unicode() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const std::string_view locale = variable(name); !locale.empty())
      return locale.ends_with("UTF-8") || locale.ends_with("utf8") || locale.ends_with("UTF8") ||
             locale.ends_with("utf-8");
  return false;
}

bool can_rewrite_line(int descriptor) {
  return isatty(descriptor) != 0 && !is_dumb_terminal();
}

bool wants_color(Color color, int descriptor) {
  if (color != Color::Auto)
    return color == Color::Always;
  return can_rewrite_line(descriptor) && variable("NO_COLOR").empty();
}

std::size_t width_of(int descriptor) {
  winsize size{};
  const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

} // namespace tp::tool
