// The options that all tools here have in common: -q, -v, --color, -V.
#ifndef TP_LAUNCHER_COMMON_OPTIONS_H
#define TP_LAUNCHER_COMMON_OPTIONS_H

#include "common/message.h"

namespace CLI {
class App;
}

namespace tp::launcher {

struct MessageStyle {
  Color color = Color::Auto;
  Verbosity verbosity = Verbosity::Normal;
};

// `style` must live until the command line is parsed.
void add_common_options(CLI::App& app, MessageStyle& style);

} // namespace tp::launcher

#endif
