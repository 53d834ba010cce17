// The steps of one stream by their times, one after the other, without what they mean.
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
  // Of a trace that has been read without an error.
  StepSequence(const TraceSource& source, std::uint32_t stream, const RunInfo& run)
      : cursor_(source, stream, run) {}
  // Steps that take time only; they do not overlap. False: there are no more.
  bool next(StepTimes& step);

private:
  StreamCursor cursor_;
};

// One per stream; they refer to `source` and `run`.
std::vector<NextStep> step_sequences(const TraceSource& source, const RunInfo& run);

} // namespace tp::analysis
