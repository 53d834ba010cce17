// SPDX-License-Identifier: Apache-2.0
// GRAIN TRIALS: the longest path with loops split to their grain size, if one loop had another
// grain size; many such changes in one reading. A path is here only its length with each change.
// loop_tasks.h describes how the parts of the changed loop change; all other loops are split as in
// DagFold.
#pragma once

#include "base/pool.h"
#include "dag/dag_visitor.h"
#include "passes/loop_tasks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tp::analysis {

struct GrainChange {
  Row row = kMainRow; // loop bodies of its tasks
  std::uint64_t grain = 1;
};

// A path is its lengths, one per change; they follow the head, as in FoldPath.
struct TrialPath : Path {
  std::uint64_t first_length;
  std::uint64_t* lengths() { return &first_length; }
  const std::uint64_t* lengths() const { return &first_length; }
};

// The portions of a body call, and the joins of their results, in order.
struct TrialPortions {
  struct Event {
    LoopPart part;
    bool is_join = false;
  };
  std::vector<Event> events;
  std::vector<std::uint64_t> costs; // per event, one per change
};

// The counterpart of DagFold's LoopMark: `divisible` and `longest` of each change follow it.
struct TrialMark {
  TrialMark* outer;
  bool open;
  TrialPortions* portions;     // of the body call in progress; owned; null: none
  std::uint64_t to_join_calls; // as in LoopMark
};

struct TrialFrame {
  TrialMark* loop = nullptr;
  LoopTask** tasks = nullptr; // one per change; null: of another loop
};

class GrainTrials final : public TypedVisitor<TrialPath, TrialFrame> {
public:
  static constexpr std::size_t kMost = 16; // changes in one reading
  struct Result {
    std::uint64_t divisible_span = 0;
    LoopTotals loop; // the loop that is changed
  };

  // At most kMost changes, which outlive this.
  // `join_costs`: as in FoldSetup.
  GrainTrials(std::span<const GrainChange> changes, const IdVector<Row, std::uint64_t>* join_costs);
  // One per change.
  std::vector<Result> results() const;

  Path* new_path() override;
  Path* copy_path(const Path& path) override;
  void drop_path(Path* path) override { paths_.free(path); }
  bool join_path(Path& into, const Path& from, Tie) override {
    join(typed(into).lengths(), typed(from).lengths());
    return false;
  }
  void assign_path(Path& into, const Path& from) override {
    copy(typed(into).lengths(), typed(from).lengths());
  }
  void wait_joined(FrameState& frame, Path* fresh, Path*) override {
    if (fresh)
      join(path_of(frame).lengths(), typed(*fresh).lengths());
  }
  void spawned(const FrameState& parent, FrameState& child) override;
  void begun(FrameState& frame) override;
  void step(FrameState& frame, const Step& step) override;
  void loop_begin(FrameState& frame) override;
  void portion_end(FrameState& frame, const LoopPart& part) override {
    add_portion(frame, {part, false});
  }
  void portions_joined(FrameState& frame) override { add_portion(frame, {{}, true}); }
  void loop_end(FrameState& frame, const LoopPart& whole) override;
  void folds(FrameState& frame) override { join_calls(frame); }
  bool ended(FrameState& frame, Tie tie) override;
  void left_unjoined(const Path& path) override { join(longest_.data(), typed(path).lengths()); }
  void abandoned(FrameState& frame) override { end_tasks(path_of(frame), data_of(frame)); }

private:
  using Lengths = std::uint64_t*; // one per change
  using Tasks = LoopTask**;

  static Lengths divisible(TrialMark& mark) { return reinterpret_cast<Lengths>(&mark + 1); }
  Lengths longest(TrialMark& mark) const { return divisible(mark) + changes_.size(); }
  void copy(Lengths into, const std::uint64_t* from) const {
    std::copy_n(from, changes_.size(), into);
  }
  void join(Lengths into, const std::uint64_t* from) const;
  void add_portion(FrameState& frame, const TrialPortions::Event& event);
  void join_calls(FrameState& frame);
  std::uint64_t join_cost(Row row, const LoopPart& part) const;
  std::uint64_t longest_portion(Row row, const TrialPortions& portions, std::size_t change) const;
  void leave_loop(TrialFrame& frame);
  void make_tasks(FrameState& frame, Tasks outer);
  void end_tasks(TrialPath& path, TrialFrame& frame);

  const std::span<const GrainChange> changes_;
  const IdVector<Row, std::uint64_t>* const join_costs_; // null: nothing
  std::vector<LoopTasks> loops_;                         // one per change
  BlockPool paths_, marks_, tasks_;
  std::vector<std::uint64_t> longest_;
};

} // namespace tp::analysis
