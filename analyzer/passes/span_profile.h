// SPDX-License-Identifier: Apache-2.0
// SPAN PROFILE: what would run when, if there were no limit on CPUs and every step ran as soon as it
// can: a step begins where the longest path to it ends. Its extent is the span, its area the work.
// Along with it: which row the critical path is in at each position, and how large tasks are.
#pragma once

#include "base/pool.h"
#include "dag/dag_visitor.h"
#include "passes/interval_sums.h"
#include "passes/path_composition.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tp::analysis {

struct SpanTrack : Path {
  std::uint64_t length = 0;
  SegmentId composition = kNoSegment;
};

struct SpanFrame {
  std::uint64_t work = 0; // of its own steps
};

// Tasks by the work of their own steps, five classes per power of ten.
struct TaskSizes {
  static constexpr std::size_t kClasses = 60, kPerDecade = 5;
  std::array<std::uint64_t, kClasses> tasks{}, work{};
};

class SpanProfile final : public TypedVisitor<SpanTrack, SpanFrame> {
public:
  static constexpr std::size_t kBuckets = 960;
  // `span`: of the trace, known from an earlier reading. `smallest`: the size at which the classes
  // of tasks begin, in the unit of work; smaller tasks are in the first class.
  SpanProfile(std::uint64_t span, std::uint64_t smallest);

  struct Part { // of the critical path, in its order
    std::uint64_t from = 0, to = 0;
    Row row = kMainRow;
  };
  // Exact sums per row; positions are exact to a bucket.
  std::vector<Part> critical_path() const;
  // Work per bucket.
  const IdVector<Row, IntervalSums>& running() const { return running_; }
  const IdVector<Row, TaskSizes>& sizes() const { return sizes_; }

  Path* new_path() override { return tracks_.make(); }
  Path* copy_path(const Path& path) override;
  void drop_path(Path* path) override;
  bool join_path(Path& into, const Path& from, Tie tie) override {
    return join(typed(into), typed(from), tie);
  }
  void assign_path(Path& into, const Path& from) override { take(typed(into), typed(from)); }
  void wait_joined(FrameState& frame, Path* fresh, Path*) override {
    if (fresh)
      join(path_of(frame), typed(*fresh), Tie::From);
  }
  void spawned(const FrameState&, FrameState&) override {}
  void step(FrameState& frame, const Step& step) override;
  bool ended(FrameState& frame, Tie tie) override;

private:
  bool join(SpanTrack& into, const SpanTrack& from, Tie tie);
  void take(SpanTrack& into, const SpanTrack& from);

  const std::uint64_t span_;
  std::vector<std::uint64_t> least_; // work of each class of sizes
  IntervalSums positions_;           // only for its buckets
  IdVector<Row, IntervalSums> running_;
  IdVector<Row, TaskSizes> sizes_;
  NoExtra::Owner owner_;
  SegmentStore<std::uint64_t> segments_; // by bucket and row
  Pool<SpanTrack> tracks_;
  SpanTrack longest_;
};

} // namespace tp::analysis
