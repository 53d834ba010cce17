// SPDX-License-Identifier: Apache-2.0
// The recorded DAG is simulated with the costs that each change would leave.
#include "profile/best_changes.h"

#include "profile/prediction.h"
#include "report/changes.h"
#include "report/phrases.h"

namespace tp::analysis {
namespace {

constexpr std::size_t kMostChanges = 5;

// The point at the factor that sentences quote.
WhatIfPoint* quoted(std::vector<WhatIfPoint>& points) {
  const WhatIfPoint* const point = headline_point(points);
  return point ? &points[static_cast<std::size_t>(point - points.data())] : nullptr;
}

// As far as the page's axis of CPUs.
std::vector<std::uint64_t> powers_of_two() {
  std::vector<std::uint64_t> procs;
  for (std::uint64_t each = 1; each <= kMostVerdictProcs; each *= 2)
    procs.push_back(each);
  return procs;
}

} // namespace

void predict_best_changes(Profile& profile, const std::vector<StepSet>& functions,
                          const Measured& measured, const TraceReadings& readings,
                          const ProfileOptions& options) {
  const std::vector<std::uint64_t> procs = powers_of_two();
  std::size_t made = 0;
  for (const Change& change : changes_of(profile)) {
    const bool is_region = change.kind <= ChangeKind::AllRegions;
    if (profile.prediction.scaling.empty() || made == kMostChanges)
      return;
    if (!helps(change, profile) || change.kind == ChangeKind::Wait ||
        change.kind == ChangeKind::Grain || change.kind == ChangeKind::Lock ||
        change.kind == ChangeKind::Threads)
      continue;
    ++made;
    const bool is_function = change.kind == ChangeKind::Function;
    WhatIfPoint* const point =
        quoted(is_region     ? profile.what_if[change.index].points
               : is_function ? profile.functions->functions[change.index].points
                             : profile.explored[change.index].points);
    Remedy remedy{.factor = point->factor, .is_removed = options.mode == WhatIfMode::Optimize};
    if (is_region)
      remedy.regions = profile.what_if[change.index].regions;
    else if (is_function)
      remedy.code = functions[change.index];
    else
      remedy.divided = profile.explored[change.index].classes;
    const auto times = predict_with(remedy, measured, profile.prediction, procs, readings);
    for (std::size_t i = 0; i < procs.size(); ++i)
      point->predicted.push_back({procs[i], times[i]});
  }
}

} // namespace tp::analysis
