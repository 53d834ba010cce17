// SPDX-License-Identifier: Apache-2.0
// RUN CHECK: is the time of this run what is predicted for its own number of CPUs? If not, what does the
// run show about the difference? Work and the DAG are those of this very run, so caches and memory
// are no cause: what they cost is in the work.
#pragma once

#include "model/concurrency_limit.h"
#include "model/prediction.h"
#include "model/run_check.h"
#include "model/run_time.h"
#include "model/site.h"
#include "profile/measured.h"
#include "profile/trace_readings.h"

#include <string>
#include <vector>

namespace tp::analysis {

struct RunCheckInput {
  const Measured& measured;
  const Prediction& prediction;
  const ElapsedTime& elapsed;
  const TimeBalance& balance;
  const std::vector<SiteRow>& sites; // with their parts of the path of the run
  const std::vector<ConcurrencyLimit>& limits;
  const std::vector<LockRow>& locks;
  const TraceReadings& readings;
  bool from_first_use = false;
  std::uint64_t unknown_threads_ns = 0; // CPU time of threads that were not recorded
};

RunCheck check_run(const RunCheckInput& input);

} // namespace tp::analysis
