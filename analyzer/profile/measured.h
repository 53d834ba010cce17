// SPDX-License-Identifier: Apache-2.0
// What the first reading of a trace found, and what was known before it: the input of every later
// stage.
#pragma once

#include "model/concurrency_limit.h"
#include "model/read_summary.h"
#include "model/run_info.h"
#include "passes/dag_fold.h"
#include "sites/site_table.h"

#include <cstdint>
#include <vector>

namespace tp::analysis {

struct Measured {
  const TraceInfo& info;
  const SiteTable& table;
  ReadSummary read;
  DagFold::Results fold;
  // Per row, the mean work of a join of two results of its loops; empty if there is nothing to join
  // that did not run.
  IdVector<Row, std::uint64_t> join_costs = {};
  // Those that work ran under; the one that needs most time first, and those like the machine last.
  std::vector<ConcurrencyLimit> limits = {};

  const IdVector<Row, std::uint64_t>* known_join_costs() const {
    return join_costs.empty() ? nullptr : &join_costs;
  }
  const RunInfo& run() const { return info.run; }
  bool is_virtual() const { return info.run.work.name == "virtual"; }
  // Units of work per second; 0 if work is not time.
  double hz_of_work() const {
    return run().same_as_time ? read.time_hz : static_cast<double>(run().work.hz);
  }
  std::uint64_t work() const { return fold.work; }
  std::uint64_t span() const { return fold.span; }
  // Of the time in which steps slept, that in which they did not wait for other threads.
  bool knows_latency() const { return info.run.sleep_seen && info.run.waits_seen; }
  Ratio parallelism() const { return {fold.work, fold.span}; }
  // With loops split to their grain size: the lower end always holds, the upper one if iterations of
  // a part that was not measured in parts cost the same.
  Ratio divisible_parallelism() const { return {fold.work, fold.divisible_span}; }
  Ratio divisible_at_least() const { return {fold.work, fold.divisible_span_at_most}; }
};

} // namespace tp::analysis
