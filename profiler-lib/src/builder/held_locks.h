// SPDX-License-Identifier: Apache-2.0
// What a thread knows about locks: those that it has met, and those that it holds. Made when the
// thread takes its first lock; used by that thread only (lock_records.h).
#pragma once

#include "base/site_cache.h"
#include "builder/lock_posts.h"
#include "builder/short_sections.h"
#include "clock/work_clock.h"
#include "sites/call_path.h"
#include "sites/lock_places.h"
#include "tp/trace/trace_format.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

namespace tp::rt {

struct Frame;

// How far a step has got: without what was left out.
struct StepPosition {
  std::uint64_t work, time;
};

// What a slot means in the stream.
struct KnownLock {
  std::uint64_t address = 0; // 0: none
  std::uint32_t generation = 0;
  std::uint32_t kind = 0; // tp_lock_kind
  bool operator==(const KnownLock&) const = default;
};
inline constexpr unsigned kLockSlotBits = 12, kMostLockSlotBits = 16;

// What the slots of a thread's stream mean. They are direct-mapped by address: a lock may replace another one. If that
// happens often there are more of them from then on; a lock may have a second one then, and what was written with
// the first keeps its meaning.
class LockSlots {
public:
  bool has_memory() const noexcept { return known_ != nullptr; }
  TP_HOT std::uint16_t slot_of(std::uint64_t address) const noexcept {
    return static_cast<std::uint16_t>(mix_lock_address(address) >> shift_);
  }
  TP_HOT bool is(std::uint16_t slot, const KnownLock& lock) const noexcept {
    return known_[slot] == lock;
  }
  // Does it mean a lock?
  bool is_named(std::uint16_t slot) const noexcept { return known_[slot].address != 0; }
  // The slot will be asked for.
  TP_HOT void fetch(std::uint16_t slot) const noexcept { __builtin_prefetch(&known_[slot]); }
  bool is_of(std::uint16_t slot, std::uint64_t address) const noexcept {
    return known_[slot].address == address;
  }
  // True: it meant another one. Cold.
  bool name(std::uint16_t slot, const KnownLock& lock) noexcept {
    const bool replaces = known_[slot].address != 0;
    if (replaces && ++replaced_ == kOften)
      grow();
    known_[slot] = lock;
    return replaces;
  }

private:
  static constexpr std::uint32_t kOften = 1024;
  struct Free {
    void operator()(void* memory) const noexcept { std::free(memory); }
  };
  // Zeroes, of which a thread with few locks touches few. Null: no memory.
  using Table = std::unique_ptr<KnownLock[], Free>;
  static Table make(unsigned bits) noexcept {
    return Table(static_cast<KnownLock*>(std::calloc(std::size_t{1} << bits, sizeof(KnownLock))));
  }
  void grow() noexcept {
    Table more = make(kMostLockSlotBits);
    if (more == nullptr)
      return;
    std::copy_n(known_.get(), std::size_t{1} << kLockSlotBits, more.get());
    known_ = std::move(more);
    shift_ = 64 - kMostLockSlotBits;
  }
  Table known_ = make(kLockSlotBits);
  unsigned shift_ = 64 - kLockSlotBits;
  std::uint32_t replaced_ = 0;
};

// Kind and mode of an acquisition, in one number.
TP_HOT unsigned asked_for(unsigned kind, unsigned mode) noexcept {
  return kind | mode << 8;
}

// What acquisitions of a lock by the same code, called in the same way, have in common.
struct LockUse {
  std::uint64_t address;
  const void* code; // that acquires it; null: not known
  std::uint32_t generation;
  std::uint8_t mode; // tp_lock_mode
  // Index plus 1 of the KnownUse that this is, as long as it says all that is to be said of the acquisition:
  // it did not wait, nor sleep, and its step is the open one. Else 0.
  std::uint8_t use;
  std::uint16_t asked; // asked_for()
  std::uint32_t place;
  std::uint16_t slot;
  std::uint8_t flags; // of the record
  std::uint8_t kind;  // tp_lock_kind

  // What a record says of it, and the kind, in one number.
  std::uint64_t recorded() const noexcept {
    std::uint64_t word;
    std::memcpy(&word, &place, sizeof word);
    return word;
  }
};
static_assert(offsetof(LockUse, kind) == offsetof(LockUse, place) + 7);

// A lock that the thread holds. Positions in a step are work since its begin.
struct alignas(64) HeldLock : LockUse {
  // What is rarely the case of one.
  struct State {
    std::uint32_t more = 0;      // acquisitions of a recursive lock beyond the first
    std::uint8_t is_written = 0; // a Take was: the step of the acquisition has ended
    std::uint8_t is_given = 0;   // outside of a step: the Give is still to be written
    std::uint16_t has_slept = 0; // `slept` is valid
    bool is_none() const noexcept { return std::bit_cast<std::uint64_t>(*this) == 0; }
  };
  State state;
  std::uint64_t waited;   // ticks, before it
  std::uint64_t taken_at; // position of the acquisition
  LockBlame blame;        // who held it meanwhile; valid if the thread waited
  // In the section, in the open step, not waiting for other threads: in the unit of work.
  std::uint64_t slept;
  // That lock, which has not waited, nor slept.
  TP_HOT void become(const HeldLock& other) noexcept {
    static_cast<LockUse&>(*this) = other;
    state = other.state;
    waited = other.waited;
    taken_at = other.taken_at;
  }
};

// An acquisition that the thread has met: what take_lock() made of it. `use.flags` are those of one that
// does not wait.
struct alignas(64) KnownUse {
  LockUse use{};
  const std::atomic<std::uint32_t>* generation_at = nullptr; // of the lock
  const CallPaths::Memo* found = nullptr;                    // where the calls were found last,
  std::uint64_t path = 0;                                    // and their number
  const void* caller = nullptr;                              // LockPlace::caller
};
inline constexpr unsigned kKnownUseBits = trace::kLockUseBits;

// Locks that one thread holds at the same time; of more, the one that it has held longest is forgotten.
inline constexpr unsigned kMostHeldLocks = 64;
static_assert((1u << kKnownUseBits) < 0xff);

// The lock and place of a section record.
struct LastSection {
  static constexpr unsigned kNoUse = 0xffff;
  std::uint64_t of = 0, recorded = 0; // address, LockUse::recorded()
  std::uint32_t generation = 0;
  std::uint32_t use = kNoUse; // LockUse::use
  TP_HOT bool is_of(const LockUse& lock) const noexcept {
    return of == lock.address && generation == lock.generation && recorded == lock.recorded();
  }
};

// Attempts to acquire a lock that have failed in the open step, at one place, and after which the thread has not
// acquired it.
struct LockTries : LockUse {
  std::uint64_t count;
  std::uint64_t work; // between them
  // Of the step, from the last of them to the last attempt of the next LockTries, as far as it is part of the work of
  // none.
  std::uint64_t since;
  bool last_may_have_succeeded; // if the thread acquires the lock before it tries again
};

struct LockState {
  HeldLock held[kMostHeldLocks];
  alignas(8) std::uint16_t held_count = 0;
  // Of the wait that has ended, for the acquisition that follows.
  bool contended = false;
  // Of `tried`.
  std::uint8_t tried_count = 0;
  // The thread waits: for a lock, or in a loop of its own. Readings at its begin.
  std::uint32_t waits = 0;
  // In one number: held_count, if the thread does not wait, nor has waited for what it will acquire, nor failed to
  // acquire a lock that it may acquire; else more than locks can be held.
  TP_HOT std::uint64_t plainly_held() const noexcept {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t word;
    std::memcpy(&word, static_cast<const void*>(&held_count), sizeof word);
    return word;
  }
  // The same number, stored as it is loaded: a load of more than was stored last would wait for the store.
  TP_HOT void hold_plainly(std::uint64_t count) noexcept {
    std::memcpy(static_cast<void*>(&held_count), &count, sizeof count);
  }
  bool is_busy_wait = false;
  bool is_over = false; // the step ended while the thread waited
  Reading wait_begin{};
  std::uint64_t wait_outside =
      0; // ticks since then that are not part of the wait: the runtime's own
  std::uint64_t wait_asleep = 0, wait_waited = 0; // of the clock
  std::uint64_t wait_for = 0;                     // the lock, as far as it was named: posted
  std::uint32_t wait_since = 0;                   // of post_lock_wait()
  // Index plus 1 of the lock that was acquired last in the wait; 0: none, or it was given.
  unsigned taken_in_wait = 0;
  // Of the wait that has ended, for the acquisition that follows.
  std::uint64_t waited = 0;
  std::uint64_t waited_from = 0, waited_for = 0; // time, lock
  StepPosition wait_end{};
  bool wait_end_is_known = false; // it is one of the open step
  // What the last release that others waited for has left in the posts.
  LockNote* notes[2] = {};
  std::uint64_t released = 0; // the lock; 0: none
  // What calls that release locks took, and notes of that, and no record says yet; and the slot of one of the locks.
  std::uint64_t call_ticks = 0;
  std::uint16_t called_slot = 0;
  // In the order of their last attempts. Of more locks that the thread tries in turn, the first one is forgotten.
  static constexpr unsigned kMostTried = 32;
  LockTries tried[kMostTried];
  std::uint64_t tried_at = 0; // position up to which the last one's `since` goes
  LockSlots slots;
  // Of the last Section that was written, if TraceWriter::after_section says so: where it ended in the step.
  std::uint64_t section_end = 0;
  LastSection section, turn; // that, and what a SectionTurn exchanges it for
  // By LockUse::use: the number of chunks that the stream had when the LockUse record of that was written; or, since then, how
  // often that was due, and kNotWritten. As long as it is the number of now, the slot of the use means its lock. And the use of
  // the last SectionOfUse.
  static constexpr std::uint32_t kNotWritten = 0xffffff00;
  std::uint32_t written_uses[(1u << kKnownUseBits) + 1] = {};
  unsigned last_use = 0;
  KnownUse uses[1u << kKnownUseBits]; // direct-mapped
  TP_HOT KnownUse& use_of(const void* lock, const void* code) noexcept {
    const auto mixed = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(lock) +
                                                  2 * reinterpret_cast<std::uintptr_t>(code)) *
                       0x9e3779b1u;
    return uses[mixed >> (32 - kKnownUseBits)];
  }
  // What the thread has done since, in a wait, was outside of it.
  void leave_out_of_wait(std::uint64_t work, std::uint64_t time) noexcept {
    wait_begin.work += work;
    wait_begin.time += time;
    wait_outside += time;
  }
  // From here on the slot means that lock. Cold.
  void name(std::uint16_t slot, const KnownLock& lock) noexcept {
    if (slots.name(slot, lock))
      for (unsigned i = 0; i < std::size(uses); ++i)
        if (uses[i].use.slot == slot)
          written_uses[i + 1] = kNotWritten;
  }
  TP_HOT bool samples_sections() const noexcept { return shorts.short_length != 0; }
  ShortSections shorts;
  SiteCache<8> places; // number + 1
  CallPaths paths;
};

} // namespace tp::rt
