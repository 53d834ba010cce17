// GRAIN TRIALS: the longest path as divisible, had one loop another grain; many such changes in one
// reading. A path is here nothing but its length with each change. loop_pieces.h says what becomes of
// the pieces of the loop that is changed; all other loops are divisible as in Analysis.
#pragma once

#include "dpst.h"
#include "passes/loop_pieces.h"
#include "pool.h"

#include <array>
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

  Path* new_path() override { return as_path(paths_.make()); }
  Path* copy_path(const Path& path) override;
  void drop_path(Path* path) override { paths_.free(&lengths(*path)); }
  void set_rank(Path&, std::uint64_t) override {}
  void join_path(Path& into, const Path& from, Tie) override { join(lengths(into), lengths(from)); }
  void assign_path(Path& into, const Path& from) override { lengths(into) = lengths(from); }
  void wait_joined(FrameState& frame, const Path* fresh, const Path*) override {
    if (fresh)
      join(lengths(*frame.path), lengths(*fresh));
  }
  void root_begun(FrameState& frame) override { frame.is_root = true; }
  void spawned(const FrameState& parent, FrameState& child) override;
  void begun(FrameState&) override {}
  void restarted(FrameState&) override {}
  void step(FrameState& frame, const Step& step) override;
  void loop_begin(FrameState& frame) override;
  void loop_end(FrameState& frame, std::uint64_t iterations, std::uint64_t grain) override;
  void ended(FrameState& frame) override;
  void left_unjoined(const Path& path) override { join(longest_, lengths(path)); }
  void abandoned(FrameState& frame) override { end_pieces(frame); }

private:
  using Lengths = std::array<std::uint64_t, kMost>; // as many as there are changes are used
  struct Mark {                                     // what a LoopMark is here
    Mark* outer = nullptr;
    bool open = false;
    Lengths divisible, longest;
  };
  using Pieces = std::array<LoopPiece*, kMost>; // what a LoopPiece is here; null: of another loop

  static Lengths& lengths(const Path& path);
  static Path* as_path(Lengths* lengths) { return reinterpret_cast<Path*>(lengths); }
  static Mark* mark(const FrameState& frame) { return reinterpret_cast<Mark*>(frame.loop); }
  static Pieces* pieces(const FrameState& frame) { return reinterpret_cast<Pieces*>(frame.piece); }
  void join(Lengths& into, const Lengths& from) const;
  void leave_loop(FrameState& frame);
  void make_pieces(const FrameState& parent, FrameState& child);
  void end_pieces(FrameState& frame);

  const std::span<const GrainChange> changes_;
  std::vector<LoopPieces> loops_; // one per change
  Pool<Lengths> paths_;
  Pool<Mark> marks_;
  Pool<Pieces> pieces_;
  Lengths longest_{};
};

} // namespace tp::analysis
