// SPDX-License-Identifier: Apache-2.0
// See span_profile.h.
#include "passes/span_profile.h"

#include <algorithm>
#include <cmath>

namespace tp::analysis {

SpanProfile::SpanProfile(std::uint64_t span, std::uint64_t smallest)
    : span_(span), positions_(span, kBuckets), segments_(owner_) {
  for (std::size_t i = 0; i < TaskSizes::kClasses; ++i)
    least_.push_back(static_cast<std::uint64_t>(std::min(
        0x1p63, std::round(static_cast<double>(std::max<std::uint64_t>(smallest, 1)) *
                           std::pow(10.0, static_cast<double>(i) / TaskSizes::kPerDecade)))));
}

Path* SpanProfile::copy_path(const Path& path) {
  SpanTrack* const copy = tracks_.make();
  *copy = typed(path);
  segments_.share(copy->composition);
  return copy;
}

void SpanProfile::drop_path(Path* path) {
  segments_.drop(typed(*path).composition);
  tracks_.free(&typed(*path));
}

void SpanProfile::take(SpanTrack& into, const SpanTrack& from) {
  const SegmentId kept = segments_.share(from.composition);
  segments_.drop(into.composition);
  into.composition = kept;
  into.length = from.length;
}

bool SpanProfile::join(SpanTrack& into, const SpanTrack& from, Tie tie) {
  const bool wins = from.length == into.length ? tie == Tie::From : from.length > into.length;
  if (wins)
    take(into, from);
  return wins;
}

void SpanProfile::step(FrameState& frame, const Step& step) {
  if (step.work == 0)
    return;
  data_of(frame).work += step.work;
  SpanTrack& path = path_of(frame);
  const std::uint64_t begin = path.length, end = begin + step.work;
  while (running_.size() <= index_of(frame.row))
    running_.push_back(IntervalSums(span_, kBuckets));
  running_[frame.row].add(begin, end);
  const std::size_t last = positions_.bucket_of(end - 1);
  for (std::size_t bucket = positions_.bucket_of(begin); bucket <= last; ++bucket) {
    const std::uint64_t from = std::max(begin, positions_.begin_of(bucket));
    const std::uint64_t to = bucket == last ? end : positions_.begin_of(bucket + 1);
    path.composition = segments_.extend(
        path.composition, std::uint64_t{bucket} << 32 | index_of(frame.row), to - from);
  }
  path.length = end;
}

bool SpanProfile::ended(FrameState& frame, Tie tie) {
  if (!frame.is_root) {
    const std::uint64_t work = data_of(frame).work;
    const auto above = std::ranges::upper_bound(least_, work);
    const auto at = static_cast<std::size_t>(above - least_.begin());
    TaskSizes& sizes = sizes_.grown_to(frame.row);
    ++sizes.tasks[at > 0 ? at - 1 : 0];
    sizes.work[at > 0 ? at - 1 : 0] += work;
  }
  return join(longest_, path_of(frame), tie);
}

std::vector<SpanProfile::Part> SpanProfile::critical_path() const {
  std::vector<Part> path;
  std::uint64_t at = 0;
  const auto all = segments_.total(longest_.composition);
  for (auto first = all.begin(); first != all.end();) {
    const auto next_bucket = std::find_if(
        first, all.end(), [&](const auto& entry) { return entry.key >> 32 != first->key >> 32; });
    std::vector<std::pair<Row, std::uint64_t>> rows;
    for (; first != next_bucket; ++first)
      rows.emplace_back(static_cast<Row>(first->key & 0xffffffffu), first->work);
    // The order within a bucket is not known: a row that was there before comes first.
    if (!path.empty())
      std::ranges::stable_partition(
          rows, [&](const auto& each) { return each.first == path.back().row; });
    for (const auto& [row, work] : rows) {
      if (!path.empty() && path.back().row == row)
        path.back().to += work;
      else
        path.push_back({at, at + work, row});
      at += work;
    }
  }
  return path;
}

} // namespace tp::analysis
