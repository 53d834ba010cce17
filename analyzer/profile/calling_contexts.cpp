// From rows to indices of sites, from ticks to ns.
#include "profile/calling_contexts.h"

#include "base/rounding.h"

#include <algorithm>
#include <map>

namespace tp::analysis {
namespace {

// What a viewer still opens; longer traces get slices of several steps.
constexpr std::uint64_t kMostSlices = 200'000;

std::uint64_t resolution(const ReadSummary& read) {
  if (read.steps <= kMostSlices || read.last_time <= read.first_time)
    return 0;
  const std::uint64_t per_stream = kMostSlices / std::max<std::uint64_t>(read.streams, 1);
  return (read.last_time - read.first_time) / std::max<std::uint64_t>(per_stream, 1) + 1;
}

// Index into Profile::sites of each row.
std::vector<std::uint32_t> sites_of_rows(const Profile& profile, const SiteTable& table) {
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> by_place;
  for (std::uint32_t site = 0; site < profile.sites.size(); ++site)
    by_place[{profile.sites[site].info.file, profile.sites[site].info.line}] = site;
  std::vector<std::uint32_t> sites(table.rows.size(), kNoSite);
  for (Row row = 0; row < table.rows.size(); ++row)
    if (const auto found = by_place.find({table.rows[row].file, table.rows[row].line});
        found != by_place.end())
      sites[row] = found->second;
  return sites;
}

} // namespace

void add_contexts(Profile& profile, const Readings& readings, const SiteTable& table) {
  const auto found =
      readings.read({}, {.composition = true, .contexts = resolution(profile.read)}).analysis;
  const std::vector<std::uint32_t> sites = sites_of_rows(profile, table);
  const auto site_of = [&](Row row) { return row < sites.size() ? sites[row] : kNoSite; };
  for (ContextId id = 0; id < found.contexts.size(); ++id) {
    const CallingContextTree::Node& node = found.contexts[id];
    const Analysis::ClassTotals& totals = found.class_totals[id];
    profile.contexts.push_back({node.parent, site_of(node.row), totals.work, totals.critical_work,
                                node.tasks, totals.steps});
  }
  for (const CallingContextTree::Edge& edge : found.context_edges)
    profile.context_edges.push_back({edge.from, edge.to, site_of(edge.row), edge.spawns,
                                     found.contexts[edge.to].parent != edge.from});
  const double hz = profile.read.time_hz > 0 ? profile.read.time_hz : 1e9; // a tick is 1 ns then
  const std::uint64_t first = profile.read.first_time;
  const auto ns = [&](std::uint64_t time) { return to_ns(time - std::min(first, time), hz); };
  for (const Timeline::Slice& slice : found.timeline)
    profile.timeline.push_back({slice.stream, site_of(slice.row), ns(slice.begin), ns(slice.end),
                                slice.work, slice.steps});
}

} // namespace tp::analysis
