// SPDX-License-Identifier: Apache-2.0
// Rows for tests below the stage sites/: one row per spawn site, one region per region, one
// place per place of locks.
#pragma once

#include "model/row_maps.h"
#include "model/run_info.h"
#include "tp/trace/trace_format.h"

namespace tp::test {

inline analysis::RowMaps row_maps_of(const analysis::SiteFile& sites) {
  analysis::RowMaps maps;
  std::uint32_t row = 0, region = 0;
  maps.row_of_site.insert(trace::kMainSite, analysis::Row{row++});
  for (const analysis::StaticSite& site : sites.sites)
    maps.row_of_site.insert(site.id, analysis::Row{row++});
  for (const analysis::StaticRegion& each : sites.regions)
    maps.region_of_id.insert(each.id, analysis::RegionId{region++});
  for (std::uint32_t place = 0; place < sites.lock_places.size(); ++place)
    maps.lock_place_of_id.insert(sites.lock_places[place].site.id, analysis::LockPlaceId{place});
  maps.unknown_row = analysis::Row{row};
  return maps;
}

} // namespace tp::test
