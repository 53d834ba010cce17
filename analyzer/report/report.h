// Plain result structs: all that writers may see. Filled by profile.cpp from the passes; a writer
// formats and computes nothing but the rounding of a Ratio (numbers.h). Integers of work are in the
// run's unit, times in ticks or ns as named.
#pragma once

#include "read_summary.h"
#include "run_info.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tp::analysis {

// A quotient that is rounded only where it is shown. 0/0 is 1: nothing, done serially.
struct Ratio {
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 0;
  double value() const {
    return denominator == 0 ? 1.0
                            : static_cast<double>(numerator) / static_cast<double>(denominator);
  }
};

struct SiteInfo {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t end_line = 0;
  std::vector<std::string> functions;
  std::vector<std::string> constructs;
  std::vector<std::string> found_by; // explicit, header, debug_info, symbol, module
  std::vector<std::uint32_t> site_ids;
};

struct SiteRow {
  SiteInfo info;
  std::uint64_t work = 0, span = 0; // main: of the whole program
  std::uint64_t exclusive_work = 0;
  std::uint64_t critical_work = 0; // its exclusive share of the program's critical path
  std::uint64_t overhead_ticks = 0;
  std::uint64_t invocations = 0, outermost = 0, steps = 0;
  std::vector<std::uint64_t> extra; // of its own steps, in the order of RunInfo::extra_events
  // Reading the clock is more than a tenth of the work of its steps: not to be trusted.
  bool too_short = false;
};

struct RegionInfo {
  std::string file;
  std::uint32_t line = 0;
  std::vector<std::string> names;
  double expected_factor = 0;
};

struct WhatIfPoint {
  std::uint64_t factor = 1;
  Ratio parallelism; // both sides multiplied by the factor
};

struct WhatIfCurve {
  std::vector<std::uint32_t> regions; // indices into Profile::regions
  std::vector<WhatIfPoint> points;
};

struct SpeedupBound {
  std::uint64_t procs = 1;
  Ratio lower; // greedy scheduling (Brent): T1 / (T1/P + Tinf)
  Ratio upper; // min(P, T1/Tinf)
};

enum class AttributionBasis : std::uint8_t { None, Time, StepTime, Virtual };

struct Attribution {
  AttributionBasis basis = AttributionBasis::None;
  std::uint64_t attributed = 0; // ns, or units of the virtual clock
  std::uint64_t total = 0;
  std::uint64_t overhead_ns = 0, idle_ns = 0, paused_ns = 0;
  std::uint64_t unknown_threads_ns = 0; // CPU time of threads that never called oneTBB
  std::string likely_cause;             // set when much is missing
};

struct Warning {
  std::string name; // stable
  std::string text;
};

struct Profile {
  std::string data; // directory
  RunInfo run;
  std::optional<EndInfo> end;
  ReadSummary read;
  std::uint64_t work = 0;           // T1
  std::uint64_t span = 0;           // Tinf as executed
  std::uint64_t divisible_span = 0; // Tinf as divisible
  std::vector<SiteRow> sites;       // [0] main, then by critical work, file, line
  std::vector<RegionInfo> regions;
  std::vector<WhatIfCurve> what_if; // [0] all chosen regions together, then each alone
  std::string what_if_mode;
  std::vector<SpeedupBound> bounds;
  Attribution attribution;
  std::uint64_t exclusive_sum = 0, critical_sum = 0; // over all rows: must equal work and span
  std::vector<Warning> warnings;
  std::string advice; // one sentence: what to do next

  Ratio parallelism() const { return {work, span}; }
  Ratio divisible_parallelism() const { return {work, divisible_span}; }
};

} // namespace tp::analysis
