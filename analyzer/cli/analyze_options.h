// The command line of tp-analyze.
#pragma once

#include "cli/progress.h"
#include "compare/checks.h"
#include "export/export.h"
#include "profile/make_profile.h"
#include "report/writers.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace tp::analysis {

enum class Format : std::uint8_t { Table, Csv, Json, Markdown };

struct Export {
  const ExportFormat* format;
  std::string file;
};

struct Options {
  std::string data;
  std::string profile_csv; // path of ws_profile.csv
  bool csv_is_named = false;
  std::string region_dir; // where region files go
  std::string json;       // file, "-" for stdout, or empty
  ProfileOptions analysis;
  TextOptions text;
  Format format = Format::Table;
  std::vector<Export> exports;
  std::vector<Check> checks;
  bool warnings = false; // file:line: warning: ... on stderr
  bool strict = false;
  bool dump = false;
  bool quiet = false;
  bool verbose = false;
  std::chrono::milliseconds progress_after = Progress::kAfter;
};

// The options, or the exit status with which to end (help, version, bad usage: said already).
struct Parsed {
  std::optional<Options> options;
  int status = 0;
};
Parsed parse_options(int argc, char** argv);

} // namespace tp::analysis
