// SPDX-License-Identifier: Apache-2.0
// The profile: plain result structs, the only input of writers. make_profile.cpp assembles it; a
// writer formats, and computes only the rounding of a Ratio (report/numbers.h). Work is in integers
// of the run's unit, times are in ticks or ns as their names say.
#pragma once

#include "base/ids.h"
#include "base/wide.h"
#include "model/concurrency_limit.h"
#include "model/finding.h"
#include "model/functions.h"
#include "model/lock.h"
#include "model/phases.h"
#include "model/pictures.h"
#include "model/prediction.h"
#include "model/ratio.h"
#include "model/read_summary.h"
#include "model/run_check.h"
#include "model/run_info.h"
#include "model/run_time.h"
#include "model/site.h"
#include "model/sleep.h"
#include "model/verdict.h"
#include "model/what_if.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tp::analysis {

// For exports: additive figures by calling context (passes/calling_context.h).
inline constexpr std::uint32_t kNoSite = ~std::uint32_t{0};
// A part of a context's own steps, by samples: the calls of functions of Profile::functions, outermost
// first.
struct ContextCode {
  std::vector<std::uint32_t> functions;
  std::uint64_t work = 0, critical_work = 0;
};
struct ContextRow {         // [0] is main; a parent comes before its children
  std::uint32_t parent = 0; // index into Profile::contexts
  std::uint32_t site = 0;   // index into Profile::sites; kNoSite: all contexts beyond the limit
  std::uint64_t work = 0;   // of its own steps
  std::uint64_t critical_work = 0;
  std::uint64_t tasks = 0, steps = 0;
  std::vector<ContextCode> code = {}; // adds up to the work, if there is any
};
struct ContextEdge {
  std::uint32_t from = 0, to = 0; // indices into Profile::contexts
  std::uint32_t site = 0;         // of the tasks; that of `to`
  std::uint64_t spawns = 0;
  bool folded = false; // recursion: `to` is not a child of `from`
};

struct SiteSpawns {                 // tasks of a site that were spawned by tasks of another one
  std::uint32_t from = 0, site = 0; // indices into Profile::sites
  std::uint64_t spawns = 0;
};

// Code between two events of oneTBB (passes/step_class.h). All of them together are all steps.
enum class EventKind : std::uint8_t {
  Begin,
  FirstUse,
  Spawn,
  Wait,
  BodyBegin,
  BodyEnd,
  Other,
  End
};
// In JSON: stable.
inline constexpr const char* kEventNames[] = {"begin",      "first_use", "spawn", "wait",
                                              "body_begin", "body_end",  "other", "end"};
struct CodeSegment {
  std::uint32_t site = 0; // indices into Profile::sites; kNoSite: the event names none
  EventKind opened{}, closed{};
  std::uint32_t opened_site = kNoSite, closed_site = kNoSite;
  std::uint64_t count = 0, work = 0, critical_work = 0;
  std::uint64_t idle_blame_ns = 0; // its part of SiteRow::idle_beside_ns
};

struct TimelineSlice { // ns since the first record
  std::uint32_t stream = 0;
  std::uint32_t site = 0; // of several: that with the longest slice
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::uint64_t work = 0, steps = 0;
  std::uint64_t outside_ns = 0; // between its steps
  bool several = false;         // steps of more than one site
  bool left_out = false;        // steps that are left out of the profile, and no others
};

struct Warning {
  std::string name; // stable
  std::string text;
  bool certain = true; // false: the trace does not show it for certain ("if ...")
};

// Whether the schedule-independent figures are known; if not, why only those of this run are.
enum class Divisible : std::uint8_t {
  Known,
  NotRecompiled,
  OfThisSchedule,
  HiddenLoops,
  NotRecorded // OpenMP
};
inline constexpr const char* kDivisibleNames[] = {"", "not_recompiled", "schedule", "hidden_loops",
                                                  "openmp_not_recorded"}; // in JSON: stable

struct Profile {
  std::string data; // directory
  RunInfo run;
  std::optional<EndInfo> end;
  ReadSummary read;
  bool from_first_use = false; // what threads did before their first oneTBB call is left out
  std::uint64_t work = 0;      // T1
  std::uint64_t span = 0;      // Tinf of this run
  // Tinf with loops split to their grain size: if the iterations of a part that was not measured in
  // parts cost the same; and with such parts undivided, which is an upper bound.
  std::uint64_t divisible_span = 0;
  std::uint64_t divisible_span_at_most = 0;
  Divisible divisible = Divisible::Known;
  ThreadRange divided_for; // threads for which the loops were split whose split is that of this run
  // Sites whose code has an order that was not seen, because it was not recompiled: spans are lower
  // bounds, and parallelism is an upper one. Empty: both are exact.
  std::vector<std::string> unseen_order;
  // Time in which steps slept, not waiting for other threads, and the longest path of work and latency;
  // null: not known.
  std::optional<std::uint64_t> latency, span_with_latency;
  SleepTimes slept_in; // of the latency
  // Of it, of main before it first uses oneTBB or OpenMP.
  std::uint64_t latency_at_start = 0;
  SleepTimes slept_in_at_start;
  // Arenas and global_control: those that limit most first, then those like the machine.
  std::vector<ConcurrencyLimit> limits;
  std::uint64_t burdened_span_cilk = 0, burdened_span_tbb = 0;
  Burden burden;
  TimeBalance balance;
  ElapsedTime elapsed;
  RunCheck run_check;
  std::vector<SiteRow> sites; // [0] main, then by critical work, file, line
  IdVector<RegionId, RegionInfo> regions;
  std::vector<WhatIfCurve> what_if; // [0] all chosen regions together, then each alone
  std::string what_if_mode;
  std::vector<WhatIfCandidate> explored; // without annotations, by the parallelism that they would
                                         // give
  std::string not_explored;              // why not; empty if they were evaluated
  std::uint64_t explored_left_out = 0;   // sites and code segments below kLeastExploredPercent
  std::optional<SampledFunctions> functions; // only with samples
  NoSamples no_samples;                      // only without
  std::vector<WhatIfCandidate> grains;
  std::vector<WhatIfCandidate> advised_grains; // the loop that loses most first
  std::optional<TargetSearch> search;
  Locks locks;
  std::vector<SpeedupBound> bounds;
  std::vector<ContextRow> contexts; // only if requested
  std::vector<ContextEdge> context_edges;
  std::vector<SiteSpawns> site_spawns; // by site, then from
  std::vector<TimelineSlice> timeline;
  Counters counters;
  Prediction prediction;
  Attribution attribution;
  std::vector<CodeSegment> code_segments;            // those with most critical work first
  std::uint64_t exclusive_sum = 0, critical_sum = 0; // over all rows: must equal work and span
  std::optional<Pictures> pictures;                  // only if requested
  Phases phases;
  Verdict verdict;
  std::vector<Finding> findings;              // those that save most first
  std::vector<Warning> warnings;              // those about the schedule first
  std::string advice;                         // what to do next
  std::optional<std::size_t> advised_finding; // index of the finding that the advice is about

  // The advice begins with what the verdict's detail would say.
  bool advice_repeats_verdict() const {
    return advised_finding && verdict.finding == advised_finding;
  }
  Ratio parallelism() const { return {work, span}; }
  // With the bounds of locks that are proven.
  Ratio parallelism_with_locks() const { return {work, std::max(span, locks.proven)}; }
  // The lock that limits the speedup most, if one limits it more than the span does: at most as
  // surely as its bound holds. Null: none does.
  const LockRow* limiting_lock() const {
    const std::uint64_t path = span_with_latency.value_or(span);
    const LockRow* found = nullptr;
    for (const LockRow& row : locks.rows)
      if (const std::uint64_t bound = latency ? row.with_latency : row.bound.length();
          bound > path && !row.is_of_schedule() &&
          (!found || bound > (latency ? found->with_latency : found->bound.length())))
        found = &row;
    return found;
  }
  // The heaviest path, or the greatest bound of a lock that is proven.
  std::uint64_t least_time_of_path() const {
    return std::max(span_with_latency.value_or(span),
                    latency ? locks.proven_with_latency : locks.proven);
  }
  // The limit of concurrency that needs more time than that; null: none does.
  const ConcurrencyLimit* binding_limit() const {
    return !limits.empty() && !limits.front().like_machine &&
                   limits.front().least_time() > least_time_of_path()
               ? &limits.front()
               : nullptr;
  }
  // On any number of CPUs, with workers that sleep with their tasks.
  std::uint64_t least_time() const {
    const ConcurrencyLimit* const limit = binding_limit();
    return limit ? limit->least_time() : least_time_of_path();
  }
  // No schedule of this DAG has a greater speedup, with the arenas and the threads that it allows. Where a prediction
  // that deals out chunks of loops in another way is faster, that one.
  Ratio speedup_limit() const {
    return {work + latency.value_or(0) - prediction.asleep_beside_work,
            std::min(least_time(), prediction.least_dealt.value_or(least_time()))};
  }
  // What the sections of the lock leave at most: of the work, or, if it is slept inside of them, as speedup.
  Ratio left_by(const LockRow& lock) const {
    return counts_sleep_of(lock) ? Ratio{work + latency.value_or(0), lock.with_latency}
                                 : Ratio{work, lock.bound.length()};
  }
  bool counts_sleep_of(const LockRow& lock) const { return latency && lock.sleeps(); }
  // A twentieth of the least time, or more: what is said of other spans leaves much out.
  bool sleeps_on_path() const {
    const std::uint64_t whole = span_with_latency.value_or(span);
    return whole > span && Wide{whole - span} * 20 >= whole;
  }
  Ratio divisible_parallelism() const { return {work, divisible_span}; }
  Ratio divisible_at_least() const { return {work, divisible_span_at_most}; }
  bool divisible_is_known() const { return divisible == Divisible::Known; }
  // Both ends of the parallelism with loops split to their grain size are the same, to a twentieth.
  bool divisible_is_measured() const {
    return divisible_is_known() && Wide{divisible_span_at_most} * 20 <= Wide{divisible_span} * 21;
  }
  // What the changes of what-ifs are compared with: with all bounds of locks, also those that hold only
  // under a condition or are estimates, and those of limits of concurrency.
  Ratio parallelism_now() const {
    return {work, std::max({span, locks.greatest, least_time_of_limits(limits)})};
  }
  // The parallelism that the program has at least, as far as locks allow it: with loops split to their
  // grain size if that is known, else that of this run.
  Ratio limit() const {
    return {work, std::max(divisible_is_known() ? divisible_span_at_most : span, locks.greatest)};
  }
  // More tasks would gain nothing on this machine.
  bool has_ample_parallelism() const {
    return limit().value() >= 10.0 * run.cpus && !sites[0].too_short;
  }
};

} // namespace tp::analysis
