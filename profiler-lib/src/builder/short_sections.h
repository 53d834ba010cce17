// SPDX-License-Identifier: Apache-2.0
// SHORT SECTIONS: a lock that is taken often and held for next to nothing costs more to time than it is
// held. After the first sections that begin at a place in the code, which are all timed, a thread times some,
// at random, of each lock that is acquired there and was short in the first that it met of it: the fewer, the
// more it has timed, up to one of about 256. The others are counted, and written as one record per step, with
// the work that the timed ones lead to expect, and its standard error.
//
// Of more locks than there is room for, the rest of a place is sampled as if it were one lock: how often each of these was
// acquired is not recorded. One of about 256 of these sections is timed, and its lock gets room, in place of another one:
// so a lock that is acquired often soon has room, and keeps it.
//
// Where a step has few sections of a lock, to time them costs less than a record of those that were not: all are timed then,
// in addition to those that are timed at random, and do not count towards the mean.
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
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace tp::rt {

// A moving mean of lengths and of their squared deviations, in which each weighs 1/32 of the rest: as
// good as the mean of the last 63. In 256ths, integers only: the user's rounding mode is not ours.
class MovingMean {
public:
  // `length` is below 2^24. Returns the square of its deviation from the mean of those before.
  std::uint64_t add(std::uint64_t length) noexcept {
    const auto scaled = static_cast<std::int64_t>(length << 8);
    if (count_ == 0)
      mean_ = scaled;
    const std::int64_t deviation = (scaled - mean_) / 256;
    count_ += count_ < kSettled ? 1 : 0;
    const std::int64_t share = std::min(count_, kSlowest);
    mean_ += (scaled - mean_) / share;
    variance_ += ((deviation * deviation << 8) - variance_) / share;
    return static_cast<std::uint64_t>(deviation * deviation);
  }
  // Of the sum of `count` lengths that were not measured.
  std::uint64_t sum(std::uint64_t count) const noexcept {
    return (static_cast<std::uint64_t>(mean_) * count + 128) >> 8;
  }
  std::uint64_t mean() const noexcept { return sum(1); }
  // At least its standard error. `variance`: known of others like these, else 0.
  std::uint64_t error(std::uint64_t count, std::uint64_t variance) const noexcept;

private:
  static constexpr std::int64_t kSlowest = 32;
  // From here on, what the first ones weigh is next to nothing.
  static constexpr std::int64_t kSettled = 6 * kSlowest;
  // As good as the mean of so many.
  std::uint64_t samples() const noexcept {
    return count_ == kSettled
               ? 2 * kSlowest - 1
               : static_cast<std::uint64_t>(std::clamp<std::int64_t>(count_, 1, kSlowest));
  }
  std::int64_t mean_ = 0, variance_ = 0;
  std::int64_t count_ = 0; // up to kSettled; the first kSlowest weigh equally
};

inline std::uint64_t root_of(std::uint64_t square) noexcept {
  std::uint64_t root = 0;
  for (int bit = (std::bit_width(square) + 1) / 2; bit-- > 0;)
    if (const std::uint64_t next = root | std::uint64_t{1} << bit; next * next <= square)
      root = next;
  return root;
}

// Deviation times sqrt(count + count^2 / samples).
inline std::uint64_t MovingMean::error(std::uint64_t count, std::uint64_t variance) const noexcept {
  const std::uint64_t deviation =
      root_of(std::max(static_cast<std::uint64_t>(variance_) >> 8, variance)) + 1;
  const std::uint64_t sums = root_of(count + count * count / samples()) + 1;
  return deviation * sums;
}

// Sections of one lock that begin at one place in the code. Most of them are only counted: what that needs is in
// one line of the cache. All zero: none.
struct alignas(64) ShortSection {
  std::uint64_t address; // of the lock
  const void* code;      // null: of none
  std::uint32_t generation;
  std::uint32_t to_skip; // acquisitions before the next one that is timed
  std::uint32_t skipped; // in the open step, not yet written
  std::uint32_t timed;
  std::uint32_t place;
  std::uint8_t mode;
  std::uint8_t kind;
  bool is_listed; // from ShortSections::skipped on
  bool is_rest;   // of locks at that place for which there is no room; `address` is none of theirs
  // In `step`, of those that were timed because the step may have few of them; had the last one in which some were skipped
  // more than that?
  std::uint8_t timed_of_few;
  bool had_many;
  bool is_of_few; // the last one that was timed is such a one
  std::uint32_t step;
  ShortSection* next_skipped;
  std::uint64_t known_at; // of all_lock_generations: the generation was this one

  bool is_none() const noexcept { return code == nullptr; }
  bool is_of(std::uint64_t lock, const void* acquired_by) const noexcept {
    return address == lock && code == acquired_by;
  }
  bool is(std::uint64_t lock, const void* acquired_by, std::uint32_t with_generation,
          std::uint32_t with_mode) const noexcept {
    return is_of(lock, acquired_by) && generation == with_generation && mode == with_mode;
  }
};

// How long those that were timed were.
struct SectionLengths {
  MovingMean held;
  std::uint64_t cut = 0; // what did not count towards the mean, of `timed`
  // Of the work of `count` sections that were not timed. `variance`: of all at their place.
  std::uint64_t error(std::uint64_t count, std::uint32_t timed,
                      std::uint64_t variance) const noexcept {
    return held.error(count, variance) +
           static_cast<std::uint64_t>(static_cast<double>(cut) / std::max(timed, 1u) *
                                      static_cast<double>(count));
  }
};

// Those of one thread.
class ShortSections {
public:
  // Of sections that begin at one place in the code; of these, of each lock.
  static constexpr std::uint32_t kAlwaysTimed = 10'000;
  static constexpr std::uint32_t kTimedOfLock = 32;
  // Of a lock with so many that were timed, one of about this part of them is timed, at least of kMeanSkip.
  static constexpr std::uint32_t kTimedPerSkip = 4;
  static constexpr std::uint32_t kMeanSkip = 256;
  // So many hooks are called for sections of a lock before its code counts them: what is taken once or twice
  // in a step, or in turn with others that want the same entry, is not worth it.
  static constexpr std::uint32_t kCalled = 2;
  // Sections of a lock in a step that are few.
  static constexpr std::uint32_t kFew = 2;
  static constexpr unsigned kFirstBits = 8, kProbes = 8, kPlaceBits = 6;
  static constexpr std::size_t kMost = 1u << 13;
  static constexpr std::uint32_t kPerReplaced = 32; // while the rest is not sampled
  // What is short for sections of the rest: of so many locks, to time one costs more, and makes those of the program
  // longer, as the memory that it needs is not in the cache then.
  static constexpr std::uint64_t kOfRest = 4;

  // Sections below this mean length are short; 0: nothing is sampled.
  std::uint64_t short_length = 0;
  // What a timed section is longer than one that is skipped: about one reading of the clock.
  std::uint64_t reading = 0;

  // Theirs, if the thread has met it; else one of none, or of another mode or generation.
  TP_HOT ShortSection& find(std::uint64_t lock, const void* code) noexcept {
    const std::uint64_t key = key_of(lock, code);
    const std::size_t first = first_of(key);
    return tags_[first] == tag_of(key) && sections_[first].is_of(lock, code)
               ? sections_[first]
               : find_further(lock, code, key);
  }
  // Of the locks that are acquired there and for which there is no room.
  TP_HOT ShortSection& rest_of(const void* code) noexcept { return place_of(code).rest; }
  // There is not more than one place with what that is of.
  bool has_rest(const void* code) noexcept { return place_of(code).code != nullptr; }
  // They will be asked for.
  TP_HOT void fetch(std::uint64_t lock, const void* code) const noexcept {
    __builtin_prefetch(&sections_[first_of(key_of(lock, code))]);
  }
  SectionLengths& lengths_of(const ShortSection& section) noexcept {
    return section.is_rest ? place_of(section.code).rest_lengths : lengths_[&section - sections_];
  }
  // Of the work of `count` of them that were not timed.
  std::uint64_t error(const ShortSection& section, std::uint64_t count) noexcept {
    // What a reading adds is known to within itself only.
    return lengths_of(section).error(count, section.timed, mean_square_of(place_of(section.code))) +
           reading * count;
  }
  // There is a lock in each.
  bool is_full() const noexcept { return count_ >= kMost; }
  // Should one be found for a lock that has none, whose section was timed? `rest`: of its place.
  bool is_worth_room(const ShortSection& rest) noexcept {
    return !is_full() || rest.timed > kTimedOfLock || random() % kPerReplaced == 0;
  }
  // One that can be theirs: claim(). That of another lock, if there are too many. Null: no memory. No
  // section is counted by code. Cold.
  ShortSection* room_for(std::uint64_t lock, const void* code) noexcept;
  void claim(ShortSection& section, std::uint64_t lock, const void* code) noexcept {
    section = ShortSection{};
    section.address = lock;
    section.code = code;
    tags_[&section - sections_] = tag_of(key_of(lock, code));
    lengths_of(section) = {};
  }
  // A section was timed.
  void add(ShortSection& section, std::uint64_t length) noexcept {
    length -= std::min(length, reading);
    const std::uint64_t counts = std::min(length, 16 * short_length);
    SectionLengths& lengths = lengths_of(section);
    Place& place = place_of(section.code);
    place.add_square(lengths.held.add(counts));
    lengths.cut += length - counts;
    ++section.timed;
    std::uint32_t& timed = place.code != nullptr ? place.timed : section.timed;
    if (timed < kAlwaysTimed) {
      if (&timed != &section.timed)
        ++timed;
    } else if (section.timed > kTimedOfLock &&
               lengths.held.mean() < (section.is_rest ? kOfRest : 1) * short_length) {
      const std::uint32_t mean = std::min(section.timed / kTimedPerSkip, kMeanSkip);
      section.to_skip = random() % (2 * mean + 1);
    }
  }

  // What the code of locks counts without a call (tp/counted_locks.h), by their addresses.
  tp_counted_lock counted[TP_COUNTED_LOCKS] = {};
  bool some_are_counted = false; // perhaps
  TP_HOT tp_counted_lock& counted_of(const void* lock) noexcept {
    return counted[tp_counted_index(lock)];
  }

  // Of each entry: for which lock the hooks were called last, by the same.
  struct Calls {
    const void* lock;
    std::uint32_t count;       // for it, one after the other
    std::uint32_t used_before; // before these: sections of the lock in the entry
  };
  Calls calls[TP_COUNTED_LOCKS] = {};
  // A hook is called for a section that could be counted. Should the code of its lock do that from here on?
  TP_HOT bool is_worth_counting(const void* lock) noexcept {
    const unsigned index = tp_counted_index(lock);
    const tp_counted_lock& entry = counted[index];
    Calls& last = calls[index];
    const auto used = static_cast<std::uint32_t>(entry.left < 0 ? entry.granted + entry.left
                                                                : entry.granted - entry.left);
    if (last.lock != lock) {
      last = {lock, 1, used};
      return false;
    }
    if (++last.count <= kCalled)
      return false;
    if (entry.granted == 0 || 2 * (used - last.used_before) < last.count)
      return true;
    last = {lock, 0, used};
    return false;
  }

  // Those whose locks the thread holds, and which are not timed, without the counted ones.
  static constexpr unsigned kMostOpen = 16;
  struct Open {
    ShortSection* section;
    std::uint64_t lock;
    std::uint32_t more; // acquisitions of a recursive lock beyond the first
  };
  Open open[kMostOpen];
  unsigned open_count = 0;
  TP_HOT Open* open_of(std::uint64_t lock) noexcept {
    for (unsigned i = open_count; i-- > 0;)
      if (open[i].lock == lock)
        return &open[i];
    return nullptr;
  }

  // The number of the open step, of those in which the thread has acquired locks.
  std::uint32_t step = 1;
  // The next section of it in the open step is one of few.
  TP_HOT bool is_one_of_few(ShortSection& section) const noexcept {
    if (section.step != step) {
      section.step = step;
      section.timed_of_few = 0;
    }
    if (section.had_many || section.timed_of_few == kFew)
      return false;
    ++section.timed_of_few;
    return true;
  }
  // The lock whose section was timed as one of few, if no other one was acquired since; else 0.
  std::uint64_t of_few = 0;

  // The last of those with sections that were skipped in the open step, each once.
  ShortSection* skipped = nullptr;

private:
  // Sections that begin at a place in the code.
  struct Place {
    const void* code = nullptr;
    std::uint32_t timed = 0; // up to kAlwaysTimed
    std::uint32_t squares = 0;
    std::int64_t mean_square = 0; // of deviations, of about the last 4096: in 256ths
    ShortSection rest{};
    SectionLengths rest_lengths;
    void add_square(std::uint64_t square) noexcept {
      squares = std::min(squares + 1, 4096u);
      mean_square += (static_cast<std::int64_t>(square << 8) - mean_square) / squares;
    }
  };
  static std::uint64_t mean_square_of(const Place& place) noexcept {
    return static_cast<std::uint64_t>(place.mean_square) >> 8;
  }

  // Of the hash: what of it does not choose the place in the table. Not 0.
  using Tag = std::uint16_t;
  TP_HOT static std::uint64_t key_of(std::uint64_t lock, const void* code) noexcept {
    return (lock ^ reinterpret_cast<std::uint64_t>(code) << 16) * 0x9e3779b97f4a7c15ull;
  }
  TP_HOT static Tag tag_of(std::uint64_t key) noexcept { return static_cast<Tag>(key >> 32 | 1); }
  TP_HOT std::size_t first_of(std::uint64_t key) const noexcept {
    return static_cast<std::size_t>(key >> (64 - bits_));
  }
  std::size_t size() const noexcept { return std::size_t{1} << bits_; }
  std::size_t probed(std::size_t first, unsigned i) const noexcept {
    return (first + i) & (size() - 1);
  }
  // For most locks that have none, no section is looked at: that would be a line of the cache for each.
  [[gnu::noinline]] ShortSection& find_further(std::uint64_t lock, const void* code,
                                               std::uint64_t key) noexcept {
    const Tag tag = tag_of(key);
    const std::size_t first = first_of(key);
    for (unsigned i = 0; i < kProbes; ++i)
      if (const std::size_t at = probed(first, i);
          tags_[at] == tag && sections_[at].is_of(lock, code))
        return sections_[at];
    return none_;
  }
  // Null: others are in all of them.
  ShortSection* free_for(std::uint64_t lock, const void* code) noexcept {
    const std::size_t first = first_of(key_of(lock, code));
    for (unsigned i = 0; i < kProbes; ++i)
      if (ShortSection& section = sections_[probed(first, i)]; section.is_none())
        return &section;
    return nullptr;
  }
  // Where others are in all of them: what was timed least is taken least often, as a rule.
  ShortSection& least_timed_for(std::uint64_t lock, const void* code) noexcept {
    const std::size_t first = first_of(key_of(lock, code));
    std::size_t least = first;
    for (unsigned i = 1; i < kProbes; ++i)
      if (const std::size_t at = probed(first, i); sections_[at].timed < sections_[least].timed)
        least = at;
    return sections_[least];
  }
  bool grow() noexcept;
  void relist() noexcept;
  // All for which there is no room are at one place, without code.
  TP_HOT Place& place_of(const void* code) noexcept {
    const auto mixed = reinterpret_cast<std::uint64_t>(code) * 0x9e3779b97f4a7c15ull;
    for (unsigned i = 0; i < kProbes; ++i) {
      Place& place = places_[((mixed >> (64 - kPlaceBits)) + i) % (1u << kPlaceBits)];
      if (place.code == nullptr)
        place.code = code;
      if (place.code == code)
        return place;
    }
    return other_places_;
  }
  // The next one of a sequence of random numbers.
  std::uint32_t random() noexcept {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::uint32_t>(state_ >> 32);
  }

  std::uint64_t state_ = 0x2545f4914f6cdd1dull;
  // By their hash, or a little further on. A power of two of them.
  unsigned bits_ = 1;
  ShortSection first_[2] = {};
  Tag first_tags_[2] = {};
  ShortSection* sections_ = first_;
  Tag* tags_ = first_tags_; // of each; 0: of none
  std::size_t count_ = 0;
  std::unique_ptr<ShortSection[]> more_; // where sections_ is, but at first
  std::unique_ptr<Tag[]> more_tags_;     // and tags_
  std::unique_ptr<SectionLengths[]> lengths_;
  ShortSection none_{};
  Place places_[1u << kPlaceBits];
  Place other_places_;
};

// Makes the table larger, and moves what is in it.
inline bool ShortSections::grow() noexcept {
  ShortSection* const old = sections_;
  Tag* const old_tags = tags_;
  const std::size_t old_size = size();
  const unsigned old_bits = bits_;
  for (unsigned bits = std::max(bits_ + 1, kFirstBits); (1u << bits) <= 2 * kMost; ++bits) {
    std::unique_ptr<ShortSection[]> sections(new (std::nothrow) ShortSection[1u << bits]());
    std::unique_ptr<Tag[]> tags(new (std::nothrow) Tag[1u << bits]());
    std::unique_ptr<SectionLengths[]> lengths(new (std::nothrow) SectionLengths[1u << bits]);
    if (sections == nullptr || tags == nullptr || lengths == nullptr)
      break;
    sections_ = sections.get();
    tags_ = tags.get();
    bits_ = bits;
    bool fits = true;
    for (std::size_t i = 0; i < old_size && fits; ++i)
      if (!old[i].is_none()) {
        ShortSection* const section = free_for(old[i].address, old[i].code);
        fits = section != nullptr;
        if (fits) {
          const auto at = static_cast<std::size_t>(section - sections_);
          *section = old[i];
          tags_[at] = old_tags[i];
          lengths[at] = lengths_[i];
        }
      }
    if (!fits)
      continue;
    for (unsigned i = 0; i < open_count; ++i)
      if (!open[i].section->is_rest)
        open[i].section = &find(open[i].section->address, open[i].section->code);
    relist();
    more_ = std::move(sections);
    more_tags_ = std::move(tags);
    lengths_ = std::move(lengths);
    return true;
  }
  sections_ = old;
  tags_ = old_tags;
  bits_ = old_bits;
  return false;
}

// They are somewhere else now.
inline void ShortSections::relist() noexcept {
  skipped = nullptr;
  const auto list = [this](ShortSection& section) {
    if (section.is_listed)
      section.next_skipped = std::exchange(skipped, &section);
  };
  for (std::size_t i = 0; i < size(); ++i)
    list(sections_[i]);
  for (Place& place : places_)
    list(place.rest);
  list(other_places_.rest);
}

inline ShortSection* ShortSections::room_for(std::uint64_t lock, const void* code) noexcept {
  if (more_ == nullptr || 2 * (count_ + 1) > size())
    grow();
  if (more_ == nullptr)
    return nullptr;
  ShortSection* const free = free_for(lock, code);
  if (free != nullptr)
    ++count_;
  return free != nullptr ? free : &least_timed_for(lock, code);
}

} // namespace tp::rt
