// SPDX-License-Identifier: Apache-2.0
// Answers to what-if questions: curves of causal regions, candidates without annotations, and the
// search for a target.
#pragma once

#include "base/ids.h"
#include "model/ratio.h"
#include "model/site.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tp::analysis {

struct SpeedupRange {
  std::uint64_t procs = 1;
  Ratio lower, upper;
};

struct PredictedTime {
  std::uint64_t procs = 1;
  std::uint64_t time = 0; // in the unit of work
};

struct WhatIfPoint {
  std::uint64_t factor = 1;
  Ratio parallelism;                  // both sides multiplied by the factor
  std::vector<SpeedupRange> speedups; // over the unchanged program
  // By simulation; only of the changes that gain most, at one factor.
  std::vector<PredictedTime> predicted = {};
};

struct WhatIfCurve {
  std::vector<RegionId> regions; // of Profile::regions
  std::vector<WhatIfPoint> points;
};

// A loop with another grain size: leaves are merged or split, and cost what they cost in this run.
struct GrainEffect {
  std::uint64_t cost_now = 0;   // of the site's tasking overhead, in the unit of work
  std::uint64_t body_calls = 0; // in this run
  std::uint64_t leaves = 0;     // with the other grain size
  Ratio overhead_now, overhead; // shares of the site's tasking overhead
};

struct NamedFunction {
  std::string name;
  std::string place; // "a.cpp:3"; empty: not known

  std::string with_place() const { return name + (place.empty() ? "" : " (" + place + ")"); }
};

// The functions that most of some code is, by samples: one, or a few of which none was met in another, the
// largest first. Empty: there are none.
struct MainFunctions {
  std::vector<NamedFunction> functions;

  bool is_known() const { return !functions.empty(); }
  // "f", "f and g", "f, g and h"
  std::string names() const { return listed(&NamedFunction::name); }
  // "function f (a.cpp:3)", "functions f (a.cpp:3) and g (a.cpp:9)"
  std::string phrase() const {
    return (functions.size() == 1 ? "function " : "functions ") +
           listed(&NamedFunction::with_place);
  }

private:
  std::string listed(auto part) const {
    std::string text;
    for (std::size_t i = 0; i < functions.size(); ++i)
      text += (i == 0                      ? ""
               : i + 1 == functions.size() ? " and "
                                           : ", ") +
              std::invoke(part, functions[i]);
    return text;
  }
};

// Candidates without annotations: a site's own steps, a code segment, a wait, a loop's grain size.
enum class CandidateKind : std::uint8_t { Site, CodeSegment, Wait, Grain };
// Sites and code segments with a smaller share of the critical path are left out: they cannot gain
// more.
inline constexpr std::uint64_t kLeastExploredPercent = 1;
struct WhatIfCandidate {
  CandidateKind kind = CandidateKind::Site;
  std::string from, to;      // CodeSegment: where it begins and ends
  SourcePlace place;         // of the site; CodeSegment: where it begins
  SourcePlace end;           // CodeSegment: where it ends
  bool of_main = false;      // code outside every task
  bool is_removable = false; // Wait: by a call of the program's own, not inside an algorithm
  std::string name;          // in words
  std::uint64_t work = 0, critical_work = 0;
  std::vector<StepClassId> classes; // Site, CodeSegment: of their steps
  MainFunctions mostly;
  std::uint64_t grain = 0;         // Grain
  std::optional<GrainEffect> loop; // Grain
  std::string skipped_because;     // Grain: why it changes nothing; empty if it does
  std::vector<WhatIfPoint> points; // Wait, Grain: one, of factor 1; Grain: schedule-independent
  WhatIfPoint quoted;              // the one that sentences quote
};

// A code segment is more precise than the site that it belongs to: it is reported instead if it
// gains nearly as much.
inline bool prefer_segment(double segment_gain, double site_gain) {
  return 5 * segment_gain >= 4 * site_gain;
}

// The smallest set of candidates whose improvement reaches the wanted parallelism. Of a lock: several in
// its place, or shorter sections. Of a limit of concurrency: more threads.
enum class ChoiceKind : std::uint8_t {
  CodeSegment,
  Site,
  Region,
  Function,
  LockSplit,
  LockShorter,
  Threads
};
inline bool is_of_lock(ChoiceKind kind) {
  return kind == ChoiceKind::LockSplit || kind == ChoiceKind::LockShorter;
}
struct TargetSearch {
  std::uint64_t target = 0;
  std::uint64_t factor = 0; // by which each one is improved
  bool optimizes =
      false; // what-if mode optimize: code has less work; else it is divided among CPUs
  std::string skipped_because; // empty if it was not skipped
  bool reached = false;
  bool minimal = false; // proved: no smaller set reaches it
  struct Step {
    ChoiceKind kind = ChoiceKind::CodeSegment;
    std::string name;
    Ratio alone; // parallelism if only this one is improved
    Ratio after; // with all up to this one
    // Of a lock: index into Locks::rows; into how many it is split, or how many times as short. Of a limit: index
    // into Profile::limits; how many threads it needs at least.
    std::size_t lock = 0, limit = 0;
    std::uint64_t factor = 0;
  };
  bool has_locks() const {
    return std::ranges::any_of(steps, [](const Step& step) { return is_of_lock(step.kind); });
  }
  bool has_limits() const {
    return std::ranges::any_of(steps,
                               [](const Step& step) { return step.kind == ChoiceKind::Threads; });
  }
  // Else all steps are code.
  bool has_others() const { return has_locks() || has_limits(); }
  std::vector<Step> steps;
  std::optional<Ratio> with_all_code; // parallelism if all code is improved; set if more steps than
                                      // are tried would be needed
  std::string outcome;                // in words
  std::vector<SpeedupRange> speedups; // with all steps
};

} // namespace tp::analysis
