// SPDX-License-Identifier: Apache-2.0
// From rows to indices into the profile.
#include "profile/code_segments.h"

#include "profile/code_names.h"

#include <algorithm>

namespace tp::analysis {

static_assert(std::size(kEventNames) == kBoundaryKinds &&
              static_cast<std::size_t>(EventKind::End) ==
                  static_cast<std::size_t>(BoundaryKind::End) &&
              static_cast<std::size_t>(EventKind::Wait) ==
                  static_cast<std::size_t>(BoundaryKind::Wait));

std::vector<CodeSegment> code_segments(const Measured& measured, const std::vector<SiteRow>& sites,
                                       const IdVector<StepClassId, std::uint64_t>& idle_ns) {
  IdVector<Row, std::uint32_t> index(measured.table.rows.size());
  std::ranges::fill(index, kNoSite);
  for (std::size_t i = 0; i < sites.size(); ++i)
    index[sites[i].row] = static_cast<std::uint32_t>(i);
  const auto site_of = [&](const Boundary& boundary) {
    return names_row(boundary) ? index[boundary.row] : kNoSite;
  };
  std::vector<CodeSegment> segments;
  for (const StepClassId id : ids_below(measured.fold.classes.end_id())) {
    const StepClass& of = measured.fold.classes[id];
    const DagFold::StepTotals& totals = measured.fold.class_totals[id];
    segments.push_back({.site = index[of.row],
                        .opened = static_cast<EventKind>(of.opened.kind),
                        .closed = static_cast<EventKind>(of.closed.kind),
                        .opened_site = site_of(of.opened),
                        .closed_site = site_of(of.closed),
                        .count = totals.steps,
                        .work = totals.work,
                        .critical_work = totals.critical_work,
                        .idle_blame_ns = idle_ns.contains(id) ? idle_ns[id] : 0});
  }
  std::ranges::stable_sort(segments, std::ranges::greater(), &CodeSegment::critical_work);
  return segments;
}

} // namespace tp::analysis
