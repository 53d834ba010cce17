// SPDX-License-Identifier: Apache-2.0
// Steps arrive in the order of their stream.
#include "passes/timeline.h"

#include <algorithm>

namespace tp::analysis {
namespace {

std::uint64_t length_of(const Timeline::Slice& slice) {
  return slice.end - slice.begin;
}

// What the first resolution is of the run: about a pixel of a viewer that shows a thousandth of it.
constexpr std::uint64_t kFirstResolution = std::uint64_t{1} << 20;

} // namespace

Timeline::Timeline(const TimelineSetup& setup)
    : setup_(setup), counters_{.idle = {},
                               .overhead = IntervalSums(since(setup.last), kBuckets),
                               .no_cpu = IntervalSums(since(setup.last), kBuckets),
                               .steals = std::vector<std::uint64_t>(kBuckets)} {}

bool Timeline::merges(const Slice& one, const Slice& next) const {
  if (resolution_ == 0 || next.begin >= one.end + resolution_)
    return false;
  if (one.row == next.row && one.left_out == next.left_out && !one.several && !next.several)
    return true;
  return length_of(one) < resolution_ && length_of(next) < resolution_;
}

// False: it became part of the last one.
bool Timeline::append(std::vector<Slice>& to, const Slice& slice) const {
  if (to.empty() || !merges(to.back(), slice)) {
    to.push_back(slice);
    return true;
  }
  Slice& last = to.back();
  last.several |= slice.several || last.row != slice.row || last.left_out != slice.left_out;
  last.left_out &= slice.left_out;
  if (length_of(slice) > length_of(last))
    last.row = slice.row;
  last.outside += slice.outside + slice.begin - last.end;
  last.end = slice.end;
  last.work += slice.work;
  last.steps += slice.steps;
  return false;
}

void Timeline::coarsen() {
  resolution_ = resolution_ == 0 ? std::max<std::uint64_t>(since(setup_.last) / kFirstResolution, 1)
                                 : 2 * resolution_;
  count_ = 0;
  for (auto& [stream, slices] : streams_) {
    std::vector<Slice> merged;
    for (const Slice& slice : slices)
      append(merged, slice);
    slices = std::move(merged);
    count_ += slices.size();
  }
}

// Of the ticks without a CPU, those in which it did not wait for a lock, as in the path of the run.
static std::uint64_t off_cpu_but_for_locks(const Step& step, std::uint64_t off_cpu) {
  for (const LockUse& use : step.locks)
    off_cpu -= std::min(use.waited, off_cpu);
  return off_cpu;
}

void Timeline::step(Row row, const Step& step, bool stolen) {
  auto& slices = streams_[step.stream];
  // Clocks that went backwards are reported elsewhere; a viewer needs an order.
  const std::uint64_t begin = slices.empty() ? step.begin : std::max(step.begin, slices.back().end);
  count_ += append(slices, {.stream = step.stream,
                            .row = row,
                            .left_out = step.is_left_out,
                            .begin = begin,
                            .end = begin + step.length,
                            .work = step.work,
                            .steps = 1});
  const std::uint64_t from = since(step.begin);
  counters_.overhead.add(from - std::min(from, step.overhead_before), from);
  if (const std::uint64_t on_cpu = step.work + step.left_out_work;
      setup_.work_is_time && on_cpu < step.length)
    counters_.no_cpu.add_evenly(from, from + step.length,
                                off_cpu_but_for_locks(step, step.length - on_cpu));
  if (stolen)
    ++counters_.steals[counters_.overhead.bucket_of(from)];
  // Twice as many as wanted, so that this is rare.
  while (count_ > 2 * setup_.most_slices)
    coarsen();
}

void Timeline::idle(std::uint32_t stream, std::uint64_t begin, std::uint64_t end) {
  counters_.idle.try_emplace(stream, since(setup_.last), kBuckets)
      .first->second.add(since(begin), since(end));
}

std::vector<Timeline::Slice> Timeline::take() {
  while (count_ > setup_.most_slices && resolution_ < since(setup_.last))
    coarsen();
  std::vector<Slice> all;
  for (const auto& [stream, slices] : streams_)
    all.insert(all.end(), slices.begin(), slices.end());
  streams_.clear();
  return all;
}

} // namespace tp::analysis
