// SPDX-License-Identifier: Apache-2.0
// What DagFold does with divisible lengths, for several changes at once.
#include "passes/grain_trials.h"

#include "passes/work_span.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <new>
#include <utility>

namespace tp::analysis {

namespace {

// The cost of the largest leaf if a body call is halved until no part exceeds `grain`, from the costs
// of its portions; those of a portion's iterations are the same.
class LargestLeaf {
public:
  LargestLeaf(const TrialPortions& portions, std::size_t changes, std::size_t change,
              std::uint64_t grain)
      : grain_(std::max<std::uint64_t>(grain, 1)) {
    ends_.push_back(0);
    for (std::size_t i = 0; i < portions.events.size(); ++i) {
      if (portions.events[i].is_join)
        continue;
      ends_.push_back(ends_.back() + portions.events[i].part.iterations);
      costs_.push_back(portions.costs[i * changes + change]);
    }
  }
  std::uint64_t cost() const { return of(0, ends_.back()); }

private:
  std::uint64_t of(std::uint64_t begin, std::uint64_t end) const {
    const std::size_t first = portion_at(begin);
    if (first >= costs_.size() || begin >= end)
      return 0;
    const std::uint64_t size = end - begin;
    if (end <= ends_[first + 1]) // within one portion
      return divisible_part(costs_[first], {.iterations = ends_[first + 1] - ends_[first],
                                            .largest = LoopPart::of(size, grain_).largest});
    if (size > grain_)
      return std::max(of(begin, begin + size / 2), of(begin + size / 2, end));
    std::uint64_t sum = 0;
    for (std::size_t i = first; i < costs_.size() && ends_[i] < end; ++i) {
      const std::uint64_t part = std::min(end, ends_[i + 1]) - std::max(begin, ends_[i]);
      sum += divisible_part(costs_[i], {.iterations = ends_[i + 1] - ends_[i], .largest = part});
    }
    return sum;
  }
  // The portion that contains an iteration.
  std::size_t portion_at(std::uint64_t iteration) const {
    return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), iteration) -
                                    ends_.begin()) -
           1;
  }
  const std::uint64_t grain_;
  std::vector<std::uint64_t> ends_; // of portions, in iterations; [0] is 0
  std::vector<std::uint64_t> costs_;
};

} // namespace

GrainTrials::GrainTrials(std::span<const GrainChange> changes,
                         const IdVector<Row, std::uint64_t>* join_costs)
    : changes_(changes), join_costs_(join_costs),
      paths_(sizeof(TrialPath) + changes.size() * sizeof(std::uint64_t)),
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
  if (step.fold == FoldKind::Skipped && join_costs_)
    for (std::size_t i = 0; i < changes_.size(); ++i)
      path_of(frame).lengths()[i] += saturated_product(1, (*join_costs_)[frame.row]);
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
    loop = new (marks_.make()) TrialMark{loop, false, nullptr, 0};
    copy(divisible(*loop), now);
    std::fill_n(longest(*loop), changes_.size(), 0);
  }
  loop->open = true;
  copy(now, divisible(*loop));
}

void GrainTrials::add_portion(FrameState& frame, const TrialPortions::Event& event) {
  TrialMark& loop = *data_of(frame).loop;
  if (!loop.portions)
    loop.portions = new TrialPortions;
  loop.portions->events.push_back(event);
  const Lengths now = path_of(frame).lengths();
  for (std::size_t i = 0; i < changes_.size(); ++i)
    loop.portions->costs.push_back(now[i] - divisible(loop)[i]);
  copy(now, divisible(loop));
}

std::uint64_t GrainTrials::join_cost(Row row, const LoopPart& part) const {
  return join_costs_ && part.joins ? (*join_costs_)[row] : 0;
}

// As DagFold.
std::uint64_t GrainTrials::longest_portion(Row row, const TrialPortions& portions,
                                           std::size_t change) const {
  std::uint64_t longest = 0;
  std::vector<std::uint64_t> to_join;
  for (std::size_t i = 0; i < portions.events.size(); ++i) {
    const std::uint64_t cost = portions.costs[i * changes_.size() + change];
    const LoopPart& part = portions.events[i].part;
    if (portions.events[i].is_join) {
      std::uint64_t joined = 0;
      for (int side = 0; side < 2 && !to_join.empty(); ++side) {
        joined = std::max(joined, to_join.back());
        to_join.pop_back();
      }
      to_join.push_back(joined + cost);
    } else if (part.joins) {
      to_join.push_back(divisible_part(cost, part, join_cost(row, part)));
    } else {
      longest = std::max(longest, divisible_part(cost, part));
    }
  }
  for (const std::uint64_t end : to_join)
    longest = std::max(longest, end);
  return longest;
}

void GrainTrials::loop_end(FrameState& frame, const LoopPart& whole) {
  TrialFrame& own = data_of(frame);
  TrialMark& loop = *own.loop;
  const Lengths now = path_of(frame).lengths(), ends = longest(loop);
  const Tasks of = own.tasks;
  std::uint64_t in_portions = 0;
  if (loop.portions) {
    for (const TrialPortions::Event& event : loop.portions->events)
      in_portions += event.is_join ? 0 : event.part.iterations;
    if (whole.iterations > in_portions)
      add_portion(frame, {whole.rest(whole.iterations - in_portions), false});
  }
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    const std::uint64_t begin = divisible(loop)[i];
    const bool is_changed = changes_[i].row == frame.row && whole.is_flat && whole.iterations > 0;
    LoopPart part = whole;
    if (is_changed) {
      part = LoopPart::of(whole.iterations, changes_[i].grain);
      part.joins = whole.joins;
    }
    std::uint64_t cost = now[i] - begin, added = cost;
    if (!loop.portions) {
      added = divisible_part(cost, part, join_cost(frame.row, part));
    } else {
      for (std::size_t event = 0; event < loop.portions->events.size(); ++event)
        cost += loop.portions->events[event].is_join
                    ? 0
                    : loop.portions->costs[event * changes_.size() + i];
      added += is_changed
                   ? LargestLeaf(*loop.portions, changes_.size(), i, changes_[i].grain).cost() +
                         saturated_product(part.halvings, join_cost(frame.row, part))
                   : longest_portion(frame.row, *loop.portions, i);
    }
    if (is_changed && of)
      loops_[i].add_body(*of[i], begin, cost, whole.iterations);
    now[i] = ends[i] = std::max(ends[i], begin + added);
  }
  loop.to_join_calls += whole.joins;
  loop.open = false;
  delete std::exchange(loop.portions, nullptr);
  if (loop.outer)
    leave_loop(own);
}

// As DagFold.
void GrainTrials::join_calls(FrameState& frame) {
  TrialMark* const loop = data_of(frame).loop;
  if (!loop || loop->open || loop->to_join_calls < 2 || !join_costs_)
    return;
  const auto count = static_cast<std::uint64_t>(std::bit_width(loop->to_join_calls - 1));
  for (std::size_t i = 0; i < changes_.size(); ++i)
    path_of(frame).lengths()[i] += saturated_product(count, (*join_costs_)[frame.row]);
  loop->to_join_calls = 0;
}

void GrainTrials::leave_loop(TrialFrame& frame) {
  TrialMark* const loop = frame.loop;
  frame.loop = loop->outer;
  delete loop->portions;
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
bool GrainTrials::ended(FrameState& frame, Tie) {
  TrialFrame& own = data_of(frame);
  join_calls(frame);
  while (own.loop)
    leave_loop(own);
  end_tasks(path_of(frame), own);
  if (frame.is_root)
    join(longest_.data(), path_of(frame).lengths());
  return false;
}

} // namespace tp::analysis
