// SPDX-License-Identifier: Apache-2.0
// What the first reading of a trace found, and what was known before it: the input of every later
// stage.
#pragma once

#include "model/read_summary.h"
#include "model/run_info.h"
#include "passes/dag_fold.h"
#include "sites/site_table.h"

#include <cstdint>

namespace tp::analysis {

struct Measured {
  const TraceInfo& info;
  const SiteTable& table;
  ReadSummary read;
  DagFold::Results fold;

  const RunInfo& run() const { return info.run; }
  bool is_virtual() const { return info.run.work.name == "virtual"; }
  std::uint64_t work() const { return fold.work; }
  std::uint64_t span() const { return fold.span; }
  Ratio parallelism() const { return {fold.work, fold.span}; }
  Ratio divisible_parallelism() const { return {fold.work, fold.divisible_span}; }
};

} // namespace tp::analysis
