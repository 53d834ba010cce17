// SPDX-License-Identifier: Apache-2.0
// What DagFold does with divisible lengths, for several changes at once.
#include "passes/grain_trials.h"

#include "passes/work_span.h"

#include <algorithm>
#include <cassert>
#include <new>

namespace tp::analysis {

GrainTrials::GrainTrials(std::span<const GrainChange> changes)
    : changes_(changes), paths_(sizeof(TrialPath) + changes.size() * sizeof(std::uint64_t)),
      marks_(sizeof(TrialMark) + 2 * changes.size() * sizeof(std::uint64_t)),
      tasks_(changes.size() * sizeof(LoopTask*)), longest_(changes.size()) {
  assert(changes.size() <= kMost);
  for (const GrainChange& change : changes)
    loops_.emplace_back(change.grain);
}

std::vector<GrainTrials::Result> GrainTrials::results() const {
  std::vector<Result> results;
  for (std::size_t i = 0; i < changes_.size(); ++i)
    results.push_back({longest_[i], loops_[i].totals()});
  return results;
}

Path* GrainTrials::new_path() {
  auto* const path = new (paths_.make()) TrialPath;
  std::fill_n(path->lengths(), changes_.size(), 0);
  return path;
}

Path* GrainTrials::copy_path(const Path& path) {
  auto* const made = new (paths_.make()) TrialPath;
  copy(made->lengths(), typed(path).lengths());
  return made;
}

void GrainTrials::join(Lengths into, const std::uint64_t* from) const {
  for (std::size_t i = 0; i < changes_.size(); ++i)
    into[i] = std::max(into[i], from[i]);
}

void GrainTrials::step(FrameState& frame, const Step& step) {
  const auto add = [&](Lengths to) {
    for (std::size_t i = 0; i < changes_.size(); ++i)
      to[i] += step.work;
  };
  add(path_of(frame).lengths());
  if (TrialMark* const loop = data_of(frame).loop; loop && !loop->open)
    add(divisible(*loop));
}

// Work that a task gives away between two of its body calls could have been given away before the
// first one. A task split off another gets its LoopTask here, since its place among its siblings
// counts; every other task gets it when it begins: there may be many that have not begun.
void GrainTrials::spawned(const FrameState& parent, FrameState& child) {
  if (TrialMark* const loop = data_of(parent).loop; loop && !loop->open)
    copy(path_of(child).lengths(), divisible(*loop));
  if (child.is_split)
    make_tasks(child, data_of(parent).tasks);
}

void GrainTrials::begun(FrameState& frame) {
  if (!frame.is_split)
    make_tasks(frame, nullptr);
}

void GrainTrials::make_tasks(FrameState& frame, Tasks outer) {
  Tasks made = nullptr;
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    if (changes_[i].row != frame.row)
      continue;
    if (!made) {
      made = static_cast<Tasks>(tasks_.make());
      std::fill_n(made, changes_.size(), nullptr);
    }
    made[i] = loops_[i].make(outer ? outer[i] : nullptr, path_of(frame).lengths()[i]);
  }
  data_of(frame).tasks = made;
}

void GrainTrials::loop_begin(FrameState& frame) {
  const Lengths now = path_of(frame).lengths();
  TrialMark*& loop = data_of(frame).loop;
  if (!loop || loop->open) {
    loop = new (marks_.make()) TrialMark{loop, false};
    copy(divisible(*loop), now);
    std::fill_n(longest(*loop), changes_.size(), 0);
  }
  loop->open = true;
  copy(now, divisible(*loop));
}

void GrainTrials::loop_end(FrameState& frame, std::uint64_t iterations, std::uint64_t grain) {
  TrialFrame& own = data_of(frame);
  TrialMark& loop = *own.loop;
  const Lengths now = path_of(frame).lengths(), ends = longest(loop);
  const Tasks of = own.tasks;
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    const std::uint64_t begin = divisible(loop)[i], cost = now[i] - begin;
    const bool is_changed = changes_[i].row == frame.row;
    if (is_changed && of)
      loops_[i].add_body(*of[i], begin, cost, iterations);
    now[i] = ends[i] = std::max(
        ends[i], begin + divisible_part(cost, iterations, is_changed ? changes_[i].grain : grain));
  }
  loop.open = false;
  if (loop.outer)
    leave_loop(own);
}

void GrainTrials::leave_loop(TrialFrame& frame) {
  TrialMark* const loop = frame.loop;
  frame.loop = loop->outer;
  marks_.free(loop);
}

// The end of a task may be the end of LoopTasks that the other grain size would not have split
// off.
void GrainTrials::end_tasks(TrialPath& path, TrialFrame& frame) {
  const Tasks of = frame.tasks;
  if (!of)
    return;
  const Lengths now = path.lengths();
  for (std::size_t i = 0; i < changes_.size(); ++i)
    if (of[i])
      now[i] = std::max(now[i], loops_[i].end(of[i]));
  tasks_.free(of);
  frame.tasks = nullptr;
}

// A task that was waited for is part of its root's path; any other is left unjoined.
void GrainTrials::ended(FrameState& frame) {
  TrialFrame& own = data_of(frame);
  while (own.loop)
    leave_loop(own);
  end_tasks(path_of(frame), own);
  if (frame.is_root)
    join(longest_.data(), path_of(frame).lengths());
}

} // namespace tp::analysis
