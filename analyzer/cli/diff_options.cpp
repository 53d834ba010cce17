// Options table and --help text of tp-diff.
#include "cli/diff_options.h"

#include "cli/command_line.h"
#include "cli/path_rules.h"

#ifndef TP_VERSION
#define TP_VERSION "0.1.0"
#endif

namespace tp::analysis {
namespace {

struct Raw {
  std::string format = "table", color = "auto";
  std::vector<std::string> map_path, fail_if;
};

class Help : public CLI::Formatter {
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: tp-diff [OPTIONS] BASE NEW\n"
           "BASE, NEW: a data directory of tp-run, or a profile that tp-analyze --json wrote\n";
  }
};

void finish(const Raw& raw, DiffOptions& options) {
  if (options.base.empty() || options.now.empty())
    usage("BASE NEW", "two profiles", options.base.empty() ? "none" : "one, " + options.base);
  options.path_map = path_rules(raw.map_path);
  options.maps_both = raw.map_path.empty();
  for (const std::string& text : raw.fail_if) {
    try {
      options.fail_if.push_back(parse_check(text, true));
    } catch (const BadCheck& bad) {
      usage("--fail-if", bad.expected, bad.got);
    }
  }
  options.format = raw.format == "md"     ? DiffFormat::Markdown
                   : raw.format == "json" ? DiffFormat::Json
                                          : DiffFormat::Table;
  options.colour = wants_colour(raw.color);
}

void add_options(CLI::App& app, DiffOptions& options, Raw& raw) {
  app.add_option("base", options.base, "the profile before")->group("");
  app.add_option("new", options.now, "the profile after")->group("");
  app.add_option("--fail-if", raw.fail_if,
                 "exit 1 if this change is found: 'parallelism<-10%', 'site(a.cpp:42).critical>5' "
                 "(repeatable)")
      ->allow_extra_args(false)
      ->type_name("EXPR");
  add_choice(app, "--format", raw.format, {"table", "md", "json"}, "what goes to stdout");
  app.add_option("--json", options.json, "write JSON to FILE, or to stdout in place of the table")
      ->type_name("FILE|-");
  app.add_option("--top", options.top, "rows of the table (10)")
      ->check(integer_from(0, kMostRows))
      ->type_name("N");
  app.add_option("--map-path", raw.map_path,
                 "replace a prefix of the source file names of BASE (else $TP_MAP_PATH, a rule per "
                 "line, of both profiles) (repeatable)")
      ->allow_extra_args(false)
      ->type_name("OLD=NEW");
  app.add_flag("-q,--quiet", options.quiet, "no notes on stderr");
  app.add_flag("-v,--verbose", options.verbose, "how each site was matched, on stderr");
  add_choice(app, "--color", raw.color, {"auto", "always", "never"}, "colours in the table");
}

} // namespace

ParsedDiff parse_diff_options(int argc, char** argv) {
  DiffOptions options;
  Raw raw;
  CLI::App app{"Says what changed between two profiles of a program.", "tp-diff"};
  app.formatter(std::make_shared<Help>());
  app.set_version_flag("-V,--version", "tp-diff " TP_VERSION);
  add_options(app, options, raw);
  app.footer("A change is NEW minus BASE: with % in percent of BASE, of shares (critical, share, "
             "attributed) in percentage points.\nExit status: 0 ok; 1 a --fail-if is true; 2 bad "
             "usage, or missing, unreadable or damaged data.");
  try {
    app.parse(argc, argv);
    finish(raw, options);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0)
      return {{}, app.exit(error)};
    return {{}, refuse(app, error)};
  }
  return {std::move(options), 0};
}

} // namespace tp::analysis
