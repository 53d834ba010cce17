// SPDX-License-Identifier: Apache-2.0
// The arithmetic of paths. copy() runs once per task, join() at most a few times per task. Lengths
// cannot overflow: DagFold checks that the whole work, times the largest factor, fits.
#include "passes/work_span.h"
#include "base/wide.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace tp::analysis {

std::uint64_t divisible_part(std::uint64_t added, const LoopPart& part, std::uint64_t join) {
  const auto share = [&](std::uint64_t iterations) {
    if (part.iterations == 0)
      return added;
    // Only what a damaged trace says is more than twice as large.
    const Wide of = std::min(Wide{iterations}, Wide{part.iterations} * 2);
    return static_cast<std::uint64_t>(Wide{added} * of / part.iterations);
  };
  if (!part.joins || join == 0)
    return share(part.largest);
  const std::uint64_t to_deepest = share(part.deepest) + saturated_product(part.halvings, join);
  return part.deepest >= part.largest || part.halvings == 0
             ? to_deepest
             : std::max(to_deepest,
                        share(part.largest) + saturated_product(part.halvings - 1, join));
}

std::uint64_t saturated_product(std::uint64_t count, std::uint64_t cost) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() / 1024;
  return static_cast<std::uint64_t>(std::min(Wide{count} * cost, Wide{kMost}));
}

// Lengths that every path has room for; those that nothing uses are 0.
static constexpr std::size_t kCopied = kFirstWhatIf + 2;

PathStore::PathStore(const WhatIfPlan& plan, std::size_t regions, std::size_t chains,
                     bool track_composition, Pool<Invocation>& invocations)
    : scenarios_(plan, regions), track_composition_(track_composition),
      followed_(plan.followed ? kFirstWhatIf + scenarios_.slot(*plan.followed) : kExecuted),
      first_chain_(kFirstWhatIf + plan.scenarios.size()), lengths_(first_chain_ + chains + 1),
      paths_(sizeof(FoldPath) + std::max(lengths_, kCopied) * sizeof(std::uint64_t)),
      on_span_(invocations), segments_(on_span_) {}

FoldPath* PathStore::make() {
  FoldPath* const path = static_cast<FoldPath*>(paths_.make());
  std::memset(static_cast<void*>(path), 0, paths_.bytes());
  path->composition = kNoSegment;
  return path;
}

// With a size known at compile time where there are few scenarios and sites.
void PathStore::copy_all(FoldPath& into, const FoldPath& from) const {
  if (lengths_ <= kCopied) [[likely]]
    std::memcpy(static_cast<void*>(&into), &from,
                sizeof(FoldPath) + kCopied * sizeof(std::uint64_t));
  else
    std::memcpy(static_cast<void*>(&into), &from, paths_.bytes());
}

FoldPath* PathStore::copy(const FoldPath& from) {
  if (from.by && from.composition != kNoSegment)
    segments_.extra(from.composition).mark(on_span_, *from.by, from.local_span);
  FoldPath* const path = static_cast<FoldPath*>(paths_.make());
  copy_all(*path, from);
  segments_.share(path->composition);
  return path;
}

// Null: no step of the task is on the path.
const std::uint64_t* PathStore::find_mark(const FoldPath& path, const Invocation& of) {
  for (SegmentId id = path.composition; id != kNoSegment; id = segments_.previous(id)) {
    segments_.collapse(id); // segments visited once are merged, so that later searches skip them
    const OnSpan& on_span = segments_.extra(id);
    if (!on_span.may_find(of))
      return nullptr;
    if (const std::uint64_t* const span = on_span.find(of))
      return span;
  }
  return nullptr;
}

// `into` continues on the composition of `from`. Its task gets the local span that it had where
// that path left it (see LOCAL SPAN in work_span.h).
void PathStore::take_composition(FoldPath& into, const FoldPath& from) {
  bool enters = false;
  if (!into.by) { // an end: it is the end of `from` now
    into.spawner_serial = from.spawner_serial;
    into.foreign = from.foreign;
    into.spawner_span = from.spawner_span;
  } else if (!from.foreign && from.spawner_serial == into.by->serial) {
    into.local_span = from.spawner_span;
  } else {
    const std::uint64_t* const mark = find_mark(from, *into.by);
    enters = !mark;
    into.local_span = mark ? *mark : 0;
    into.foreign = 1;
  }
  into.first_spawn = from.first_spawn;
  into.last_join = from.last_join;
  const SegmentId kept = segments_.share(from.composition);
  segments_.drop(into.composition);
  into.composition = kept;
  if (enters)
    enter(into, *into.by);
}

bool PathStore::join(FoldPath& into, const FoldPath& from, Tie tie) {
  std::uint64_t* const to = into.lengths();
  const std::uint64_t* const other = from.lengths();
  const bool wins =
      other[followed_] == to[followed_] ? tie == Tie::From : other[followed_] > to[followed_];
  if (wins)
    take_composition(into, from);
  for (std::size_t i = 0; i < kCopied; ++i)
    to[i] = std::max(to[i], other[i]);
  for (std::size_t i = kCopied; i < lengths_; ++i)
    to[i] = std::max(to[i], other[i]);
  return wins;
}

// The task continues where another path ends.
void PathStore::assign(FoldPath& into, const FoldPath& from) {
  take_composition(into, from);
  std::copy_n(from.lengths(), lengths_, into.lengths());
}

void PathStore::join_wait(FoldPath& into, const FoldPath* fresh, const FoldPath* again, Row wait) {
  if (!scenarios_.removes_waits()) {
    if (fresh)
      join(into, *fresh, Tie::From);
    return;
  }
  std::uint64_t* const what_if = into.lengths() + kFirstWhatIf;
  before_wait_.assign(what_if, what_if + scenarios_.count());
  if (fresh)
    join(into, *fresh, Tie::From);
  scenarios_.undo_wait(what_if, before_wait_.data(),
                       again ? again->lengths() + kFirstWhatIf : nullptr, wait);
}

void PathStore::leave(FoldPath& child) {
  child.spawner_serial = child.by ? child.by->serial : 0;
  child.spawner_span = child.local_span;
  child.by = nullptr;
  child.local_span = 0;
}

void PathStore::enter(FoldPath& path, Invocation& invocation) {
  path.by = &invocation;
  path.composition = segments_.begin_after(path.composition);
  segments_.extra(path.composition).enter(invocation);
}

} // namespace tp::analysis
