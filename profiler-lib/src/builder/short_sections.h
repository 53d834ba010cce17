// SPDX-License-Identifier: Apache-2.0
// SHORT SECTIONS: a lock that is taken often and held for next to nothing costs more to time than it is
// held. After the first sections that begin at a place in the code, which are all timed, a thread times one of
// about 256, at random, of each lock that is acquired there and was short in the first that it met of it; the
// others are counted, and written as one record per step, with the work that the timed ones lead to
// expect, and its standard error.
//
// Contended acquisitions are always timed. A timed section counts towards the mean with at most 16 times the
// length that is short: one much longer than the others (a page fault) would otherwise count for 256 of its
// kind. So the estimate is low where such sections are frequent: what was cut off is in its error.
//
// A recursive lock that is acquired again in one of its sections begins no section.
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
  std::uint32_t timed = 0;
  std::uint32_t place = 0;
  std::uint8_t kind = 0;
  bool is_listed = false; // among ShortSections::skipped
  MovingMean held;
  std::uint64_t cut = 0; // of the timed ones: what did not count towards the mean

  // Of the work of `count` sections that were not timed.
  std::uint64_t error(std::uint64_t count) const noexcept {
    return held.error(count) +
           static_cast<std::uint64_t>(static_cast<double>(cut) / std::max(timed, 1u) *
                                      static_cast<double>(count));
  }
  bool is(std::uint64_t lock, const void* acquired_by, std::uint32_t with_mode) const noexcept {
    return address == lock && code == acquired_by && mode == with_mode &&
           generation_at->load(std::memory_order_relaxed) == generation;
  }
};

// Those of one thread. One may replace another.
class ShortSections {
public:
  // Of sections that begin at one place in the code; of these, of each lock.
  static constexpr std::uint32_t kAlwaysTimed = 10'000;
  static constexpr std::uint32_t kTimedOfLock = 1'000;
  static constexpr std::uint32_t kMeanSkip = 256;
  // So many hooks are called for sections of a lock before its code counts them: what is taken once or twice
  // in a step is not worth it.
  static constexpr std::uint32_t kCalled = 2;
  static constexpr unsigned kBits = 8, kProbes = 8, kPlaceBits = 6;

  // Sections below this mean length are short; 0: nothing is sampled.
  std::uint64_t short_length = 0;
  // What a timed section is longer than one that is skipped: about one reading of the clock.
  std::uint64_t reading = 0;

  // Theirs, else one that can be theirs: claim().
  TP_HOT ShortSection& entry(std::uint64_t lock, const void* code) noexcept {
    const std::uint64_t key = key_of(lock, code);
    const auto first = static_cast<unsigned>(key >> (64 - kBits));
    return keys_[first] == key ? entries_[first] : other_entry(key, first);
  }
  void claim(ShortSection& section, std::uint64_t lock, const void* code) noexcept {
    section = ShortSection{};
    section.address = lock;
    section.code = code;
    keys_[&section - entries_] = key_of(lock, code);
  }
  // A section was timed.
  void add(ShortSection& section, std::uint64_t length) noexcept {
    length -= std::min(length, reading);
    const std::uint64_t counts = std::min(length, 16 * short_length);
    section.held.add(counts);
    section.cut += length - counts;
    ++section.timed;
    std::uint32_t& timed = timed_at(section);
    if (timed < kAlwaysTimed) {
      if (&timed != &section.timed)
        ++timed;
    } else if (section.timed > kTimedOfLock && section.held.mean() < short_length) {
      section.to_skip = random() % (2 * kMeanSkip + 1);
    }
  }

  // What the code of locks counts without a call (tp/counted_locks.h), by their addresses.
  tp_counted_lock counted[TP_COUNTED_LOCKS] = {};
  TP_HOT tp_counted_lock& counted_of(const void* lock) noexcept {
    return counted[tp_counted_index(lock)];
  }

  // Those whose locks the thread holds, and which are not timed, without the counted ones.
  static constexpr unsigned kMostOpen = 16;
  struct Open {
    ShortSection* section;
    std::uint32_t more; // acquisitions of a recursive lock beyond the first
  };
  Open open[kMostOpen];
  unsigned open_count = 0;
  TP_HOT Open* open_of(std::uint64_t lock) noexcept {
    for (unsigned i = open_count; i-- > 0;)
      if (open[i].section->address == lock)
        return &open[i];
    return nullptr;
  }

  // Entries with sections that were skipped in the open step, each once.
  ShortSection* skipped[1u << kBits];
  unsigned skipped_count = 0;

private:
  // Sections that begin at a place in the code.
  struct Place {
    const void* code = nullptr;
    std::uint32_t timed = 0; // up to kAlwaysTimed
  };

  TP_HOT static std::uint64_t key_of(std::uint64_t lock, const void* code) noexcept {
    return (lock ^ reinterpret_cast<std::uint64_t>(code) << 16) * 0x9e3779b97f4a7c15ull;
  }
  [[gnu::noinline]] ShortSection& other_entry(std::uint64_t key, unsigned first) noexcept {
    unsigned free = first;
    for (unsigned i = kProbes; --i > 0;) {
      const unsigned at = (first + i) % (1u << kBits);
      if (keys_[at] == key)
        return entries_[at];
      if (keys_[at] == 0)
        free = at;
    }
    return entries_[keys_[first] == 0 ? first : free];
  }
  // How many were timed at the place of the section. Of places for which there is no room: of its lock only.
  std::uint32_t& timed_at(ShortSection& section) noexcept {
    const auto mixed = reinterpret_cast<std::uint64_t>(section.code) * 0x9e3779b97f4a7c15ull;
    for (unsigned i = 0; i < kProbes; ++i) {
      Place& place = places_[((mixed >> (64 - kPlaceBits)) + i) % (1u << kPlaceBits)];
      if (place.code == nullptr)
        place.code = section.code;
      if (place.code == section.code)
        return place.timed;
    }
    return section.timed;
  }
  // The next one of a sequence of random numbers.
  std::uint32_t random() noexcept {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::uint32_t>(state_ >> 32);
  }

  std::uint64_t state_ = 0x2545f4914f6cdd1dull;
  std::uint64_t keys_[1u << kBits] = {}; // 0: free
  ShortSection entries_[1u << kBits];
  Place places_[1u << kPlaceBits];
};

} // namespace tp::rt
