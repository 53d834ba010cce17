// The command line of tp-diff.
#pragma once

#include "compare/checks.h"
#include "sites/site_table.h"

#include <optional>
#include <string>
#include <vector>

namespace tp::analysis {

enum class DiffFormat : std::uint8_t { Table, Markdown, Json };

struct DiffOptions {
  std::string base, now; // data directories, or files of --json
  DiffFormat format = DiffFormat::Table;
  std::string json; // file, "-" for stdout, or empty
  std::size_t top = 10;
  bool colour = false;
  PathMap path_map;           // of BASE
  bool maps_both = false;     // of NEW too: the rules of TP_MAP_PATH
  std::vector<Check> fail_if; // of changes
  bool quiet = false, verbose = false;
};

// The options, or the exit status with which to end (help, version, bad usage: said already).
struct ParsedDiff {
  std::optional<DiffOptions> options;
  int status = 0;
};
ParsedDiff parse_diff_options(int argc, char** argv);

} // namespace tp::analysis
