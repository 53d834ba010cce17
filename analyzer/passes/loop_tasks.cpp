// SPDX-License-Identifier: Apache-2.0
// Which parts of a loop are merged, from the end of a range to its beginning.
#include "passes/loop_tasks.h"

#include <algorithm>

namespace tp::analysis {

std::uint64_t leaves_of(std::uint64_t iterations, std::uint64_t grain) {
  grain = std::max<std::uint64_t>(grain, 1);
  // Halving leaves ranges of two sizes, `size` and `size + 1`.
  std::uint64_t size = iterations, larger = 0, parts = 1, done = 0;
  while (size > grain || (larger > 0 && size + 1 > grain)) {
    if (size <= grain) { // the smaller ones stop here
      done += parts - larger;
      parts = larger;
      size += 1;
      larger = 0;
    }
    const bool odd = size % 2 != 0;
    // size -> halves of size/2 and size - size/2; size + 1 the same.
    const std::uint64_t of_size = parts - larger;
    larger = odd ? of_size + 2 * larger : larger;
    size /= 2;
    parts *= 2;
  }
  return done + parts;
}

LoopTask* LoopTasks::make(LoopTask* outer, std::uint64_t length) {
  LoopTask* const task = tasks_.make();
  task->outer = outer;
  task->split_at = length;
  if (outer) {
    task->place = outer->splits++;
    ++outer->live;
  }
  return task;
}

void LoopTasks::add_body(LoopTask& task, std::uint64_t begin, std::uint64_t cost,
                         std::uint64_t iterations) {
  ++totals_.body_calls;
  totals_.iterations += iterations;
  if (iterations == 0)
    return;
  if (++task.bodies == 1)
    task.begin = begin;
  task.iterations += iterations;
  task.cost += cost;
  task.leaves += leaves_of(iterations, grain_);
}

// Sums a LoopTask up as a part of its outer one. Returns the end of its merged leaf; 0 if nothing
// was merged.
std::uint64_t LoopTasks::close(LoopTask& task, LoopTask::Part& whole) const {
  auto& parts = task.parts;
  std::sort(parts.begin(), parts.end(),
            [](const auto& a, const auto& b) { return a.place < b.place; });
  const bool own_fits = task.iterations > 0 && task.iterations <= grain_;
  std::uint64_t begin = task.begin, rest = task.iterations, cost = task.cost;
  std::size_t kept = parts.size();
  while (own_fits && kept > 0 && parts[kept - 1].iterations > 0 &&
         parts[kept - 1].iterations <= grain_ - rest) {
    --kept;
    begin = parts[kept].split_at;
    rest += parts[kept].iterations;
    cost += parts[kept].cost;
  }
  whole = {task.place, task.split_at, rest, cost, own_fits ? 1 : task.leaves};
  for (std::size_t i = 0; i < kept; ++i) {
    whole.iterations += parts[i].iterations;
    whole.cost += parts[i].cost;
    whole.leaves += parts[i].leaves;
  }
  return own_fits && (kept < parts.size() || task.bodies > 1) ? begin + cost : 0;
}

std::uint64_t LoopTasks::end(LoopTask* task) {
  std::uint64_t reached = 0;
  while (task && --task->live == 0) {
    LoopTask::Part whole;
    reached = std::max(reached, close(*task, whole));
    LoopTask* const outer = task->outer;
    if (outer)
      outer->parts.push_back(whole);
    else
      totals_.leaves += whole.leaves;
    tasks_.free(task);
    task = outer;
  }
  return reached;
}

} // namespace tp::analysis
