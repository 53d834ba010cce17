// LOOP PIECES: what a loop would be made of, had it another grain G. Body calls of more than G
// iterations are split (as divisible, work_span.h); pieces that together have no more than G were
// never split off: they are one body call, which takes as long as theirs one after the other.
//
// A loop halves its range: a task keeps the left half and spawns a task for the right one, and so
// on; in the end it calls the body for what it kept. So what is left of a task's range at some
// moment is its own body calls and everything that it split off since. At the end of a piece (its
// task, and all pieces split off it) the largest such rest of at most G iterations is put together:
// it begins where the first piece of it was split off, and lasts as long as all of them. Whoever ends
// last brings the news: it is joined wherever the piece is. Memory: what is alive, and one part per
// halving.
#pragma once

#include "base/pool.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tp::analysis {

// How many pieces are left when a range of n iterations is halved until none exceeds the grain.
std::uint64_t pieces_of(std::uint64_t iterations, std::uint64_t grain);

struct LoopTotals {
  std::uint64_t iterations = 0;
  std::uint64_t body_calls = 0; // as executed
  std::uint64_t leaves = 0;     // with the other grain
};

// A task of a loop. Lengths are of paths as divisible.
struct LoopPiece {
  LoopPiece* outer = nullptr; // the piece that it was split off
  std::uint64_t live = 1;     // itself, and pieces split off it that are not over
  std::uint32_t place = 0;    // among those split off the outer one
  std::uint32_t splits = 0;
  std::uint64_t split_at = 0; // length of the path where it was split off
  // Own body calls of any iterations.
  std::uint64_t bodies = 0;
  std::uint64_t begin = 0;
  std::uint64_t iterations = 0, cost = 0, leaves = 0;
  struct Part {
    std::uint32_t place;
    std::uint64_t split_at, iterations, cost, leaves;
  };
  std::vector<Part> parts; // split off it and over
};

class LoopPieces {
public:
  explicit LoopPieces(std::uint64_t grain) : grain_(grain) {}

  // `outer`: the piece that the new task was split off, null for the first of a call.
  LoopPiece* make(LoopPiece* outer, std::uint64_t length);
  // A body call of the piece's task is over: it began at `begin` and added `cost`.
  void add_body(LoopPiece& piece, std::uint64_t begin, std::uint64_t cost,
                std::uint64_t iterations);
  // The task has ended. Returns where the path of whoever ends now has to reach at least; 0 if
  // nothing was put together.
  std::uint64_t end(LoopPiece* piece);

  const LoopTotals& totals() const { return totals_; }

private:
  std::uint64_t close(LoopPiece& piece, LoopPiece::Part& whole) const;
  const std::uint64_t grain_;
  Pool<LoopPiece> pieces_;
  LoopTotals totals_;
};

} // namespace tp::analysis
