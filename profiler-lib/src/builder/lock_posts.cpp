// SPDX-License-Identifier: Apache-2.0
// See lock_posts.h. Notes are written by threads that hold the lock: one at a time for each lock, except for
// readers. One that is overwritten while it is read is one of the same lock, or belongs to another lock and is
// left out, or is at worst the place of one and the time of the next.
#include "builder/lock_posts.h"

#include <algorithm>

namespace tp::rt {

constinit LockPost lock_posts[kUnnamedPost + 1];
constinit LockWaiters lock_waiters[kUnnamedPost + 1];

std::uint32_t post_lock_wait(std::uint64_t address) noexcept {
  LockPost& post = lock_posts[post_of_lock(address)];
  post.posts.fetch_add(1, std::memory_order_relaxed);
  waiters_for(address).fetch_add(1, std::memory_order_seq_cst);
  return post.next.load(std::memory_order_relaxed);
}

void end_lock_post(std::uint64_t address) noexcept {
  waiters_for(address).fetch_sub(1, std::memory_order_relaxed);
}

LockNote& note_release(std::uint64_t address, std::uint64_t post_of, std::uint64_t time,
                       std::uint32_t place) noexcept {
  LockPost& post = lock_posts[post_of_lock(post_of)];
  const std::uint16_t posts = post.posts.load(std::memory_order_relaxed);
  LockNote& last = post.notes[(post.next.load(std::memory_order_relaxed) - 1) % LockPost::kNotes];
  if (last.lock.load(std::memory_order_relaxed) == address &&
      last.place.load(std::memory_order_relaxed) == place &&
      last.posts.load(std::memory_order_relaxed) == posts &&
      last.woke.load(std::memory_order_relaxed) == 0) {
    last.time.store(time, std::memory_order_release);
    return last;
  }
  LockNote& note = post.notes[post.next.fetch_add(1, std::memory_order_relaxed) % LockPost::kNotes];
  note.lock.store(0, std::memory_order_relaxed);
  note.time.store(time, std::memory_order_relaxed);
  note.place.store(place, std::memory_order_relaxed);
  note.woke.store(0, std::memory_order_relaxed);
  note.posts.store(posts, std::memory_order_relaxed);
  note.lock.store(address, std::memory_order_release);
  return note;
}

void LockBlame::add(std::uint32_t place, std::uint64_t ticks) noexcept {
  if (ticks == 0)
    return;
  for (unsigned i = 0; i < count; ++i)
    if (parts[i].place == place) {
      parts[i].ticks += ticks;
      return;
    }
  if (count < kMost)
    parts[count++] = {place, ticks};
  else
    parts[kMost - 1].ticks += ticks;
}

void find_blame(std::uint64_t address, std::uint64_t post_of, std::uint32_t since,
                std::uint64_t from, std::uint64_t to, LockBlame& blame) noexcept {
  const LockPost& post = lock_posts[post_of_lock(post_of)];
  LockBlame::Part found[LockPost::kNotes]; // the time of the release, for now
  unsigned count = 0;
  std::uint64_t last = 0, last_that_woke = 0;
  const std::uint32_t next = post.next.load(std::memory_order_relaxed);
  for (std::uint32_t i = std::min(next - since, LockPost::kNotes); i > 0; --i) {
    const LockNote& note = post.notes[(next - i) % LockPost::kNotes];
    if (note.lock.load(std::memory_order_acquire) != address)
      continue;
    const std::uint64_t time =
        std::clamp(note.time.load(std::memory_order_relaxed), from, std::max(from, to));
    last = std::max(last, time);
    if (note.woke.load(std::memory_order_relaxed) != 0)
      last_that_woke = std::max(last_that_woke, time);
    found[count++] = {note.place.load(std::memory_order_relaxed), time};
  }
  blame.releases = count;
  blame.since_release = count > 0 ? to - last : 0;
  blame.since_wake = last_that_woke > 0 ? to - last_that_woke : 0;
  std::stable_sort(found, found + count, [](auto& a, auto& b) { return a.ticks < b.ticks; });
  std::uint64_t before = from;
  for (unsigned i = 0; i < count; ++i) {
    const std::uint64_t until = i + 1 < count ? found[i].ticks : to; // waking up is the last one's
    blame.add(found[i].place, until - before);
    before = until;
  }
}

void forget_lock_posts() noexcept {
  for (LockWaiters& waiters : lock_waiters)
    if (waiters.count.load(std::memory_order_relaxed) != 0)
      waiters.count.store(0, std::memory_order_relaxed);
}

} // namespace tp::rt
