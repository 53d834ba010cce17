// SPDX-License-Identifier: Apache-2.0
// What exports show in addition to the profile: calling contexts and the timeline, from a reading
// of their own.
#pragma once

#include "model/profile.h"
#include "profile/measured.h"
#include "profile/trace_readings.h"

#include <vector>

namespace tp::analysis {

struct CallingContexts {
  std::vector<ContextRow> rows;
  std::vector<ContextEdge> edges;
  std::vector<SiteSpawns> spawns;
  std::vector<TimelineSlice> timeline;
  Counters counters;
  IdVector<StepClassId, ClassSamples> samples; // of each row, where readings know any
};

// `sites`: in the order of the profile; the result refers to them by index.
CallingContexts calling_contexts(const Measured& measured, const std::vector<SiteRow>& sites,
                                 const TraceReadings& readings);

} // namespace tp::analysis
