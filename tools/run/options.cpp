// The option table of tp-run. Options stop at the first word that is none: what follows belongs to
// the program.
#include "run/options.h"

#include <algorithm>
#include <memory>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "common/common_options.h"
#include "common/exit_status.h"

namespace tp::launcher {
namespace {

constexpr const char* kFooter = R"(Events of -e: the first one is the unit of work,
  auto          the best clock of this machine (tp-doctor shows them all)
  tsc           time stamp counter, only while the thread is on a CPU
  virtual       units of tp_spend() calls only (tests)
or an event; up to four more after commas are counted per step beside it:
  instructions, cycles, ref-cycles, bus-cycles, cache-references,
  cache-misses, branches, branch-misses, stalled-cycles-frontend,
  stalled-cycles-backend
                hardware counters, in user space
  task-clock, context-switches, cpu-migrations, page-faults,
  minor-faults, major-faults
                counted by the kernel
  a name that libpfm4 knows, or TYPE:CONFIG[:CONFIG1[:CONFIG2]] as in
  perf_event_open's attributes (type decimal, the others hexadecimal)
Examples:
  tp-run ./prog input.txt                 record into ./tp-data
  tp-run --analyze ./prog input.txt       record, then show the profile
  tp-run -o 'runs/%e-%p' -e cycles ./prog one directory per process
  tp-run -e tsc,page-faults ./prog        page faults per site, in the JSON
  tp-run --paused ./server                record only after tp::resume()

Exit status: that of the program (128+n after signal n); 125 tp-run failed,
126 the program cannot be executed, 127 it was not found.)";

class HelpFormatter : public CLI::Formatter {
public:
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: tp-run [OPTIONS] [--] PROGRAM [ARG...]\n";
  }
};

void add_options(CLI::App& app, Options& options, std::string& max_size) {
  app.add_option("-o,--data", options.data_pattern,
                 "Data directory (default: $TP_DATA, else tp-data). %p pid, %h host, %e program")
      ->type_name("DIR");
  app.add_option("-e,--event", options.events,
                 "What to count as work (default: $TP_EVENT, else auto)")
      ->type_name("EVENT[,EVENT..]");
  app.add_option("--as-if-cores", options.as_if_cores,
                 "Let oneTBB split work as on a machine with N cores")
      ->type_name("N")
      ->check(CLI::Range(1, 65535).description(""));
  app.add_flag("--paused", options.paused, "Record nothing until the program calls tp::resume()");
  app.add_option("--max-size", max_size,
                 "Stop recording at this size of the data, such as 500M or 2G")
      ->type_name("SIZE");
  app.add_flag("--analyze{ws_profile.csv}", options.analyze_to,
               "Run tp-analyze afterwards; --analyze=FILE.csv names the profile it writes");
  add_common_options(app, options.style);
}

ParsedOptions usage_error(const std::string& text) {
  error(text);
  hint("tp-run --help");
  return {std::nullopt, kExitOwnFailure};
}

// What CLI11 left over is the command; a word with a dash in front of it is a mistyped option.
std::optional<std::string> take_command(CLI::App& app, Options& options) {
  options.command = app.remaining();
  if (options.command.empty())
    return "no program given: expected tp-run [OPTIONS] PROGRAM [ARG...]";
  if (options.command.front() == "--")
    options.command.erase(options.command.begin());
  else if (options.command.front().starts_with('-'))
    return fmt::format("{}: unknown option", options.command.front());
  if (options.command.empty() || options.command.front().empty())
    return "no program given: expected tp-run [OPTIONS] PROGRAM [ARG...]";
  return std::nullopt;
}

} // namespace

std::optional<std::uint64_t> parse_size(const std::string& text) {
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (digits == 0 || text.empty() || text.size() > 20)
    return std::nullopt;
  std::string suffix = digits == std::string::npos ? "" : text.substr(digits);
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  if (suffix.ends_with("IB") && suffix.size() == 3)
    suffix.resize(1);
  else if (suffix.ends_with('B'))
    suffix.pop_back();
  const std::size_t power = suffix.empty() ? 0 : std::string_view("KMGT").find(suffix) + 1;
  if (suffix.size() > 1 || (!suffix.empty() && power == 0))
    return std::nullopt;
  std::uint64_t value = 0;
  for (char digit : text.substr(0, digits))
    if (__builtin_mul_overflow(value, 10u, &value) ||
        __builtin_add_overflow(value, static_cast<unsigned>(digit - '0'), &value))
      return std::nullopt;
  if (value == 0 || value > (UINT64_MAX >> (10 * power)))
    return std::nullopt;
  return value << (10 * power);
}

ParsedOptions parse_options(int argc, char** argv) {
  CLI::App app{"Runs a program on the recording oneTBB: where does it lose its parallelism?",
               "tp-run"};
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_formatter()->column_width(34);
  app.footer(kFooter);
  app.prefix_command();
  Options options;
  std::string max_size;
  add_options(app, options, max_size);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return {std::nullopt, app.exit(success)}; // help or version, on stdout
  } catch (const CLI::ParseError& problem) {
    return usage_error(problem.what());
  }
  set_message_style(options.style.color, options.style.verbosity);
  if (options.events.empty() && app.count("--event") > 0)
    return usage_error("-e: expected auto or an event such as instructions, got ''");
  if (!max_size.empty()) {
    const auto bytes = parse_size(max_size);
    if (!bytes)
      return usage_error(
          fmt::format("--max-size: expected a size such as 500M or 2G, got '{}'", max_size));
    options.max_size = *bytes;
  }
  if (!options.analyze_to.empty() && !options.analyze_to.ends_with(".csv"))
    return usage_error(
        fmt::format("--analyze: expected the name of a .csv file, got '{}'", options.analyze_to));
  if (const auto problem = take_command(app, options))
    return usage_error(*problem);
  return {options, 0};
}

} // namespace tp::launcher
