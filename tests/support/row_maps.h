// Rows for tests below the stage sites/: one per spawn site, one region per region.
#pragma once

#include "model/row_maps.h"
#include "model/run_info.h"
#include "tp/trace/trace_format.h"

namespace tp::test {

inline analysis::RowMaps row_maps_of(const analysis::SiteFile& sites) {
  analysis::RowMaps maps;
  analysis::Row next = analysis::kMainRow;
  maps.row_of_site.insert(trace::kMainSite, next++);
  for (const analysis::StaticSite& site : sites.sites)
    maps.row_of_site.insert(site.id, next++);
  std::uint32_t region = 0;
  for (const analysis::StaticRegion& each : sites.regions)
    maps.region_of_id.insert(each.id, region++);
  maps.unknown_row = next;
  return maps;
}

} // namespace tp::test
