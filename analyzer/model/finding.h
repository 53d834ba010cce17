// SPDX-License-Identifier: Apache-2.0
// Findings: what limits the run, where in the program, and what it has the shape of. The shape
// decides the remedy (profile/advice.cpp).
#pragma once

#include "base/ids.h"
#include "model/read_summary.h"
#include "model/site.h"
#include "model/sleep.h"
#include "model/what_if.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tp::analysis {

enum class Shape : std::uint8_t {
  SerialStart,  // code of the program before its first oneTBB call
  SerialCode,   // other code outside every task
  LongTask,     // the critical path is in one task, or in few
  SerialTasks,  // tasks of one site that come one after the other
  SerialFilter, // a filter of a pipeline that takes one item at a time
  SerialNode,   // a node of a graph that takes one message at a time
  Imbalance,    // a loop whose body calls are too large for the number of CPUs
  TinyTasks,    // tasks that cost nearly as much as they do, or more
  Lock,         // a lock whose sections take longer than the critical path
  OffCpu,       // code that had no CPU most of the time: it waited, or other programs ran
  FewThreads,   // an arena, or global_control, lets few threads run at a time
  FewTokens,    // items of a pipeline that come one after the other because it has few tokens
};
// In JSON: stable.
inline constexpr const char* kShapeNames[] = {
    "serial_start", "serial_code", "long_task", "serial_tasks", "serial_filter", "serial_node",
    "imbalance",    "tiny_tasks",  "lock",      "off_cpu",      "few_threads",   "few_tokens"};

// What makes the parts of an imbalance smaller.
enum class Finer : std::uint8_t {
  SmallerGrain, // they are as large as the grain size lets them be
  NotStatic,    // there is one for each thread, or less
  Simple,       // what divides until enough threads have work stops before the grain size
  MoreThreads,  // more threads make more parts, and those of this run cost about the same
  Even,         // nothing: all threads have the same part, which is even for the CPUs, too
};

struct Finding {
  Shape shape = Shape::SerialCode;
  std::string code;  // in plain words: "the body of node a.cpp:12"
  SourcePlace place; // of its site; main: of the site that comes before or after
  Row row = kMainRow;
  std::uint64_t work = 0, critical_work = 0;   // of its own steps
  std::uint64_t tasks = 0, critical_tasks = 0; // of its site; with a step on the critical path
  // At least so many of its steps make up the critical work: if each took as long as the longest.
  std::uint64_t critical_steps_at_least = 0;
  std::uint64_t body_calls = 0, iterations = 0; // of a loop: of its site
  std::uint64_t tokens = 0;                     // FewTokens: of the pipeline, at most
  Finer finer = Finer::SmallerGrain;            // Imbalance; Even: of any shape
  // Of an OpenMP loop whose threads take chunks while they run it (schedules dynamic and guided): what one thread ran of
  // it each time; else 0. Guided: its chunks were not of one size, so more threads may make them smaller.
  std::uint64_t shared_parts = 0;
  bool may_be_guided = false;
  // That OpenMP regions, or those around a loop, asked for and did not get.
  std::uint64_t missing_threads = 0;
  // Imbalance, and of OpenMP's regions and loops: threads that the runtime divides for.
  ThreadRange divided_for;
  bool in_league = false; // of OpenMP's teams, or inside of them
  // Of OpenMP's regions: the program gives the number of threads, OMP_NUM_THREADS does not.
  bool asks_for_threads = false;
  // Tasks or threads run its regions, so that several runs of one may be at once.
  bool runs_at_once = false;
  bool has_barriers = false; // Imbalance of a region: its code begins or ends at one
  // Of a loop of OpenMP: parts of its iterations come after those of others.
  bool waits_for_iterations = false;
  bool may_be_nonmonotonic = false; // such a loop, by clang++, with schedule(dynamic)
  bool may_hide_loops = false; // Imbalance of a region: of g++'s, whose static loops do not show
  // Imbalance: of an OpenMP region that has one part for each thread; 0: not known. TinyTasks: of a loop that is run often,
  // for so little work each time that threads hardly share it; 0: it is its tasks that cost much.
  std::uint64_t runs = 0;
  // In the unit of work, on `procs` CPUs: the time predicted for this run, and a time that the
  // program needs at least after the remedy. Both 0: not known.
  std::uint64_t procs = 0;
  std::uint64_t time = 0, least_time = 0;
  // The same if sections of locks in that code stay as long. Null: that makes no difference, or less than half of what is saved.
  std::optional<std::uint64_t> time_with_sections;
  std::uint64_t saves_at_most() const { return time - (least_time < time ? least_time : time); }
  // SerialStart, SerialCode: the time without that code. Null: not known.
  std::optional<std::uint64_t> time_without;
  // OffCpu: ticks within its steps, and those of them without a CPU.
  std::uint64_t ticks = 0, off_cpu_ticks = 0;
  std::optional<std::uint64_t> asleep_ticks; // of the latter; null: not known
  std::optional<std::uint64_t> waited_ticks; // of those, for other threads; null: not known
  SleepTimes slept_in;                       // of asleep_ticks, without waited_ticks
  std::optional<std::size_t> lock;           // Lock: index into Locks::rows
  std::optional<std::size_t> limit;          // FewThreads: index into Profile::limits
  std::vector<StepClassId> classes;          // of its steps; empty: not of code
  MainFunctions mostly;
  std::string text; // a sentence: what it is, and the remedy
};

} // namespace tp::analysis
