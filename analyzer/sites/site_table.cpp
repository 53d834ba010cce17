// SPDX-License-Identifier: Apache-2.0
// Merges sites into rows.
#include "sites/site_table.h"

#include "sites/constructs.h"
#include "sites/demangle.h"
#include "sites/row_names.h"
#include "sites/site_resolver.h"
#include "sites/task_type.h"
#include "sites/unseen_locks.h"

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
  const std::string by_type = look_at_task_type(demangle_type(site.type)).construct;
  return by_type.empty() ? site.construct : by_type;
}

// Where a site is, and, if a wrapper makes the call, where that is.
struct Place {
  ResolvedSite site;
  ResolvedSite wrapper; // no file: none
  bool of_other_callers = false;
  const StaticSite* site_there = nullptr; // of a filter, the site where it was made or is called
  bool is_of_member = false;              // only the line is known
};

// Where each site is. A file has one name: the one by which the compiler was given it, as in tags.
// Debug information has absolute names, also of files that were given by a relative one.
// One file may have been given to the compiler by several names, in different folders. It gets that
// of a tag, else the absolute one if the compiler was given it, else the first one by the alphabet.
void give_one_name_to_each_file(std::vector<Place>& places, const std::set<std::string>& tagged) {
  const auto absolute = [](const ResolvedSite& place) {
    return place.file.starts_with('/') ? place.file
                                       : normal_path(place.directory + '/' + place.file);
  };
  std::map<std::string, std::set<std::string>> names_of;
  for (const std::string& name : tagged)
    if (name.starts_with('/'))
      names_of[name].insert(name);
  for (const Place& place : places)
    for (const ResolvedSite* const each : {&place.site, &place.wrapper})
      if (!each->directory.empty())
        names_of[absolute(*each)].insert(each->file);
  for (Place& place : places)
    for (ResolvedSite* const each : {&place.site, &place.wrapper}) {
      if (each->directory.empty())
        continue;
      const auto& [whole, names] = *names_of.find(absolute(*each));
      const auto tag = std::ranges::find_if(
          names, [&](const std::string& name) { return tagged.contains(name); });
      each->file = tag != names.end() ? *tag : names.contains(whole) ? whole : *names.begin();
    }
}

// The names by which the compiler was given files, as far as tags have them.
std::set<std::string> files_of_tags(const SiteFile& sites) {
  std::set<std::string> files;
  for (const StaticSite& site : sites.sites)
    if (!site.file.empty())
      files.insert(site.line != 0 ? normal_path(site.file) : site.file);
  return files;
}

std::vector<Place> places_of(const SiteFile& sites, const std::set<std::string>& tagged,
                             SiteResolver& resolver, const std::vector<std::string>& wrappers,
                             std::vector<std::string>& unknown) {
  std::vector<std::vector<UserCall>> calls;
  std::map<std::uint32_t, std::size_t> index; // of the sites so far, by id
  for (const StaticSite& site : sites.sites) {
    std::vector<UserCall> own = resolver.user_calls(site);
    if (const auto around = index.find(site.around); site.around != 0 && around != index.end())
      add_callers(own, calls[around->second]);
    index.emplace(site.id, calls.size());
    calls.push_back(std::move(own));
  }
  index.clear();
  const std::vector<std::size_t> levels = calls_by_wrappers(calls, wrappers);
  unknown = unknown_wrappers(calls, wrappers);

  std::vector<Place> places;
  const auto normalize = [](ResolvedSite& place) {
    if (place.line != 0)
      place.file = normal_path(place.file);
  };
  for (std::size_t i = 0; i < sites.sites.size(); ++i) {
    const StaticSite& site = sites.sites[i];
    index.emplace(site.id, i);
    if (const auto made_at = index.find(site.of); site.filter != 0 && made_at != index.end()) {
      places.emplace_back(places[made_at->second]);
      continue;
    }
    Place place;
    place.site_there = &site;
    place.site = {
        .file = site.file, .line = site.line, .function = site.function, .found_by = site.tag};
    if (site.file.empty())
      place.site = resolver.resolve(site);
    else if (site.tag == "header")
      if (const std::uint32_t line = resolver.line_of_member(site); line != 0) {
        place.site.line = line;
        place.is_of_member = true;
      }
    if (site.construct == name_of(trace::Construct::Thread))
      if (const std::string start = resolver.start_function(site); !start.empty())
        place.site.function = start;
    normalize(place.site);
    if (levels[i] > 0) {
      place.wrapper = place.site;
      place.of_other_callers = site.has_other_callers;
      if (!site.has_other_callers) {
        place.site = calls[i][levels[i]].place;
        place.site.found_by = place.wrapper.found_by;
        normalize(place.site);
      }
    }
    places.push_back(std::move(place));
  }
  const auto name_as_tags_do = [&](ResolvedSite& place) {
    if (!place.directory.empty() && !tagged.contains(place.file))
      if (std::string given = relative_path(place.file, place.directory); tagged.contains(given))
        place.file = std::move(given);
  };
  for (Place& place : places) {
    name_as_tags_do(place.site);
    name_as_tags_do(place.wrapper);
  }
  give_one_name_to_each_file(places, tagged);
  return places;
}

// Rows of different code with the same text get one of their own, unless their wrappers differ.
void separate_files(SiteTable& table, const std::vector<RowCode>& codes) {
  for (const auto distinguish :
       {+[](const RowCode& code, std::size_t) { return "@" + code.in_module; },
        +[](const RowCode&, std::size_t number) { return "#" + std::to_string(number); }}) {
    // Filters of one place differ by their numbers.
    using Text = std::tuple<std::string, std::uint32_t, std::uint32_t, std::string, std::uint32_t>;
    std::map<Text, std::vector<Row>> rows_of;
    for (const Row row : ids_below(table.rows.end_id())) {
      const SiteInfo& info = table.rows[row];
      rows_of[{info.file, info.line, info.filter, info.wrapper.file, info.wrapper.line}].push_back(
          row);
    }
    for (const auto& [place, rows] : rows_of)
      for (std::size_t i = 0; rows.size() > 1 && i < rows.size(); ++i)
        if (const RowCode& code = codes[index_of(rows[i])]; !code.in_module.empty())
          table.rows[rows[i]].file += distinguish(code, i + 1);
  }
}

// The code of each row, and that of its wrapper.
struct Codes {
  std::vector<RowCode> of_rows, of_wrappers;
};

// `tagged`: names of files_of_tags().
Codes add_rows(SiteTable& table, const SiteFile& sites, const std::set<std::string>& tagged,
               const PathMap& path_map, SiteResolver& resolver,
               const std::vector<std::string>& wrappers) {
  Codes codes{std::vector<RowCode>(1), std::vector<RowCode>(1)};
  table.rows.push_back({.file = "main", .line = 0, .found_by = {"main"}});
  table.maps.of_library.push_back(false);
  table.maps.of_filter.push_back(false);
  table.maps.places_filter.push_back(false);
  table.maps.row_of_site.insert(trace::kMainSite, kMainRow);
  std::vector<Place> places = places_of(sites, tagged, resolver, wrappers, table.unknown_wrappers);
  // By file, line and identity, of the wrapper as well: different code is never one row. Filters of
  // a pipeline that were made in the same place are sites of their own.
  using Code = std::tuple<std::string, std::uint32_t, std::string>;
  std::map<std::tuple<Code, Code, bool, std::uint32_t>, Row> known;
  std::map<Row, std::set<Row>> calls_of; // of the pipelines of a filter
  for (std::size_t i = 0; i < places.size(); ++i) {
    const StaticSite& site = sites.sites[i];
    auto& [place, wrapper, of_other_callers, site_there, is_of_member] = places[i];
    place.file = map_path(place.file, path_map);
    wrapper.file = map_path(wrapper.file, path_map);
    const auto [it, fresh] = known.try_emplace({{place.file, place.line, place.identity},
                                                {wrapper.file, wrapper.line, wrapper.identity},
                                                of_other_callers,
                                                site.filter},
                                               table.rows.end_id());
    if (fresh) {
      table.rows.push_back({.name = place.name,
                            .file = place.file,
                            .line = place.line,
                            .wrapper = {wrapper.file, wrapper.line},
                            .wrapper_function = wrapper.function,
                            .of_other_callers = of_other_callers,
                            .filter = site.filter});
      table.maps.of_library.push_back(place.of_library);
      table.maps.of_filter.push_back(site.filter != 0);
      table.maps.places_filter.push_back(false);
      codes.of_rows.push_back({place.what, place.place, place.in_module});
      codes.of_wrappers.push_back({wrapper.what, wrapper.place, wrapper.in_module});
    }
    SiteInfo& row = table.rows[it->second];
    add_once(row.filter_modes, site.mode);
    if (site.filter != 0)
      for (const std::uint32_t id : {site.of, site.call})
        if (const Row* const used = table.maps.row_of_site.find(id); used && *used != kMainRow) {
          table.maps.places_filter[index_of(*used)] = true;
          // Without tags the place of a filter is that of its pipeline's call.
          if (id == site.call || (site.call == 0 && site_there->tag == "address"))
            calls_of[it->second].insert(*used);
        }
    add_once(row.functions, place.function);
    add_once(row.constructs, construct_of(site));
    if (site.construct == name_of(trace::Construct::OmpTaskloop)) {
      table.maps.of_taskloop.resize(table.rows.size());
      table.maps.of_taskloop[index_of(it->second)] = true;
    }
    add_once(row.found_by, place.found_by);
    if (wrapper.file.empty()) { // else those of the wrapper's call
      const std::uint32_t column = is_of_member ? 0 : site_there->column;
      if (row.column == 0)
        row.column = column;
      row.is_one_call &= row.column == column;
      row.end_line = std::max(row.end_line, is_of_member ? row.line : site_there->end_line);
    }
    if (const Row* const region = table.maps.row_of_site.find(site.around);
        site.around != 0 && region && std::ranges::find(row.regions, *region) == row.regions.end())
      row.regions.push_back(*region);
    row.site_ids.push_back(site.id);
    table.maps.row_of_site.insert(site.id, it->second);
  }
  // For tasks whose spawn or site is lost; shown only if there are any.
  table.maps.unknown_row =
      table.rows.push_back({.file = "unknown", .line = 0, .found_by = {"lost"}});
  table.maps.of_library.push_back(false);
  codes.of_rows.emplace_back();
  codes.of_wrappers.emplace_back();
  separate_files(table, codes.of_rows);
  for (const auto& [filter, calls] : calls_of)
    for (const Row row : calls) {
      const SiteInfo& call = table.rows[row];
      table.rows[filter].pipelines.push_back({call.file, call.line,
                                              call.functions.empty() ? "" : call.functions.front(),
                                              call.wrapper});
    }
  for (SiteInfo& row : table.rows)
    std::ranges::sort(row.pipelines, {}, [](const PipelineCall& call) {
      return std::tie(call.file, call.line, call.wrapper.file, call.wrapper.line);
    });
  return codes;
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

// How files with absolute paths are shown: without the folder that all of them have in common; if that is
// none, by as much of their ends as distinguishes them.
class ShownFiles {
public:
  explicit ShownFiles(const SiteTable& table) {
    for (const SiteInfo& row : table.rows) {
      add(row.file);
      add(row.wrapper.file);
    }
    for (const RegionInfo& region : table.regions)
      add(region.file);
    if (files_.empty())
      return;
    const std::string &first = *files_.begin(), &last = *files_.rbegin();
    const auto end = std::mismatch(first.begin(), first.end(), last.begin(), last.end()).first;
    common_ = std::string(first.begin(), end);
    common_.resize(common_.rfind('/') + 1);
    if (common_ != "/")
      return;
    for (const std::string& file : files_)
      count_ends(file);
    for (const std::string& file : relative_)
      count_ends("/" + file);
  }
  // "file:line"
  std::string place(const std::string& file, std::uint32_t line) const {
    return fmt::format("{}:{}", shown(file), line);
  }

private:
  void add(const std::string& file) {
    if (!file.empty())
      (file.starts_with('/') ? files_ : relative_).insert(file);
  }
  void count_ends(const std::string& file) {
    for (std::size_t at = file.rfind('/'); at > 0; at = file.rfind('/', at - 1))
      ++with_end_[file.substr(at)];
    ++with_end_[file];
  }
  std::string shown(const std::string& file) const {
    if (common_.empty() || !file.starts_with(common_))
      return file;
    if (common_ != "/")
      return file.substr(common_.size());
    for (std::size_t at = file.rfind('/'); at > 0; at = file.rfind('/', at - 1))
      if (const auto found = with_end_.find(file.substr(at));
          found != with_end_.end() && found->second == 1)
        return file.substr(at + 1);
    return file;
  }

  std::set<std::string> files_, relative_;
  std::string common_;
  std::map<std::string, std::size_t> with_end_; // number of files that end so
};

// The names of the wrappers without a line, by file: as short as they can be while no two are the
// same.
std::map<std::string, std::string> wrapper_names(const SiteTable& table,
                                                 const std::vector<RowCode>& codes) {
  std::map<std::string, RowCode> code_of;
  for (const Row row : ids_below(table.rows.end_id()))
    if (const auto& [file, line] = table.rows[row].wrapper; !file.empty() && line == 0)
      code_of[file] = codes[index_of(row)];
  IdVector<Row, SiteInfo> wrappers;
  std::vector<RowCode> codes_of_wrappers;
  for (const auto& [file, code] : code_of) {
    wrappers.push_back({.file = file});
    codes_of_wrappers.push_back(code);
  }
  name_codes(wrappers, codes_of_wrappers);
  std::map<std::string, std::string> names;
  for (const SiteInfo& wrapper : wrappers)
    names.emplace(wrapper.file, wrapper.name);
  return names;
}

void name_places(SiteTable& table, Codes codes) {
  const ShownFiles files(table);
  const auto place = [&](const std::string& file, std::uint32_t line) {
    return files.place(file, line);
  };
  for (SiteInfo& row : table.rows)
    if (row.name.empty() && row.line != 0)
      row.name = place(row.file, row.line);
  const std::map<std::string, std::string> wrappers = wrapper_names(table, codes.of_wrappers);
  const auto place_or_name = [&](const std::string& file, std::uint32_t line) {
    if (line != 0)
      return place(file, line);
    const auto wrapper = wrappers.find(file);
    return wrapper == wrappers.end() ? file : wrapper->second;
  };
  for (const Row row : ids_below(table.rows.end_id()))
    if (const auto& [file, line] = table.rows[row].wrapper; table.rows[row].of_other_callers)
      codes.of_rows[index_of(row)].suffix = " (other callers)";
    else if (line != 0)
      codes.of_rows[index_of(row)].suffix = " <- " + place(file, line);
    else
      codes.of_rows[index_of(row)].wrapper = codes.of_wrappers[index_of(row)].what;
  name_codes(table.rows, codes.of_rows);
  for (const Row id : ids_below(table.rows.end_id())) {
    SiteInfo& row = table.rows[id];
    row.name += codes.of_rows[index_of(id)].suffix;
    if (const auto& [file, line] = row.wrapper; !file.empty() && line == 0 && !row.of_other_callers)
      row.name += " <- " + place_or_name(file, line);
    for (PipelineCall& call : row.pipelines) {
      call.name = call.line == 0 ? call.file : place(call.file, call.line);
      if (const auto& [file, line] = call.wrapper; !file.empty())
        call.name += " <- " + place_or_name(file, line);
    }
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

// Locks with different names at one line are different places, up to this number.
constexpr std::size_t kMostNames = 64;

// Which place of locks each of `sites.lock_places` is, by row and name; `rows`: of each.
std::vector<LockPlaceId> divide_by_name(SiteTable& table, const SiteFile& sites,
                                        const std::vector<Row>& rows) {
  std::map<Row, std::map<std::string, LockPlaceId>> by_name;
  for (std::size_t i = 0; i < rows.size(); ++i)
    by_name[rows[i]].emplace(sites.lock_places[i].name, LockPlaceId{});
  for (auto& [row, names] : by_name) {
    // Rows have the numbers of their places: main's is that of unknown places.
    const auto first = static_cast<LockPlaceId>(index_of(row));
    const bool is_divided = names.size() <= kMostNames;
    bool is_first = true;
    for (auto& [name, id] : names) {
      id = first;
      if (is_divided && !is_first) {
        id = table.lock_places.end_id();
        LockPlace other = table.lock_places[first];
        table.lock_places.push_back(std::move(other));
      }
      is_first = false;
      if (is_divided && names.size() > 1)
        table.lock_places[id].info.site_ids.clear();
    }
  }
  std::vector<LockPlaceId> result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::map<std::string, LockPlaceId>& names = by_name[rows[i]];
    const LockPlaceId id = names.at(sites.lock_places[i].name);
    if (names.size() > 1 && names.size() <= kMostNames)
      table.lock_places[id].info.site_ids.push_back(sites.lock_places[i].site.id + 1);
    result.push_back(id);
  }
  return result;
}

// Places of locks are named by the rules for spawn sites, and their files as those of sites.
void add_lock_places(SiteTable& table, const SiteFile& sites, const PathMap& path_map,
                     SiteResolver& resolver, const std::vector<std::string>& wrappers) {
  table.lock_places.push_back(
      {.info = {.name = "unknown", .file = "unknown", .found_by = {"lost"}}});
  if (sites.lock_places.empty())
    return;
  SiteFile file;
  for (const StaticLockPlace& place : sites.lock_places) {
    file.sites.push_back(place.site);
    ++file.sites.back().id; // 0 would be that of main
  }
  SiteTable places;
  Codes codes = add_rows(places, file, files_of_tags(sites), path_map, resolver, wrappers);
  name_places(places, std::move(codes));
  for (const Row row : ids_below(places.rows.end_id()))
    if (row != kMainRow && row != places.maps.unknown_row)
      table.lock_places.push_back({.info = places.rows[row]});
  std::vector<Row> rows;
  for (const auto& site : file.sites)
    rows.push_back(*places.maps.row_of_site.find(site.id));
  const std::vector<LockPlaceId> ids = divide_by_name(table, sites, rows);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const LockPlaceId id = ids[i];
    add_once(table.lock_places[id].kinds, sites.lock_places[i].kind);
    add_once(table.lock_places[id].names, sites.lock_places[i].name);
    table.lock_places[id].columns.insert(sites.lock_places[i].site.column);
    table.lock_places[id].library = resolver.library_lock(sites.lock_places[i].site);
    table.maps.lock_place_of_id.insert(sites.lock_places[i].site.id, id);
  }
  for (LockPlace& place : table.lock_places)
    for (std::uint32_t& id : place.info.site_ids)
      --id;
  table.maps.lock_places = index_of(table.lock_places.end_id());
  std::map<std::string, std::uint32_t> variables;
  for (const StaticLock& lock : sites.locks)
    if (std::string name = resolver.variable(lock.at); !name.empty()) {
      const auto next = static_cast<std::uint32_t>(variables.size() + 1);
      table.maps.lock_variables.emplace(lock.address,
                                        variables.try_emplace(name, next).first->second);
      table.lock_names.emplace(lock.address, std::move(name));
    }
  std::vector<CodeAddress> addresses;
  for (const StaticLock& lock : sites.locks)
    addresses.push_back(lock.at);
  const std::vector<bool> in_arrays = resolver.are_in_arrays(addresses);
  for (std::size_t i = 0; i < sites.locks.size(); ++i)
    if (in_arrays[i])
      table.locks_in_arrays.insert(sites.locks[i].address);
}

void add_unseen_locks(SiteTable& table, const PathMap& path_map, SiteResolver& resolver,
                      const std::vector<Module>& others) {
  table.unseen_locks = resolver.unseen_locks();
  add_unseen_locks_of_others(others, table.unseen_locks);
  const ShownFiles files(table);
  for (UnseenLock& lock : table.unseen_locks.locks) {
    if (lock.file.empty())
      continue;
    lock.file = map_path(normal_path(lock.file), path_map);
    lock.place = files.place(lock.file, lock.line);
  }
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

SiteTable build_site_table(const SiteFile& sites, const PathMap& path_map,
                           const DebugFiles& debug_files,
                           const std::vector<std::string>& wrappers) {
  SiteResolver resolver(sites.modules, debug_files);
  SiteTable table;
  Codes codes = add_rows(table, sites, files_of_tags(sites), path_map, resolver, wrappers);
  add_regions(table, sites, path_map);
  number_callers(table);
  name_places(table, std::move(codes));
  add_lock_places(table, sites, path_map, resolver, wrappers);
  add_unseen_locks(table, path_map, resolver, sites.others);
  for (const std::string& path : sites.past_locks)
    table.unseen_locks.past.push_back(std::filesystem::path(path).filename());
  return table;
}

} // namespace tp::analysis
