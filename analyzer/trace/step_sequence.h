// SPDX-License-Identifier: Apache-2.0
// The times of the steps of one stream, in order, without their meaning.
#pragma once

#include "model/run_info.h"
#include "model/step_times.h"
#include "trace/stream_cursor.h"
#include "trace/trace_source.h"

#include <cstdint>
#include <vector>

namespace tp::analysis {

class StepSequence {
public:
  // The trace has been read before without an error. `source` and `run` outlive this.
  StepSequence(const TraceSource& source, std::uint32_t stream, const RunInfo& run)
      : cursor_(source, stream, run), sleep_seen_(run.same_as_time && run.sleep_seen),
        ticks_per_work_(run.same_as_time ? 1
                        : run.work.hz == 0
                            ? 0
                            : static_cast<double>(run.time.hz) / static_cast<double>(run.work.hz)) {
  }
  // Only steps that take time; they do not overlap. False: no more follow.
  bool next(StepTimes& step);

private:
  void read_extended();

  StreamCursor cursor_;
  const bool sleep_seen_;                   // in ticks
  std::uint64_t asleep_ = 0, at_locks_ = 0; // of the next step
  bool is_worker_ = true;                   // the thread that has the stream
  double ticks_per_work_;                   // 0: work is not time
};

// One per stream; `source` and `run` outlive them.
std::vector<NextStep> step_sequences(const TraceSource& source, const RunInfo& run);

} // namespace tp::analysis
