// SPDX-License-Identifier: Apache-2.0
// From the static ids of a trace to rows of the profile. Made by sites/ before the streams are
// read, used by dag/.
#pragma once

#include "base/id_table.h"
#include "base/ids.h"

namespace tp::analysis {

struct RowMaps {
  IdTable<Row> row_of_site;
  IdTable<RegionId> region_of_id;
  // The last row: of tasks whose spawn or site is lost (incomplete traces only).
  Row unknown_row = kMainRow;
};

} // namespace tp::analysis
