// The arithmetic of paths. extend() runs once per step, copy() once per task, join() at most a few
// times per task. Lengths cannot overflow: Analysis checks that the whole work, times the largest
// factor, fits.
#include "passes/work_span.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace tp::analysis {

std::uint64_t divisible_part(std::uint64_t added, std::uint64_t iterations, std::uint64_t grain) {
  if (iterations == 0)
    return added;
  grain = std::max<std::uint64_t>(grain, 1);
  // Halving makes pieces of two neighbouring sizes; the smaller ones may stop a step earlier, at
  // the grain exactly.
  std::uint64_t largest = iterations, smaller = iterations;
  while (largest > grain && smaller > grain) {
    largest -= largest / 2;
    smaller /= 2;
  }
  if (largest > grain)
    largest = smaller;
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{added} * largest / iterations);
}

PathStore::PathStore(const WhatIfPlan& plan, bool track_composition)
    : plan_(plan), track_composition_(track_composition),
      lengths_(kFirstWhatIf + plan.scenarios.size()),
      bytes_(sizeof(Path) + lengths_ * sizeof(std::uint64_t)), region_work_(plan.sets.size()),
      in_set_(plan.sets.size()) {}

void PathStore::grow() {
  constexpr std::size_t kPaths = 128;
  blocks_.push_back(std::make_unique<std::byte[]>(kPaths * bytes_));
  for (std::size_t i = kPaths; i-- > 0;) {
    Path* const path = reinterpret_cast<Path*>(blocks_.back().get() + i * bytes_);
    std::memcpy(static_cast<void*>(path), &free_, sizeof free_);
    free_ = path;
  }
}

Path* PathStore::make() {
  if (!free_)
    grow();
  Path* const path = free_;
  std::memcpy(&free_, static_cast<const void*>(path), sizeof free_);
  std::memset(static_cast<void*>(path), 0, bytes_);
  path->composition = kNoSegment;
  ++live_;
  return path;
}

Path* PathStore::copy(const Path& from) {
  if (!free_)
    grow();
  Path* const path = free_;
  std::memcpy(&free_, static_cast<const void*>(path), sizeof free_);
  std::memcpy(static_cast<void*>(path), &from, bytes_);
  segments_.share(path->composition);
  ++live_;
  return path;
}

void PathStore::drop(Path* path) {
  segments_.drop(path->composition);
  std::memcpy(static_cast<void*>(path), &free_, sizeof free_);
  free_ = path;
  --live_;
}

void PathStore::join(Path& into, const Path& from, Tie tie) {
  const bool equal = from.executed() == into.executed();
  const bool wins = equal ? tie == Tie::From || (tie == Tie::LowerRank && from.rank < into.rank)
                          : from.executed() > into.executed();
  if (wins) {
    const SegmentId kept = segments_.share(from.composition);
    segments_.drop(into.composition);
    into.composition = kept;
    if (tie == Tie::LowerRank)
      into.rank = from.rank;
  }
  std::uint64_t* const to = into.lengths();
  const std::uint64_t* const other = from.lengths();
  for (std::size_t i = 0; i < lengths_; ++i)
    to[i] = std::max(to[i], other[i]);
}

void PathStore::assign(Path& into, const Path& from) {
  const SegmentId kept = segments_.share(from.composition);
  segments_.drop(into.composition);
  into.composition = kept;
  std::copy_n(from.lengths(), lengths_, into.lengths());
}

void PathStore::extend(Path& path, Row row, const Step& step) {
  const std::uint64_t work = step.work;
  if (work == 0)
    return;
  std::uint64_t* const lengths = path.lengths();
  lengths[kExecuted] += work;
  lengths[kDivisible] += work;
  if (track_composition_)
    path.composition = segments_.extend(path.composition, row, work);
  if (plan_.scenarios.empty())
    return;
  std::uint64_t* const what_if = lengths + kFirstWhatIf;
  const std::size_t scenarios = plan_.scenarios.size();
  if (step.regions.empty()) {
    for (std::size_t i = 0; i < scenarios; ++i)
      what_if[i] += plan_.scenarios[i].factor * work;
    return;
  }
  for (std::size_t set = 0; set < in_set_.size(); ++set) {
    in_set_[set] = 0;
    for (const RegionWork& part : step.regions)
      if (plan_.sets[set][part.region])
        in_set_[set] += part.work;
    region_work_[set] += in_set_[set];
  }
  for (std::size_t i = 0; i < scenarios; ++i) {
    const std::uint64_t inside = in_set_[plan_.scenarios[i].set];
    what_if[i] += plan_.scenarios[i].factor * (work - inside) + inside;
  }
}

} // namespace tp::analysis
