// SPDX-License-Identifier: Apache-2.0
// A path is the time at which it ends and its parts; the later end wins.
#include "passes/run_path.h"

#include <algorithm>

namespace tp::analysis {
namespace {

// The parts of a row's ticks: running, then busy and scheduler delay of each kind of edge.
constexpr std::size_t kRunning = 0, kParts = 1 + 2 * kEdgeKinds;
constexpr std::size_t busy(EdgeKind edge) {
  return 1 + 2 * static_cast<std::size_t>(edge);
}
constexpr std::size_t scheduler(EdgeKind edge) {
  return busy(edge) + 1;
}

} // namespace

Path* RunPath::copy_path(const Path& path) {
  RunTrack* const copy = tracks_.make();
  *copy = typed(path);
  segments_.share(copy->composition);
  return copy;
}

void RunPath::drop_path(Path* path) {
  segments_.drop(typed(*path).composition);
  tracks_.free(&typed(*path));
}

void RunPath::take(RunTrack& into, const RunTrack& from) {
  const SegmentId kept = segments_.share(from.composition);
  segments_.drop(into.composition);
  into.composition = kept;
  into.started = from.started;
  into.next = EdgeKind::End;
  into.end = from.end;
}

bool RunPath::join(RunTrack& into, const RunTrack& from) {
  const bool later = from.started && (!into.started || from.end > into.end);
  if (later)
    take(into, from);
  return later;
}

void RunPath::wait_joined(FrameState& frame, Path* fresh, Path*) {
  RunTrack& of = path_of(frame);
  if (!fresh || !join(of, typed(*fresh)))
    of.next = EdgeKind::WaitContinue;
}

void RunPath::spawned(const FrameState&, FrameState& child) {
  path_of(child).next = EdgeKind::Create;
}

void RunPath::add(RunTrack& of, Row row, std::size_t what, std::uint64_t ticks) {
  if (ticks > 0)
    of.composition =
        segments_.extend(of.composition, std::uint64_t{index_of(row)} * kParts + what, ticks);
}

// Clocks of two CPUs may differ by a few ticks: time before the end of the path is not counted
// twice.
void RunPath::step(FrameState& frame, const Step& step) {
  RunTrack& of = path_of(frame);
  if (!of.started) {
    of.started = true;
    of.end = step.begin;
  }
  if (step.begin > of.end) {
    const std::uint64_t delay = step.begin - of.end;
    const std::uint64_t idle = idle_.between(of.end, step.begin);
    add(of, frame.row, scheduler(of.next), idle);
    add(of, frame.row, busy(of.next), delay - idle);
    of.end = step.begin;
  }
  const std::uint64_t end = step.begin + step.length;
  if (end > of.end) {
    add(of, frame.row, kRunning, end - of.end);
    of.end = end;
  }
  of.next = step.closed.kind == BoundaryKind::Spawn  ? EdgeKind::CreateContinue
            : step.closed.kind == BoundaryKind::Wait ? EdgeKind::WaitContinue
                                                     : EdgeKind::Inside;
}

IdVector<Row, RunPathPart> RunPath::rows() const {
  IdVector<Row, RunPathPart> rows;
  for (const auto& entry : segments_.total(longest_.composition)) {
    const std::uint64_t what = entry.key % kParts;
    RunPathPart& row = rows.grown_to(static_cast<Row>(entry.key / kParts));
    if (what == kRunning) {
      row.running = entry.work;
      continue;
    }
    Delays& delays = row.delays[(what - 1) / 2];
    (what % 2 == 1 ? delays.busy : delays.scheduler) = entry.work;
  }
  return rows;
}

} // namespace tp::analysis
