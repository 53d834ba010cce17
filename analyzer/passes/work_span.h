// SPDX-License-Identifier: Apache-2.0
// WORK / SPAN: lengths of longest paths, for many costs of a step at once.
//
// A path is a vector of lengths, each maximized independently of the others: that of this run; two
// for loops that are split to their grain size (docs/reference/terms.md, "schedule-independent"):
// one if iterations of a measured part cost the same, one with such parts undivided, which is an
// upper bound of it; the burdened ones of two models (model/speedup_bounds.h); that of work and
// latency; those of the what-if scenarios; then the chains of sites (site_profile.h). One of them also decides which
// composition survives (path_composition.h):
// the length of this run, unless the plan follows a scenario.
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

inline constexpr std::size_t kExecuted = 0, kDivisible = 1, kDivisibleAtMost = 2, kBurdenedCilk = 3,
                             kBurdenedTbb = 4, kWithLatency = 5, kFirstWhatIf = 6;

// What a composition counts work by: a class of steps or a calling context. Separate keys count how
// much of the path lies in which causal region, and in which code by the samples of its steps.
class PathKey {
public:
  PathKey() = default;
  static PathKey of(StepClassId id) { return PathKey(index_of(id)); }
  static PathKey of(ContextId id) { return PathKey(index_of(id)); }
  static PathKey of(RegionId id) { return PathKey(kRegion | index_of(id)); }
  static PathKey of(CodeId id) { return PathKey(kCode | index_of(id)); }
  bool is_region() const { return (bits_ & kRegion) != 0; }
  bool is_code() const { return (bits_ & (kRegion | kCode)) == kCode; }
  CodeId code() const { return static_cast<CodeId>(bits_ & ~kCode); }
  RegionId region() const { return static_cast<RegionId>(bits_ & ~kRegion); }
  // Not for regions and code. The caller knows which of the two kinds of id its paths use.
  template <typename Id>
  Id id() const {
    return static_cast<Id>(bits_);
  }
  auto operator<=>(const PathKey&) const = default;

private:
  static constexpr std::uint32_t kRegion = std::uint32_t{1} << 31;
  static constexpr std::uint32_t kCode = std::uint32_t{1} << 30;
  explicit PathKey(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};

// LOCAL SPAN. A path that a running task extends records the task (`by`) and its local span: how
// much work of the task's own steps is on the path. The difficult case is a join where another path
// wins: the task continues on that path, and its local span becomes what it was where that path
// left the task. site_profile.h explains, with a picture, how marks answer that in general. The
// fields below answer the common case, a task that joins its own child, without a search:
//
//   event                          what happens to the fields
//   task A spawns C: leave()       C's path remembers A (`spawner_serial`) and A's local span at
//                                  the spawn (`spawner_span`); `by` is null until C begins
//   C begins: enter()              `by` = C, `local_span` = 0
//   C ends: DagFold::ended()       `by` = null: the path is an *end* from here on
//   two ends meet in a scope       the winner's spawner fields and `foreign` replace the loser's
//   A joins C's end, which wins    if it is not `foreign` and its `spawner_serial` is A's, A's
//                                  local span is `spawner_span`; else it is looked up in the marks
//
// *foreign*. `spawner_span` is right only if the path really goes through the spawn of C. A running
// task can also take over a path that reached it otherwise: by an edge (Acquire), a fold node, or a
// wait for tasks that others spawned.
//
//               s: spawn                    w: wait
//   A  ----5----+---------------------------+--      C acquires an edge from D, and D's path is
//                \                         /         the longer one (20 > 6). So the path into w
//   C             +-----1-----+-----9-----+          comes from D and contains neither s nor a
//                            /  acquire              step of A: A's local span on it is 0. If D
//   D  ----------20---------+                        descends from A, the marks of A have it.
//
// So `foreign` is set when a running task takes over a path by any way but its own children. A
// running task keeps it, and tasks that it spawns later inherit it, although their own spawn may be
// on the path: marks are always right, only slower. Without the profile of sites `by` is always
// null, and these fields mean nothing.
//
// A path as DagFold keeps it: the head of a longer allocation, the lengths follow it.
struct FoldPath : Path {
  Invocation* by; // running task that extends the path; null for an end, and before the task begins
  std::uint64_t local_span; // work of the own steps of `by` on the path
  // Of the task that spawned the one whose path this is: its serial, and its local span at that
  // spawn, which it has again if it joins this path. Other tasks find theirs by the marks.
  std::uint64_t spawner_serial; // of its invocation; 0: none
  std::uint64_t spawner_span;
  SegmentId composition;
  std::uint32_t foreign; // 1: entered other than by waits for own children: use the marks
  // For the phases of the longest path, its length, plus one, where code outside of tasks created the
  // first task on it, and where such code last joined tasks; 0: that has not happened.
  std::uint64_t first_spawn, last_join;
  std::uint64_t* lengths() { return reinterpret_cast<std::uint64_t*>(this + 1); }
  const std::uint64_t* lengths() const { return reinterpret_cast<const std::uint64_t*>(this + 1); }
  std::uint64_t executed() const { return lengths()[kExecuted]; }
};

// What a path adds if a part of a loop, which added `added`, is replaced by its largest leaf, and all
// of its iterations cost the same. Rounded down. `join`: the cost of a join that did not run, where
// the results of the leaves have to be joined; then the longest way counts, through the largest or
// the deepest leaf.
std::uint64_t divisible_part(std::uint64_t added, const LoopPart& part, std::uint64_t join = 0);
// What joins that did not run would cost: more than a length can hold only in a damaged trace.
std::uint64_t saturated_product(std::uint64_t count, std::uint64_t cost);

class PathStore {
public:
  using Segments = SegmentStore<PathKey, OnSpan>;

  // `chains`: their number. `track_composition`: off for passes that only need lengths. The plan and
  // the pool outlive the store.
  PathStore(const WhatIfPlan& plan, std::size_t regions, std::size_t chains, bool track_composition,
            Pool<Invocation>& invocations);

  FoldPath* make();
  FoldPath* copy(const FoldPath& from);
  void drop(FoldPath* path) {
    segments_.drop(path->composition);
    paths_.free(path);
  }
  bool join(FoldPath& into, const FoldPath& from, Tie tie); // true: `from` wins
  void assign(FoldPath& into, const FoldPath& from);
  void join_wait(FoldPath& into, const FoldPath* fresh, const FoldPath* again, Row wait);
  // Hot: once per step. `key`: what the composition counts the step as; `of`: its class, for the
  // scenarios.
  // `code`: what of the step's work its samples assign to code.
  void extend(FoldPath& path, PathKey key, StepClassId of, const Step& step,
              std::span<const CodeWork> code = {}) {
    std::uint64_t* const lengths = path.lengths();
    lengths[kWithLatency] += step.latency;
    if (step.work == 0)
      return;
    const std::uint64_t before = lengths[followed_];
    for (std::size_t i = 0; i < kFirstWhatIf; ++i)
      lengths[i] += step.work;
    path.local_span += step.work;
    if (scenarios_.count() > 0)
      scenarios_.extend(lengths + kFirstWhatIf, of, step, code);
    if (!track_composition_)
      return;
    path.composition = segments_.extend(path.composition, key, lengths[followed_] - before);
    for (const RegionWork& part : step.regions)
      path.composition = segments_.extend(path.composition, PathKey::of(part.region), part.work);
    for (const CodeWork& part : code)
      path.composition = segments_.extend(path.composition, PathKey::of(part.code), part.work);
  }
  // `child`, a copy of its spawner's path, leaves the spawner's task.
  void leave(FoldPath& child);
  // The path continues through the task of `invocation`: the task begins, or it takes over a path
  // that contains no step of it.
  void enter(FoldPath& path, Invocation& invocation);

  std::size_t lengths() const { return lengths_; }
  std::uint64_t chain(const FoldPath& path, std::size_t number) const {
    return path.lengths()[first_chain_ + number];
  }
  // The number after the last one is for rows without a chain.
  void extend_chain(FoldPath& path, std::size_t number, std::uint64_t work) const {
    path.lengths()[first_chain_ + number] += work;
  }
  Segments& segments() { return segments_; }
  // What is on the path at `id`, after everything final has been added up.
  const OnSpan& settled(SegmentId id) {
    segments_.extra(id).settle(on_span_);
    return segments_.extra(id);
  }
  std::size_t live() const { return paths_.live(); }
  const ScenarioLengths& scenarios() const { return scenarios_; }

private:
  void take_composition(FoldPath& into, const FoldPath& from);
  void copy_all(FoldPath& into, const FoldPath& from) const;
  const std::uint64_t* find_mark(const FoldPath& path, const Invocation& of);

  ScenarioLengths scenarios_;
  const bool track_composition_;
  const std::size_t followed_; // the length that decides
  const std::size_t first_chain_;
  const std::size_t lengths_;
  BlockPool paths_;
  OnSpan::Owner on_span_;
  Segments segments_;
  std::vector<std::uint64_t> before_wait_; // scratch
};

} // namespace tp::analysis
