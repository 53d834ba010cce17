// The command line of tp-analyze.
#pragma once

#include "profile.h"
#include "report/writers.h"

#include <optional>
#include <string>
#include <vector>

namespace tp::analysis {

enum class Format : std::uint8_t { Table, Csv, Json, Markdown };

// A claim about the profile that must hold, for CI: `parallelism>=16`.
struct Check {
  std::string text;
  std::string metric;
  std::string comparison;
  long double value = 0;
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
  std::vector<Check> checks;
  bool strict = false;
  bool dump = false;
  bool quiet = false;
  bool verbose = false;
};

// The options, or the exit status with which to end (help, version, bad usage: said already).
struct Parsed {
  std::optional<Options> options;
  int status = 0;
};
Parsed parse_options(int argc, char** argv);

// Whether a check holds; sets `actual` to the figure it was compared with. Nothing: the figure does
// not exist.
std::optional<bool> holds(const Check& check, const Profile& profile, std::string& actual);

} // namespace tp::analysis
