// Plain result structs: all that writers may see. Filled by profile.cpp from the passes; a writer
// formats and computes nothing but the rounding of a Ratio (numbers.h). Integers of work are in the
// run's unit, times in ticks or ns as named.
#pragma once

#include "model/read_summary.h"
#include "model/run_delays.h"
#include "model/run_info.h"
#include "model/site_measures.h"

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
  std::vector<std::string> found_by; // explicit, header, debug_info, symbol, type, module
  std::vector<std::uint32_t> site_ids;
};

// What its tasks cost beside their work. Creating a task and waiting for it happens in the code that
// spawned it, and belongs to the task's site all the same. Ticks are as measured, recording included;
// `cost` is modelled: the number of these events times what one of them costs (EventCost), and the
// steals, in the unit of work.
struct SiteOverhead {
  std::uint64_t creation_ticks = 0, begin_ticks = 0, join_ticks = 0, other_ticks = 0;
  std::uint64_t steals = 0, steal_ticks = 0;
  std::uint64_t measured_ticks() const {
    return creation_ticks + begin_ticks + join_ticks + other_ticks;
  }
  std::uint64_t cost = 0;
  std::uint64_t net_work = 0; // of its own steps, without what reading the clock added
  Ratio share;                // cost / (cost + net_work)
};

struct SiteRow {
  SiteInfo info;
  std::uint32_t row = 0;            // of the site table
  std::uint64_t work = 0, span = 0; // main: of the whole program
  std::uint64_t exclusive_work = 0;
  std::uint64_t critical_work = 0; // its exclusive share of the program's critical path
  std::uint64_t overhead_ticks = 0;
  std::uint64_t invocations = 0, outermost = 0, steps = 0;
  SiteMeasures on_work, on_span; // main: one invocation, of the whole program
  SiteOverhead overhead;
  LoopCounts loops;
  RunPathPart on_run_path;
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
  std::uint64_t critical_work = 0; // of the program's critical path, inside it
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

// Where in the source; main: file "main", line 0.
struct SourcePlace {
  std::string file;
  std::uint32_t line = 0;
};

// A loop with another grain: leaves are merged or split, and cost what they cost in this run.
struct GrainEffect {
  std::uint64_t cost_now = 0;   // of the site's tasking overhead, in the unit of work
  std::uint64_t body_calls = 0; // now
  std::uint64_t leaves = 0;     // then
  Ratio overhead_now, overhead; // shares of the site's tasking overhead
};

// What nobody annotated: a site's own steps, a stretch of code, a wait, a loop's grain.
enum class TargetKind : std::uint8_t { Site, Stretch, Wait, Grain };
// Of the critical path, for which a site or stretch of code is asked about: less cannot gain more.
inline constexpr std::uint64_t kLeastExploredPercent = 1;
struct WhatIfTarget {
  TargetKind kind = TargetKind::Site;
  std::string from, to; // Stretch: where it begins and ends
  SourcePlace place;    // of the site; Stretch: where it begins
  SourcePlace end;      // Stretch: where it ends
  bool of_main = false; // code outside every task
  std::string name;     // in words
  std::uint64_t work = 0, critical_work = 0;
  std::uint64_t grain = 0;         // Grain
  std::optional<GrainEffect> loop; // Grain
  std::string not_made;            // Grain: why it changes nothing, if it cannot
  std::vector<WhatIfPoint> points; // Wait, Grain: one, of factor 1; Grain: as divisible
  WhatIfPoint quoted;              // the one that sentences quote
};

// The smallest set of pieces of code that reaches a wanted parallelism.
enum class PieceKind : std::uint8_t { Stretch, Site, Region };
struct TargetSearch {
  std::uint64_t target = 0;
  std::uint64_t factor = 0; // by which each piece is improved
  std::string not_made;     // why not, if not
  bool reached = false;
  bool minimal = false; // proved: no smaller set reaches it
  struct Step {
    PieceKind kind = PieceKind::Stretch;
    std::string name;
    Ratio alone; // parallelism if only this is improved
    Ratio after; // with all up to here
  };
  std::vector<Step> steps;
  std::optional<Ratio> with_all_code; // improved; if more steps than are tried would be needed
  std::string outcome;                // in words
  std::vector<SpeedupRange> speedups; // with all steps
};

// Exports: what adds up, by calling context (passes/calling_context.h).
inline constexpr std::uint32_t kNoSite = ~std::uint32_t{0};
struct ContextRow {         // [0] is main; a parent stands before its children
  std::uint32_t parent = 0; // index into Profile::contexts
  std::uint32_t site = 0;   // index into Profile::sites; kNoSite: further contexts
  std::uint64_t work = 0;   // of its own steps
  std::uint64_t critical_work = 0;
  std::uint64_t tasks = 0, steps = 0;
};
struct ContextEdge {
  std::uint32_t from = 0, to = 0; // indices into Profile::contexts
  std::uint32_t site = 0;         // of the tasks; that of `to`
  std::uint64_t spawns = 0;
  bool folded = false; // `to` is no child of `from`
};

struct TimelineSlice { // ns since the first record
  std::uint32_t stream = 0;
  std::uint32_t site = 0; // kNoSite: several
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::uint64_t work = 0, steps = 0;
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

// Tasking overhead of what opens a step: the mean of the lowest 99 % of the times recorded between
// two steps, less what recording itself takes there.
struct EventCost {
  std::string event;
  std::uint64_t count = 0;
  std::uint64_t measured_ticks = 0; // with recording
  std::uint64_t cost = 0;           // in the unit of work
  std::uint64_t cost_ns = 0;
};

// What keeps P workers from being faster: all of them are busy with work; the heaviest path; tasking
// overhead and steals; loops that were split too little, so that they would allow more.
enum class Binding : std::uint8_t { Work, Span, Overhead, Grain };

struct PredictedRun {
  std::uint64_t procs = 1;
  std::uint64_t greedy = 0; // time of greedy list scheduling, without steals
  std::uint64_t time = 0;   // of work stealing
  std::uint64_t steals = 0;
  // Of procs x time, beside the work.
  std::uint64_t overhead = 0, stealing = 0, idle = 0;
  Ratio speedup;    // over one worker without any overhead
  Ratio efficiency; // speedup / procs
  Binding binds = Binding::Work;
};

// The recorded DAG, simulated. Times and costs in the unit of work.
struct Prediction {
  std::string not_made; // why not, if not
  std::uint64_t work = 0;
  std::uint64_t overhead = 0; // of all tasks together
  std::uint64_t span = 0;     // with overhead
  std::uint64_t nodes = 0, bytes = 0;
  std::vector<EventCost> costs;
  std::uint64_t recording = 0; // taken off each step
  Burden steal;
  std::vector<PredictedRun> runs;
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

// Why this run took as long as it did: its path, and what each site has of it (SiteRow).
struct ElapsedTime {
  std::string not_made;      // why not, if not
  std::uint64_t workers = 0; // steps that can run at a time
  RunPathPart path;
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
  bool certain = true; // false: "if", what the trace cannot tell
};

// Whether the figures as divisible are known, and if not, why: there are those of this run only.
enum class Divisible : std::uint8_t { Known, NotRecompiled, OfThisSchedule };
inline constexpr const char* kDivisibleNames[] = {"", "not_recompiled",
                                                  "schedule"}; // in JSON: stable

struct Profile {
  std::string data; // directory
  RunInfo run;
  std::optional<EndInfo> end;
  ReadSummary read;
  std::uint64_t work = 0;           // T1
  std::uint64_t span = 0;           // Tinf as executed
  std::uint64_t divisible_span = 0; // Tinf as divisible
  Divisible divisible = Divisible::Known;
  std::uint64_t burdened_span_cilk = 0, burdened_span_tbb = 0;
  Burden burden;
  TimeBalance balance;
  ElapsedTime elapsed;
  std::vector<SiteRow> sites; // [0] main, then by critical work, file, line
  std::vector<RegionInfo> regions;
  std::vector<WhatIfCurve> what_if; // [0] all chosen regions together, then each alone
  std::string what_if_mode;
  std::vector<WhatIfTarget> explored;  // without annotations, by the parallelism they would give
  std::string not_explored;            // why not, if not
  std::uint64_t explored_left_out = 0; // sites and stretches with less than kLeastExploredPercent
  std::vector<WhatIfTarget> grains;
  std::vector<WhatIfTarget> advised_grains; // the loop that loses most first
  std::optional<TargetSearch> search;
  std::vector<SpeedupBound> bounds;
  std::vector<ContextRow> contexts; // only if asked for
  std::vector<ContextEdge> context_edges;
  std::vector<TimelineSlice> timeline;
  Prediction prediction;
  Attribution attribution;
  std::uint64_t exclusive_sum = 0, critical_sum = 0; // over all rows: must equal work and span
  std::vector<Warning> warnings;                     // those of the schedule first
  std::string advice;                                // one sentence: what to do next

  Ratio parallelism() const { return {work, span}; }
  Ratio divisible_parallelism() const { return {work, divisible_span}; }
  bool divisible_is_known() const { return divisible == Divisible::Known; }
  // The limit of the program as far as it is known, and which of the two it is.
  Ratio limit() const { return divisible_is_known() ? divisible_parallelism() : parallelism(); }
  const char* limit_is() const { return divisible_is_known() ? "as divisible" : "as executed"; }
  // More tasks would gain nothing on this machine.
  bool has_ample_parallelism() const { return limit().value() >= 10.0 * run.cpus; }
};

} // namespace tp::analysis
