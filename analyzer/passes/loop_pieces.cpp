// SPDX-License-Identifier: Apache-2.0
// Which parts of a loop are merged, from the end of a range to its beginning.
#include "passes/loop_pieces.h"

#include <algorithm>

namespace tp::analysis {

std::uint64_t pieces_of(std::uint64_t iterations, std::uint64_t grain) {
  grain = std::max<std::uint64_t>(grain, 1);
  // Halving leaves ranges of two sizes, `size` and `size + 1`.
  std::uint64_t size = iterations, larger = 0, pieces = 1, done = 0;
  while (size > grain || (larger > 0 && size + 1 > grain)) {
    if (size <= grain) { // the smaller ones stop here
      done += pieces - larger;
      pieces = larger;
      size += 1;
      larger = 0;
    }
    const bool odd = size % 2 != 0;
    // size -> halves of size/2 and size - size/2; size + 1 the same.
    const std::uint64_t of_size = pieces - larger;
    larger = odd ? of_size + 2 * larger : larger;
    size /= 2;
    pieces *= 2;
  }
  return done + pieces;
}

LoopPiece* LoopPieces::make(LoopPiece* outer, std::uint64_t length) {
  LoopPiece* const piece = pieces_.make();
  piece->outer = outer;
  piece->split_at = length;
  if (outer) {
    piece->place = outer->splits++;
    ++outer->live;
  }
  return piece;
}

void LoopPieces::add_body(LoopPiece& piece, std::uint64_t begin, std::uint64_t cost,
                          std::uint64_t iterations) {
  ++totals_.body_calls;
  totals_.iterations += iterations;
  if (iterations == 0)
    return;
  if (++piece.bodies == 1)
    piece.begin = begin;
  piece.iterations += iterations;
  piece.cost += cost;
  piece.leaves += pieces_of(iterations, grain_);
}

// Sums a LoopPiece up as a part of its outer one. Returns the end of its merged leaf; 0 if nothing
// was merged.
std::uint64_t LoopPieces::close(LoopPiece& piece, LoopPiece::Part& whole) const {
  auto& parts = piece.parts;
  std::sort(parts.begin(), parts.end(),
            [](const auto& a, const auto& b) { return a.place < b.place; });
  const bool own_fits = piece.iterations > 0 && piece.iterations <= grain_;
  std::uint64_t begin = piece.begin, rest = piece.iterations, cost = piece.cost;
  std::size_t kept = parts.size();
  while (own_fits && kept > 0 && parts[kept - 1].iterations > 0 &&
         parts[kept - 1].iterations <= grain_ - rest) {
    --kept;
    begin = parts[kept].split_at;
    rest += parts[kept].iterations;
    cost += parts[kept].cost;
  }
  whole = {piece.place, piece.split_at, rest, cost, own_fits ? 1 : piece.leaves};
  for (std::size_t i = 0; i < kept; ++i) {
    whole.iterations += parts[i].iterations;
    whole.cost += parts[i].cost;
    whole.leaves += parts[i].leaves;
  }
  return own_fits && (kept < parts.size() || piece.bodies > 1) ? begin + cost : 0;
}

std::uint64_t LoopPieces::end(LoopPiece* piece) {
  std::uint64_t reached = 0;
  while (piece && --piece->live == 0) {
    LoopPiece::Part whole;
    reached = std::max(reached, close(*piece, whole));
    LoopPiece* const outer = piece->outer;
    if (outer)
      outer->parts.push_back(whole);
    else
      totals_.leaves += whole.leaves;
    pieces_.free(piece);
    piece = outer;
  }
  return reached;
}

} // namespace tp::analysis
