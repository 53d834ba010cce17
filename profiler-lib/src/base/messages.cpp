// SPDX-License-Identifier: Apache-2.0
// See messages.h. One write per line, and no stdio: the program may be using it, with its lock
// held.
#include "base/messages.h"

#include "base/file_limit.h"
#include "base/no_cancel.h"

#include <unistd.h>

namespace tp::rt {
namespace {

int verbosity = 0;

void write_line(std::string line) {
  const NoCancel no_cancel;
  line += '\n';
  [[maybe_unused]] const ssize_t written = append_to(STDERR_FILENO, line.data(), line.size());
}

} // namespace

void set_verbosity(int level) {
  verbosity = level;
}

void warn(const std::string& object, const std::string& what) {
  write_line("tp: warning: " + object + ": " + what);
}

void note(int level, const std::string& text) {
  if (verbosity >= level)
    write_line("tp: " + text);
}

} // namespace tp::rt
