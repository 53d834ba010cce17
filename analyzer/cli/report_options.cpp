// SPDX-License-Identifier: Apache-2.0
// The option table of tp-report, with the text of --help.
#include "cli/report_options.h"

#include "cli/path_rules.h"
#include "common/failure.h"
#include "options/command_line.h"

#include <algorithm>
#include <thread>

namespace tp::analysis {
namespace {

using tool::CommandLine;

struct ReportWords {
  bool no_source = false;
  std::string simulate = "auto";
  std::vector<std::string> positionals, map_path, debug_dirs;
};

void finish(ReportWords& raw, ReportOptions& options) {
  if (!raw.positionals.empty())
    options.data = raw.positionals[0];
  if (raw.positionals.size() > 1)
    options.base = raw.positionals[1];
  if (const char* variable = std::getenv("TP_DATA"); options.data.empty() && variable)
    options.data = variable;
  if (options.data.empty())
    options.data = "tp-data";
  if (options.page.empty())
    throw tool::Failure("--output", "expected the name of a file");
  options.source = !raw.no_source;
  options.analysis.simulate = raw.simulate == "always"  ? Ask::Always
                              : raw.simulate == "never" ? Ask::Never
                                                        : Ask::Auto;
  options.analysis.path_map = path_rules(raw.map_path);
  options.analysis.debug_files = debug_files(raw.debug_dirs);
}

void add_options(CommandLine& line, ReportOptions& options, ReportWords& raw) {
  line.positionals(raw.positionals, 2);
  line.group("Input");
  line.list("--map-path", raw.map_path, "OLD=NEW",
            "Replace a prefix of source file names (default: the rules of $TP_MAP_PATH, one per "
            "line)");
  line.list("--wrapper", options.analysis.wrappers, "NAME",
            "Function that calls oneTBB for others: its callers are the sites");
  line.list("--debug-dir", raw.debug_dirs, "DIR",
            "Folder with debug information, laid out as /usr/lib/debug (default: the folders of "
            "$TP_DEBUG_DIR, separated by colons)");
  line.integer("-j,--jobs", options.analysis.jobs, 1, 1024, "N",
               "Number of analysis threads (default: one per CPU)");
  line.choice("--simulate", raw.simulate, {"auto", "always", "never"},
              "Predict times by simulation (auto: unless the trace is large)");
  line.group("Output");
  line.value("-o,--output", options.page, "FILE", "The page to write (default: report.html)");
  line.flag("--no-source", raw.no_source, "Without excerpts of the source");
  line.flag("--open", options.open, "Open the page in the browser");
}

} // namespace

std::optional<ReportOptions> parse_report_options(const std::vector<std::string>& arguments) {
  ReportOptions options;
  options.analysis.jobs = std::max(1u, std::thread::hardware_concurrency());
  // The axis of the speedup, up to 128 CPUs; advice is that of tp-analyze.
  options.analysis.more_procs = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
  options.analysis.contexts = options.analysis.pictures = true;
  ReportWords raw;
  CommandLine line("tp-report", "Write one HTML page that shows how far a recorded program scales.",
                   "[OPTIONS] [DATA_DIR] [BASE]");
  add_options(line, options, raw);
  line.footer("DATA_DIR is a data directory of tp-run, or a profile of tp-analyze --json. The\n"
              "default is $TP_DATA, else tp-data. BASE is an earlier one to compare with. The\n"
              "page loads nothing from a network.");
  if (!line.parse(arguments, [&] { finish(raw, options); }))
    return std::nullopt;
  options.style = line.style();
  return options;
}

} // namespace tp::analysis
