// What Analysis does with lengths as divisible, for several changes at once.
#include "passes/grain_trials.h"

#include "passes/work_span.h"

#include <algorithm>
#include <cassert>

namespace tp::analysis {

GrainTrials::GrainTrials(std::span<const GrainChange> changes) : changes_(changes) {
  assert(changes.size() <= kMost);
  for (const GrainChange& change : changes)
    loops_.emplace_back(change.grain);
}

std::vector<GrainTrials::Result> GrainTrials::results() const {
  std::vector<Result> results;
  for (std::size_t i = 0; i < changes_.size(); ++i)
    results.push_back({longest_[i], loops_[i].totals()});
  return results;
}

GrainTrials::Lengths& GrainTrials::lengths(const Path& path) {
  return *const_cast<Lengths*>(reinterpret_cast<const Lengths*>(&path));
}

Path* GrainTrials::copy_path(const Path& path) {
  Lengths* const copy = paths_.make();
  *copy = lengths(path);
  return as_path(copy);
}

void GrainTrials::join(Lengths& into, const Lengths& from) const {
  for (std::size_t i = 0; i < changes_.size(); ++i)
    into[i] = std::max(into[i], from[i]);
}

void GrainTrials::step(FrameState& frame, const Step& step) {
  const auto add = [&](Lengths& to) {
    for (std::size_t i = 0; i < changes_.size(); ++i)
      to[i] += step.work;
  };
  add(lengths(*frame.path));
  if (Mark* const loop = mark(frame); loop && !loop->open)
    add(loop->divisible);
}

// Work that a task gives away between two of its body calls could have been given away before the
// first.
void GrainTrials::spawned(const FrameState& parent, FrameState& child) {
  if (const Mark* const loop = mark(parent); loop && !loop->open)
    lengths(*child.path) = loop->divisible;
  make_pieces(parent, child);
}

void GrainTrials::make_pieces(const FrameState& parent, FrameState& child) {
  Pieces* made = nullptr;
  const Pieces* const outer = child.is_split ? pieces(parent) : nullptr;
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    if (changes_[i].row != child.row)
      continue;
    if (!made)
      made = pieces_.make();
    (*made)[i] = loops_[i].make(outer ? (*outer)[i] : nullptr, lengths(*child.path)[i]);
  }
  child.piece = reinterpret_cast<LoopPiece*>(made);
}

void GrainTrials::loop_begin(FrameState& frame) {
  Lengths& now = lengths(*frame.path);
  Mark* loop = mark(frame);
  if (!loop || loop->open) {
    Mark* const outer = loop;
    loop = marks_.make();
    loop->outer = outer;
    loop->divisible = now;
    frame.loop = reinterpret_cast<LoopMark*>(loop);
  }
  loop->open = true;
  now = loop->divisible;
}

void GrainTrials::loop_end(FrameState& frame, std::uint64_t iterations, std::uint64_t grain) {
  Mark& loop = *mark(frame);
  Lengths& now = lengths(*frame.path);
  const Pieces* const of = pieces(frame);
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    const std::uint64_t begin = loop.divisible[i], cost = now[i] - begin;
    const bool is_changed = changes_[i].row == frame.row;
    if (is_changed && of)
      loops_[i].add_body(*(*of)[i], begin, cost, iterations);
    now[i] = loop.longest[i] =
        std::max(loop.longest[i],
                 begin + divisible_part(cost, iterations, is_changed ? changes_[i].grain : grain));
  }
  loop.open = false;
  if (loop.outer)
    leave_loop(frame);
}

void GrainTrials::leave_loop(FrameState& frame) {
  Mark* const loop = mark(frame);
  frame.loop = reinterpret_cast<LoopMark*>(loop->outer);
  marks_.free(loop);
}

// Pieces that the other grain would not have split off are over, perhaps.
void GrainTrials::end_pieces(FrameState& frame) {
  Pieces* const of = pieces(frame);
  if (!of)
    return;
  Lengths& now = lengths(*frame.path);
  for (std::size_t i = 0; i < changes_.size(); ++i)
    if ((*of)[i])
      now[i] = std::max(now[i], loops_[i].end((*of)[i]));
  pieces_.free(of);
  frame.piece = nullptr;
}

// A task that was waited for is part of its root's path, or else is left unjoined.
void GrainTrials::ended(FrameState& frame) {
  while (frame.loop)
    leave_loop(frame);
  end_pieces(frame);
  if (frame.is_root)
    join(longest_, lengths(*frame.path));
}

} // namespace tp::analysis
