// SPDX-License-Identifier: Apache-2.0
// The option table of tp-run. Options end at the first word that is not an option; the rest is the
// program and its arguments.
#include "run/options.h"

#include "common/failure.h"
#include "options/command_line.h"
#include "values/size.h"

namespace tp::tool {
namespace {

constexpr const char* kFooter = R"(Events of -e: the first one is the unit of work.
  auto          the best clock of this machine (see tp-doctor)
  tsc           time stamp counter while the thread is on a CPU
  virtual       units of tp_spend() calls only (for tests)
  instructions, cycles, ref-cycles, bus-cycles, cache-references,
  cache-misses, branches, branch-misses, stalled-cycles-frontend,
  stalled-cycles-backend
                hardware counters, in user space
  task-clock, context-switches, cpu-migrations, page-faults,
  minor-faults, major-faults
                counted by the kernel
  any other     a name that libpfm4 knows, or TYPE:CONFIG[:CONFIG1[:CONFIG2]]
                as in perf_event_open's attributes (TYPE decimal, the others
                hexadecimal)
Up to four more events after commas are counted per step as well.

Examples:
  tp-run ./prog input.txt                  record into ./tp-data
  tp-run --analyze ./prog input.txt        record, then show the profile
  tp-run -o 'runs/%e-%p' -e cycles ./prog  one directory per process
  tp-run -e tsc,page-faults ./prog         page faults per site, in the JSON
  tp-run --paused ./server                 record only after tp::resume())";

void check(const CommandLine& line, const std::string& max_size, Options& options) {
  if (line.given("--event") && options.events.empty())
    throw unexpected("--event", "auto or an event such as instructions", "''");
  if (line.given("--max-size")) {
    const auto bytes = parse_size(max_size);
    if (!bytes || *bytes == 0)
      throw unexpected("--max-size", "a size such as 500M or 2G", "'" + max_size + "'");
    options.max_size = *bytes;
  }
  if (!options.analyze_to.empty() && !options.analyze_to.ends_with(".csv"))
    throw unexpected("--analyze", "a file name that ends in .csv", "'" + options.analyze_to + "'");
  if (!options.report_to.empty() && !options.report_to.ends_with(".html"))
    throw unexpected("--report", "a file name that ends in .html", "'" + options.report_to + "'");
  if (options.command.empty() || options.command.front().empty())
    throw Failure("", "no program given");
}

} // namespace

std::optional<Options> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  std::string max_size;
  CommandLine line("tp-run", "Run a program and record its oneTBB tasks.",
                   "[OPTIONS] [--] PROGRAM [ARG...]");
  line.group("Recording");
  line.value("-o,--data", options.data_pattern, "DIR",
             "Directory for the data (default: $TP_DATA, else tp-data); %p is replaced by the "
             "process id, %h by the host, %e by the program");
  line.value(
      "-e,--event", options.events, "EVENT[,EVENT..]",
      "Event that measures work (default: $TP_EVENT, else auto), and further events to count");
  line.integer("--as-if-cores", options.as_if_cores, 1, 65535, "N",
               "Let oneTBB split work as on a machine with N cores");
  line.flag(
      "--divide", options.divide,
      "Call the bodies of loops for parts of their ranges, down to the grain size, to measure "
      "what each part costs");
  line.flag("--paused", options.paused, "Record nothing until the program calls tp::resume()");
  line.value("--max-size", max_size, "SIZE",
             "Stop recording when the data has this size, such as 500M or 2G");
  line.group("Analysis");
  line.flag_or_value("--analyze", options.analyze_to, "ws_profile.csv", "FILE.csv",
                     "Run tp-analyze afterwards, which writes FILE.csv (default: ws_profile.csv)");
  line.flag_or_value("--report", options.report_to, "report.html", "FILE.html",
                     "Run tp-report afterwards, which writes FILE.html (default: report.html)");
  line.footer(kFooter);
  line.stop_at_command(options.command);
  if (!line.parse(arguments, [&] { check(line, max_size, options); }))
    return std::nullopt;
  options.style = line.style();
  return options;
}

} // namespace tp::tool
