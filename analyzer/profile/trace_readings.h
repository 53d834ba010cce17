// READINGS: one trace, read as often as the questions need. Each reading streams the whole trace
// through a DagFold of its own, so that readings which do not depend on each other run side by
// side, on `jobs` threads; what they find out does not depend on how many those are.
#pragma once

#include "base/progress_sink.h"
#include "model/read_summary.h"
#include "passes/dag_fold.h"
#include "passes/grain_trials.h"
#include "passes/idle_time.h"
#include "sites/site_table.h"
#include "trace/trace_source.h"

#include <vector>

namespace tp::analysis {

class TraceReadings {
public:
  TraceReadings(const TraceSource& source, const TraceInfo& info, const SiteTable& table,
                WhatIfMode mode, unsigned jobs, ProgressSink* progress = nullptr)
      : source_(source), info_(info), table_(table), mode_(mode), jobs_(jobs), progress_(progress) {
  }

  struct Result {
    DagFold::Results fold;
    ReadSummary summary;
  };
  // What a reading is to find out beside the lengths of its plan.
  struct Wanted {
    bool sites = false;
    bool composition = false;
    std::uint64_t burden = 0;
    std::optional<std::uint64_t> contexts = {};
  };
  Result read(const WhatIfPlan& plan, const Wanted& wanted) const;
  // For another visitor.
  void read(DagVisitor& visitor) const;
  // When fewer steps ran than there were workers, in a trace with this summary.
  IdleTime idle_time(std::uint64_t workers, const ReadSummary& summary) const;
  // All scenarios of a plan, in as many readings as it takes.
  std::vector<WhatIfLength> evaluate(const WhatIfPlan& plan) const;
  // One result per change, in as many readings as it takes.
  std::vector<GrainTrials::Result> try_grains(const std::vector<GrainChange>& changes) const;

  unsigned jobs() const { return jobs_; }
  // For whoever waits: what the readings from here on are for.
  void begin_phase(const std::string& name) const;

  // More lengths per path than this are slower than another reading.
  static constexpr std::size_t kScenariosPerReading = 128;

private:
  void expect(std::size_t readings) const;
  Result read_once(const WhatIfPlan& plan, const Wanted& wanted) const;
  void read_once(DagVisitor& visitor) const;

  const TraceSource& source_;
  const TraceInfo& info_;
  const SiteTable& table_;
  const WhatIfMode mode_;
  const unsigned jobs_;
  ProgressSink* const progress_; // null: nobody waits
};

} // namespace tp::analysis
