// SPDX-License-Identifier: Apache-2.0
// The option table of tp-run. Options end at the first word that is not an option; the rest is the
// program and its arguments.
#include "run/options.h"

#include "common/failure.h"
#include "options/command_line.h"
#include "values/size.h"

#include <algorithm>
#include <charconv>
#include <string_view>

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
  tp-run --paused ./server                 record only after tp::resume()
  tp-run --delay 5 --duration 10 ./server  record 10 s; the server runs on
  tp-run --pause 4711                      from another terminal)";

constexpr std::uint64_t kMostPid = 4'194'304; // of Linux

// "5", "0.5", "500ms", "2min" in ns: at least `least`.
std::uint64_t parse_duration(const std::string& option, const std::string& text,
                             std::uint64_t least) {
  struct Unit {
    std::string_view name;
    double ns;
  };
  constexpr Unit kUnits[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"min", 60e9}, {"h", 3600e9}};
  constexpr double kMostNs = 1e18; // some 30 years
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view unit = std::string_view(text).substr(digits);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, value);
  for (const Unit& known : kUnits)
    if (error == std::errc{} && end == text.data() + digits && unit == known.name &&
        value * known.ns <= kMostNs && value * known.ns >= static_cast<double>(least))
      return static_cast<std::uint64_t>(value * known.ns + 0.5);
  throw unexpected(option, "a time in seconds, such as 5, 0.5, 500ms or 2min", "'" + text + "'");
}

// --pause and --resume.
void check_process(const CommandLine& line, const Options& options) {
  const std::string name = line.given("--pause") ? "--pause" : "--resume";
  if (line.given("--pause") && line.given("--resume"))
    throw unexpected("--pause", "either --pause or --resume", "both");
  if (!options.command.empty())
    throw unexpected(name, "no program", "'" + options.command.front() + "'");
}

bool is_number(std::string_view text, int least, int most, int multiple_of = 1) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= least &&
         value <= most && value % multiple_of == 0;
}

// The runtime would ignore a bad value; here it is an error.
void check_sampling(const CommandLine& line, const Options& options) {
  if (line.given("--sample") && options.sample != "off" && !is_number(options.sample, 1, 20'000))
    throw unexpected("--sample", "samples per second of CPU time, 1 to 20000, or off",
                     "'" + options.sample + "'");
  constexpr std::string_view kWithSize = "dwarf,";
  const std::string_view graph = options.call_graph;
  const bool known =
      graph == "dwarf" || graph == "fp" || graph == "none" ||
      (graph.starts_with(kWithSize) && is_number(graph.substr(kWithSize.size()), 64, 65'528, 8));
  if (line.given("--call-graph") && !known)
    throw unexpected("--call-graph",
                     "dwarf, dwarf,BYTES with a multiple of 8 up to 65528, fp or none",
                     "'" + options.call_graph + "'");
}

void check(const CommandLine& line, const std::string& max_size, const std::string& delay,
           const std::string& duration, Options& options) {
  if (line.given("--event") && options.events.empty())
    throw unexpected("--event", "auto or an event such as instructions", "''");
  if (line.given("--max-size")) {
    const auto bytes = parse_size(max_size);
    if (!bytes || *bytes == 0)
      throw unexpected("--max-size", "a size such as 500M or 2G", "'" + max_size + "'");
    options.max_size = *bytes;
  }
  check_sampling(line, options);
  if (!options.analyze_to.empty() && !options.analyze_to.ends_with(".csv"))
    throw unexpected("--analyze", "a file name that ends in .csv", "'" + options.analyze_to + "'");
  if (!options.report_to.empty() && !options.report_to.ends_with(".html"))
    throw unexpected("--report", "a file name that ends in .html", "'" + options.report_to + "'");
  if (line.given("--delay"))
    options.delay_ns = parse_duration("--delay", delay, 0);
  if (line.given("--duration"))
    options.duration_ns = parse_duration("--duration", duration, 1);
  if (options.paused && options.has_window())
    throw unexpected("--paused", "no --delay and no --duration: the program says what to record",
                     "both");
  if (line.given("--pause") || line.given("--resume"))
    return check_process(line, options);
  if (options.command.empty() || options.command.front().empty())
    throw Failure("", "no program given");
}

} // namespace

std::optional<Options> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  std::string max_size, delay, duration;
  bool no_openmp = false;
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
  line.choice(
      "--locks", options.locks, {"auto", "all", "off"},
      "Record locks (default: $TP_LOCKS, else auto): the sections of code that hold them, and "
      "how long threads wait for them; off: nothing of that");
  line.value(
      "--sample", options.sample, "HZ|off",
      "Sample stacks so many times per second of CPU time, for functions and lines (default: "
      "$TP_SAMPLE, else 1000, and 125 while threads switch very often)");
  line.value(
      "--call-graph", options.call_graph, "dwarf[,BYTES]|fp|none",
      "What a sample knows of the stack (default: $TP_CALL_GRAPH, else dwarf): a copy of its "
      "innermost bytes (4096), a chain of frame pointers, or nothing");
  line.flag("--no-openmp", no_openmp,
            "Record oneTBB only: OpenMP runs as without tp-run, on the program's own runtime");
  line.flag("--paused", options.paused, "Record nothing until the program calls tp::resume()");
  line.value("--delay", delay, "SECONDS", "Record nothing at first, for 5, 0.5 or 500ms");
  line.value("--duration", duration, "SECONDS",
             "Record for that long, then end the recording; the program runs on");
  line.value("--max-size", max_size, "SIZE",
             "Stop recording when the data has this size, such as 500M or 2G");
  line.group("A process that records");
  line.integer("--pause", options.pause, 1, kMostPid, "PID", "Record nothing from here on");
  line.integer("--resume", options.resume, 1, kMostPid, "PID", "Record again");
  line.group("Analysis");
  line.flag_or_value("--analyze", options.analyze_to, "ws_profile.csv", "FILE.csv",
                     "Run tp-analyze afterwards, which writes FILE.csv (default: ws_profile.csv)");
  line.flag_or_value("--report", options.report_to, "report.html", "FILE.html",
                     "Run tp-report afterwards, which writes FILE.html (default: report.html)");
  line.footer(kFooter);
  line.stop_at_command(options.command);
  if (!line.parse(arguments, [&] { check(line, max_size, delay, duration, options); }))
    return std::nullopt;
  options.openmp = !no_openmp;
  options.style = line.style();
  return options;
}

} // namespace tp::tool
