// Threads share nothing but the trace and the tables, which nobody changes.
#include "profile/trace_readings.h"

#include "base/parallel.h"
#include "dag/dag_reader.h"
#include "trace/step_sequence.h"

#include <algorithm>

namespace tp::analysis {

void Readings::begin_phase(const std::string& name) const {
  if (progress_)
    progress_->begin(name);
}

void Readings::expect(std::size_t readings) const {
  if (progress_)
    progress_->expect(readings, source_.bytes());
}

Readings::Result Readings::read(const WhatIfPlan& plan, const Wanted& wanted) const {
  expect(1);
  return read_once(plan, wanted);
}

void Readings::read(DagVisitor& visitor) const {
  expect(1);
  read_once(visitor);
}

Readings::Result Readings::read_once(const WhatIfPlan& plan, const Wanted& wanted) const {
  Analysis analysis({.plan = plan,
                     .callers = table_.callers,
                     .regions = table_.regions.size(),
                     .mode = mode_,
                     .sites = wanted.sites,
                     .composition = wanted.composition,
                     .burden = wanted.burden,
                     .contexts = wanted.contexts});
  Result result;
  result.summary = DpstReader(source_, info_, table_.maps, analysis).run();
  result.analysis = analysis.results();
  return result;
}

void Readings::read_once(DagVisitor& visitor) const {
  DpstReader(source_, info_, table_.maps, visitor).run();
}

IdleTime Readings::idle_time(std::uint64_t workers, const ReadSummary& summary) const {
  expect(1);
  return {step_sequences(source_, info_.run), workers, summary.first_time, summary.last_time};
}

std::vector<WhatIfLength> Readings::evaluate(const WhatIfPlan& plan) const {
  std::vector<WhatIfLength> lengths(plan.scenarios.size());
  const std::size_t batches =
      (plan.scenarios.size() + kScenariosPerReading - 1) / kScenariosPerReading;
  expect(batches);
  side_by_side(jobs_, batches, [&](std::size_t batch) {
    const std::size_t begin = batch * kScenariosPerReading;
    const std::size_t end = std::min(begin + kScenariosPerReading, plan.scenarios.size());
    const auto found = read_once(plan.part(begin, end), {}).analysis.what_if;
    std::ranges::copy(found, lengths.begin() + static_cast<std::ptrdiff_t>(begin));
  });
  return lengths;
}

std::vector<GrainTrials::Result>
Readings::try_grains(const std::vector<GrainChange>& changes) const {
  std::vector<GrainTrials::Result> results(changes.size());
  const std::size_t batches = (changes.size() + GrainTrials::kMost - 1) / GrainTrials::kMost;
  expect(batches);
  side_by_side(jobs_, batches, [&](std::size_t batch) {
    const std::size_t begin = batch * GrainTrials::kMost;
    const std::size_t count = std::min(changes.size() - begin, GrainTrials::kMost);
    GrainTrials trials({changes.data() + begin, count});
    read_once(trials);
    std::ranges::copy(trials.results(), results.begin() + static_cast<std::ptrdiff_t>(begin));
  });
  return results;
}

} // namespace tp::analysis
