// SPDX-License-Identifier: Apache-2.0
// The option table of tp-diff, with the text of --help.
#include "cli/diff_options.h"

#include "cli/path_rules.h"
#include "common/failure.h"
#include "common/terminal.h"
#include "options/command_line.h"

#include <unistd.h>

namespace tp::analysis {
namespace {

using tool::CommandLine;

constexpr std::uint64_t kMostRowsOfDiff = 1'000'000'000; // of a table

struct DiffWords {
  std::string format = "table";
  std::vector<std::string> profiles, map_path, fail_if;
};

void finish(DiffWords& raw, DiffOptions& options) {
  if (raw.profiles.size() != 2)
    throw tool::unexpected("BASE NEW", "two profiles",
                           raw.profiles.empty() ? "none" : "only " + raw.profiles.front());
  options.base = raw.profiles[0];
  options.now = raw.profiles[1];
  options.path_map = path_rules(raw.map_path);
  options.maps_both = raw.map_path.empty();
  for (const std::string& text : raw.fail_if) {
    try {
      options.fail_if.push_back(parse_check(text, true));
    } catch (const BadCheck& bad) {
      throw tool::unexpected("--fail-if", bad.expected, bad.got);
    }
  }
  options.format = raw.format == "md"     ? DiffFormat::Markdown
                   : raw.format == "json" ? DiffFormat::Json
                                          : DiffFormat::Table;
}

void add_options(CommandLine& line, DiffOptions& options, DiffWords& raw) {
  line.positionals(raw.profiles, 2);
  line.group("Input");
  line.list("--map-path", raw.map_path, "OLD=NEW",
            "Replace a prefix of the source file names of BASE (default: the rules of "
            "$TP_MAP_PATH, one per line, for both)");
  line.group("Output");
  line.choice("--format", raw.format, {"table", "md", "json"}, "What goes to stdout");
  line.integer("--top", options.top, 0, kMostRowsOfDiff, "N", "Rows of the table (default: 10)");
  line.value("--json", options.json, "FILE|-",
             "Write JSON to FILE, or to stdout in place of the table");
  line.group("Gates");
  line.list("--fail-if", raw.fail_if, "EXPR",
            "Exit with 1 if this change is found: 'time(64)>+10%', "
            "'site(a.cpp:42).critical>5'");
}

} // namespace

std::optional<DiffOptions> parse_diff_options(const std::vector<std::string>& arguments) {
  DiffOptions options;
  DiffWords raw;
  CommandLine line("tp-diff", "Report what changed between two profiles of a program.",
                   "[OPTIONS] BASE NEW");
  add_options(line, options, raw);
  line.footer("BASE and NEW are data directories of tp-run, or profiles of tp-analyze --json.\n"
              "A change is NEW minus BASE; with % it is in percent of BASE. Changes of shares\n"
              "(critical, share, attributed) are in percentage points.");
  if (!line.parse(arguments, [&] { finish(raw, options); }))
    return std::nullopt;
  options.style = line.style();
  options.color = tool::wants_color(options.style.color, STDOUT_FILENO);
  return options;
}

} // namespace tp::analysis
