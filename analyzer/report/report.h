// Plain result structs: all that writers may see. Filled by profile.cpp from the passes; a writer
// formats and computes nothing but the rounding of a Ratio (numbers.h). Integers of work are in the
// run's unit, times in ticks or ns as named.
#pragma once

#include "read_summary.h"
#include "run_info.h"
#include "site_measures.h"

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
  std::string name; // for people: file:line without the directory that all files have in common
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
  SiteMeasures on_work, on_span;    // main: one invocation, of the whole program
  std::vector<std::uint64_t> extra; // of its own steps, in the order of RunInfo::extra_events
  // Reading the clock is more than a tenth of the work of its steps: not to be trusted.
  bool too_short = false;
};

struct RegionInfo {
  std::string place; // for people, as SiteInfo::name
  std::string file;
  std::uint32_t line = 0;
  std::vector<std::string> names;
  double expected_factor = 0;
};

struct SpeedupRange {
  std::uint64_t procs = 1;
  Ratio lower, upper;
};

struct WhatIfPoint {
  std::uint64_t factor = 1;
  Ratio parallelism;                  // both sides multiplied by the factor
  std::vector<SpeedupRange> speedups; // over the program as it is
};

struct WhatIfCurve {
  std::vector<std::uint32_t> regions; // indices into Profile::regions
  std::vector<WhatIfPoint> points;
};

// What nobody annotated: a site's own steps, a stretch of code, a wait, a loop's grain.
enum class TargetKind : std::uint8_t { Site, Stretch, Wait, Grain };
struct WhatIfTarget {
  TargetKind kind = TargetKind::Site;
  std::string from, to; // Stretch: where it begins and ends
  std::string name;     // in words
  std::uint64_t work = 0, critical_work = 0;
  std::uint64_t grain = 0;         // Grain
  std::vector<WhatIfPoint> points; // Wait, Grain: one, of factor 1; Grain: as divisible
  WhatIfPoint quoted;              // the one that sentences quote
};

// The smallest set of regions that reaches a wanted parallelism.
struct TargetSearch {
  std::uint64_t target = 0;
  std::uint64_t factor = 0; // by which each region is improved
  bool reached = false;
  bool minimal = false; // proved: no smaller set reaches it
  struct Step {
    std::string name;
    Ratio alone; // parallelism if only this is improved
    Ratio after; // with all up to here
  };
  std::vector<Step> steps;
  std::vector<SpeedupRange> speedups; // with all
};

struct SpeedupBound {
  std::uint64_t procs = 1;
  Ratio lower; // greedy scheduling (Brent): T1 / (T1/P + Tinf)
  Ratio upper; // min(P, T1/Tinf)
  Ratio divisible_upper;
  Ratio estimate_cilk, estimate_tbb; // Cilkview's estimate with the burdened span of each model
};

enum class BurdenOrigin : std::uint8_t { Default, Given, Measured };
struct Burden {
  BurdenOrigin origin = BurdenOrigin::Default;
  std::uint64_t ns = 0;
  std::uint64_t work = 0;   // in the unit of work
  std::uint64_t steals = 0; // measured
};

// P x elapsed = steps + overhead + idle + absent, in ticks.
struct TimeBalance {
  std::uint64_t threads = 0; // streams: threads that existed one after the other share one
  std::uint64_t elapsed = 0;
  std::uint64_t steps = 0, overhead = 0, idle = 0;
  std::uint64_t descheduled = 0; // part of the steps, if work is time: without a cpu
  std::uint64_t absent = 0;      // before a thread's first and after its last record
  std::uint64_t unexplained = 0; // what is missing, or too much
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
  std::uint64_t burdened_span_cilk = 0, burdened_span_tbb = 0;
  Burden burden;
  TimeBalance balance;
  std::vector<SiteRow> sites; // [0] main, then by critical work, file, line
  std::vector<RegionInfo> regions;
  std::vector<WhatIfCurve> what_if; // [0] all chosen regions together, then each alone
  std::string what_if_mode;
  std::vector<WhatIfTarget> explored; // without annotations, by the parallelism they would give
  std::string not_explored;           // why not, if not
  std::vector<WhatIfTarget> grains;
  std::optional<TargetSearch> search;
  std::vector<SpeedupBound> bounds;
  Attribution attribution;
  std::uint64_t exclusive_sum = 0, critical_sum = 0; // over all rows: must equal work and span
  std::vector<Warning> warnings;
  std::string advice; // one sentence: what to do next

  Ratio parallelism() const { return {work, span}; }
  Ratio divisible_parallelism() const { return {work, divisible_span}; }
};

} // namespace tp::analysis
