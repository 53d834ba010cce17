// SPDX-License-Identifier: Apache-2.0
// From rows to indexes into the profile, from ticks to ns.
#include "profile/calling_contexts.h"

#include "base/rounding.h"

#include <algorithm>

namespace tp::analysis {
namespace {

// As many as a viewer can still open; in longer traces a slice covers several steps.
constexpr std::uint64_t kMostSlices = 200'000;

std::uint64_t resolution(const ReadSummary& read) {
  if (read.steps <= kMostSlices || read.last_time <= read.first_time)
    return 0;
  const std::uint64_t per_stream = kMostSlices / std::max<std::uint64_t>(read.streams, 1);
  return (read.last_time - read.first_time) / std::max<std::uint64_t>(per_stream, 1) + 1;
}

// Index into `sites` of each row; kNoSite for rows that are not shown.
IdVector<Row, std::uint32_t> places_of_rows(const std::vector<SiteRow>& sites, std::size_t rows) {
  IdVector<Row, std::uint32_t> places(rows);
  std::fill(places.begin(), places.end(), kNoSite);
  for (std::uint32_t place = 0; place < sites.size(); ++place)
    places[sites[place].row] = place;
  return places;
}

} // namespace

CallingContexts calling_contexts(const Measured& measured, const std::vector<SiteRow>& sites,
                                 const TraceReadings& readings) {
  CallingContexts result;
  const DagFold::Results found =
      readings.read({}, {.composition = true, .contexts = resolution(measured.read)}).fold;
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
  const double hz = measured.read.time_hz > 0 ? measured.read.time_hz : 1e9; // a tick is 1 ns then
  const std::uint64_t first = measured.read.first_time;
  const auto ns = [&](std::uint64_t time) { return to_ns(time - std::min(first, time), hz); };
  for (const Timeline::Slice& slice : found.timeline)
    result.timeline.push_back({slice.stream, site_of(slice.row), ns(slice.begin), ns(slice.end),
                               slice.work, slice.steps});
  return result;
}

} // namespace tp::analysis
