// SPDX-License-Identifier: Apache-2.0
// The command line of tp-diff.
#pragma once

#include "common/message.h"
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
  bool color = false;
  PathMap path_map;           // of BASE
  bool maps_both = false;     // of NEW too: rules from TP_MAP_PATH
  std::vector<Check> fail_if; // of changes
  tool::MessageStyle style;
};

// Empty if help or the version was shown. Throws tool::Failure.
std::optional<DiffOptions> parse_diff_options(const std::vector<std::string>& arguments);

} // namespace tp::analysis
