// SPDX-License-Identifier: Apache-2.0
// A step ends at its record; a step that began before the end of the previous one is cut off there.
#include "trace/step_sequence.h"

#include <algorithm>

namespace tp::analysis {

bool StepSequence::next(StepTimes& step) {
  const std::uint64_t before = step.end;
  while (cursor_.next()) {
    const trace::Op op = cursor_.record().op;
    if (op == trace::Op::Spawn || op == trace::Op::SpawnWait)
      cursor_.count_spawn();
    step = {std::max(cursor_.time().begin, before), cursor_.time().at};
    step.on_cpu = step.end - step.begin;
    if (const auto work = static_cast<double>(cursor_.record().work) * ticks_per_work_;
        ticks_per_work_ > 0 && work < static_cast<double>(step.on_cpu))
      step.on_cpu = static_cast<std::uint64_t>(work);
    if (step.begin < step.end)
      return true;
  }
  return false;
}

std::vector<NextStep> step_sequences(const TraceSource& source, const RunInfo& run) {
  std::vector<NextStep> sequences;
  for (std::uint32_t i = 0; i < source.streams.size(); ++i)
    sequences.emplace_back([steps = StepSequence(source, i, run)](StepTimes& step) mutable {
      return steps.next(step);
    });
  return sequences;
}

} // namespace tp::analysis
