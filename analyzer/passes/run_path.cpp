// A path is the time at which it ends and what it is made of; the later end wins.
#include "passes/run_path.h"

#include <algorithm>

namespace tp::analysis {
namespace {

// What a row's ticks are: running, then busy and scheduler delay of each kind of edge.
constexpr std::size_t kRunning = 0, kParts = 1 + 2 * kEdgeKinds;
constexpr std::size_t busy(EdgeKind edge) {
  return 1 + 2 * static_cast<std::size_t>(edge);
}
constexpr std::size_t scheduler(EdgeKind edge) {
  return busy(edge) + 1;
}

} // namespace

RunPath::Track& RunPath::track(const Path& path) {
  return *const_cast<Track*>(reinterpret_cast<const Track*>(&path));
}

Path* RunPath::copy_path(const Path& path) {
  Track* const copy = tracks_.make();
  *copy = track(path);
  segments_.share(copy->composition);
  return reinterpret_cast<Path*>(copy);
}

void RunPath::drop_path(Path* path) {
  segments_.drop(track(*path).composition);
  tracks_.free(&track(*path));
}

void RunPath::take(Track& into, const Track& from) {
  const SegmentId kept = segments_.share(from.composition);
  segments_.drop(into.composition);
  into = {kept, from.started, EdgeKind::End, from.end};
}

bool RunPath::join(Track& into, const Track& from) {
  const bool later = from.started && (!into.started || from.end > into.end);
  if (later)
    take(into, from);
  return later;
}

void RunPath::wait_joined(FrameState& frame, const Path* fresh, const Path*) {
  Track& of = track(*frame.path);
  if (!fresh || !join(of, track(*fresh)))
    of.next = EdgeKind::WaitContinue;
}

void RunPath::spawned(const FrameState&, FrameState& child) {
  track(*child.path).next = EdgeKind::Create;
}

void RunPath::add(Track& of, Row row, std::size_t what, std::uint64_t ticks) {
  if (ticks > 0)
    of.composition = segments_.extend(of.composition, std::uint64_t{row} * kParts + what, ticks);
}

// Clocks of two cpus may differ by a few ticks: what lies before the end of the path is not counted twice.
void RunPath::step(FrameState& frame, const Step& step) {
  Track& of = track(*frame.path);
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

std::vector<RunPathPart> RunPath::rows() const {
  std::vector<RunPathPart> rows;
  for (const auto& entry : segments_.total(longest_.composition)) {
    const std::size_t row = entry.key / kParts, what = entry.key % kParts;
    if (row >= rows.size())
      rows.resize(row + 1);
    if (what == kRunning) {
      rows[row].running = entry.work;
      continue;
    }
    Delays& delays = rows[row].delays[(what - 1) / 2];
    (what % 2 == 1 ? delays.busy : delays.scheduler) = entry.work;
  }
  return rows;
}

} // namespace tp::analysis
