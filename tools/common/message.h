// SPDX-License-Identifier: Apache-2.0
// Messages of all tools. Each line goes to stderr in one write, so lines of several processes do
// not mix. stdout receives answers only.
#pragma once

#include <string>
#include <string_view>

#include "common/terminal.h"

namespace tp::tool {

enum class Verbosity { Quiet, Normal, Verbose };

struct MessageStyle {
  Color color = Color::Auto;
  Verbosity verbosity = Verbosity::Normal;

  bool is_quiet() const { return verbosity == Verbosity::Quiet; }
  bool is_verbose() const { return verbosity == Verbosity::Verbose; }
};

// Until the first call, messages have the default style.
void set_message_style(const MessageStyle& chosen);

void error(std::string_view text);     // "tp: error: <text>"
void continued(std::string_view text); // "  <text>", one more line of an error
void warning(std::string_view text);   // "tp: warning: <text>"
void hint(std::string_view command);   // "hint: <command>", after an error or a warning
void finding(std::string_view text);   // "tp: <text>", part of the answer: shown even when quiet
void note(std::string_view text);      // "tp: <text>", not when quiet
void detail(std::string_view text);    // "tp: <text>", only when verbose
void next(std::string_view command);   // "next: <command>", the next useful command; not when quiet

// An error and its hint in plain text, for signal handlers, which must not allocate.
std::string plain_error(std::string_view text, std::string_view hint);

} // namespace tp::tool
