// SPDX-License-Identifier: Apache-2.0
// LOOP PARTS: what a loop would consist of if it had another grain size G. Body calls of more than
// G iterations are split (divisible_part(), work_span.h). Parts that together have no more than G
// iterations would never have been split off: they are a *merged leaf*, one body call that takes as
// long as all of them one after the other.
//
// A loop halves its range: a task keeps the left half and spawns a task for the right one, and so
// on; in the end it calls the body for what it kept. So what is left of a task's range at some
// moment is its own body calls and everything that it split off since. A LoopTask is over when its
// task and all tasks split off it have ended. Then the largest such rest of at most G iterations is
// merged: it begins where its first part was split off, and lasts as long as all its parts. The
// last of these tasks to end gets the end of the merged leaf as the least end of its path, and
// everything that joins that task joins the merged leaf. Memory: what is alive, and one part per
// halving.
#pragma once

#include "base/pool.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tp::analysis {

// The number of parts after a range of n iterations has been halved until none exceeds the grain
// size.
std::uint64_t leaves_of(std::uint64_t iterations, std::uint64_t grain);

struct LoopTotals {
  std::uint64_t iterations = 0;
  std::uint64_t body_calls = 0; // of this run
  std::uint64_t leaves = 0;     // with the other grain size
};

// A task of a loop. Lengths are divisible lengths of paths.
struct LoopTask {
  LoopTask* outer = nullptr; // the one that it was split off; not owned
  std::uint64_t live = 1;    // itself, and those split off it that are not over
  std::uint32_t place = 0;   // among those split off the outer one
  std::uint32_t splits = 0;
  std::uint64_t split_at = 0; // length of the path where it was split off
  // Own body calls of any iterations.
  std::uint64_t bodies = 0;
  std::uint64_t begin = 0;
  std::uint64_t iterations = 0, cost = 0, leaves = 0;
  struct Part {
    std::uint32_t place;
    std::uint64_t split_at, iterations, cost, leaves;
  };
  std::vector<Part> parts; // split off it and over
};

class LoopTasks {
public:
  explicit LoopTasks(std::uint64_t grain) : grain_(grain) {}

  // `outer`: the LoopTask that the new task was split off, null for the first of a call. Pass the
  // result to end(), which frees it.
  LoopTask* make(LoopTask* outer, std::uint64_t length);
  // A body call of the task has ended: it began at `begin` and added `cost`.
  void add_body(LoopTask& task, std::uint64_t begin, std::uint64_t cost, std::uint64_t iterations);
  // The task has ended. Returns the least length that the path of this task's end has to have; 0 if
  // nothing was merged.
  std::uint64_t end(LoopTask* task);

  const LoopTotals& totals() const { return totals_; }

private:
  std::uint64_t close(LoopTask& task, LoopTask::Part& whole) const;
  const std::uint64_t grain_;
  Pool<LoopTask> tasks_;
  LoopTotals totals_;
};

} // namespace tp::analysis
