// SPDX-License-Identifier: Apache-2.0
// The expected profile, computed from a program's specification and the definitions in
// docs/explanation/work-and-span.md and docs/reference/trace-format.md alone: the program is walked
// once, task by task, into an explicit DAG, and every figure is the longest path of that DAG, or a
// sum over it.
#pragma once

#include "program.h"

#include <array>
#include <map>
#include <set>
#include <utility>

namespace random_program {

// 0: main; 1 + s: site s; 1 + kSites + c: call c of the interpreter; kFilterRows + kMostFilters * s +
// f: filter f of the pipelines of site s (of all pipelines, if statements do not name their sites:
// of s = 0).
inline constexpr unsigned kFilterRows = 1 + kSites + kCalls;
inline constexpr unsigned kRows = kFilterRows + kSites * kMostFilters;
inline constexpr Units kFactors[] = {2, 7};

using Composition = std::array<Units, kRows>; // critical work per row

struct Range {
  Units least = 0, most = 0;
  bool operator==(const Range&) const = default;
};

struct ExpectedRow {
  Units work = 0, exclusive = 0, latency = 0;
  Units span = 0;        // exact programs only
  Range chain;           // one value for exact programs
  Units invocations = 0; // if the number of tasks is determined
  // The span depends on the message that comes last, which decides to whose invocation the bodies of
  // a flow graph belong.
  bool is_loose = false;
};

// Of a lock that is acquired. Programs whose span is not determined: from the least to the most.
struct ExpectedLock {
  Units acquisitions = 0, shared = 0;
  Range held;      // sum of the sections' own spans
  Range exclusive; // sum of those of exclusive ones
  Range sections;  // H: those of exclusive sections, and the longest shared one
  Range exclusive_with_latency, sections_with_latency; // the same with sleep
  Units bound = 0; // exact programs only: with what comes before and after
  // Exact programs only: the least time, and the work, if its sections are so many times as short (times
  // that factor); if there are so many locks in its place; without it.
  std::map<Units, std::pair<Units, Units>> shorter;
  std::map<Units, Units> split;
  Units without = 0;
};

inline constexpr Units kLockFactors[] = {2, 4, 8};

struct Expected {
  Units work = 0;
  Range span; // of this run; one value for exact programs
  Units latency = 0;
  Range span_with_latency; // as `span`
  Range divisible_span;    // one value if it is determined
  bool parts_alike = true; // Program::parts_alike
  // Joins that ran show what those cost that did not: all of one site cost the same.
  bool joins_alike = true;
  bool all_joined = true;  // at least one ran in each site that has any
  Units one_join_each = 0; // of the calls of reductions in whose joins the schedule has a say
  Units tasks = 0;         // if their number is determined
  std::array<Units, kArenas + 1> work_in_arenas{}; // the last one: the full arena
  std::array<Units, kArenas + 1> latency_in_arenas{};
  // The least path before what runs there, and after it, with sleep.
  std::array<std::pair<Range, Range>, kArenas + 1> ends_of_arenas{};
  std::array<ExpectedRow, kRows> rows;
  std::array<bool, kRegions> entered{};
  // (region, or kRegions for all; factor) -> span times factor, work times factor if optimized
  std::map<std::pair<unsigned, Units>, std::pair<Range, Units>> what_if;
  // Exact programs only: the compositions of the longest paths; empty if there are too many.
  std::set<Composition> critical;
  // Two runs have the same rows: no figure of any depends on edges or on the order of threads.
  bool all_determined = false;
  std::array<Units, kKinds> executed{}; // statements, by kind
  std::map<unsigned, ExpectedLock> locks;
  // (region, or kRegions for all; factor) -> H of the lock that takes longest, times the factor: at least,
  // at most. Where in a step a region was is not known.
  std::map<std::pair<unsigned, Units>, Range> sections_what_if;
};

// What the sites of a program are; `joins`: how often the joins ran that the schedule decides on.
Expected expect(const Program& program, Sites sites,
                const std::map<const Statement*, Units>& joins);

} // namespace random_program
