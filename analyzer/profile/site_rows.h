// SPDX-License-Identifier: Apache-2.0
// The rows of the profile: main and each spawn site, with everything that the first reading found
// about them.
#pragma once

#include "model/site.h"
#include "profile/measured.h"

#include <cstdint>
#include <vector>

namespace tp::analysis {

struct SiteRows {
  std::vector<SiteRow> rows; // [0] main, then by critical work, file, line
  // Sums over all rows; they must equal work and span of the program.
  std::uint64_t exclusive_sum = 0, critical_sum = 0;
};

// `overheads`: the result of site_overheads(). The RunPathPart of each row is left empty.
SiteRows site_rows(const Measured& measured, const IdVector<Row, SiteOverhead>& overheads);

} // namespace tp::analysis
