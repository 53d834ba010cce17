// Everything tp-run says goes to stderr through these functions: stdout belongs to the profiled
// program.
#ifndef TP_LAUNCHER_MESSAGE_H
#define TP_LAUNCHER_MESSAGE_H

#include <string_view>

namespace tp::launcher {

enum class Color { Auto, Always, Never };
enum class Verbosity { Quiet, Normal, Verbose };

void set_message_style(Color color, Verbosity verbosity);

void error(std::string_view text);   // "tp: error: <text>"
void warning(std::string_view text); // "tp: warning: <text>"
void hint(std::string_view command); // "hint: <command>", after an error or a warning
void next(std::string_view command); // the next useful command; not when quiet
void note(std::string_view text);    // not when quiet
void detail(std::string_view text);  // only when verbose

} // namespace tp::launcher

#endif
