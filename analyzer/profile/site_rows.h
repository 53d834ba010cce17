// The rows of the profile: main and each spawn site, with all that the first reading found of them.
#pragma once

#include "model/site.h"
#include "profile/measured.h"

#include <cstdint>
#include <vector>

namespace tp::analysis {

struct SiteRows {
  std::vector<SiteRow> rows; // [0] main, then by critical work, file, line
  // Over all rows: must equal work and span of the program.
  std::uint64_t exclusive_sum = 0, critical_sum = 0;
};

// `overheads`: site_overheads(). RunPathPart of each row is left empty.
SiteRows site_rows(const Measured& measured, const IdVector<Row, SiteOverhead>& overheads);

} // namespace tp::analysis
