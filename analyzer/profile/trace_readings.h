// SPDX-License-Identifier: Apache-2.0
// READINGS: one trace, read as often as the questions require. Each reading streams the whole trace
// through a DagFold of its own, so independent readings run concurrently, on up to `jobs` threads.
// Results do not depend on `jobs`.
#pragma once

#include "base/progress_sink.h"
#include "model/concurrency.h"
#include "model/concurrency_limit.h"
#include "model/read_summary.h"
#include "passes/dag_fold.h"
#include "passes/grain_trials.h"
#include "passes/idle_time.h"
#include "passes/lock_law.h"
#include "profile/profile_options.h"
#include "sites/site_table.h"
#include "trace/trace_source.h"

#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace tp::analysis {

class TraceReadings {
public:
  TraceReadings(const TraceSource& source, const TraceInfo& info, const SiteTable& table,
                const ProfileOptions& options)
      : source_(source), info_(info), table_(table), mode_(options.mode), jobs_(options.jobs),
        from_first_use_(options.from_first_use), progress_(options.progress) {}

  struct Result {
    DagFold::Results fold;
    ReadSummary summary;
  };
  // What a reading computes in addition to the lengths of its plan.
  struct Wanted {
    bool sites = false;
    bool composition = false;
    bool pools = false;               // what of the plan's sets ran in which
    std::span<const Row> chains = {}; // as FoldSetup::chains
    std::uint64_t burden = 0;
    std::optional<TimelineSetup> contexts = {};
    const IdVector<Row, std::uint64_t>* join_costs = nullptr; // as in FoldSetup
    bool samples = false;                                     // counted per class
    bool code = false; // what samples say of each step's work; plans with code always know that
  };
  Result read(const WhatIfPlan& plan, const Wanted& wanted) const;
  // Reads the trace for another visitor.
  void read(DagVisitor& visitor) const;
  // When fewer steps ran than there were worker threads, in a trace with this summary.
  IdleTime idle_time(std::uint64_t workers, const ReadSummary& summary) const;
  // All scenarios of a plan, in as many readings as necessary: of paths, and if asked for, what is then under limits
  // of concurrency; as far as these and locks allow.
  using WorkUnderLimits =
      std::vector<std::vector<std::uint64_t>>; // per scenario, times its factor; per limit
  std::vector<WhatIfLength> evaluate_paths(const WhatIfPlan& plan,
                                           WorkUnderLimits* under = nullptr) const;
  std::vector<WhatIfLength> evaluate(const WhatIfPlan& plan, bool within_threads = true) const;
  // From here on evaluate() knows that one lock takes so long: see limit_by_locks(). `ends_of` is of LockLawSetup;
  // objects `except` limit nothing.
  void know_locks(std::uint64_t greatest, std::vector<LockObjectId> ends_of,
                  std::vector<LockObjectId> except) {
    greatest_lock_ = greatest;
    ends_of_ = std::move(ends_of);
    no_limits_ = std::move(except);
  }
  const std::vector<LockObjectId>& no_limits() const { return no_limits_; }
  // From here on evaluate() knows limits of concurrency, of pools of `concurrency`, which outlives this.
  void know_limits(std::vector<ConcurrencyLimit> limits, const ConcurrencyLimits& concurrency);
  const std::vector<ConcurrencyLimit>& limits() const { return limits_; }
  // What the scenarios of a plan leave under each limit, by a reading that was asked about pools.
  WorkUnderLimits work_under_limits(const WhatIfPlan& plan, const DagFold::Results& found) const;
  // No length of a scenario is below what one of the limits needs.
  void limit_by_threads(const WorkUnderLimits& under, std::vector<WhatIfLength>& lengths) const;
  std::uint64_t greatest_lock() const { return greatest_lock_; }
  // No length of a scenario is below the bound of one lock, as short as it would become in it
  // (passes/lock_law.h), nor below that of a limit, with what it has `under` it; null: limits do not count. May read
  // the trace again.
  void limit_by_law(const WhatIfPlan& plan, const WorkUnderLimits* under,
                    std::vector<WhatIfLength>& lengths) const;
  // Per scenario, what the sections of the lock that takes longest then add up to, times the factor: without what
  // comes before and after them, which may be less if the program is another one.
  std::vector<std::uint64_t> sections_with(const WhatIfPlan& plan) const;
  enum class Ends : std::uint8_t { Without, With };
  // The law of locks with all scenarios, in as many readings as necessary. `found` is called once per
  // reading, maybe on several threads at once: with the results, and the scenarios [begin, end) that
  // are in them.
  using FoundLaw =
      std::function<void(const LockLaw::Results& results, std::size_t begin, std::size_t end)>;
  void read_law(const std::vector<LockScenario>& scenarios, Ends ends, const FoundLaw& found) const;
  // The longest chain of each row, in as many readings as necessary.
  std::vector<std::uint64_t> chains_of(const std::vector<Row>& rows) const;
  // One result per change, in as many readings as necessary.
  std::vector<GrainTrials::Result> try_grains(const std::vector<GrainChange>& changes,
                                              const IdVector<Row, std::uint64_t>* join_costs) const;

  // From here on readings know the samples, and how they are weighed. Both outlive this.
  void know_samples(const SampledCode* samples, const SampleWeights* weights) {
    samples_ = samples;
    weights_ = weights;
  }

  const SampledCode* samples() const { return samples_; }
  const SampleWeights* weights() const { return weights_; }

  WhatIfMode mode() const { return mode_; }
  unsigned jobs() const { return jobs_; }
  // For the progress display: the purpose of the readings from here on.
  void begin_phase(const std::string& name) const;

  // With more lengths per path than this, another reading is faster.
  static constexpr std::size_t kScenariosPerReading = 128;
  // Fewer in the reading that all profiles take: each takes memory for every task alive.
  static constexpr std::size_t kChainsInFirstReading = 48;

private:
  bool becomes_less(const ConcurrencyLimit& limit, Row row) const;
  void expect(std::size_t readings) const;
  Result read_once(const WhatIfPlan& plan, const Wanted& wanted) const;
  void read_once(DagVisitor& visitor) const;

  const TraceSource& source_;
  const TraceInfo& info_;
  const SiteTable& table_;
  const WhatIfMode mode_;
  const unsigned jobs_;
  const bool from_first_use_;
  const SampledCode* samples_ = nullptr;
  const SampleWeights* weights_ = nullptr;
  std::uint64_t greatest_lock_ = 0; // 0: none limits anything
  std::vector<ConcurrencyLimit> limits_;
  LimitsOfPools with_ends_;
  const ConcurrencyLimits* concurrency_ = nullptr;
  std::vector<LockObjectId> ends_of_, no_limits_;
  ProgressSink* const progress_; // null: no progress display
};

} // namespace tp::analysis
