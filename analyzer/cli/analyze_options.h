// SPDX-License-Identifier: Apache-2.0
// The command line of tp-analyze.
#pragma once

#include "common/message.h"
#include "common/progress.h"
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
  std::string region_dir; // directory for the region files
  std::string list;       // a directory: list the recordings of this name, and nothing else
  std::string json;       // file, "-" for stdout, or empty
  bool timeline = false;  // the JSON has all that pages draw
  ProfileOptions analysis;
  TextOptions text;
  Format format = Format::Table;
  std::vector<Export> exports;
  std::vector<Check> checks;
  bool locks = false;     // a table of locks on stdout, and locks.csv
  bool functions = false; // a table of functions on stdout, and functions.csv
  std::string annotate;   // a source file on stdout, with samples
  bool warnings = false;  // file:line: warning: ... on stderr
  bool strict = false;
  bool dump = false;
  tool::MessageStyle style;
  std::chrono::milliseconds progress_after = tool::Progress::kAfter;
};

// Empty if help or the version was shown. Throws tool::Failure.
std::optional<Options> parse_options(const std::vector<std::string>& arguments);

} // namespace tp::analysis
