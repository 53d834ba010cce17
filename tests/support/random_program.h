// SPDX-License-Identifier: Apache-2.0
// The independent oracle: random parallel programs, simulated on several threads and described
// twice: as a trace (bytes, written by TraceBuilder), and as an explicit event DAG. Every figure is
// computed on the DAG by brute force from the definitions in docs/explanation/work-and-span.md and
// docs/reference/trace-format.md. Shares no code with the analyzer.
#pragma once

#include "trace_builder.h"

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tp::test {

struct RandomOptions {
  std::uint64_t seed = 1;
  // Late records or skewed clocks: an End may be written after the waiter continued. The work of
  // steps is then large, so that no ties occur between unrelated tasks, which such traces leave
  // undefined.
  bool late = false;
  unsigned most_tasks = 40;
  // Frames may continue after an edge alone: their work before it is on no path to an end.
  bool restarts = true;
  // Critical sections, nested, across steps, shared, taken again inside themselves.
  bool locks = false;
};

struct OracleSums {
  std::uint64_t count = 0, work = 0, span = 0;
  auto operator<=>(const OracleSums&) const = default;
};

// Figures of one line, as defined in Cilkprof, section 6.
struct OracleSite {
  OracleSums top_call_site = {}, top_caller = {}, local = {};
  auto operator<=>(const OracleSite&) const = default;
};

struct OracleResult {
  std::uint64_t work = 0, span = 0, divisible_span = 0;
  std::uint64_t burdened_cilk = 0, burdened_tbb = 0;
  std::map<std::uint32_t, OracleSite> sites; // by line; 0 is main: local only
  // By line, main excepted: the most work in tasks of the line, and below them, on one path.
  std::map<std::uint32_t, std::uint64_t> chains;
  // What is on the critical path, per line. The line of a region has only a local span: the work
  // inside.
  std::map<std::uint32_t, OracleSite> on_span;
  // (region or -1 for all, factor) -> span times factor, and the work times factor for the mode
  // optimize
  std::map<std::pair<int, std::uint64_t>, std::pair<std::uint64_t, std::uint64_t>> what_if;
};

// Spans of the program with a change; multiplied by the factor, where there is one.
struct OracleQuestions {
  std::function<std::uint64_t(std::uint32_t line, std::uint64_t factor)> site;
  std::function<std::uint64_t(std::uint32_t line, unsigned region, std::uint64_t factor)>
      site_or_region;
  // A code segment, named by its two boundaries.
  std::function<std::uint64_t(const std::string& from, const std::string& to, std::uint64_t factor)>
      stretch;
  // Without the waits of frames whose last spawn was a task of this line.
  std::function<std::uint64_t(std::uint32_t line)> without_wait;
  // The schedule-independent span if loops of tasks of this line had another grain size.
  std::function<std::uint64_t(std::uint32_t line, std::uint64_t grain)> grain;
};

// A lock object, with its sections' code `factor` times as short in one place.
struct OracleLock {
  std::uint64_t exclusive = 0, longest_shared = 0; // times factor
  // The greatest sum of sections, and what comes before and after them at least; with a third of the sections.
  std::uint64_t bound = 0, in_thirds = 0;
  std::uint64_t acquisitions = 0, contended = 0, shared = 0, held = 0, waited = 0, open = 0;
  bool operator==(const OracleLock&) const = default;
};
struct OracleLocks {
  std::map<std::uint64_t, OracleLock> objects; // by address
  std::uint64_t span = 0, work = 0;            // times factor
};

struct RandomProgram {
  bool valid = false; // false: the simulated program deadlocked; take another seed
  TraceBuilder trace;
  OracleResult expected;
  OracleQuestions ask;
  // What the sections add up to if those of a place, or the steps of a line, are so much shorter.
  std::function<OracleLocks(std::optional<std::uint32_t> place, std::optional<std::uint32_t> line,
                            std::uint64_t factor)>
      locks;
  unsigned tasks = 0;
};

inline constexpr std::uint64_t kOracleFactors[] = {2, 7};
inline constexpr unsigned kOracleRegions = 3;
inline constexpr unsigned kOracleLocks = 4, kOracleLockPlaces = 3;
inline constexpr std::uint32_t kFirstLockLine = 200; // of its places
inline constexpr std::uint64_t kOracleBurden = 5;

RandomProgram make_random_program(const RandomOptions& options);

} // namespace tp::test
