// SPDX-License-Identifier: Apache-2.0
// LOCK POSTS: who waits for a lock says so, and who releases it meanwhile leaves a note of the time and of
// the place where it had acquired the lock. So a wait is charged to those who held the lock while it lasted
// (Tallent, Mellor-Crummey, Porterfield, PPoPP 2010: there the waiter's time is charged to the holder; here
// the waiter divides its own by the times of the releases, so that the parts add up to the wait).
//
// A release of a lock without waiters reads one word, which no thread writes then. Entries are found by address;
// locks may share one, and notes say whose they are. Any thread.
#pragma once

#include "base/attributes.h"
#include "sites/lock_places.h"

#include <atomic>
#include <cstdint>

namespace tp::rt {

struct LockNote {
  std::atomic<std::uint64_t> lock; // address
  std::atomic<std::uint64_t> time; // ticks
  std::atomic<std::uint32_t> place;
  std::atomic<std::uint16_t> woke;  // 1: the call that released the lock has woken a thread
  std::atomic<std::uint16_t> posts; // LockPost::posts, when it was left
};

struct alignas(64) LockPost {
  static constexpr std::uint32_t kNotes = 16; // that are kept, the last ones

  std::atomic<std::uint32_t> next;
  // How many waits there were, without their high bits: notes from before a wait are none of its.
  std::atomic<std::uint16_t> posts;
  LockNote notes[kNotes];
};
inline constexpr unsigned kLockPostBits = 10;
// One more, for those who wait for a lock that they have not named.
inline constexpr unsigned kUnnamedPost = 1u << kLockPostBits;
extern LockPost lock_posts[kUnnamedPost + 1];

// How many threads wait: of each post, apart from the notes and close together, since each release looks there.
struct alignas(16) LockWaiters {
  std::atomic<std::uint32_t> count;
};
extern LockWaiters lock_waiters[kUnnamedPost + 1];

// 0: not named.
TP_HOT std::size_t post_of_lock(std::uint64_t address) noexcept {
  return address != 0 ? mix_lock_address(address) >> (64 - kLockPostBits) : kUnnamedPost;
}
TP_HOT std::atomic<std::uint32_t>& waiters_for(std::uint64_t address) noexcept {
  return lock_waiters[post_of_lock(address)].count;
}
TP_HOT bool is_awaited(std::uint64_t address) noexcept {
  return waiters_for(address).load(std::memory_order_relaxed) != 0;
}

// The number of notes so far: who releases the lock from here on leaves one.
std::uint32_t post_lock_wait(std::uint64_t address) noexcept;
void end_lock_post(std::uint64_t address) noexcept;
// A lock that is awaited is going to be released, at `time`. By a thread that holds it. Releases at one place, one after
// the other, share a note that moves on, unless one has woken a thread: a lock may be released a thousand times while
// one thread wakes up.
TP_COLD LockNote& note_release(std::uint64_t address, std::uint64_t post_of, std::uint64_t time,
                               std::uint32_t place) noexcept;

// The parts of a wait, by the place that the lock was acquired at by those who held it. What was before the
// last notes is part of the first of these.
struct LockBlame {
  static constexpr unsigned kMost = 8; // places; further ones are part of the last
  struct Part {
    std::uint32_t place;
    std::uint64_t ticks;
  };
  Part parts[kMost];
  unsigned count = 0;
  // Up to the end of the wait: ticks since the last release, and since the last one that woke a thread (0:
  // none did). `releases`: the notes.
  std::uint64_t since_release = 0, since_wake = 0;
  unsigned releases = 0;
  void add(std::uint32_t place, std::uint64_t ticks) noexcept;
};
// `since`: of post_lock_wait(). A release after that is part of the wait, also where its time was read a little
// before. Nothing, if no note was left: it is not known who held the lock.
TP_COLD void find_blame(std::uint64_t address, std::uint64_t post_of, std::uint32_t since,
                        std::uint64_t from, std::uint64_t to, LockBlame& blame) noexcept;

// In a forked child, where no thread waits.
TP_COLD void forget_lock_posts() noexcept;

} // namespace tp::rt
