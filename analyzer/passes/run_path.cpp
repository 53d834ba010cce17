// SPDX-License-Identifier: Apache-2.0
// A path is the time at which it ends and its parts; the later end wins.
#include "passes/run_path.h"

#include "base/wide.h"

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

// A key of a segment: the bucket (with pictures), the row, and the part.
constexpr unsigned kBucketShift = 48;
constexpr std::uint64_t key_of(std::uint64_t bucket, Row row, std::size_t what) {
  return bucket << kBucketShift | (std::uint64_t{index_of(row)} * kParts + what);
}
constexpr std::uint64_t row_and_part(std::uint64_t key) {
  return key & ((std::uint64_t{1} << kBucketShift) - 1);
}

} // namespace

RunPictures::RunPictures(std::uint64_t first_time, std::uint64_t last_time, bool is_time)
    : first(first_time), length(last_time - first_time), work_is_time(is_time),
      ready(kEdgeKinds, IntervalSums(length, kBuckets)), no_cpu(kBuckets) {}

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
  if (ticks == 0)
    return;
  const std::uint64_t bucket =
      pictures_ ? pictures_->ready[0].bucket_of(of.end - std::min(of.end, pictures_->first)) : 0;
  of.composition = segments_.extend(of.composition, key_of(bucket, row, what), ticks);
}

// Before the step extends the path.
void RunPath::draw(const RunTrack& of, Row row, const Step& step) {
  const auto since = [&](std::uint64_t time) { return time - std::min(time, pictures_->first); };
  while (pictures_->running.size() <= index_of(row))
    pictures_->running.push_back(IntervalSums(pictures_->length, RunPictures::kBuckets));
  const std::uint64_t begin = since(step.begin), end = since(step.begin + step.length);
  pictures_->running[row].add(begin, end);
  if (of.started && step.begin > of.end)
    pictures_->ready[static_cast<std::size_t>(of.next)].add(since(of.end), begin);
  // As if spread evenly over the step.
  if (!pictures_->work_is_time || step.work >= step.length)
    return;
  const std::uint64_t off = step.length - step.work;
  std::uint64_t given = 0;
  const IntervalSums& positions = pictures_->ready[0];
  const std::size_t last = positions.bucket_of(end - 1);
  for (std::size_t bucket = positions.bucket_of(begin); bucket <= last; ++bucket) {
    const std::uint64_t up_to = bucket == last ? end : positions.begin_of(bucket + 1);
    const auto sum = static_cast<std::uint64_t>(Wide{off} * (up_to - begin) / step.length);
    pictures_->no_cpu[bucket] += sum - given;
    given = sum;
  }
}

// Clocks of two CPUs may differ by a few ticks: time before the end of the path is not counted
// twice.
void RunPath::step(FrameState& frame, const Step& step) {
  RunTrack& of = path_of(frame);
  if (pictures_)
    draw(of, frame.row, step);
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
    const std::uint64_t what = row_and_part(entry.key) % kParts;
    RunPathPart& row = rows.grown_to(static_cast<Row>(row_and_part(entry.key) / kParts));
    if (what == kRunning) {
      row.running += entry.work;
      continue;
    }
    Delays& delays = row.delays[(what - 1) / 2];
    (what % 2 == 1 ? delays.busy : delays.scheduler) += entry.work;
  }
  return rows;
}

std::vector<RunPath::Part> RunPath::in_order() const {
  std::vector<Part> path;
  std::uint64_t at = 0;
  for (const auto& entry : segments_.total(longest_.composition)) {
    const std::uint64_t what = row_and_part(entry.key) % kParts;
    const auto row = static_cast<Row>(row_and_part(entry.key) / kParts);
    const auto kind = static_cast<std::uint32_t>(what == kRunning ? 0 : 1 + (what - 1) / 2);
    if (!path.empty() && path.back().row == row && path.back().kind == kind)
      path.back().to += entry.work;
    else
      path.push_back({at, at + entry.work, row, kind});
    at += entry.work;
  }
  return path;
}

} // namespace tp::analysis
