// GRAIN TRIALS: the longest path as divisible, had one loop another grain; many such changes in one
// reading. A path is here nothing but its length with each change. loop_pieces.h says what becomes of
// the pieces of the loop that is changed; all other loops are divisible as in Analysis.
#pragma once

#include "base/pool.h"
#include "dag/dag_visitor.h"
#include "passes/loop_pieces.h"

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

class GrainTrials final : public DagVisitor {
public:
  static constexpr std::size_t kMost = 16; // changes in one reading
  struct Result {
    std::uint64_t divisible_span = 0;
    LoopTotals loop; // the loop that is changed
  };

  // At most kMost, which outlive this.
  explicit GrainTrials(std::span<const GrainChange> changes);
  // One per change.
  std::vector<Result> results() const;

  Path* new_path() override;
  Path* copy_path(const Path& path) override;
  void drop_path(Path* path) override { paths_.free(path); }
  void set_rank(Path&, std::uint64_t) override {}
  void join_path(Path& into, const Path& from, Tie) override { join(lengths(into), lengths(from)); }
  void assign_path(Path& into, const Path& from) override { copy(lengths(into), lengths(from)); }
  void wait_joined(FrameState& frame, const Path* fresh, const Path*) override {
    if (fresh)
      join(lengths(*frame.path), lengths(*fresh));
  }
  void root_begun(FrameState& frame) override { frame.is_root = true; }
  void spawned(const FrameState& parent, FrameState& child) override;
  void begun(FrameState& frame) override;
  void restarted(FrameState&) override {}
  void step(FrameState& frame, const Step& step) override;
  void loop_begin(FrameState& frame) override;
  void loop_end(FrameState& frame, std::uint64_t iterations, std::uint64_t grain) override;
  void ended(FrameState& frame) override;
  void left_unjoined(const Path& path) override { join(longest_.data(), lengths(path)); }
  void abandoned(FrameState& frame) override { end_pieces(frame); }

private:
  // One element per change, in all of these.
  using Lengths = std::uint64_t*;
  using Pieces = LoopPiece**; // what a LoopPiece is here; null: of another loop
  struct Mark {               // what a LoopMark is here: `divisible` and `longest` follow it
    Mark* outer;
    bool open;
  };

  static Lengths lengths(const Path& path) {
    return reinterpret_cast<Lengths>(const_cast<Path*>(&path));
  }
  static Mark* mark(const FrameState& frame) { return reinterpret_cast<Mark*>(frame.loop); }
  static Pieces pieces(const FrameState& frame) { return reinterpret_cast<Pieces>(frame.piece); }
  static Lengths divisible(Mark& mark) { return reinterpret_cast<Lengths>(&mark + 1); }
  Lengths longest(Mark& mark) const { return divisible(mark) + changes_.size(); }
  void copy(Lengths into, const std::uint64_t* from) const {
    std::copy_n(from, changes_.size(), into);
  }
  void join(Lengths into, const std::uint64_t* from) const;
  void leave_loop(FrameState& frame);
  void make_pieces(FrameState& frame, Pieces outer);
  void end_pieces(FrameState& frame);

  const std::span<const GrainChange> changes_;
  std::vector<LoopPieces> loops_; // one per change
  BlockPool paths_, marks_, pieces_;
  std::vector<std::uint64_t> longest_;
};

} // namespace tp::analysis
