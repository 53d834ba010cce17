// SPDX-License-Identifier: Apache-2.0
// FIGURES: the numbers of a profile that checks and comparisons use. They come from a data
// directory or from a JSON file of an earlier run.
#pragma once

#include "model/profile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tp::analysis {

struct SiteFigures {
  std::string name; // for display
  std::string file;
  std::uint32_t line = 0; // 0: main
  std::vector<std::string> functions, constructs;
  SourcePlace wrapper;      // as in SiteInfo
  std::uint32_t filter = 0; // the same
  std::vector<PipelineCall> pipelines;
  std::uint64_t work = 0, span = 0;
  std::uint64_t longest_chain = 0;
  std::uint64_t overhead = 0; // tasking overhead of its tasks
  std::uint64_t exclusive_work = 0, critical_work = 0;
  std::uint64_t tasks = 0;
  std::uint64_t iterations = 0; // of loops; 0: there are none, or it is not known how many
  bool too_short = false;       // as in SiteRow
};

// The prediction for a number of CPUs, in the unit of work.
struct PredictedFigures {
  std::uint64_t procs = 0;
  std::uint64_t time = 0;
};

struct Figures {
  std::string unit;             // of work, with the clock: "ticks (tsc-rseq)"
  Clock clock;                  // of work
  double hz = 0;                // of it, as measured; 0: not a time
  std::uint64_t elapsed_ns = 0; // from the first to the last record; 0: unknown
  std::uint64_t wall_ns = 0;    // of the process, as far as work counts from its start; 0: unknown
  bool complete = true;
  std::string lost; // where records are lost, or empty
  std::uint64_t work = 0, span = 0;
  std::uint64_t divisible_span = 0, divisible_span_at_most = 0;
  std::uint64_t burdened_span = 0;   // oneTBB's model
  std::uint64_t span_with_locks = 0; // at least the greatest proven bound of a lock
  Divisible divisible = Divisible::Known;
  bool span_is_exact = true;      // to a hundredth; else a lower bound
  bool openmp_is_missing = false; // it ran and was not recorded: neither work nor spans are known
  std::uint64_t tasks = 0, steps = 0;
  Ratio attributed; // 0/0: unknown
  Ratio overhead;   // tasking overhead of all tasks, in work and overhead; 0/0: unknown
  Ratio idle;       // of the time of all threads: without a task; 0/0: unknown
  Ratio off_cpu;    // of the time of all threads: in a step, without a CPU; 0/0: unknown
  Ratio lock_waits; // of it: waiting for a lock; 0/0: unknown
  std::uint64_t predicted_work = 0; // without what recording added: a speedup is this over a time
  std::vector<PredictedFigures> predicted;
  std::vector<SiteFigures> sites; // [0] main
};

Figures figures_of(const Profile& profile);

// Reads the text of a file that --json wrote; `file` is for messages. Throws Error{BadJson,
// BadField, UnknownSchema}.
Figures read_figures(const std::string& text, const std::string& file);

} // namespace tp::analysis
