// See common_options.h.
#include "common/common_options.h"

#include <map>
#include <string>

#include <CLI/CLI.hpp>

namespace tp::launcher {

void add_common_options(CLI::App& app, MessageStyle& style) {
  app.add_flag_callback(
      "-q,--quiet", [&style] { style.verbosity = Verbosity::Quiet; }, "Only errors and warnings");
  app.add_flag_callback(
      "-v,--verbose", [&style] { style.verbosity = Verbosity::Verbose; }, "Say what is being done");
  const std::map<std::string, Color> colors{
      {"auto", Color::Auto}, {"always", Color::Always}, {"never", Color::Never}};
  app.add_option("--color", style.color, "Colors in messages")
      ->type_name("auto|always|never")
      ->transform(CLI::CheckedTransformer(colors).description(""));
  app.set_version_flag("-V,--version", app.get_name() + " " TP_VERSION, "Show the version");
}

} // namespace tp::launcher
