// Options table, --help text, and the checks of --check.
#include "options.h"

#include "report/numbers.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <regex>

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
  std::vector<std::string> map_path, checks;
  int jobs = 0;
};

[[noreturn]] void usage(const std::string& what, const std::string& expected,
                        const std::string& got) {
  throw CLI::ValidationError(fmt::format("{}: expected {}, got {}", what, expected, got));
}

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

Check parse_check(const std::string& text) {
  static const std::regex kForm(R"(\s*([a-z_]+)\s*(>=|<=|==|>|<)\s*([0-9]+(\.[0-9]+)?)\s*)");
  std::smatch match;
  if (!std::regex_match(text, match, kForm))
    usage("--check", "METRIC>=NUMBER (or <=, >, <, ==)", "'" + text + "'");
  Check check{text, match[1], match[2], std::strtold(match[3].str().c_str(), nullptr)};
  for (const char* known : {"parallelism", "divisible_parallelism", "work", "span", "attributed"})
    if (check.metric == known)
      return check;
  usage("--check", "parallelism, divisible_parallelism, work, span or attributed",
        "'" + check.metric + "'");
}

bool wants_colour(const std::string& when) {
  if (when != "auto")
    return when == "always";
  const char* const term = std::getenv("TERM");
  const char* const no_color = std::getenv("NO_COLOR");
  return ::isatty(STDOUT_FILENO) && !(no_color && *no_color) &&
         !(term && std::string(term) == "dumb");
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

void finish(const Raw& raw, Options& options, const std::string& factors, const std::string& procs,
            bool top_given) {
  if (!factors.empty())
    options.analysis.factors = positive_list("--factors", factors);
  if (!procs.empty())
    options.analysis.procs = positive_list("--procs", procs);
  options.analysis.mode = raw.mode == "optimize" ? WhatIfMode::Optimize : WhatIfMode::Parallelize;
  for (const std::string& rule : raw.map_path) {
    const std::size_t equals = rule.find('=');
    if (equals == std::string::npos || equals == 0)
      usage("--map-path", "OLD=NEW", "'" + rule + "'");
    options.analysis.path_map.emplace_back(rule.substr(0, equals), rule.substr(equals + 1));
  }
  for (const std::string& check : raw.checks)
    options.checks.push_back(parse_check(check));
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

} // namespace

Parsed parse_options(int argc, char** argv) {
  Options options;
  Raw raw;
  std::string factors, procs;
  CLI::App app{"Says how far a profiled oneTBB program can scale, and what limits it.",
               "tp-analyze"};
  app.set_version_flag("-V,--version", "tp-analyze " TP_VERSION);
  app.add_option("paths", raw.positionals, "DATA_DIR and PROFILE.csv, in any order")
      ->expected(0, 2)
      ->type_name("");
  app.add_option("-d,--data", raw.data, "data directory (else $TP_DATA, else ./tp-data)")
      ->type_name("DIR");
  app.add_option("-o,--out-dir", raw.out_dir, "where the output files go")->type_name("DIR");
  app.add_option("-j,--jobs", raw.jobs, "accepted; the analysis uses one thread")->type_name("N");
  app.add_option("--factors", factors, "what-if factors (2,4,8,16,50,100,200,400)")
      ->type_name("LIST");
  app.add_option("--what-if-mode", raw.mode, "regions become parallel, or take less work")
      ->check(CLI::IsMember({"parallelize", "optimize"}))
      ->type_name("parallelize|optimize");
  app.add_option("--region", options.analysis.regions,
                 "only these causal regions: name or file:line (repeatable)")
      ->expected(1)
      ->type_name("NAME");
  app.add_option("-P,--procs", procs, "speedup bounds for these numbers of cpus")
      ->type_name("LIST");
  CLI::Option* const top =
      app.add_option("--top", options.text.top, "rows of the table (15)")->type_name("N");
  app.add_option("--sort", raw.sort, "order of the table")
      ->check(CLI::IsMember({"critical", "work", "parallelism", "overhead"}))
      ->type_name("critical|work|parallelism|overhead");
  app.add_option("--format", raw.format, "what goes to stdout")
      ->check(CLI::IsMember({"table", "csv", "json", "md"}))
      ->type_name("table|csv|json|md");
  app.add_option("--json", options.json, "write JSON to FILE, or to stdout in place of the table")
      ->type_name("FILE|-");
  app.add_option("--map-path", raw.map_path, "replace a prefix of source file names (repeatable)")
      ->expected(1)
      ->type_name("OLD=NEW");
  app.add_option("--check", raw.checks,
                 "exit 1 unless this holds, for example 'parallelism>=16' (repeatable)")
      ->expected(1)
      ->type_name("EXPR");
  app.add_flag("--strict", options.strict, "treat warnings and incomplete data as errors (exit 2)");
  app.add_flag("--dump", options.dump, "print the records of the trace and stop");
  app.add_flag("-q,--quiet", options.quiet, "no notes on stderr");
  app.add_flag("-v,--verbose", options.verbose, "more notes on stderr");
  app.add_option("--color", raw.color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("auto|always|never");
  app.footer("Exit status: 0 ok; 1 a --check is false; 2 bad usage, or missing, unreadable or "
             "damaged data.");
  try {
    app.parse(argc, argv);
    finish(raw, options, factors, procs, top->count() > 0);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0)
      return {{}, app.exit(error)};
    fmt::print(stderr, "tp: error: tp-analyze: {}\nhint: tp-analyze --help\n", error.what());
    return {{}, 2};
  }
  return {std::move(options), 0};
}

std::optional<bool> holds(const Check& check, const Profile& profile, std::string& actual) {
  Ratio figure;
  if (check.metric == "parallelism")
    figure = profile.parallelism();
  if (check.metric == "divisible_parallelism")
    figure = profile.divisible_parallelism();
  if (check.metric == "work")
    figure = {profile.work, 1};
  if (check.metric == "span")
    figure = {profile.span, 1};
  long double value = 0;
  if (check.metric == "attributed") {
    const Attribution& a = profile.attribution;
    if (a.basis == AttributionBasis::None || a.total == 0)
      return {};
    actual = percent2(a.attributed, a.total);
    value = 100.0L * a.attributed / a.total;
  } else {
    actual = decimal2(figure);
    value = figure.denominator == 0
                ? 1.0L
                : static_cast<long double>(figure.numerator) / figure.denominator;
  }
  if (check.comparison == ">=")
    return value >= check.value;
  if (check.comparison == "<=")
    return value <= check.value;
  if (check.comparison == ">")
    return value > check.value;
  if (check.comparison == "<")
    return value < check.value;
  return value == check.value;
}

} // namespace tp::analysis
