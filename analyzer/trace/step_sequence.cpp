// SPDX-License-Identifier: Apache-2.0
// A step ends at its record; a step that began before the end of the previous one is cut off there.
#include "trace/step_sequence.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tp::analysis {

// What says something about the steps that follow.
void StepSequence::read_extended() {
  const trace::Record& record = cursor_.record();
  if (record.extended_kind == trace::ExtendedKind::ThreadBegin) {
    trace::ThreadBeginPayload payload;
    std::memcpy(&payload, record.payload, sizeof payload);
    is_worker_ = payload.role != static_cast<std::uint32_t>(trace::ThreadRole::Created);
    asleep_ = at_locks_ = 0; // it was before the thread's first event
  } else if (record.extended_kind == trace::ExtendedKind::Asleep && sleep_seen_) {
    trace::AsleepPayload payload;
    std::memcpy(&payload, record.payload, sizeof payload);
    asleep_ = payload.time + at_locks_;
  }
}

bool StepSequence::next(StepTimes& step) {
  const std::uint64_t before = step.end;
  while (cursor_.next()) {
    const trace::Op op = cursor_.record().op;
    if (op == trace::Op::Spawn || op == trace::Op::SpawnWait)
      cursor_.count_spawn();
    if (op == trace::Op::Extended)
      read_extended();
    if (op == trace::Op::Section || op == trace::Op::Take) {
      asleep_ += cursor_.record().wall; // waited for the lock, which the work does not contain
      at_locks_ += cursor_.record().wall;
    }
    if (!trace::closes_step(op))
      continue;
    step = {std::max(cursor_.time().begin, before), cursor_.time().at};
    step.is_worker = is_worker_;
    step.on_cpu = step.end - step.begin;
    if (const auto work = static_cast<double>(cursor_.record().work) * ticks_per_work_;
        ticks_per_work_ > 0 && work < static_cast<double>(step.on_cpu))
      step.on_cpu = static_cast<std::uint64_t>(work);
    step.asleep = step.begin < step.end
                      ? std::min(std::exchange(asleep_, 0), step.end - step.begin - step.on_cpu)
                      : std::exchange(asleep_, 0);
    step.at_locks = std::min(std::exchange(at_locks_, 0), step.asleep);
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
