// SPDX-License-Identifier: Apache-2.0
// Merges sites into rows.
#include "sites/site_table.h"

#include "sites/constructs.h"
#include "sites/cxx_names.h"
#include "sites/site_resolver.h"
#include "sites/task_type.h"

#include "tp/trace/trace_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

namespace tp::analysis {
namespace {

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
    names.push_back(name);
}

// The context of an untagged task may be the user's own, and then says less than the type of the
// task.
std::string construct_of(const StaticSite& site) {
  if (site.filter != 0)
    return std::string(name_of(trace::Construct::ParallelPipeline));
  const std::string by_type = look_at_task_type(demangle(site.type)).construct;
  return by_type.empty() ? site.construct : by_type;
}

// Where each site is. A file has one name: the one by which the compiler was given it, as in tags.
// Debug information has absolute names, also of files that were given by a relative one.
std::vector<ResolvedSite> places_of(const SiteFile& sites) {
  SiteResolver resolver(sites.modules);
  std::vector<ResolvedSite> places;
  std::set<std::string> tagged;
  std::map<std::uint32_t, std::size_t> index; // of the sites so far, by id
  for (const StaticSite& site : sites.sites) {
    const auto made_at = site.filter == 0 ? index.end() : index.find(site.of);
    index.emplace(site.id, places.size());
    ResolvedSite place{site.file, site.line, site.function, site.tag, ""};
    if (made_at != index.end()) {
      places.push_back(ResolvedSite(places[made_at->second]));
      continue;
    }
    if (site.file.empty())
      place = resolver.resolve(site);
    if (place.line != 0)
      place.file = normal_path(place.file);
    if (!site.file.empty())
      tagged.insert(place.file);
    places.push_back(std::move(place));
  }
  for (ResolvedSite& place : places)
    if (!place.directory.empty() && !tagged.contains(place.file))
      if (std::string given = relative_path(place.file, place.directory); tagged.contains(given))
        place.file = std::move(given);
  return places;
}

void add_rows(SiteTable& table, const SiteFile& sites, const PathMap& path_map) {
  table.rows.push_back({.file = "main", .line = 0, .found_by = {"main"}});
  table.maps.of_library.push_back(false);
  table.maps.of_filter.push_back(false);
  table.maps.places_filter.push_back(false);
  table.maps.row_of_site.insert(trace::kMainSite, kMainRow);
  const std::vector<ResolvedSite> places = places_of(sites);
  // Filters of a pipeline that were made in the same place are sites of their own.
  std::map<std::tuple<std::string, std::uint32_t, std::uint32_t>, Row> known;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const StaticSite& site = sites.sites[i];
    ResolvedSite place = places[i];
    place.file = map_path(place.file, path_map);
    const auto [it, fresh] =
        known.try_emplace({place.file, place.line, site.filter}, table.rows.end_id());
    if (fresh) {
      table.rows.push_back(
          {.name = place.name, .file = place.file, .line = place.line, .filter = site.filter});
      table.maps.of_library.push_back(place.of_library);
      table.maps.of_filter.push_back(site.filter != 0);
      table.maps.places_filter.push_back(false);
    }
    SiteInfo& row = table.rows[it->second];
    add_once(row.filter_modes, site.mode);
    if (site.filter != 0)
      for (const std::uint32_t place_of : {site.of, site.call})
        if (const Row* const used = table.maps.row_of_site.find(place_of);
            used && *used != kMainRow)
          table.maps.places_filter[index_of(*used)] = true;
    add_once(row.functions, place.function);
    add_once(row.constructs, construct_of(site));
    add_once(row.found_by, place.found_by);
    if (row.column == 0)
      row.column = site.column;
    row.end_line = std::max(row.end_line, site.end_line);
    row.site_ids.push_back(site.id);
    table.maps.row_of_site.insert(site.id, it->second);
  }
  // For tasks whose spawn or site is lost; shown only if there are any.
  table.maps.unknown_row =
      table.rows.push_back({.file = "unknown", .line = 0, .found_by = {"lost"}});
  table.maps.of_library.push_back(false);
}

void add_regions(SiteTable& table, const SiteFile& sites, const PathMap& path_map) {
  using Key = std::tuple<std::string, std::uint32_t, std::string>; // file, line, name
  std::map<Key, std::vector<const StaticRegion*>> by_key;
  for (const StaticRegion& region : sites.regions)
    by_key[{map_path(region.file, path_map), region.line, region.name}].push_back(&region);
  for (const auto& [key, regions] : by_key) {
    RegionInfo info{.file = std::get<0>(key), .line = std::get<1>(key)};
    for (const StaticRegion* region : regions) {
      add_once(info.names, region->name);
      info.expected_factor = std::max(info.expected_factor, region->factor);
      table.maps.region_of_id.insert(region->id, table.regions.end_id());
    }
    table.regions.push_back(std::move(info));
  }
}

// The directory, with its slash, that contains all files with an absolute path.
std::string common_directory(const SiteTable& table) {
  std::string common;
  bool any = false;
  const auto consider = [&](const std::string& file) {
    if (file.empty() || file[0] != '/')
      return;
    const std::string directory = file.substr(0, file.rfind('/') + 1);
    const auto end =
        std::mismatch(common.begin(), common.end(), directory.begin(), directory.end());
    common = any ? std::string(common.begin(), end.first) : directory;
    common.resize(common.rfind('/') + 1);
    any = true;
  };
  for (const SiteInfo& row : table.rows)
    consider(row.file);
  for (const RegionInfo& region : table.regions)
    consider(region.file);
  return common;
}

void name_places(SiteTable& table) {
  const std::string common = common_directory(table);
  const auto place = [&](const std::string& file, std::uint32_t line) {
    const bool inside = !common.empty() && file.starts_with(common);
    return fmt::format("{}:{}", inside ? file.substr(common.size()) : file, line);
  };
  for (SiteInfo& row : table.rows) {
    if (row.name.empty())
      row.name = row.line == 0 ? row.file : place(row.file, row.line);
    if (row.filter != 0)
      row.name = fmt::format("filter {} of {}", row.filter, row.name);
  }
  for (RegionInfo& region : table.regions)
    region.place = place(region.file, region.line);
}

// Rows with a function in common have the same caller; a row whose function is unknown has its own.
void number_callers(SiteTable& table) {
  auto& callers = table.callers; // a forest until all rows are in it
  callers.resize(table.rows.size());
  const auto root = [&](Row row) {
    while (callers[row] != index_of(row))
      row = static_cast<Row>(callers[row] = callers[static_cast<Row>(callers[row])]);
    return index_of(row);
  };
  std::map<std::pair<std::string, std::string>, Row> first_row;
  for (const Row row : ids_below(table.rows.end_id())) {
    callers[row] = index_of(row);
    for (const std::string& function : table.rows[row].functions)
      callers[static_cast<Row>(root(row))] =
          root(first_row.try_emplace({table.rows[row].file, function}, row).first->second);
  }
  for (const Row row : ids_below(table.rows.end_id()))
    callers[row] = root(row);
}

} // namespace

std::string map_path(const std::string& path, const PathMap& path_map) {
  const std::pair<std::string, std::string>* best = nullptr;
  for (const auto& rule : path_map)
    if (path.compare(0, rule.first.size(), rule.first) == 0 &&
        (!best || rule.first.size() > best->first.size()))
      best = &rule;
  return best ? best->second + path.substr(best->first.size()) : path;
}

std::string normal_path(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

std::string relative_path(const std::string& path, const std::string& directory) {
  return std::filesystem::path(path).lexically_relative(directory).string();
}

void add_constructs(SiteTable& table, const IdVector<Row, std::uint64_t>& of_contexts) {
  for (const Row row : ids_below(table.rows.end_id())) {
    std::vector<std::string>& constructs = table.rows[row].constructs;
    if (row == kMainRow || !constructs.empty())
      continue;
    for (std::size_t i = 1; i < std::size(trace::kConstructNames); ++i) // 0: no context is known
      if (of_contexts[row] >> i & 1)
        constructs.emplace_back(trace::kConstructNames[i]);
  }
}

SiteTable build_site_table(const SiteFile& sites, const PathMap& path_map) {
  SiteTable table;
  add_rows(table, sites, path_map);
  add_regions(table, sites, path_map);
  number_callers(table);
  name_places(table);
  return table;
}

} // namespace tp::analysis
