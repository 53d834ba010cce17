// SPDX-License-Identifier: Apache-2.0
// From static ids to rows of the profile: spawn sites with the same (file, line) are one row, where
// no line is known those at the same address; regions with the same (file, line, name) one region. Made before the streams are read, because
// which invocations are outermost depends on it.
#pragma once

#include "model/profile.h"
#include "model/row_maps.h"
#include "model/run_info.h"
#include "sites/module_files.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tp::analysis {

// Where locks are acquired, one per (file, line, name that the program gives).
struct LockPlace {
  SiteInfo info;
  std::vector<std::string> kinds, names; // names: that the program gives
  std::set<std::uint32_t> columns;       // where calls make nodes there; 0: not known
  LibraryLock library;                   // whose it is, if no call of the program's is around it
};

struct SiteTable {
  IdVector<Row, SiteInfo> rows;
  // Per row, a number of the function that contains it: the caller of its invocations.
  IdVector<Row, std::uint32_t> callers;
  IdVector<RegionId, RegionInfo> regions; // by (file, line, name)
  // The first is for places that are lost.
  IdVector<LockPlaceId, LockPlace> lock_places;
  std::map<std::uint64_t, std::string> lock_names; // variables, by the address of a lock in them
  std::set<std::uint64_t> locks_in_arrays;         // addresses: as far as debug information says so
  UnseenLocks unseen_locks;
  RowMaps maps;
  std::vector<std::string> unknown_wrappers; // of those that were given
};

// `path_map`: prefixes of file names to be replaced; the longest that matches is used.
using PathMap = std::vector<std::pair<std::string, std::string>>;
std::string map_path(const std::string& path, const PathMap& path_map);

// By their text alone: the path without `.`, and without `x/..`; and as seen from a directory.
std::string normal_path(const std::string& path);
std::string relative_path(const std::string& path, const std::string& directory);

// `wrappers`: see callers.h.
SiteTable build_site_table(const SiteFile& sites, const PathMap& path_map,
                           const DebugFiles& debug_files = {},
                           const std::vector<std::string>& wrappers = {});

// Adds constructs to the rows that have none, from those of the contexts of their tasks
// (ReadSummary::constructs): the compiler's source location does not say what is called there.
void add_constructs(SiteTable& table, const IdVector<Row, std::uint64_t>& of_contexts);

} // namespace tp::analysis
