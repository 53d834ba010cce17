// SPDX-License-Identifier: Apache-2.0
// INTERVAL SUMS: how much of many intervals lies in each of N equal buckets of [0, extent). Exact:
// the sums over all buckets are the lengths of the intervals. Constant time per interval.
#pragma once

#include "base/wide.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tp::analysis {

class IntervalSums {
public:
  IntervalSums(std::uint64_t extent, std::size_t buckets)
      : extent_(std::max<std::uint64_t>(extent, 1)), partial_(buckets), covering_(buckets + 1) {}

  // Ends beyond the extent count in the last bucket.
  void add(std::uint64_t begin, std::uint64_t end) {
    if (end <= begin)
      return;
    const std::size_t first = bucket_of(begin), last = bucket_of(end - 1);
    if (first == last) {
      partial_[first] += end - begin;
      return;
    }
    partial_[first] += begin_of(first + 1) - begin;
    partial_[last] += end - begin_of(last);
    ++covering_[first + 1];
    --covering_[last];
  }
  // `part` of the interval, as if spread evenly over it.
  void add_evenly(std::uint64_t begin, std::uint64_t end, std::uint64_t part) {
    if (end <= begin)
      return;
    std::uint64_t given = 0;
    const std::size_t last = bucket_of(end - 1);
    for (std::size_t bucket = bucket_of(begin); bucket <= last; ++bucket) {
      const std::uint64_t up_to = bucket == last ? end : begin_of(bucket + 1);
      const auto sum = static_cast<std::uint64_t>(Wide{part} * (up_to - begin) / (end - begin));
      partial_[bucket] += sum - given;
      given = sum;
    }
  }
  std::vector<std::uint64_t> take() const {
    std::vector<std::uint64_t> sums = partial_;
    std::uint64_t covering = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      covering += covering_[i];
      sums[i] += covering * (begin_of(i + 1) - begin_of(i));
    }
    return sums;
  }

  std::size_t bucket_of(std::uint64_t at) const {
    const std::size_t count = partial_.size();
    auto bucket = static_cast<std::size_t>(Wide{std::min(at, extent_ - 1)} * count / extent_);
    // Buckets begin at rounded positions.
    while (bucket + 1 < count && begin_of(bucket + 1) <= at)
      ++bucket;
    return bucket;
  }
  std::uint64_t begin_of(std::size_t bucket) const {
    return static_cast<std::uint64_t>(Wide{extent_} * bucket / partial_.size());
  }

private:
  std::uint64_t extent_;
  std::vector<std::uint64_t> partial_;
  std::vector<std::uint64_t> covering_; // differences; they may be negative, modulo 2^64
};

} // namespace tp::analysis
