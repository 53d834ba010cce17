// SPDX-License-Identifier: Apache-2.0
// SHORT SECTIONS: a lock that is taken often and held for next to nothing costs more to time than it is
// held. After its first sections, which are all timed, a thread times one of about 256, at random; the
// others are counted, and written as one record per step, with the work that the timed ones lead to
// expect, and its standard error.
//
// Contended acquisitions are always timed. A timed section counts towards the mean with at most 16 times the
// length that is short: one much longer than the others (a page fault) would otherwise count for 256 of its
// kind. So the estimate is low where such sections are frequent; but then they are not short on average, and
// all are timed.
#pragma once

#include "base/attributes.h"
#include "tp/counted_locks.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace tp::rt {

// A moving mean of lengths and of their squared deviations, in which each weighs 1/32 of the rest: as
// good as the mean of the last 63. In 256ths, integers only: the user's rounding mode is not ours.
class MovingMean {
public:
  // A standard error's number of samples.
  static constexpr std::uint64_t kSamples = 63;
  // `length` is below 2^24.
  void add(std::uint64_t length) noexcept {
    const auto scaled = static_cast<std::int64_t>(length << 8);
    if (count_ == 0)
      mean_ = scaled;
    const std::int64_t deviation = (scaled - mean_) / 256;
    count_ = std::min(count_ + 1, kSlowest);
    mean_ += (scaled - mean_) / count_;
    variance_ += ((deviation * deviation << 8) - variance_) / count_;
  }
  // Of the sum of `count` lengths that were not measured.
  std::uint64_t sum(std::uint64_t count) const noexcept {
    return (static_cast<std::uint64_t>(mean_) * count + 128) >> 8;
  }
  std::uint64_t mean() const noexcept { return sum(1); }
  // At least its standard error.
  std::uint64_t error(std::uint64_t count) const noexcept;

private:
  static constexpr std::int64_t kSlowest = 32;
  std::int64_t mean_ = 0, variance_ = 0;
  std::int64_t count_ = 0; // up to kSlowest: the first ones weigh equally
};

inline std::uint64_t root_of(std::uint64_t square) noexcept {
  std::uint64_t root = 0;
  for (int bit = 31; bit >= 0; --bit)
    if (const std::uint64_t next = root | std::uint64_t{1} << bit; next * next <= square)
      root = next;
  return root;
}

// Deviation times sqrt(count + count^2 / samples).
inline std::uint64_t MovingMean::error(std::uint64_t count) const noexcept {
  const std::uint64_t deviation = root_of(static_cast<std::uint64_t>(variance_) >> 8) + 1;
  const std::uint64_t sums = root_of(count + count * count / kSamples) + 1;
  return deviation * sums;
}

// Sections of one lock that begin at one place in the code.
struct ShortSection {
  std::uint64_t address = 0; // of the lock; 0: none
  const void* code = nullptr;
  const std::atomic<std::uint32_t>* generation_at = nullptr; // of the lock
  std::uint32_t generation = 0;
  std::uint32_t mode = 0;
  std::uint32_t to_skip = 0; // acquisitions before the next one that is timed
  std::uint32_t skipped = 0; // in the open step, not yet written
  std::uint32_t called =
      0; // of these, by hooks since the last ones that were counted without a call
  std::uint32_t timed = 0; // up to kAlwaysTimed
  std::uint32_t place = 0;
  std::uint8_t kind = 0;
  bool is_listed = false; // among ShortSections::skipped
  MovingMean held;

  bool is(std::uint64_t lock, const void* acquired_by, std::uint32_t with_mode) const noexcept {
    return address == lock && code == acquired_by && mode == with_mode &&
           generation_at->load(std::memory_order_relaxed) == generation;
  }
};

// Those of one thread. Direct-mapped: one may replace another.
class ShortSections {
public:
  static constexpr std::uint32_t kAlwaysTimed = 10'000;
  static constexpr std::uint32_t kMeanSkip = 256;
  // So many hooks are called for sections of a lock before its code counts them: what is taken once or twice
  // in a step is not worth it.
  static constexpr std::uint32_t kCalled = 2;
  static constexpr unsigned kBits = 7;

  // Sections below this mean length are short; 0: nothing is sampled.
  std::uint64_t short_length = 0;
  // What a timed section is longer than one that is skipped: about one reading of the clock.
  std::uint64_t reading = 0;

  TP_HOT ShortSection& entry(std::uint64_t lock, const void* code) noexcept {
    const std::uint64_t mixed =
        (lock ^ reinterpret_cast<std::uint64_t>(code) << 16) * 0x9e3779b97f4a7c15ull;
    return entries_[mixed >> (64 - kBits)];
  }
  // A section was timed.
  void add(ShortSection& section, std::uint64_t length) noexcept {
    length -= std::min(length, reading);
    section.held.add(std::min(length, 16 * short_length));
    if (section.timed < kAlwaysTimed)
      ++section.timed;
    else if (section.held.mean() < short_length)
      section.to_skip = random() % (2 * kMeanSkip + 1);
  }

  // What the code of locks counts without a call (tp/counted_locks.h), by their addresses.
  tp_counted_lock counted[TP_COUNTED_LOCKS] = {};
  TP_HOT tp_counted_lock& counted_of(const void* lock) noexcept {
    return counted[tp_counted_index(lock)];
  }

  // Those whose locks the thread holds, and which are not timed, without the counted ones.
  static constexpr unsigned kMostOpen = 16;
  ShortSection* open[kMostOpen];
  unsigned open_count = 0;
  // Null: it is none of these.
  TP_HOT const ShortSection* close(std::uint64_t lock) noexcept {
    for (unsigned i = open_count; i-- > 0;)
      if (open[i]->address == lock) {
        const ShortSection* const closed = open[i];
        open[i] = open[--open_count];
        return closed;
      }
    return nullptr;
  }

  // Entries with sections that were skipped in the open step, each once.
  ShortSection* skipped[1u << kBits];
  unsigned skipped_count = 0;

private:
  // The next one of a sequence of random numbers.
  std::uint32_t random() noexcept {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::uint32_t>(state_ >> 32);
  }

  std::uint64_t state_ = 0x2545f4914f6cdd1dull;
  ShortSection entries_[1u << kBits];
};

} // namespace tp::rt
