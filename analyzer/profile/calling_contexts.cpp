// SPDX-License-Identifier: Apache-2.0
// From rows to indexes into the profile, from ticks to ns.
#include "profile/calling_contexts.h"

#include "base/rounding.h"
#include "profile/pictures.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tp::analysis {
namespace {

// Index into `sites` of each row; kNoSite for rows that are not shown.
IdVector<Row, std::uint32_t> places_of_rows(const std::vector<SiteRow>& sites, std::size_t rows) {
  IdVector<Row, std::uint32_t> places(rows);
  std::fill(places.begin(), places.end(), kNoSite);
  for (std::uint32_t place = 0; place < sites.size(); ++place)
    places[sites[place].row] = place;
  return places;
}

// Beyond the limit on contexts it is not known from where.
std::vector<SiteSpawns> spawns_by_site(const std::vector<ContextRow>& rows,
                                       const std::vector<ContextEdge>& edges) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> sums;
  for (const ContextEdge& edge : edges)
    sums[{edge.site, rows[edge.from].site}] += edge.spawns;
  std::vector<SiteSpawns> spawns;
  for (const auto& [sites, count] : sums)
    spawns.push_back({sites.second, sites.first, count});
  return spawns;
}

Counters counters_of(const Timeline::Counters& found, const ReadSummary& read, double hz) {
  Counters result{.extent_ns =
                      to_ns(read.last_time - std::min(read.first_time, read.last_time), hz),
                  .overhead = sums_in_ns(found.overhead.take(), hz),
                  .no_cpu = sums_in_ns(found.no_cpu.take(), hz),
                  .steals = found.steals};
  for (const auto& [stream, idle] : found.idle) {
    result.streams.push_back(stream);
    result.idle.push_back(sums_in_ns(idle.take(), hz));
  }
  return result;
}

} // namespace

CallingContexts calling_contexts(const Measured& measured, const std::vector<SiteRow>& sites,
                                 const TraceReadings& readings) {
  CallingContexts result;
  const DagFold::Results found =
      readings
          .read({}, {.composition = true,
                     .contexts = TimelineSetup{.first = measured.read.first_time,
                                               .last = measured.read.last_time,
                                               .work_is_time = measured.run().same_as_time},
                     .samples = readings.samples() != nullptr})
          .fold;
  const auto places = places_of_rows(sites, measured.table.rows.size());
  const auto site_of = [&](Row row) { return places.contains(row) ? places[row] : kNoSite; };
  for (const ContextId id : ids_below(found.contexts.end_id())) {
    const CallingContextTree::Node& node = found.contexts[id];
    const DagFold::StepTotals& totals = found.context_totals[id];
    result.rows.push_back({index_of(node.parent), site_of(node.row), totals.work,
                           totals.critical_work, node.tasks, totals.steps});
  }
  for (const CallingContextTree::Edge& edge : found.context_edges)
    result.edges.push_back({index_of(edge.from), index_of(edge.to), site_of(edge.row), edge.spawns,
                            found.contexts[edge.to].parent != edge.from});
  result.spawns = spawns_by_site(result.rows, result.edges);
  result.samples = found.samples;
  const double hz = measured.read.time_hz > 0 ? measured.read.time_hz : 1e9; // a tick is 1 ns then
  const std::uint64_t first = measured.read.first_time;
  const auto ns = [&](std::uint64_t time) { return to_ns(time - std::min(first, time), hz); };
  for (const Timeline::Slice& slice : found.timeline)
    result.timeline.push_back({slice.stream, site_of(slice.row), ns(slice.begin), ns(slice.end),
                               slice.work, slice.steps, to_ns(slice.outside, hz), slice.several,
                               slice.left_out});
  result.counters = counters_of(*found.counters, measured.read, hz);
  return result;
}

} // namespace tp::analysis
