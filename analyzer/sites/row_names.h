// SPDX-License-Identifier: Apache-2.0
// DISPLAYED NAMES OF ROWS without a line: as short as they can be while no two rows have the same.
// Called by site_table, when all rows are there.
#pragma once

#include "model/site.h"

#include <string>
#include <vector>

namespace tp::analysis {

// What runs in a row's tasks, and where; empty for main, and where a line is known.
struct RowCode {
  std::string what;      // a function or type, demangled
  std::string place;     // "+0x1a0" in the function, "@0x5300c3" in the module
  std::string in_module; // "module+0x5300c3"
  // Shown after the name, not part of it: rows that differ in it may have the same name.
  std::string suffix = {};
  std::string wrapper = {}; // without a line: what it is, as `what`
};

// Names the rows that have no name yet: by display_names; longer if another function would have the
// same name, or with the first word in which they differ: "Tree::clear [float]"; with the word in
// which their wrappers differ, or with the place, if another row of the same function has it. `codes`: one per row.
void name_codes(IdVector<Row, SiteInfo>& rows, const std::vector<RowCode>& codes);

} // namespace tp::analysis
