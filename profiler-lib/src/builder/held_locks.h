// SPDX-License-Identifier: Apache-2.0
// What a thread knows about locks: those that it has met, and those that it holds. Made when the
// thread takes its first lock; used by that thread only (lock_records.h).
#pragma once

#include "base/site_cache.h"
#include "builder/lock_posts.h"
#include "builder/short_sections.h"
#include "clock/work_clock.h"
#include "sites/call_path.h"

#include <cstdint>

namespace tp::rt {

struct Frame;

// What a slot means in the stream. Slots are direct-mapped by address: a lock may replace another one.
struct KnownLock {
  std::uint64_t address = 0; // 0: none
  std::uint32_t generation = 0;
};
inline constexpr unsigned kLockSlotBits = 9;

// A lock that the thread holds. Positions in a step are work since its begin.
struct HeldLock {
  std::uint64_t address;
  std::uint64_t taken_at; // position of the acquisition
  std::uint64_t waited;   // ticks, before it
  LockBlame blame;        // who held it meanwhile
  const void* code;       // that acquired it; null: not known
  std::uint32_t generation;
  std::uint32_t place;
  std::uint32_t more; // acquisitions of a recursive lock beyond the first
  std::uint32_t mode; // tp_lock_mode
  std::uint16_t slot;
  std::uint8_t kind;  // tp_lock_kind
  std::uint8_t flags; // of the record
  bool is_written;    // a Take was: the step of the acquisition has ended
  bool is_given;      // outside of a step: the Give is still to be written
};
// Locks that one thread holds at the same time; of more, the one that it has held longest is forgotten.
inline constexpr unsigned kMostHeldLocks = 64;

struct LockState {
  HeldLock held[kMostHeldLocks];
  unsigned held_count = 0;
  // The thread waits: for a lock, or in a loop of its own. Readings at its begin.
  unsigned waits = 0;
  bool is_busy_wait = false;
  bool is_over = false; // the step ended while the thread waited
  Reading wait_begin{};
  std::uint64_t wait_asleep = 0, wait_waited = 0; // of the clock
  std::uint64_t wait_for = 0;                     // the lock, as far as it was named: posted
  std::uint32_t wait_since = 0;                   // of post_lock_wait()
  // Index plus 1 of the lock that was acquired last in the wait; 0: none, or it was given.
  unsigned taken_in_wait = 0;
  // Of the wait that has ended, for the acquisition that follows.
  bool contended = false;
  std::uint64_t waited = 0;
  std::uint64_t waited_from = 0, waited_for = 0; // time, lock
  // What the last release that others waited for has left in the posts.
  LockNote* notes[2] = {};
  std::uint64_t released = 0; // the lock; 0: none
  KnownLock known[1u << kLockSlotBits];
  ShortSections shorts;
  SiteCache<8> places; // number + 1
  CallPaths paths;
};

} // namespace tp::rt
