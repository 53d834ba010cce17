// Messages of tp-run: one write per line, so that lines of the profiled program never stand inside
// ours.
#include "common/message.h"

#include <cstdlib>
#include <string>
#include <unistd.h>

namespace tp::launcher {
namespace {

bool use_color = false;
Verbosity verbosity = Verbosity::Normal;

// Auto: a terminal, no NO_COLOR, and TERM is not dumb.
bool terminal_wants_color() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && !(no_color && *no_color) && term &&
         std::string_view(term) != "dumb";
}

void say(std::string_view escape, std::string_view label, std::string_view text) {
  std::string line;
  if (use_color && !escape.empty())
    line.append(escape).append(label).append("\033[0m");
  else
    line.append(label);
  line.append(text).append("\n");
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

} // namespace

void set_message_style(Color color, Verbosity level) {
  use_color = color == Color::Always || (color == Color::Auto && terminal_wants_color());
  verbosity = level;
}

void error(std::string_view text) {
  say("\033[1;31m", "tp: error: ", text);
}

void warning(std::string_view text) {
  say("\033[1;33m", "tp: warning: ", text);
}

void hint(std::string_view command) {
  say("\033[1m", "hint: ", command);
}

void next(std::string_view command) {
  if (verbosity != Verbosity::Quiet)
    say("\033[1m", "next: ", command);
}

void note(std::string_view text) {
  if (verbosity != Verbosity::Quiet)
    say("", "tp: ", text);
}

void detail(std::string_view text) {
  if (verbosity == Verbosity::Verbose)
    say("", "tp: ", text);
}

} // namespace tp::launcher
