// SPDX-License-Identifier: Apache-2.0
// A path is the time at which it ends and its parts; the later end wins.
#include "passes/run_path.h"

#include "base/rounding.h"
#include "base/wide.h"

#include <algorithm>

namespace tp::analysis {
namespace {

// The parts of a row's ticks: those of running, then those of the delays of each kind of edge.
enum Running : std::size_t { kOnCpu, kLatency, kWaited, kCrowded, kTaken, kRunningParts };
enum Late : std::size_t { kBusy, kThreadFree, kAsleep, kAtLocks, kCpuTaken, kLateParts };
constexpr std::size_t kParts = kRunningParts + kLateParts * kEdgeKinds;
constexpr std::size_t late(EdgeKind edge, Late part) {
  return kRunningParts + kLateParts * static_cast<std::size_t>(edge) + part;
}
// As in RunPath::Part: 0 or 1 + EdgeKind.
constexpr std::uint32_t kind_of(std::size_t what) {
  return static_cast<std::uint32_t>(what < kRunningParts ? 0
                                                         : 1 + (what - kRunningParts) / kLateParts);
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
      ready(kEdgeKinds, IntervalSums(length, kBuckets)), left_out(length, kBuckets),
      no_cpu(length, kBuckets) {}

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

// As far as that is known.
std::uint64_t RunPath::off_cpu(const Step& step) const {
  if (ticks_per_work_ <= 0)
    return step.length;
  const double on_cpu = static_cast<double>(step.work + step.left_out_work) * ticks_per_work_;
  return step.length - std::min(step.length, rounded(on_cpu));
}

std::uint64_t RunPath::waited_for_locks(const Step& step) const {
  if (step.locks.empty())
    return 0;
  const std::uint64_t most = off_cpu(step);
  std::uint64_t waited = 0;
  for (const LockUse& use : step.locks)
    waited = std::min(waited + std::min(use.waited, most), most);
  return waited;
}

// `ticks` of the step are on the path: its end, if not all of it. What it did meanwhile is known of the
// whole step only, and assumed to be spread evenly.
void RunPath::add_running(RunTrack& of, Row row, const Step& step, std::uint64_t ticks) {
  const auto part_of = [&](std::uint64_t part) {
    return static_cast<std::uint64_t>(Wide{std::min(part, step.length)} * ticks / step.length);
  };
  std::uint64_t latency = 0, waited = 0;
  const std::uint64_t in_locks = part_of(waited_for_locks(step));
  const std::uint64_t off = ticks_per_work_ > 0 ? part_of(off_cpu(step)) - in_locks : 0;
  if (ticks_per_work_ > 0 && sleep_in_ticks_) {
    latency = std::min(part_of(step.latency), off);
    waited = std::min(part_of(step.asleep), off) - latency;
  }
  ticks -= in_locks;
  const std::uint64_t no_cpu = off - latency - waited;
  const std::uint64_t taken =
      std::min(no_cpu, idle_.between(step.begin + step.length - ticks, step.begin + step.length));
  add(of, row, late(EdgeKind::Lock, kBusy), in_locks);
  add(of, row, kOnCpu, ticks - latency - waited - no_cpu);
  add(of, row, kLatency, latency);
  add(of, row, kWaited, waited);
  add(of, row, kCrowded, no_cpu - taken);
  add(of, row, kTaken, taken);
}

// Before the step extends the path.
void RunPath::draw(const RunTrack& of, Row row, const Step& step) {
  const auto since = [&](std::uint64_t time) { return time - std::min(time, pictures_->first); };
  while (pictures_->running.size() <= index_of(row))
    pictures_->running.push_back(IntervalSums(pictures_->length, RunPictures::kBuckets));
  const std::uint64_t begin = since(step.begin), end = begin + step.length;
  IntervalSums& running = step.is_left_out ? pictures_->left_out : pictures_->running[row];
  if (const std::uint64_t in_locks = waited_for_locks(step); in_locks > 0) {
    running.add_evenly(begin, end, step.length - in_locks);
    pictures_->ready[static_cast<std::size_t>(EdgeKind::Lock)].add_evenly(begin, end, in_locks);
  } else {
    running.add(begin, end);
  }
  if (of.started && step.begin > of.end)
    pictures_->ready[static_cast<std::size_t>(of.next)].add(since(of.end), begin);
  if (const std::uint64_t on_cpu = step.work + step.left_out_work;
      pictures_->work_is_time && on_cpu < step.length)
    pictures_->no_cpu.add_evenly(begin, end, step.length - on_cpu - waited_for_locks(step));
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
    const IdleParts idle = idle_.parts_between(of.end, step.begin);
    add(of, frame.row, late(of.next, kThreadFree), idle.all - idle.blocked - idle.taken);
    add(of, frame.row, late(of.next, kAsleep), idle.blocked - idle.at_locks);
    add(of, frame.row, late(of.next, kAtLocks), idle.at_locks);
    add(of, frame.row, late(of.next, kCpuTaken), idle.taken);
    add(of, frame.row, late(of.next, kBusy), delay - idle.all);
    of.end = step.begin;
  }
  const std::uint64_t end = step.begin + step.length;
  idle_beside_.grown_to(classes_.id_of({frame.row, step.opened, step.closed})) +=
      idle_.share_of_idle(step.begin, end);
  if (end > of.end) {
    add_running(of, frame.row, step, end - of.end);
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
    if (what < kRunningParts) {
      static constexpr std::uint64_t RunPathPart::* kOf[] = {
          nullptr, &RunPathPart::latency, &RunPathPart::waited, &RunPathPart::crowded,
          &RunPathPart::taken};
      row.running += entry.work;
      if (kOf[what])
        row.*kOf[what] += entry.work;
      continue;
    }
    Delays& delays = row.delays[kind_of(what) - 1];
    const std::size_t part = (what - kRunningParts) % kLateParts;
    (part == kBusy ? delays.busy : delays.scheduler) += entry.work;
    if (part == kAsleep || part == kAtLocks)
      delays.blocked += entry.work;
    if (part == kAtLocks)
      delays.at_locks += entry.work;
    if (part == kCpuTaken)
      delays.taken += entry.work;
  }
  return rows;
}

std::vector<RunPath::Part> RunPath::in_order() const {
  std::vector<Part> path;
  std::uint64_t at = 0;
  for (const auto& entry : segments_.total(longest_.composition)) {
    const std::uint64_t what = row_and_part(entry.key) % kParts;
    const auto row = static_cast<Row>(row_and_part(entry.key) / kParts);
    const std::uint32_t kind = kind_of(what);
    if (!path.empty() && path.back().row == row && path.back().kind == kind)
      path.back().to += entry.work;
    else
      path.push_back({at, at + entry.work, row, kind});
    at += entry.work;
  }
  return path;
}

} // namespace tp::analysis
