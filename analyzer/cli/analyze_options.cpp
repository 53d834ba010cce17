// Options table, --help text, and the checks of --check.
#include "cli/analyze_options.h"

#include "cli/command_line.h"
#include "cli/path_rules.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>

#ifndef TP_VERSION
#define TP_VERSION "0.1.0"
#endif

namespace tp::analysis {
namespace fs = std::filesystem;

namespace {

struct Raw {
  std::vector<std::string> positionals;
  std::string data, out_dir, color = "auto", format = "table", sort = "critical",
                             mode = "parallelize";
  std::string factors, procs, burden, explore = "auto", simulate = "auto";
  std::vector<std::string> map_path, checks, exports, grains;
};

std::vector<std::uint64_t> positive_list(const std::string& option, const std::string& text) {
  std::vector<std::uint64_t> values;
  for (const std::string& item : CLI::detail::split(text, ',')) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), value);
    if (error != std::errc{} || end != item.data() + item.size() || value < 1)
      usage(option, "integers of at least 1, separated by commas", "'" + item + "'");
    values.push_back(value);
  }
  return values;
}

std::uint64_t number(const std::string& option, const std::string& text, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value > most)
    usage(option, fmt::format("an integer up to {}", most), "'" + text + "'");
  return value;
}

// FILE:LINE=GRAIN
std::pair<std::string, std::uint64_t> parse_grain(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0)
    usage("--grain", "FILE:LINE=GRAIN", "'" + text + "'");
  const auto values = positive_list("--grain", text.substr(equals + 1));
  return {text.substr(0, equals), values.front()};
}

Check checked(const std::string& text) try {
  return parse_check(text);
} catch (const BadCheck& bad) {
  usage("--check", bad.expected, bad.got);
}

// FORMAT:FILE
Export parse_export(const std::string& text) {
  std::string known;
  for (const ExportFormat& format : kExportFormats) {
    const std::string prefix = std::string(format.name) + ":";
    if (text.size() > prefix.size() && text.compare(0, prefix.size(), prefix) == 0)
      return {&format, text.substr(prefix.size())};
    known += (known.empty() ? "" : "|") + std::string(format.name);
  }
  usage("--export", known + ":FILE", "'" + text + "'");
}

bool ends_in_csv(const std::string& name) {
  return name.size() > 4 && name.substr(name.size() - 4) == ".csv";
}

// A positional that is a directory is the data, one that ends in .csv the output.
void place_positionals(const Raw& raw, Options& options) {
  for (const std::string& name : raw.positionals) {
    std::error_code error;
    const bool csv = ends_in_csv(name) && !fs::is_directory(name, error);
    std::string& target = csv ? options.profile_csv : options.data;
    if (!target.empty())
      usage(name, csv ? "at most one .csv output" : "at most one data directory",
            "another one, " + target);
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

constexpr std::uint64_t kMostProcs = 1 << 20;
constexpr std::uint64_t kMostBurdenNs = 1'000'000'000'000;

void finish_analysis(const Raw& raw, ProfileOptions& options) {
  if (!raw.factors.empty())
    options.factors = positive_list("--factors", raw.factors);
  if (!raw.procs.empty())
    for (const std::string& procs : CLI::detail::split(raw.procs, ','))
      if (options.procs.push_back(number("--procs", procs, kMostProcs)); options.procs.back() == 0)
        usage("--procs", "integers of at least 1, separated by commas", "'" + procs + "'");
  options.mode = raw.mode == "optimize" ? WhatIfMode::Optimize : WhatIfMode::Parallelize;
  options.measure_burden = raw.burden == "auto";
  if (!raw.burden.empty() && !options.measure_burden)
    options.burden_ns = number("--burden", raw.burden, kMostBurdenNs);
  options.explore = when(raw.explore);
  options.simulate = when(raw.simulate);
  for (const std::string& grain : raw.grains)
    options.grains.push_back(parse_grain(grain));
}

void finish(const Raw& raw, Options& options, bool top_given) {
  finish_analysis(raw, options.analysis);
  options.analysis.path_map = path_rules(raw.map_path);
  for (const std::string& check : raw.checks)
    options.checks.push_back(checked(check));
  for (const std::string& each : raw.exports)
    options.exports.push_back(parse_export(each));
  options.analysis.contexts = !raw.exports.empty();
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
  options.text.top_is_explicit = top_given;
  options.text.colour = wants_colour(raw.color);
  place_positionals(raw, options);
}

class Help : public CLI::Formatter {
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: tp-analyze [OPTIONS] [DATA_DIR] [PROFILE.csv]\n";
  }
};

// An option that may be given more than once, each time with one value.
CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                      const std::string& type, const std::string& text) {
  return app.add_option(name, values, text + " (repeatable)")
      ->allow_extra_args(false)
      ->type_name(type);
}

void add_files(CLI::App& app, Options& options, Raw& raw) {
  app.add_option("paths", raw.positionals, "the data directory, the profile to write")
      ->expected(0, 2)
      ->group(""); // the usage line tells
  app.add_option("-d,--data", raw.data, "data directory (else $TP_DATA, else ./tp-data)")
      ->type_name("DIR");
  app.add_option("-o,--out-dir", raw.out_dir, "where the output files go")->type_name("DIR");
  app.add_option("-j,--jobs", options.analysis.jobs, "threads, if the trace is read more than once")
      ->check(integer_from(1, 1024))
      ->type_name("N");
}

void add_questions(CLI::App& app, Options& options, Raw& raw) {
  app.add_option("--factors", raw.factors, "what-if factors (2,4,8,16,50,100,200,400)")
      ->type_name("LIST");
  add_choice(app, "--what-if-mode", raw.mode, {"parallelize", "optimize"},
             "regions become parallel, or take less work");
  add_list(app, "--region", options.analysis.regions, "NAME",
           "only these causal regions: name or file:line");
  add_choice(app, "--explore", raw.explore, {"auto", "always", "never"},
             "what-if of code that is not marked (auto: unless the trace is very large)");
  app.add_option("--target", options.analysis.target,
                 "search the fewest pieces of code that have to improve for this parallelism")
      ->check(integer_from(2, kMostProcs))
      ->type_name("N");
  add_list(app, "--grain", raw.grains, "FILE:LINE=GRAIN", "what if the loop there had this grain");
  app.add_option("--burden", raw.burden,
                 "cost of a migration: auto measures it in the trace, else nanoseconds (6250)")
      ->type_name("auto|NS");
  app.add_option("-P,--procs", raw.procs,
                 "speedups on these numbers of cpus (P and 4P); predicted by simulation up to 1024")
      ->type_name("LIST");
  add_choice(app, "--simulate", raw.simulate, {"auto", "always", "never"},
             "predict times on these cpus (auto: unless the trace is large)");
}

void add_output(CLI::App& app, Options& options, Raw& raw) {
  app.add_option("--top", options.text.top, "rows of the table (15)")
      ->check(integer_from(0, kMostRows))
      ->type_name("N");
  add_choice(app, "--sort", raw.sort, {"critical", "work", "parallelism", "overhead"},
             "order of the table");
  add_choice(app, "--format", raw.format, {"table", "csv", "json", "md"}, "what goes to stdout");
  app.add_option("--json", options.json, "write JSON to FILE, or to stdout in place of the table")
      ->type_name("FILE|-");
  add_list(app, "--export", raw.exports, "FORMAT:FILE",
           "for other tools: perfetto, speedscope, folded, folded-critical, pprof, callgrind, dot");
  add_list(app, "--map-path", raw.map_path, "OLD=NEW",
           "replace a prefix of source file names (else $TP_MAP_PATH, a rule per line)");
  add_list(app, "--check", raw.checks, "EXPR",
           "exit 1 unless this holds: 'parallelism>=16', 'site(a.cpp:42).critical<30%'");
  app.add_flag("--warnings", options.warnings,
               "file:line: warning: ... on stderr, for the code that limits scaling");
  app.add_flag("--strict", options.strict, "treat warnings and incomplete data as errors (exit 2)");
  app.add_flag("--dump", options.dump, "print the records of the trace and stop");
  app.add_flag("-q,--quiet", options.quiet, "no notes on stderr");
  app.add_flag("-v,--verbose", options.verbose, "more notes on stderr");
  // For tests: in no list of options.
  app.add_option_function<unsigned>(
         "--progress-after",
         [&](unsigned ms) { options.progress_after = std::chrono::milliseconds(ms); })
      ->group("");
  add_choice(app, "--color", raw.color, {"auto", "always", "never"}, "colours in the table");
}

} // namespace

Parsed parse_options(int argc, char** argv) {
  Options options;
  options.analysis.jobs = std::max(1u, std::thread::hardware_concurrency());
  Raw raw;
  CLI::App app{"Says how far a profiled oneTBB program can scale, and what limits it.",
               "tp-analyze"};
  app.formatter(std::make_shared<Help>());
  app.set_version_flag("-V,--version", "tp-analyze " TP_VERSION);
  add_files(app, options, raw);
  add_questions(app, options, raw);
  add_output(app, options, raw);
  app.footer("Exit status: 0 ok; 1 a --check is false; 2 bad usage, or missing, unreadable or "
             "damaged data.");
  try {
    app.parse(argc, argv);
    finish(raw, options, app.count("--top") > 0);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0)
      return {{}, app.exit(error)};
    return {{}, refuse(app, error)};
  }
  return {std::move(options), 0};
}

} // namespace tp::analysis
