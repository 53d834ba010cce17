// WORK / SPAN: lengths of longest paths, for many costs of a step at once.
//
// A path is a vector of lengths, each maximized on its own: as executed, as divisible (design.md
// section 1), burdened in two models (scalability.h), then the what-if scenarios. One of them, as
// executed unless the plan follows a scenario, also decides which composition survives
// (critical_path.h).
#pragma once

#include "base/pool.h"
#include "dag/dag_visitor.h"
#include "passes/path_composition.h"
#include "passes/site_profile.h"
#include "passes/what_if.h"

#include <compare>
#include <cstdint>
#include <vector>

namespace tp::analysis {

inline constexpr std::size_t kExecuted = 0, kDivisible = 1, kBurdenedCilk = 2, kBurdenedTbb = 3,
                             kFirstWhatIf = 4;

// What a composition counts work by: a class of steps or a calling context; beside that, how much of
// the path lies in which causal region.
class PathKey {
public:
  PathKey() = default;
  static PathKey of(StepClassId id) { return PathKey(index_of(id)); }
  static PathKey of(ContextId id) { return PathKey(index_of(id)); }
  static PathKey of(RegionId id) { return PathKey(kRegion | index_of(id)); }
  bool is_region() const { return (bits_ & kRegion) != 0; }
  RegionId region() const { return static_cast<RegionId>(bits_ & ~kRegion); }
  // One that is no region; which of the two, the maker of the path knows.
  template <typename Id>
  Id id() const {
    return static_cast<Id>(bits_);
  }
  auto operator<=>(const PathKey&) const = default;

private:
  static constexpr std::uint32_t kRegion = std::uint32_t{1} << 31;
  explicit PathKey(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};

// A path as DagFold keeps it: the head of a longer allocation, the lengths follow it.
struct FoldPath : Path {
  std::uint64_t rank;
  Invocation* by;           // whose local span is kept: the task that is extending the path
  std::uint64_t local_span; // work of its own steps on the path
  // Who spawned the task that this is the path of, and its local span at that spawn: what it has
  // again when it joins the path. Anybody else finds that by the marks on the path.
  std::uint64_t spawner_serial; // of its invocation; 0: none
  std::uint64_t spawner_span;
  SegmentId composition;
  std::uint32_t foreign; // it came in by another way than the waits for own children: marks decide
  std::uint64_t* lengths() { return reinterpret_cast<std::uint64_t*>(this + 1); }
  const std::uint64_t* lengths() const { return reinterpret_cast<const std::uint64_t*>(this + 1); }
  std::uint64_t executed() const { return lengths()[kExecuted]; }
};

// What the path adds when the largest piece of a leaf of n iterations is left that no longer
// exceeds the grain: added * h / n, where h is the largest piece when n is halved until no piece
// exceeds the grain. Rounded down.
std::uint64_t divisible_part(std::uint64_t added, std::uint64_t iterations, std::uint64_t grain);

class PathStore {
public:
  using Segments = SegmentStore<PathKey, OnSpan>;

  // `track_composition`: off for passes that only need lengths. The plan outlives the store.
  PathStore(const WhatIfPlan& plan, std::size_t regions, bool track_composition,
            Pool<Invocation>& invocations);

  FoldPath* make();
  FoldPath* copy(const FoldPath& path);
  void drop(FoldPath* path) {
    segments_.drop(path->composition);
    paths_.free(path);
  }
  void join(FoldPath& into, const FoldPath& from, Tie tie);
  void assign(FoldPath& into, const FoldPath& from); // but for its rank
  void join_wait(FoldPath& into, const FoldPath* fresh, const FoldPath* again, Row wait);
  // Hot: once per step. `key`: what the composition counts the step as; `of`: its class, for the scenarios.
  void extend(FoldPath& path, PathKey key, StepClassId of, const Step& step) {
    if (step.work == 0)
      return;
    std::uint64_t* const lengths = path.lengths();
    const std::uint64_t before = lengths[followed_];
    for (std::size_t i = 0; i < kFirstWhatIf; ++i)
      lengths[i] += step.work;
    path.local_span += step.work;
    if (scenarios_.count() > 0)
      scenarios_.extend(lengths + kFirstWhatIf, of, step);
    if (!track_composition_)
      return;
    path.composition = segments_.extend(path.composition, key, lengths[followed_] - before);
    for (const RegionWork& part : step.regions)
      path.composition = segments_.extend(path.composition, PathKey::of(part.region), part.work);
  }
  // `child`, a copy of its spawner's, leaves the spawner's task, and goes on through that of
  // `invocation` once it begins.
  void leave(FoldPath& child);
  void enter(FoldPath& child, Invocation& invocation);

  std::size_t lengths() const { return lengths_; }
  Segments& segments() { return segments_; }
  // What is on the path at `id`, with all that is final added up.
  const OnSpan& settled(SegmentId id) {
    segments_.extra(id).settle(on_span_);
    return segments_.extra(id);
  }
  std::size_t live() const { return paths_.live(); }
  const ScenarioLengths& scenarios() const { return scenarios_; }

private:
  void take_composition(FoldPath& into, const FoldPath& from);
  void copy_all(FoldPath& into, const FoldPath& from) const;
  std::uint64_t marked_span(const FoldPath& path, const Invocation* of);

  ScenarioLengths scenarios_;
  const bool track_composition_;
  const std::size_t followed_; // the length that decides
  const std::size_t lengths_;
  BlockPool paths_;
  OnSpan::Owner on_span_;
  Segments segments_;
  std::vector<std::uint64_t> before_wait_; // scratch
};

} // namespace tp::analysis
