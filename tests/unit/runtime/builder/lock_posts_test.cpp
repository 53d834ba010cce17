// SPDX-License-Identifier: Apache-2.0
// Whom a wait for a lock is charged to: from the times of releases, and with threads.
#include "builder/lock_posts.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

namespace tp::rt {
namespace {

std::vector<std::pair<std::uint32_t, std::uint64_t>>
parts_of(std::uint64_t lock, std::uint32_t since, std::uint64_t from, std::uint64_t to) {
  LockBlame blame;
  find_blame(lock, lock, since, from, to, blame);
  std::vector<std::pair<std::uint32_t, std::uint64_t>> parts;
  for (unsigned i = 0; i < blame.count; ++i)
    parts.emplace_back(blame.parts[i].place, blame.parts[i].ticks);
  return parts;
}

using Parts = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

std::uint32_t now(std::uint64_t lock) {
  return lock_posts[post_of_lock(lock)].next;
}

TEST(LockPosts, AWaitIsDividedAtTheReleases) {
  constexpr std::uint64_t kLock = 0x1000;
  EXPECT_EQ(parts_of(kLock, now(kLock), 100, 200), Parts{}); // it is not known who held it
  note_release(kLock, kLock, 90, 1);                         // before the wait
  const std::uint32_t since = now(kLock);
  note_release(kLock, kLock, 130, 2);
  note_release(kLock, kLock, 150, 3);
  note_release(kLock, kLock, 180, 2);
  // The last one's: also what it took to see that the lock is free.
  EXPECT_EQ(parts_of(kLock, since, 100, 200), (Parts{{2, 80}, {3, 20}}));
  EXPECT_EQ(parts_of(kLock, since, 160, 170), (Parts{{2, 10}})); // clocks of two CPUs differ
  EXPECT_EQ(parts_of(kLock, now(kLock), 190, 200), Parts{});
}

// Its time is read before the lock is released, and may be before that of the attempt that failed.
TEST(LockPosts, AReleaseThatSawTheWaitIsPartOfIt) {
  constexpr std::uint64_t kLock = 0x1800;
  const std::uint32_t since = now(kLock);
  note_release(kLock, kLock, 95, 1);
  EXPECT_EQ(parts_of(kLock, since, 100, 200), (Parts{{1, 100}}));
  note_release(kLock, kLock, 170, 2);
  EXPECT_EQ(parts_of(kLock, since, 100, 200), (Parts{{2, 100}}));
}

TEST(LockPosts, SaysWhenItWasReleased) {
  constexpr std::uint64_t kLock = 0x2800;
  const std::uint32_t since = now(kLock);
  note_release(kLock, kLock, 110, 1);
  note_release(kLock, kLock, 120, 1).woke = 1;
  note_release(kLock, kLock, 160, 1);
  LockBlame blame;
  find_blame(kLock, kLock, since, 100, 200, blame);
  EXPECT_EQ(blame.releases, 2u); // the first two share a note
  EXPECT_EQ(blame.since_release, 40u);
  EXPECT_EQ(blame.since_wake, 80u);
  find_blame(kLock, kLock, now(kLock), 100, 200, blame);
  EXPECT_EQ(blame.releases, 0u);
}

// However often: who has held the lock, and when it was released last, is known all the same.
TEST(LockPosts, ReleasesAtOnePlaceShareANote) {
  constexpr std::uint64_t kLock = 0x3800;
  const std::uint32_t since = post_lock_wait(kLock);
  note_release(kLock, kLock, 110, 1);
  for (std::uint64_t time = 120; time < 190; ++time)
    note_release(kLock, kLock, time, 2);
  EXPECT_EQ(parts_of(kLock, since, 100, 200), (Parts{{1, 10}, {2, 90}}));
  // A wait that begins later sees releases that came later, and only these.
  const std::uint32_t later = post_lock_wait(kLock);
  EXPECT_EQ(parts_of(kLock, later, 190, 250), Parts{});
  note_release(kLock, kLock, 200, 2);
  EXPECT_EQ(parts_of(kLock, later, 190, 250), (Parts{{2, 60}}));
  EXPECT_EQ(parts_of(kLock, since, 100, 250), (Parts{{1, 10}, {2, 140}}));
  end_lock_post(kLock);
  end_lock_post(kLock);
}

TEST(LockPosts, LocksThatShareAnEntryKeepTheirOwnNotes) {
  std::uint64_t other = 0x2008;
  while (post_of_lock(other) != post_of_lock(0x2000))
    other += 8;
  const std::uint32_t since = now(other);
  note_release(0x2000, 0x2000, 10, 1);
  note_release(other, other, 20, 2);
  EXPECT_EQ(parts_of(0x2000, since, 0, 30), (Parts{{1, 30}}));
  EXPECT_EQ(parts_of(other, since, 0, 30), (Parts{{2, 30}}));
}

TEST(LockPosts, ManyReleasesAndPlaces) {
  constexpr std::uint64_t kLock = 0x3000;
  const std::uint32_t since = now(kLock);
  for (std::uint32_t i = 1; i <= 100; ++i)
    note_release(kLock, kLock, 10 * i, i);
  // What was before the last notes is the first one's; places beyond the eighth are the eighth's.
  EXPECT_EQ(
      parts_of(kLock, since, 0, 1000),
      (Parts{{85, 850}, {86, 10}, {87, 10}, {88, 10}, {89, 10}, {90, 10}, {91, 10}, {92, 90}}));
}

// A lock that spins, as the hooks use the posts: all that is waited for it is charged to a place, or to
// none where the release came before the post was seen.
TEST(LockPosts, WithThreads) {
  constexpr int kRounds = 20'000;
  constexpr std::uint64_t kAddress = 0x4000;
  std::atomic<bool> taken{false};
  std::atomic<std::uint64_t> clock{1};
  std::atomic<std::uint64_t> waited{0}, charged{0}, unknown{0};
  std::atomic<bool> is_own{true};
  const auto run = [&](std::uint32_t place) {
    for (int i = 0; i < kRounds; ++i) {
      LockBlame blame;
      std::uint64_t wait = 0;
      if (taken.exchange(true)) {
        const std::uint64_t from = clock.fetch_add(1);
        const std::uint32_t since = post_lock_wait(kAddress);
        while (taken.exchange(true))
          std::this_thread::yield();
        end_lock_post(kAddress);
        const std::uint64_t to = clock.fetch_add(1);
        find_blame(kAddress, kAddress, since, from, to, blame);
        wait = to - from;
      }
      std::uint64_t sum = 0;
      for (unsigned part = 0; part < blame.count; ++part) {
        sum += blame.parts[part].ticks;
        is_own = is_own && blame.parts[part].place < 4;
      }
      waited += wait;
      charged += sum;
      if (blame.count == 0)
        unknown += wait;
      if (i % 64 == 0)
        std::this_thread::yield(); // holding it
      const std::uint64_t now = clock.fetch_add(1);
      if (is_awaited(kAddress))
        note_release(kAddress, kAddress, now, place);
      taken = false;
    }
  };
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < 4; ++i)
    threads.emplace_back(run, i);
  for (std::thread& each : threads)
    each.join();
  EXPECT_TRUE(is_own);
  EXPECT_GT(charged, 0u);
  EXPECT_EQ(waited, charged + unknown);
  EXPECT_FALSE(is_awaited(kAddress));
}

} // namespace
} // namespace tp::rt
