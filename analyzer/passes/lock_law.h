// SPDX-License-Identifier: Apache-2.0
// THE LAW OF LOCKS: what the critical sections of each lock add up to, whatever the schedule.
//
// A *section* is the code between the acquisition and the release of a lock object. Its own span is
// the heaviest path from one to the other: no schedule passes it faster. Exclusive sections of one
// object never overlap, and no shared one overlaps an exclusive one, so every schedule takes at least
//
//   H = the sum of the exclusive sections' own spans + the longest shared section's
//
// (Eyerman and Eeckhout, ISCA 2010, give expected times; this is a bound.) Before the first of these
// sections comes at least the least longest path to one of them, after the last the least longest path
// from one of them to the end of the program: H + before + after is a bound as well, and a closer one.
// Of a lock that is split into k, one part has H / k or more, with the same paths before and after.
//
// Most sections lie in one step. One that does not is followed along paths: from its acquisition (Take)
// on, each path that goes through it carries its distance, and at its release (Give) the distance of
// the releasing path is the section's own span. A section that is taken again inside itself
// (recursion) counts once. Distances to the end of the program need the DAG backwards: for the objects
// that are asked for, the pass keeps one point per step in memory, with what scenarios shorten of it.
//
// What runs under a limit of concurrency (model/concurrency.h) has such ends as well: its work, divided by the width,
// lies between the least longest path to a part of it and that from one of its parts to the end.
//
// All lengths exist once per *measure*: work, work and latency, and work in scenarios where the
// sections of some places are `factor` times as short, multiplied by the factor. Where in a step a
// thread slept is known only as far as it was in sections (LockUse::latency): what is before and after
// them in their own step counts without latency.
#pragma once

#include "dag/dag_visitor.h"
#include "model/concurrency.h"
#include "model/concurrency_limit.h"
#include "model/lock.h"
#include "passes/step_class.h"
#include "passes/what_if.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tp::analysis {

// Code that becomes `factor` times as short: sections of some places, or the code of a what-if
// (what_if.h). Where in a step a marked region or a function was is not known: as far as it can, it lies
// in each of the step's sections, so that they come out as short as they may be.
struct LockScenario {
  IdVector<LockPlaceId, std::uint8_t> places = {};
  StepSet code = {};
  std::uint64_t factor = 1;
};

// Per pool, its limits: numbers below `count`.
struct LimitsOfPools {
  IdVector<PoolId, std::vector<std::uint32_t>> of = {};
  std::uint32_t count = 0;
};

struct LockLawSetup {
  std::vector<LockScenario> scenarios = {};
  // Objects whose `before` and `after` are asked for.
  std::vector<LockObjectId> ends_of = {};
  // Limits whose ends are asked for.
  LimitsOfPools limits = {};
  // Not null if scenarios contain code by samples.
  const SampledCode* samples = nullptr;
  const SampleWeights* weights = nullptr;
};

class LockLaw final : public DagVisitor {
public:
  enum Measure : std::size_t { kWork, kWithLatency, kFirstScenario };
  using Lengths = std::vector<std::uint64_t>; // per measure

  struct Takers {            // threads that took a lock
    std::uint32_t first = 0; // stream
    bool any = false, several = false;
    void add(std::uint32_t stream);
  };
  struct Object {
    LockObjectInfo info;
    LockTotals totals;
    // Where it is taken, or tried in vain, in the order of first use.
    std::vector<LockPlaceId> places;
    Takers by_main;            // in code outside tasks, of the first thread or of unknown ones
    Takers by_others;          // elsewhere
    bool in_tasks = false;     // tasks took it, not only threads of the program's own
    bool awaits_tasks = false; // in a section of it there is a wait for tasks
    Lengths exclusive;         // sum of the own spans of its exclusive sections
    Lengths longest_shared;    // the longest of its shared ones
    std::uint64_t open = 0;    // sections that did not end, or began on a path that does not
                               // lead to their end: they count as nothing
    // Only if its ends are asked for, per measure: sections of which none have more and longer ends than others.
    std::vector<std::vector<LockBound>> with_ends = {};
    bool is_acquired() const { return totals.acquisitions > 0; }
    // No other thread took it. Main may go through the locks of all threads: that says nothing about which one a task takes.
    bool has_one_thread() const;
    // The greatest of H and H + before + after.
    LockBound bound(std::size_t measure) const;
    // The length of that, if each of so many parts of the lock had its share of the sections.
    std::uint64_t least_time(std::size_t measure, std::uint64_t parts = 1) const;
  };
  struct Results {
    IdVector<LockObjectId, Object> objects;
    IdVector<LockPlaceId, LockTotals> places;
    std::map<LockPlaceId, LockPlaceId> same_places; // by those of DagVisitor::lock_place
    LockPlaceId in_table(LockPlaceId place) const {
      const auto found = same_places.find(place);
      return found == same_places.end() ? place : found->second;
    }
    // Acquisitions by tasks of a row, at a place: by place in the upper half, row in the lower.
    std::unordered_map<std::uint64_t, std::uint64_t> acquisitions;
    Lengths span; // of the program
    Lengths work; // of all steps
    // Per limit of LockLawSetup::limits, per measure; of limits without a pool there, 0. Empty if ends are not known.
    std::vector<std::vector<PathEnds>> limit_ends;
    std::uint64_t past_semaphores = 0; // work of the tasks' steps in which semaphores were passed
    bool ends_known = true;            // false: the DAG was too large to be kept
    // H of the object where it is greatest.
    std::uint64_t greatest_sections(std::size_t measure,
                                    const std::vector<LockObjectId>& except = {}) const;
    // The greatest bound of an object. Both without those in `except` (ordered).
    std::uint64_t greatest_bound(std::size_t measure,
                                 const std::vector<LockObjectId>& except = {}) const;
  };

  explicit LockLaw(LockLawSetup setup);
  Results results();

  Path* new_path() override;
  Path* copy_path(const Path& path) override;
  void drop_path(Path* path) override;
  bool join_path(Path& into, const Path& from, Tie tie) override;
  void assign_path(Path& into, const Path& from) override;
  void wait_joined(FrameState& frame, Path* fresh, Path* again) override;
  void spawned(const FrameState&, FrameState&) override {}
  void lock_object(LockObjectId id, const LockObjectInfo& info) override;
  void lock_place(LockPlaceId place, LockPlaceId of) override {
    results_.same_places.emplace(place, of);
  }
  void step(FrameState& frame, const Step& step) override;
  bool ended(FrameState& frame, Tie tie) override;

private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kMostBytes = std::size_t{1} << 31; // for ends

  // An acquisition whose section has not ended, on a path. The distance is relative to the path's
  // length, so that a step changes the length only; modulo 2^64.
  struct Open {
    std::uint64_t take;
    Lengths offset;
  };
  struct LockPath : Path {
    Lengths length;
    std::vector<Open> open;
    std::uint32_t point = kNone;
  };
  struct Take {
    LockObjectId object{};
    LockPlaceId place{};
    const FrameState* frame = nullptr;
    std::uint32_t stream = 0;
    bool shared = false, inner = false;
    bool awaits_tasks = false;
    Lengths before; // path to it
  };
  // A stretch of a step, in work from its beginning.
  struct Stretch {
    std::uint64_t begin = 0, end = 0;
    std::uint64_t before = 0; // sum of the lengths of those before it
  };
  struct Point { // of the DAG: a step after `a`, or where `a` and `b` meet
    std::uint32_t a = kNone, b = kNone;
    std::uint64_t work = 0;
  };
  // A section of an object whose ends are asked for, or what of a step runs under a limit.
  struct Section {
    std::uint32_t object = 0; // index into ends_of; after these come the limits
    std::uint32_t point = 0;  // of the step that it ends in
    bool shared = false;
    std::uint64_t rest = 0;  // of that step
    std::size_t lengths = 0; // shared: where its own span and the path before it begin, per measure
  };
  // Work of a point, or of what is left of a section's step, that a scenario shortens.
  struct Inside {
    std::uint32_t of = 0; // point, or section
    std::uint64_t work = 0;
  };

  static LockPath& typed(Path& path) { return static_cast<LockPath&>(path); }
  static const LockPath& typed(const Path& path) { return static_cast<const LockPath&>(path); }

  std::size_t measures() const { return kFirstScenario + setup_.scenarios.size(); }
  void join(LockPath& into, const LockPath& from);
  void copy(LockPath& into, const LockPath& from);
  bool is_open(const Open& open) const { return takes_.contains(open.take); }
  bool has_room(std::size_t bytes);
  std::uint32_t add_point(Point point);
  void add_step_point(std::uint32_t before, const Step& step);
  bool passes_semaphore(const Step& step) const;
  void find_shortened(const FrameState& frame, const Step& step);
  std::uint64_t work_in_code(const StepSet& set, StepClassId of, const Step& step,
                             std::span<const CodeWork> code) const;
  void find_sections(const FrameState& frame, const Step& step, const LockScenario& scenario,
                     std::vector<Stretch>& disjoint, std::uint64_t& anywhere) const;
  static std::uint64_t covered(const std::vector<Stretch>& disjoint, std::uint64_t end);
  // Of a part of the step, per measure. What a scenario shortens somewhere in the step lies in this
  // part, as far as it fits.
  void weigh(std::uint64_t begin, std::uint64_t end, Lengths& weight);
  std::uint64_t inside(std::size_t scenario, std::uint64_t begin, std::uint64_t end) const;
  void measure_before(const LockPath& path, std::uint64_t at); // sets before_
  // All steps of the class are in the scenario.
  bool is_whole(std::size_t scenario, StepClassId of) const;
  std::size_t depth_of(LockObjectId object, const FrameState& frame) const;
  void mark_inner(const FrameState& frame, const Step& step);
  void find_room(const Step& step);
  void note_thread(Object& object, const FrameState& frame, const Step& step);
  void add_untimed(const FrameState& frame, const Step& step, const LockUntimed& untimed);
  void section(const FrameState& frame, const Step& step, const LockUse& use, bool inner);
  void note_wait(const FrameState& frame);
  void take(const FrameState& frame, const Step& step, const LockUse& use, bool inner);
  void give(const FrameState& frame, const Step& step, const LockUse& use);
  std::uint64_t find_take(const FrameState& frame, const LockPath& path, const Step& step,
                          const LockUse& use) const;
  void count(const FrameState& frame, const Step& step, const LockUse& use);
  void add(Object& object, LockPlaceId place, const LockTotals& more);
  void add_held(LockObjectId object, LockPlaceId place, const LockTotals& more);
  void add_end(std::uint32_t object, const Lengths& before, std::uint64_t end, const Step& step);
  void push_section(const Section& section, std::uint64_t end, const Step& step);
  void add_ends_of_limits(const LockPath& path, const Step& step);
  void add_section(LockObjectId id, bool shared, const Lengths& span, const Lengths& before,
                   std::uint64_t end, const Step& step);
  void note_rest(std::uint32_t section, std::uint64_t end, const Step& step);
  std::vector<std::uint64_t> works_of_points(std::size_t measure) const;
  std::vector<std::uint64_t> rests_of_sections(std::size_t measure) const;
  void find_ends(Results& results) const;

  const LockLawSetup setup_;
  std::uint64_t largest_factor_ = 1;
  Results results_;
  std::deque<LockPath> made_;
  std::vector<LockPath*> spare_;
  LockPath longest_;
  // Acquisitions whose sections are open, by serial, and by object.
  std::unordered_map<std::uint64_t, Take> takes_;
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> takes_of_;
  std::unordered_map<const FrameState*, std::vector<std::uint64_t>> takes_by_;
  std::uint64_t serial_ = 0;
  std::uint64_t last_key_ = ~std::uint64_t{0};
  std::uint64_t* last_count_ = nullptr;                         // in results_.acquisitions
  std::unordered_map<std::uint32_t, std::uint32_t> ends_index_; // of an object, in ends_of
  std::vector<Point> points_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> latencies_; // of points
  std::vector<Section> sections_;
  std::vector<Lengths> least_before_; // exclusive sections of each of ends_of, and each limit
  std::vector<std::uint64_t> shared_lengths_; // see Section::lengths
  std::size_t bytes_ = 0;
  // Scenarios that shorten the same code have the number of the first of them here; it has the notes.
  std::vector<std::size_t> same_code_;
  std::vector<std::vector<Inside>> inside_points_,
      inside_rests_;                        // except of steps that are in it by class
  std::vector<StepClassId> class_of_point_; // if there are scenarios
  // Scratch, of the step in progress: what the scenarios that same_code_ names shorten of it.
  std::vector<std::vector<Stretch>> shortened_; // disjoint, in order
  std::vector<std::uint64_t> anywhere_;         // work of the step at unknown places
  std::vector<std::uint64_t> inside_;           // of weigh
  StepClassTable classes_;
  std::optional<StepSamples> samples_;
  IdVector<StepClassId, std::vector<std::uint32_t>> of_class_; // scenarios that contain it
  std::vector<std::uint8_t> inner_;                            // per use
  std::unordered_map<std::uint32_t, std::uint64_t> by_object_;
  Lengths weight_, span_, before_;
  std::uint32_t step_point_ = kNone;
  StepClassId step_class_{};
};

} // namespace tp::analysis
