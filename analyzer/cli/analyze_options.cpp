// SPDX-License-Identifier: Apache-2.0
// The option table of tp-analyze, with the text of --help.
#include "cli/analyze_options.h"

#include "cli/path_rules.h"
#include "common/failure.h"
#include "common/terminal.h"
#include "options/command_line.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>

namespace tp::analysis {
namespace fs = std::filesystem;
using namespace tool; // keeps the option tables below short

namespace {

struct AnalyzeWords {
  std::vector<std::string> positionals;
  std::string data, out_dir, format = "table", sort = "critical", mode = "parallelize";
  std::string factors, procs, burden, explore = "auto", simulate = "auto", from = "start",
                                      progress_after;
  std::vector<std::string> map_path, debug_dirs, regions, checks, exports, grains;
};

constexpr std::uint64_t kMostRows = 1'000'000'000; // of a table
constexpr std::uint64_t kMostProcs = 1 << 20;
constexpr std::uint64_t kMostBurdenNs = 1'000'000'000'000;
constexpr std::uint64_t kMostFactor = UINT64_MAX, kMostGrain = UINT64_MAX;

// FILE:LINE=GRAIN, split at the last '='
std::pair<std::string, std::uint64_t> parse_grain(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0)
    throw unexpected("--grain", "FILE:LINE=GRAIN", "'" + text + "'");
  return {text.substr(0, equals), parse_integer("--grain", text.substr(equals + 1), 1, kMostGrain)};
}

Check checked(const std::string& text) try {
  return parse_check(text);
} catch (const BadCheck& bad) {
  throw unexpected("--check", bad.expected, bad.got);
}

std::string names_of_exports(const char* separator) {
  std::string names;
  for (const ExportFormat& format : kExportFormats)
    names += (names.empty() ? "" : separator) + std::string(format.name);
  return names;
}

// FORMAT:FILE
Export parse_export(const std::string& text) {
  for (const ExportFormat& format : kExportFormats) {
    const std::string prefix = std::string(format.name) + ":";
    if (text.size() > prefix.size() && text.starts_with(prefix))
      return {&format, text.substr(prefix.size())};
  }
#ifndef TP_PAGE
  if (text.starts_with("html:"))
    throw Failure("--export html",
                  "this build of Taskpath has no page: node and npm were missing when it was built",
                  "install node and npm (scripts/setup does), then configure and build again");
#endif
  throw unexpected("--export", names_of_exports("|") + ":FILE", "'" + text + "'");
}

bool ends_in_csv(const std::string& name) {
  return name.size() > 4 && name.substr(name.size() - 4) == ".csv";
}

// A positional argument that is a directory is the data; one that ends in .csv is the output.
void place_positionals(const AnalyzeWords& raw, Options& options) {
  for (const std::string& name : raw.positionals) {
    std::error_code error;
    const bool csv = ends_in_csv(name) && !fs::is_directory(name, error);
    std::string& target = csv ? options.profile_csv : options.data;
    if (!target.empty())
      throw Failure(name, csv ? "a second profile to write: the first one is " + target
                              : "a second data directory: the first one is " + target);
    target = name;
    options.csv_is_named |= csv;
  }
  if (options.data.empty())
    options.data = raw.data;
  if (const char* variable = std::getenv("TP_DATA"); options.data.empty() && variable)
    options.data = variable;
  if (options.data.empty())
    options.data = "tp-data";
  while (options.data.size() > 1 && options.data.back() == '/')
    options.data.pop_back();
  const fs::path out = raw.out_dir.empty() ? fs::path(".") : fs::path(raw.out_dir);
  if (options.profile_csv.empty())
    options.profile_csv = "ws_profile.csv";
  const fs::path csv(options.profile_csv);
  const bool move = !raw.out_dir.empty() && !csv.has_parent_path();
  options.profile_csv = (move ? out / csv : csv).string();
  options.region_dir = raw.out_dir.empty() ? csv.parent_path().string() : out.string();
}

Ask when(const std::string& word) {
  return word == "always" ? Ask::Always : word == "never" ? Ask::Never : Ask::Auto;
}

void finish_analysis(const AnalyzeWords& raw, ProfileOptions& options) {
  if (!raw.factors.empty())
    options.factors = parse_integers("--factors", raw.factors, 1, kMostFactor);
  if (!raw.procs.empty())
    options.procs = parse_integers("--procs", raw.procs, 1, kMostProcs);
  options.mode = raw.mode == "optimize" ? WhatIfMode::Optimize : WhatIfMode::Parallelize;
  options.measure_burden = raw.burden == "auto";
  if (!raw.burden.empty() && !options.measure_burden)
    options.burden_ns = parse_integer("--burden", raw.burden, 0, kMostBurdenNs);
  options.explore = when(raw.explore);
  options.simulate = when(raw.simulate);
  options.from_first_use = raw.from == "first-use";
  for (const std::string& grain : raw.grains)
    options.grains.push_back(parse_grain(grain));
}

void finish(const AnalyzeWords& raw, Options& options) {
  finish_analysis(raw, options.analysis);
  options.analysis.path_map = path_rules(raw.map_path);
  options.analysis.debug_files = debug_files(raw.debug_dirs);
  for (const std::string& check : raw.checks)
    options.checks.push_back(checked(check));
  options.analysis.more_procs = procs_of(options.checks);
  for (const std::string& each : raw.exports)
    options.exports.push_back(parse_export(each));
  options.analysis.contexts = options.timeline || !raw.exports.empty();
  options.analysis.pictures =
      options.timeline ||
      std::any_of(options.exports.begin(), options.exports.end(),
                  [](const Export& each) { return each.format->needs_pictures; });
  const std::map<std::string, Format> formats{{"table", Format::Table},
                                              {"csv", Format::Csv},
                                              {"json", Format::Json},
                                              {"md", Format::Markdown}};
  options.format = formats.at(raw.format);
  const std::map<std::string, SortKey> keys{{"critical", SortKey::Critical},
                                            {"work", SortKey::Work},
                                            {"parallelism", SortKey::Parallelism},
                                            {"overhead", SortKey::Overhead}};
  options.text.sort = keys.at(raw.sort);
  if (!raw.progress_after.empty())
    options.progress_after = std::chrono::milliseconds(
        parse_integer("--progress-after", raw.progress_after, 0, UINT32_MAX));
  while (options.list.size() > 1 && options.list.back() == '/')
    options.list.pop_back();
  if (!options.list.empty() && !raw.positionals.empty())
    throw Failure("--list", "it takes one directory: expected no further argument, got '" +
                                raw.positionals.front() + "'");
  place_positionals(raw, options);
}

void add_input(CommandLine& line, Options& options, AnalyzeWords& raw) {
  line.group("Input");
  line.positionals(raw.positionals, 2);
  line.value("-d,--data", raw.data, "DIR", "Data directory (default: $TP_DATA, else tp-data)");
  line.value("--list", options.list, "DIR",
             "List the recordings DIR, DIR.old, DIR.PID, or those in DIR, and nothing else");
  line.list("--map-path", raw.map_path, "OLD=NEW",
            "Replace a prefix of source file names (default: the rules of $TP_MAP_PATH, one per "
            "line)");
  line.list("--wrapper", options.analysis.wrappers, "NAME",
            "Function that calls oneTBB for others: its callers are the sites (most are "
            "recognized; none: the sites are the calls of oneTBB)");
  line.list("--debug-dir", raw.debug_dirs, "DIR",
            "Folder with debug information, laid out as /usr/lib/debug (default: the folders of "
            "$TP_DEBUG_DIR, separated by colons)");
  line.list("--region", raw.regions, "NAME",
            "Consider these causal regions only: name or FILE:LINE");
}

void add_analysis(CommandLine& line, Options& options, AnalyzeWords& raw) {
  line.group("Analysis");
  line.integer("-j,--jobs", options.analysis.jobs, 1, 1024, "N",
               "Number of analysis threads (default: one per CPU)");
  line.choice("--explore", raw.explore, {"auto", "always", "never"},
              "Evaluate unannotated code segments as well (auto: unless the trace is very large)");
  line.choice("--from", raw.from, {"start", "first-use"},
              "Leave out what threads did before they first used oneTBB (default: start)");
  line.flag("--dump", options.dump, "Print the records of the trace, and nothing else");
}

void add_what_if(CommandLine& line, Options& options, AnalyzeWords& raw) {
  line.group("What-if");
  line.value("--factors", raw.factors, "LIST",
             "Factors of the what-if analysis (default: 2,4,8,16,50,100,200,400)");
  line.choice("--what-if-mode", raw.mode, {"parallelize", "optimize"},
              "What a factor N does: divides code among N CPUs, or makes it N times faster");
  line.integer("--target", options.analysis.target, 2, kMostProcs, "N",
               "Find the smallest set of changes that reaches parallelism N");
  line.list("--grain", raw.grains, "FILE:LINE=GRAIN",
            "Predict the effect of another grain size for this loop");
}

void add_prediction(CommandLine& line, AnalyzeWords& raw) {
  line.group("Prediction");
  line.value("-P,--procs", raw.procs, "LIST",
             "Numbers of CPUs to predict speedups for (default: the CPUs of the run, and 4 times "
             "as many)");
  line.choice("--simulate", raw.simulate, {"auto", "always", "never"},
              "Predict times by simulation, on up to 1024 CPUs (auto: unless the trace is large)");
  line.value("--burden", raw.burden, "auto|NS",
             "Cost of a migration in nanoseconds (default: 6250), or auto to measure it in the "
             "trace");
}

void add_output(CommandLine& line, Options& options, AnalyzeWords& raw) {
  line.group("Output");
  line.value("-o,--out-dir", raw.out_dir, "DIR", "Directory for the files that are written");
  line.choice("--format", raw.format, {"table", "csv", "json", "md"}, "What goes to stdout");
  line.integer("--top", options.text.top, 0, kMostRows, "N", "Rows of the table (default: 15)");
  line.choice("--sort", raw.sort, {"critical", "work", "parallelism", "overhead"},
              "Order of the table");
  line.value("--json", options.json, "FILE|-",
             "Write JSON to FILE, or to stdout in place of the table");
  line.flag("--timeline", options.timeline,
            "With figures by position and time, calling contexts and source in the JSON");
  line.list("--export", raw.exports, "FORMAT:FILE",
            "Write a file for another tool: " + names_of_exports(", "));
  line.flag("--functions", options.functions,
            "Show functions and lines, by samples of the stack, and write functions.csv");
  line.flag("--locks", options.locks,
            "Show locks: how often they were acquired, contended, held and waited for, and write "
            "locks.csv");
  line.value("--annotate", options.annotate, "FILE",
             "Show a source file with the samples of each line");
  line.flag("--warnings", options.warnings,
            "Print FILE:LINE: warning: ... to stderr for the code that limits scaling");
  line.hidden("--progress-after", raw.progress_after); // for tests
}

void add_gates(CommandLine& line, Options& options, AnalyzeWords& raw) {
  line.group("Gates");
  line.list("--check", raw.checks, "EXPR",
            "Exit with 1 unless this holds: 'parallelism>=16', 'site(a.cpp:42).critical<30%'");
  line.flag("--strict", options.strict,
            "Treat warnings and incomplete data as errors (exit with 2)");
}

} // namespace

std::optional<Options> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  options.analysis.jobs = std::max(1u, std::thread::hardware_concurrency());
  AnalyzeWords raw;
  CommandLine line("tp-analyze", "Report how far a recorded program can scale and what limits it.",
                   "[OPTIONS] [DATA_DIR] [PROFILE.csv]");
  add_input(line, options, raw);
  add_analysis(line, options, raw);
  add_what_if(line, options, raw);
  add_prediction(line, raw);
  add_output(line, options, raw);
  add_gates(line, options, raw);
  line.footer("DATA_DIR is a directory that tp-run has written. PROFILE.csv is the profile to\n"
              "write (default: ws_profile.csv); without data, an existing one is shown.");
  if (!line.parse(arguments, [&] { finish(raw, options); }))
    return std::nullopt;
  options.analysis.regions = std::move(raw.regions);
  options.text.top_is_explicit = line.given("--top");
  options.style = line.style();
  options.text.color = tool::wants_color(options.style.color, STDOUT_FILENO);
  options.text.unicode = tool::shows_unicode();
  options.text.asks_procs = !options.analysis.procs.empty();
  return options;
}

} // namespace tp::analysis
