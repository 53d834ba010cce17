// SPDX-License-Identifier: Apache-2.0
// Random programs in which every task waits for all tasks that it spawned, with Cilkprof's profile
// of them computed by its own pseudocode (Figure 3, extended by a whole profile for each variable
// as in section 4, and by the recursion rules of section 6). Shares no code with the analyzer.
#pragma once

#include "trace_builder.h"

#include <cstdint>
#include <map>
#include <vector>

namespace tp::test {

struct ForkJoinSums {
  std::uint64_t count = 0, work = 0, span = 0;
  bool operator==(const ForkJoinSums&) const = default;
};
struct ForkJoinSite {
  ForkJoinSums top_call_site, top_caller, local;
  bool operator==(const ForkJoinSite&) const = default;
};
using ForkJoinProfile = std::map<std::uint32_t, ForkJoinSite>; // by line

struct ForkJoinTask {
  struct Event {
    enum Kind { Spawn, Wait } kind;
    std::uint64_t work;    // of the step before it
    std::size_t child = 0; // index into ForkJoinProgram::tasks
  };
  std::uint32_t line = 0;
  std::vector<Event> events; // a Wait follows the last event that is not a Wait
  std::uint64_t last_work = 0;
};

struct ForkJoinProgram {
  std::vector<ForkJoinTask> tasks; // [0] is main
  // Lines with the same number here are in the same function.
  std::map<std::uint32_t, unsigned> function_of_line;

  TraceBuilder trace() const;
  std::uint64_t work = 0, span = 0;
  ForkJoinProfile on_work, on_span;
  // Computes the four fields above.
  void evaluate();
};

ForkJoinProgram make_fork_join(std::uint64_t seed);
// step | finish{async A fib(n-1), step, async B fib(n-2), step} | step. Each step has one unit of
// work. A is on line 10, B on line 11 of the same function.
ForkJoinProgram make_fib(unsigned n);

} // namespace tp::test
