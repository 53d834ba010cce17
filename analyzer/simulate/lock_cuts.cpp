// SPDX-License-Identifier: Apache-2.0
// See lock_cuts.h.
#include "simulate/lock_cuts.h"

#include "base/wide.h"

#include <algorithm>

namespace tp::analysis {

const std::vector<LockCut>& LockCutter::cut(const Step& step, const LockChoice& choice) {
  cuts_.clear();
  if (!step.locks.empty()) {
    cut_exact(step, choice);
    add_parts(step, choice);
  }
  return cuts_;
}

// Positions do not decrease, even in a recording in which they do.
void LockCutter::put(const LockUse& use, std::uint64_t at, bool takes) {
  cuts_.push_back(
      {cuts_.empty() ? at : std::max(at, cuts_.back().at), slept_, takes, use.shared, use.object});
}

// Of two acquisitions at one place, that which was released later comes first.
void LockCutter::cut_exact(const Step& step, const LockChoice& choice) {
  acquired_.clear();
  slept_ = 0;
  const auto is_exact = [&](const LockUse& use) {
    return choice.contains(use.object) && !use.is_sampled;
  };
  for (std::size_t i = 0; i < step.locks.size(); ++i)
    if (const LockUse& use = step.locks[i]; is_exact(use) && use.kind != LockUseKind::Give)
      acquired_.push_back({use.at,
                           use.kind == LockUseKind::Section
                               ? i
                               : step.locks.size() * 2 - i, // still held; the first one is outside
                           0, i, false});
  std::ranges::sort(acquired_, [](const Acquired& a, const Acquired& b) {
    return a.at != b.at ? a.at < b.at : a.released > b.released;
  });
  place_of_.resize(step.locks.size());
  for (std::size_t i = 0; i < acquired_.size(); ++i)
    place_of_[acquired_[i].use] = i;
  std::size_t next = 0;
  const auto take = [&](Acquired& each) {
    if (!each.done) {
      put(step.locks[each.use], each.at, true);
      each.slept = slept_;
    }
    each.done = true;
  };
  for (std::size_t i = 0; i < step.locks.size(); ++i) {
    const LockUse& use = step.locks[i];
    if (!is_exact(use) || use.kind == LockUseKind::Take)
      continue;
    const std::uint64_t at = use.kind == LockUseKind::Give ? use.at : use.at + use.work;
    for (; next < acquired_.size() && acquired_[next].at < at; ++next)
      take(acquired_[next]);
    std::uint64_t before = 0;
    if (use.kind == LockUseKind::Section) {
      take(acquired_[place_of_[i]]);
      before = acquired_[place_of_[i]].slept;
    }
    slept_ = std::max(slept_, std::min(before + use.latency, step.latency));
    put(use, at, false);
  }
  for (; next < acquired_.size(); ++next)
    take(acquired_[next]);
}

void LockCutter::add_parts(const Step& step, const LockChoice& choice) {
  parts_.clear();
  for (std::size_t i = 0; i < step.locks.size(); ++i) {
    const LockUse& use = step.locks[i];
    if (!use.is_sampled || !choice.contains(use.object))
      continue;
    const std::uint64_t count = std::clamp<std::uint64_t>(use.count, 1, kMostParts);
    const std::uint64_t length = std::min<std::uint64_t>(use.work, step.work);
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::uint64_t own = length * (k + 1) / count - length * k / count;
      if (own > 0)
        parts_.push_back(
            {static_cast<std::uint64_t>(Wide{step.work} * (2 * k + 1) / (2 * count)), own, i});
    }
  }
  if (parts_.empty())
    return;
  std::ranges::stable_sort(parts_, {}, &Part::begin);
  std::uint64_t after = 0,
                rest = 0; // after: the end of the last one; rest: the length of the others
  for (const Part& each : parts_)
    rest += each.length;
  merged_.clear();
  std::size_t next = 0;
  const auto merge_until = [&](std::uint64_t at) {
    for (; next < cuts_.size() && cuts_[next].at <= at; ++next)
      merged_.push_back(cuts_[next]);
  };
  for (const Part& each : parts_) {
    const std::uint64_t latest = step.work - std::min(step.work, rest);
    std::uint64_t begin =
        std::max(after, std::min(each.begin - std::min(each.begin, each.length / 2), latest));
    // Before the next cut, or behind it.
    for (std::size_t i = next; i < cuts_.size() && cuts_[i].at < begin + each.length; ++i)
      if (cuts_[i].at > begin) {
        const std::uint64_t before = i > 0 ? std::max(after, cuts_[i - 1].at) : after;
        begin = cuts_[i].at >= before + each.length ? cuts_[i].at - each.length : cuts_[i].at;
      }
    begin = std::min(begin, std::max(after, latest));
    merge_until(begin);
    const LockUse& use = step.locks[each.use];
    const std::uint64_t slept = merged_.empty() ? 0 : merged_.back().slept;
    merged_.push_back({begin, slept, true, use.shared, use.object});
    after = std::min(begin + each.length, step.work);
    while (next < cuts_.size() && cuts_[next].at < after)
      merged_.push_back(cuts_[next++]);
    merged_.push_back({after, merged_.back().slept, false, use.shared, use.object});
    rest -= each.length;
  }
  merge_until(~std::uint64_t{0});
  cuts_.swap(merged_);
}

} // namespace tp::analysis
