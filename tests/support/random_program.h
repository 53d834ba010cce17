// The independent oracle: random parallel programs, simulated on several threads, told twice. Once
// as a trace (bytes, through TraceBuilder), once as an explicit event DAG on which every figure is
// computed by brute force from the definitions in docs/design.md section 1 and
// docs/trace-format.md. Shares no code with the analyzer.
#pragma once

#include "trace_builder.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tp::test {

struct RandomOptions {
  std::uint64_t seed = 1;
  // Records late or with skewed clocks: an End may be written after the waiter went on. Works are
  // then large, so that ties between unrelated tasks, which such traces leave open, do not happen.
  bool late = false;
  unsigned most_tasks = 40;
};

struct OracleSite {
  std::uint64_t work = 0, span = 0, exclusive = 0, invocations = 0;
  bool operator==(const OracleSite&) const = default;
};

struct OracleResult {
  std::uint64_t work = 0, span = 0, divisible_span = 0;
  std::map<std::uint32_t, OracleSite> sites; // by line; 0 is main
  // Critical work per line, for each end that is longest.
  std::set<std::map<std::uint32_t, std::uint64_t>> critical;
  // (region or -1 for all, factor) -> span times factor, and work times factor as optimized
  std::map<std::pair<int, std::uint64_t>, std::pair<std::uint64_t, std::uint64_t>> what_if;
};

struct RandomProgram {
  bool valid = false; // false: the simulated program deadlocked; take another seed
  TraceBuilder trace;
  OracleResult expected;
  unsigned tasks = 0;
};

inline constexpr std::uint64_t kOracleFactors[] = {2, 7};
inline constexpr unsigned kOracleRegions = 3;

RandomProgram make_random_program(const RandomOptions& options);

} // namespace tp::test
