// SPDX-License-Identifier: Apache-2.0
// FUNCTIONS AND LINES: what samples say about the code inside of steps. The work of each code segment is
// known exactly; samples say which functions and lines it is made of, with an error.
#pragma once

#include "model/what_if.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tp::analysis {

// A share of work that samples estimate, and the interval that contains the truth in 95 % of all runs, as
// far as chance decides which moments are sampled. Of a function with what it calls: the upper end contains all
// samples whose outer calls are not known, since they may be the function's.
struct SampledWork {
  std::uint64_t work = 0;
  std::uint64_t low = 0, high = 0;
};

// Whether it is certain that one has more, however both estimates depend on each other.
inline bool certainly_exceeds(const SampledWork& a, const SampledWork& b) {
  const auto half = [](const SampledWork& of) {
    return of.high - of.work > of.work - of.low ? of.high - of.work : of.work - of.low;
  };
  return a.work > b.work && a.work - b.work > half(a) + half(b);
}

struct FunctionRow {
  std::string name;       // with parameters and template arguments
  std::string short_name; // without
  std::string file;       // empty: not known
  std::uint32_t line = 0; // of the declaration
  std::string module;
  bool of_library = false; // of the standard library, the C library, or OpenMP's runtime
  std::string kind;        // stable: "function", "stripped", "unknown", "onetbb", "profiler"
  // 1 + the number of functions that certainly have more critical work.
  std::uint32_t rank = 1;
  std::uint64_t samples = 0, self_samples = 0;
  SampledWork work, critical_work;           // with the functions that it calls
  SampledWork self_work, self_critical_work; // without
  // If it and what it calls took a fraction of the time; only of functions with a hundredth of the
  // critical path. Estimates.
  std::vector<WhatIfPoint> points;
  std::vector<WhatIfPoint> self_points; // if only its own code did

  // What a programmer can change, and would name: neither a library's nor all of main.
  bool is_candidate() const { return kind == "function" && !of_library && short_name != "main"; }
  // Nine tenths of all work, in more than one code segment: making it faster is not advice, as with main.
  bool is_everywhere = false;
  // A function that it calls, an index into `functions`, in which nearly all of its time is, and which has hardly any
  // elsewhere: that one says more. Of several the innermost.
  std::optional<std::uint32_t> passes_to;
  bool is_remedy() const { return is_candidate() && !is_everywhere && !passes_to; }
  // Of a lambda, or the code of an OpenMP task, the name is its place: "lambda at a.cpp:3".
  bool is_lambda() const { return is_place(short_name); }
  static bool is_place(const std::string& name) {
    return name.starts_with("lambda at ") || name.starts_with("task at ");
  }
};

struct LineRow {
  std::string file;
  std::uint32_t line = 0;
  std::string function; // that it is in
  std::uint32_t rank = 1;
  std::uint64_t samples = 0;
  // With what libraries do for it; without the functions of the program that are called there.
  SampledWork work, critical_work;
  std::vector<WhatIfPoint> points;
};

// A loop of the program's own code that only waits, as far as its machine code shows.
struct WaitingLoopRow {
  std::string function; // as it is commonly called
  std::string file;     // empty: not known
  std::uint32_t line = 0;
  std::uint64_t samples = 0;
  SampledWork work, critical_work;
};

// All of them: what threads do there counts as work.
struct SampledWaiting {
  SampledWork work, critical_work;
  std::vector<WaitingLoopRow> rows; // by work
  // A hundredth of the work or of the critical path for certain, as far as samples go.
  bool matters = false;
};

// Why a recording has no samples, and the command that changes this, if one does.
struct NoSamples {
  std::string reason, command;
};

struct SampledFunctions {
  // How samples were taken: "cpu-clock", "cycles", "timer"; and what they know of the stack: "dwarf", "fp",
  // "none".
  std::string method, call_graph;
  std::uint32_t rate = 0;     // per second of CPU time, as asked for
  double measured_rate = 0;   // 0: not known
  std::uint64_t samples = 0;  // all
  std::uint64_t filed = 0;    // of them, inside of steps that count
  std::uint64_t in_waits = 0; // inside of steps, while the thread waited: no work
  std::uint64_t outside =
      0; // between steps: inside oneTBB or the profiler, or in code that is left out
  std::uint64_t cut =
      0; // of the filed ones: their stacks are not known to the beginning of the task
  std::uint64_t lost = 0;              // that the recording lost
  std::uint64_t unsampled_threads = 0; // of recorded threads
  std::string damage;                  // why the file was not read to its end; empty: it was
  // Why there are none of a part of the run, or why they were not taken by events; and what changes that.
  std::string reason, command;
  // CPU time of the process, and that of it in the kernel; 0: not known. `in_kernel`: samples were taken there, too.
  std::uint64_t cpu_ns = 0, system_ns = 0;
  std::uint64_t sparse_ns = 0; // of it, with fewer samples, since threads gave their CPU away often
  bool in_kernel = false;
  // What functions lack is too much to be left unsaid.
  bool lacks_kernel_time() const { return !in_kernel && system_ns > cpu_ns / 50; }
  // Of code segments that no sample hit.
  std::uint64_t not_sampled_work = 0, not_sampled_critical_work = 0;
  std::vector<FunctionRow> functions; // by critical work
  std::vector<LineRow> lines;         // likewise
  SampledWaiting waiting;
};

} // namespace tp::analysis
