// SPDX-License-Identifier: Apache-2.0
// The rows of a profile: spawn sites and causal regions, and where they are.
#pragma once

#include "base/ids.h"
#include "model/ratio.h"
#include "model/run_delays.h"
#include "model/site_measures.h"
#include "model/sleep.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tp::analysis {

// A place in the source; main: file "main", line 0.
struct SourcePlace {
  std::string file;
  std::uint32_t line = 0;
};

// A call of parallel_pipeline; `name` and `wrapper` as in SiteInfo.
struct PipelineCall {
  std::string file;
  std::uint32_t line = 0;
  std::string function;
  SourcePlace wrapper;
  std::string name = {};
};

struct SiteInfo {
  std::string name; // to display: file:line without the directory that all files have in common
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  bool is_one_call = true; // else several on the line, in different columns
  std::uint32_t end_line = 0;
  std::vector<std::string> functions;
  std::vector<std::string> constructs;
  std::vector<std::string> found_by; // explicit, header, debug_info, symbol, type, module
  std::vector<std::uint32_t> site_ids;
  // Where a wrapper that is called at this place calls oneTBB; of the row of a wrapper's other
  // callers, which were too many for a row each, its own place. Else no file.
  SourcePlace wrapper;
  std::string wrapper_function;
  bool of_other_callers = false;
  std::vector<Row> regions; // of OpenMP, around its loops
  // Of a pipeline's filter: its number, from 1, its modes, and where its pipelines are called (by
  // file and line), which is known however the program was compiled.
  std::uint32_t filter = 0;
  std::vector<std::string> filter_modes;
  std::vector<PipelineCall> pipelines;
  std::string variable; // that a node of a graph is in; empty: not known, or several
  SourcePlace place() const { return {file, line}; }
  // The name without "filter N of" and without a variable: where the filter or node was made, or the
  // filter's pipeline is called.
  std::string place_name() const {
    if (!variable.empty())
      return name.substr(variable.size() + 2, name.size() - variable.size() - 3);
    return filter == 0 ? name : name.substr(name.find(" of ") + 4);
  }
};

// Whose calls create the tasks of rows: "oneTBB", "OpenMP", or "oneTBB or OpenMP".
class Runtimes {
public:
  void add(const SiteInfo& row) {
    for (const std::string& construct : row.constructs) {
      has_openmp_ |= construct.starts_with("omp_");
      has_tbb_ |= !construct.starts_with("omp_") && construct != "thread";
      (construct == "omp_taskloop" ? has_taskloops_ : has_chunks_) |= construct.starts_with("omp_");
    }
  }
  const char* name() const {
    return !has_openmp_ ? "oneTBB" : has_tbb_ ? "oneTBB or OpenMP" : "OpenMP";
  }
  // In which run the iterations of rows with loops would be measured one by one. A team of one thread runs a loop of
  // OpenMP in one chunk, whatever its schedule.
  std::string measured_by() const {
    std::string how = !has_openmp_ || has_tbb_ ? "tp-run --divide" : "";
    if (has_openmp_)
      how += std::string(how.empty() ? "" : "; of OpenMP's loops, ") +
             (!has_taskloops_ ? "schedule(dynamic, 1)"
              : has_chunks_   ? "schedule(dynamic, 1) or grainsize(1)"
                              : "grainsize(1)") +
             " on two threads or more";
    return how;
  }

private:
  bool has_tbb_ = false, has_openmp_ = false, has_taskloops_ = false, has_chunks_ = false;
};

// The cost of its tasks in addition to their work. A task is created and waited for in the code
// that spawned it, but these costs belong to the task's site. Ticks are as measured, with
// recording; `cost` is modeled: the number of these events times the cost of one (EventCost), and
// the steals, in the unit of work.
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
  Row row = kMainRow;               // of the site table
  std::uint64_t work = 0, span = 0; // main: of the whole program; span: the sum of invocations
  // The most of its work that is on one path; main: the span of the program.
  std::uint64_t longest_chain = 0;
  bool chain_is_exact = true; // else no chain is longer
  Ratio chain_parallelism() const { return {work, longest_chain}; }
  std::uint64_t exclusive_work = 0;
  std::uint64_t critical_work = 0; // its exclusive share of the program's critical path
  std::uint64_t overhead_ticks = 0;
  std::uint64_t invocations = 0, outermost = 0, steps = 0;
  std::uint64_t asleep = 0;      // in its own steps, in the unit of work
  std::uint64_t latency = 0;     // of it, not waiting for other threads
  SleepTimes slept_in;           // of its latency
  SiteMeasures on_work, on_span; // main: one invocation, of the whole program
  SiteOverhead overhead;
  LoopCounts loops;
  RunPathPart on_run_path;
  std::uint64_t idle_beside_ns = 0; // of CPUs, while its steps ran (model/run_time.h)
  // Ticks that others waited for locks while its tasks held them: its part of LockTotals::wait_blame.
  std::uint64_t wait_blame = 0;
  std::vector<std::uint64_t> extra; // of its own steps, in the order of RunInfo::extra_events
  // Unreliable: reading the clock accounts for more than a tenth of the work of its steps.
  bool too_short = false;
};

struct RegionInfo {
  std::string place; // to display, as SiteInfo::name
  std::string file;
  std::uint32_t line = 0;
  std::vector<std::string> names;
  double expected_factor = 0;
  std::uint64_t critical_work = 0;   // of the program's critical path, inside it
  std::uint64_t work = 0, steps = 0; // inside it; steps with a part inside it
  std::vector<std::uint32_t> sites;  // indices of the rows with work inside it, ascending
};

} // namespace tp::analysis
