// SPDX-License-Identifier: Apache-2.0
// From the static ids of a trace to rows of the profile. Made by sites/ before the streams are
// read, used by dag/.
#pragma once

#include "base/id_table.h"
#include "base/ids.h"

#include <cstdint>
#include <map>
#include <vector>

namespace tp::analysis {

struct RowMaps {
  IdTable<Row> row_of_site;
  IdTable<RegionId> region_of_id;
  IdTable<LockPlaceId> lock_place_of_id;
  // One after the greatest place; 0: all locks of a place belong together, whatever they are.
  std::uint32_t lock_places = 0;
  std::map<std::uint64_t, std::uint32_t>
      lock_variables; // from 1 on, by the address of a lock in them
  // By row: whether only library code is known of it. What a task spawns there has the row of the
  // task. Empty: no such row.
  std::vector<bool> of_library;
  bool is_of_library(Row row) const {
    return index_of(row) < of_library.size() && of_library[index_of(row)];
  }
  // By row: whether it is a filter of a pipeline, and whether it is the place of one. Empty: none.
  std::vector<bool> of_filter, places_filter;
  bool is_of_filter(Row row) const {
    return index_of(row) < of_filter.size() && of_filter[index_of(row)];
  }
  // By row: whether it is a taskloop of OpenMP. Empty: none.
  std::vector<bool> of_taskloop;
  bool is_of_taskloop(Row row) const {
    return index_of(row) < of_taskloop.size() && of_taskloop[index_of(row)];
  }
  bool is_place_of_filter(Row row) const {
    return index_of(row) < places_filter.size() && places_filter[index_of(row)];
  }
  // The last row: of tasks whose spawn or site is lost (incomplete traces only).
  Row unknown_row = kMainRow;
};

} // namespace tp::analysis
