// SPDX-License-Identifier: Apache-2.0
// CSV files with the file names and headers of the TaskProf artifact.
#include "report/numbers.h"
#include "report/writers.h"

#include <fmt/format.h>

namespace tp::analysis {

std::string quote_csv(std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos)
    return std::string(field);
  std::string quoted = "\"";
  for (const char c : field) {
    if (c == '"')
      quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::vector<std::string> split_csv_line(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

std::string write_profile_csv(const Profile& profile) {
  std::string text{kProfileHeader};
  text += '\n';
  for (const SiteRow& site : profile.sites)
    text += fmt::format("{},{},{},{},{},{}\n", quote_csv(site.info.file), site.info.line, site.work,
                        site.span, decimal2({site.work, site.span}),
                        percent2(site.critical_work, profile.span));
  return text;
}

static std::string points(const WhatIfCurve& curve) {
  std::string text;
  for (const WhatIfPoint& point : curve.points)
    text += fmt::format("{},{}\n", point.factor, decimal2(point.parallelism));
  return text;
}

static constexpr std::string_view kAllRegionsHeader =
    "Regions Optimization factor, Whole program parallelism\n";
static constexpr std::string_view kRegionHeader =
    "Region Optimization factor, Whole program parallelism\n";

std::string write_all_regions_csv(const WhatIfCurve& curve) {
  return std::string(kAllRegionsHeader) + points(curve);
}

std::string write_region_csv(const RegionInfo& region, const WhatIfCurve& curve) {
  return fmt::format("{},{}\n{}", quote_csv(region.file), region.line, kRegionHeader) +
         points(curve);
}

bool is_profile_csv(std::string_view text) {
  return text.starts_with(kProfileHeader);
}

bool is_all_regions_csv(std::string_view text) {
  return text.starts_with(kAllRegionsHeader);
}

bool is_region_csv(std::string_view text) {
  return text.substr(text.find('\n') + 1).starts_with(kRegionHeader);
}

} // namespace tp::analysis
