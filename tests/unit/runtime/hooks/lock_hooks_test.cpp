// SPDX-License-Identifier: Apache-2.0
// Records of locks, through tp/hooks.h: where in a step a section begins, and its work, in units of the
// virtual clock.
#include "builder/lock_posts.h"
#include "builder/lock_records.h"
#include "builder/outside_of_step.h"
#include "builder/thread_state.h"
#include "clock/work_clock.h"
#include "rt_support.h"
#include "tp/site.h"

#include "fake_scheduler.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <sys/mman.h>
#include <thread>
#include <utility>
#include <vector>

using namespace tp::test;
using Lines = std::vector<std::string>;

namespace {

// Any addresses.
char first, second;

// Here the runtime is part of this executable, whose own locks are ignored: as if another module called.
const void* caller() {
  return reinterpret_cast<const void*>(&std::free);
}

void take(const void* lock, unsigned mode = 0, unsigned kind = TP_LOCK_SPIN_MUTEX) {
  tp_on_lock_taken(lock, kind, mode, caller());
}

// The records of locks, and those that close a step.
Lines steps_and_locks_of(const std::string& data) {
  Lines lines;
  for (const auto& record : read_stream(data + "/000000.tps").records)
    if (record.op != tp::trace::Op::Extended)
      lines.push_back(line_of(record));
  return lines;
}

std::vector<tp::trace::LockObjectPayload> locks_of(const std::string& data) {
  std::vector<tp::trace::LockObjectPayload> locks;
  const Stream stream = read_stream(data + "/000000.tps");
  for (const auto& record : stream.records)
    if (record.op == tp::trace::Op::Extended &&
        record.extended_kind == tp::trace::ExtendedKind::LockObject) {
      locks.emplace_back();
      EXPECT_EQ(record.payload_bytes, sizeof locks.back() + 8); // and what it took to name it
      std::memcpy(&locks.back(), record.payload, sizeof locks.back());
    }
  return locks;
}

unsigned places_of(const std::string& data) {
  const std::string sites = content_of(data + "/sites.jsonl");
  unsigned count = 0;
  for (std::size_t at = 0; (at = sites.find("\"lock_place\"", at)) != std::string::npos; ++at)
    ++count;
  return count;
}

} // namespace

TEST(Locks, SectionsOfOneStep) {
  const std::string data = record([] {
    start();
    tp_spend(5);
    take(&first);
    tp_spend(7);
    EXPECT_EQ(tp_on_lock_given(&first), 1);
    tp_spend(1);
    take(&second, TP_LOCK_SHARED, TP_LOCK_RW_MUTEX);
    tp_spend(2);
    EXPECT_EQ(tp_on_lock_given(&second), 1);
    EXPECT_EQ(tp_on_lock_given(&second), 0);
    tp_spend(1);
  });
  EXPECT_EQ(steps_and_locks_of(data),
            (Lines{"Cut 0", "Section at 5 work 7", "Section at 13 work 2 shared", "End 16"}));
  const auto locks = locks_of(data);
  ASSERT_EQ(locks.size(), 2u);
  EXPECT_EQ(locks[0].address, reinterpret_cast<std::uint64_t>(&first));
  EXPECT_EQ(locks[0].kind, TP_LOCK_SPIN_MUTEX);
  EXPECT_EQ(locks[0].flags, 0); // static data
  EXPECT_NE(content_of(data + "/sites.jsonl").find("{\"lock\":" + std::to_string(locks[1].address)),
            std::string::npos);
  EXPECT_NE(content_of(data + "/run.json").find("\"locks\":\"auto\""), std::string::npos);
}

// libomp reports an address of its own code now and then.
TEST(Locks, OfOpenMPAreTheProgramsWhoeverAcquiresThem) {
  const std::string data = record([] {
    start();
    const auto* const own = reinterpret_cast<const void*>(&tp_on_lock_given);
    tp_on_lock_taken(&first, TP_LOCK_PTHREAD_MUTEX, 0, own);
    tp_spend(1);
    EXPECT_EQ(tp_on_lock_given(&first), 0);
    for (const unsigned kind : {TP_LOCK_OMP_CRITICAL, TP_LOCK_OMP_LOCK, TP_LOCK_OMP_NEST_LOCK,
                                TP_LOCK_OMP_ORDERED, TP_LOCK_OMP_ATOMIC}) {
      tp_on_lock_taken(&second, kind, 0, own);
      tp_spend(kind);
      EXPECT_EQ(tp_on_lock_given(&second), 1);
    }
  });
  EXPECT_EQ(
      steps_and_locks_of(data),
      (Lines{"Cut 0", "Section at 1 work 15", "Section at 16 work 16", "Section at 32 work 17",
             "Section at 49 work 18", "Section at 67 work 20", "End 87"}));
}

TEST(Locks, NestedAndGivenInAnyOrder) {
  const std::string data = record([] {
    start();
    take(&first);
    tp_spend(1);
    take(&second);
    tp_spend(2);
    tp_on_lock_given(&first);
    tp_spend(4);
    tp_on_lock_given(&second);
  });
  EXPECT_EQ(steps_and_locks_of(data),
            (Lines{"Cut 0", "Section at 0 work 3", "Section at 1 work 6", "End 7"}));
}

// The records of sleep in sections as well.
Lines with_sleep_of(const std::string& data) {
  Lines lines;
  for (const auto& record : read_stream(data + "/000000.tps").records) {
    if (record.op != tp::trace::Op::Extended) {
      lines.push_back(line_of(record));
    } else if (record.extended_kind == tp::trace::ExtendedKind::SleptInSection) {
      tp::trace::SleptInSectionPayload payload;
      std::memcpy(&payload, record.payload, sizeof payload);
      lines.push_back("slept " + std::to_string(payload.time));
    }
  }
  return lines;
}

TEST(Locks, SleepIsPartOfTheSectionsAroundIt) {
  const std::string data = record([] {
    start();
    tp_sleep(1000);
    take(&first);
    tp_spend(1);
    tp_sleep(5);
    take(&second);
    tp_sleep(7);
    tp_on_slept(TP_SLEEP_CLOCK, 3);
    tp_on_lock_given(&second);
    take(&second);
    tp_on_lock_given(&second);
    tp_on_lock_given(&first);
    take(&first);
    tp_on_lock_given(&first);
    tp_sleep(2000);
  });
  EXPECT_EQ(with_sleep_of(data),
            (Lines{"Cut 0", "slept 10", "Section at 1 work 0", "Section at 1 work 0", "slept 15",
                   "Section at 0 work 1", "Section at 1 work 0", "End 1"}));
}

// Of each step: what comes after the acquisition, and before the release; other tasks' sleep is not of the section.
TEST(Locks, SleepInASectionAcrossSteps) {
  const std::string data = record([] {
    FakeTask task;
    FakeContext context;
    start();
    tp_sleep(100);
    take(&first);
    tp_sleep(1);
    spawn(task, context);
    tp_sleep(20);
    wait(context, [&] {
      run(task, context, [] {
        take(&second);
        tp_sleep(2);
        tp_on_lock_given(&second);
        tp_sleep(30);
      });
    });
    tp_sleep(4);
    tp_on_lock_given(&first);
    tp_sleep(50);
  });
  Lines sleep;
  for (const std::string& line : with_sleep_of(data))
    if (line.starts_with("slept") || line.starts_with("Take") || line.starts_with("Give") ||
        line.starts_with("Section"))
      sleep.push_back(line);
  EXPECT_EQ(sleep, (Lines{"slept 1", "Take at 0", "slept 2", "Section at 0 work 0", "slept 4",
                          "Give at 0"}));
}

TEST(Locks, HeldAcrossSteps) {
  const std::string data = record([] {
    FakeTask task;
    FakeContext context;
    start();
    tp_spend(5);
    take(&first);
    tp_spend(7);
    spawn(task, context);
    tp_spend(2);
    wait(context, [&] {
      run(task, context, [] {
        tp_spend(1);
        take(&second);
        tp_spend(3);
        tp_on_lock_given(&second);
      });
    });
    tp_spend(4);
    tp_on_lock_given(&first);
    tp_spend(6);
  });
  EXPECT_EQ(steps_and_locks_of(data),
            (Lines{"Cut 0", "Take at 5", "Spawn 12 new", "Wait 2 last", "Begin newest",
                   "Section at 1 work 3", "End 4", "WaitEnd", "Give at 4", "End 10"}));
}

TEST(Locks, ATaskMayKeepALockBeyondItsEnd) {
  const std::string data = record([] {
    FakeTask task;
    FakeContext context;
    start();
    spawn(task, context);
    wait(context, [&] {
      run(task, context, [] {
        tp_spend(3);
        take(&first);
      });
    });
    tp_spend(4);
    tp_on_lock_given(&first);
  });
  EXPECT_EQ(steps_and_locks_of(data),
            (Lines{"Cut 0", "Spawn 0 new", "Wait 0 last", "Begin newest", "Take at 3", "End 3",
                   "WaitEnd", "Give at 4", "End 4"}));
}

void wait_for(const std::atomic<int>& turn, int value) {
  while (turn < value)
    std::this_thread::yield();
}

// The thread that waits is charged to the places where those acquired the lock who held it meanwhile.
TEST(Locks, AWaitSaysWhoHeldTheLock) {
  const std::string data = record([] {
    start();
    FakeTask task;
    FakeContext context;
    std::atomic<int> turn{0};
    const auto until = [&](int value) { wait_for(turn, value); };
    take(&first); // at one place
    std::thread other([&] {
      start();
      tp_on_lock_wait_for(&first);
      turn = 1;
      until(2);
      tp_on_lock_wait_end(0);
      take(&first);
      tp_spend(3);
      tp_on_lock_given(&first);
      turn = 3;
    });
    until(1);
    tp_on_lock_given(&first);
    tp_on_lock_taken(&first, TP_LOCK_SPIN_MUTEX, 0,
                     static_cast<const char*>(caller()) + 1); // at another one, before the waiter
    tp_on_lock_given(&first);
    turn = 2;
    until(3);
    other.join();
  });
  const Stream stream = read_stream(data + "/000001.tps");
  std::uint64_t charged = 0, waited = 0;
  std::map<std::uint32_t, std::uint64_t> places;
  for (const auto& record : stream.records) {
    if (record.op == tp::trace::Op::Extended &&
        record.extended_kind == tp::trace::ExtendedKind::LockWait) {
      tp::trace::LockWaitPayload payload;
      std::memcpy(&payload, record.payload, sizeof payload);
      charged += payload.ticks;
      places[payload.place] += payload.ticks;
      EXPECT_EQ(waited, 0u); // before the section
    }
    if (record.op == tp::trace::Op::Section)
      waited = record.wall;
  }
  EXPECT_GT(waited, 0u);
  EXPECT_EQ(charged, waited);
  EXPECT_EQ(places.size(), 2u);
}

template <typename Payload>
std::vector<Payload> payloads(const Stream& stream, tp::trace::ExtendedKind kind) {
  std::vector<Payload> found;
  for (const auto& record : stream.records)
    if (record.op == tp::trace::Op::Extended && record.extended_kind == kind) {
      found.emplace_back();
      std::memcpy(&found.back(), record.payload, sizeof found.back());
    }
  return found;
}

// Who waits says how long the lock had been free, and who releases it how long the call took that may have
// woken a thread.
TEST(Locks, SayHowTheyAreHandedOver) {
  const std::string data = record([] {
    start();
    FakeTask task;
    FakeContext context;
    std::atomic<int> turn{0};
    const auto until = [&](int value) { wait_for(turn, value); };
    take(&first);
    EXPECT_EQ(tp_on_lock_release(&first), 0); // has not been given
    std::thread other([&] {
      start();
      tp_on_lock_wait_for(&first);
      turn = 1;
      until(2);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      tp_on_lock_wait_end(0);
      take(&first);
      EXPECT_EQ(tp_on_lock_given(&first), 1); // no thread waits
      EXPECT_EQ(tp_on_lock_release(&first), 0);
    });
    until(1);
    EXPECT_EQ(tp_on_lock_given(&first), 2);
    EXPECT_EQ(tp_on_lock_release(&second), 0); // another one
    EXPECT_EQ(tp_on_lock_release(&first), 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    tp_spend(50); // in the call: no work of the step
    tp_on_lock_released();
    EXPECT_EQ(tp_on_lock_release(&first), 0); // once
    turn = 2;
    other.join();
    tp_spend(7);
  });
  using tp::trace::ExtendedKind;
  const auto calls = payloads<tp::trace::LockCallPayload>(read_stream(data + "/000000.tps"),
                                                          ExtendedKind::LockCall);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_GT(calls[0].ticks, 0u);
  EXPECT_EQ(calls[0].flags, tp::trace::kLockCallWakes);
  const auto handed_over = payloads<tp::trace::LockHandedOverPayload>(
      read_stream(data + "/000001.tps"), ExtendedKind::LockHandedOver);
  ASSERT_EQ(handed_over.size(), 1u);
  EXPECT_EQ(handed_over[0].releases, 1u);
  EXPECT_GT(handed_over[0].since_release, calls[0].ticks); // from the release, before the call
  EXPECT_EQ(handed_over[0].since_wake, handed_over[0].since_release);
}

// Where readings are cheap. The work of hooks themselves, which the virtual clock does not count, is added by the test.
TEST(Locks, WhatHooksDoAfterAWaitIsPartOfIt) {
  for (const unsigned kind : {TP_LOCK_SPIN_MUTEX, TP_LOCK_PTHREAD_MUTEX, TP_LOCK_USER}) {
    const std::string data = record([kind] {
      start();
      tp::rt::clock_config.same_as_time = true;
      tp_spend(5);
      tp_on_lock_wait_for(&first);
      tp_spend(100);
      tp_on_lock_wait_end(0);
      tp_spend(30);
      take(&first, 0, kind);
      tp_spend(7);
      EXPECT_EQ(tp_on_lock_given(&first), 1);
      tp_spend(2);
    });
    // The user's own code may do anything between the end of the wait and the announcement of the lock.
    const std::uint64_t lead = kind == TP_LOCK_USER ? 35 : 5;
    const Stream stream = read_stream(data + "/000000.tps");
    unsigned sections = 0;
    for (const auto& record : stream.records)
      if (record.op == tp::trace::Op::Section) {
        ++sections;
        EXPECT_EQ(record.lead, lead);
        EXPECT_EQ(record.work, 7u);
      }
    EXPECT_EQ(sections, 1u);
    EXPECT_EQ(stream.records.back().op, tp::trace::Op::Extended); // the thread's end
  }
}

// While one thread wakes up, another one may release the lock a thousand times.
TEST(Locks, CallsThatWakeNobodyShareARecord) {
  for (const bool calls : {false, true}) {
    const std::string data = record([calls] {
      start();
      tp::rt::clock_config.same_as_time = true;
      const auto address = reinterpret_cast<std::uint64_t>(&first);
      const std::uint32_t since = tp::rt::post_lock_wait(address);
      for (int i = 0; i < 100; ++i) {
        take(&first);
        tp_spend(3);
        EXPECT_EQ(tp_on_lock_given(&first), 2);
        if (calls) {
          EXPECT_EQ(tp_on_lock_release(&first), 1);
          tp_spend(50);
          tp_on_lock_released();
        }
      }
      tp::rt::LockBlame blame;
      tp::rt::find_blame(address, address, since, 0, UINT64_MAX, blame);
      EXPECT_EQ(blame.count, 1u);
      tp::rt::end_lock_post(address);
    });
    const Stream stream = read_stream(data + "/000000.tps");
    std::uint64_t ticks = 0, lead = 0, work = 0;
    unsigned waking = 0, others = 0;
    for (const auto& call :
         payloads<tp::trace::LockCallPayload>(stream, tp::trace::ExtendedKind::LockCall)) {
      ticks += call.ticks;
      (call.flags != 0 ? waking : others) += 1;
    }
    for (const auto& record : stream.records)
      if (record.op == tp::trace::Op::End || record.op == tp::trace::Op::Cut) {
        lead += record.lead;
        work += record.work;
      }
    EXPECT_LE(others, 1u + waking); // a call may have been interrupted
    EXPECT_GT(ticks, 0u);
    EXPECT_EQ(work, 300u);
    EXPECT_GE(lead, ticks);
  }
}

// Three locks held at once, of which one has waited, released in any order: the wait is charged with the section that
// followed it. That the sections of the other locks have short records changes nothing.
TEST(Locks, AWaitIsChargedInWhateverOrderLocksAreReleased) {
  char locks[3];
  unsigned order[] = {0, 1, 2};
  do {
    for (unsigned waiter = 0; waiter < 3; ++waiter) {
      const std::string data = record([&] {
        start();
        const auto take_one = [&](unsigned lock) {
          if (lock == waiter) {
            const auto address = reinterpret_cast<std::uint64_t>(&locks[lock]);
            tp_on_lock_wait_for(&locks[lock]);
            tp::rt::note_release(address, address, 0, 7);
            tp_on_lock_wait_end(0);
          }
          take(&locks[lock]);
        };
        // From here on the records of their sections are short.
        for (const unsigned lock : {0u, 1u, 2u, order[0], order[1], order[0]}) {
          take(&locks[lock]);
          tp_on_lock_given(&locks[lock]);
        }
        for (const unsigned lock : {0u, 1u, 2u}) {
          take_one(lock);
          tp_spend(lock + 1);
        }
        for (const unsigned lock : order) {
          EXPECT_EQ(tp_on_lock_given(&locks[lock]), 1);
          tp_spend(1);
        }
      });
      SCOPED_TRACE("order " + std::to_string(order[0]) + std::to_string(order[1]) +
                   std::to_string(order[2]) + ", waiter " + std::to_string(waiter));
      std::uint64_t charged = 0;
      unsigned waits = 0;
      for (const auto& record : read_stream(data + "/000000.tps").records) {
        if (record.op == tp::trace::Op::Extended &&
            record.extended_kind == tp::trace::ExtendedKind::LockWait) {
          tp::trace::LockWaitPayload payload;
          std::memcpy(&payload, record.payload, sizeof payload);
          EXPECT_EQ(payload.place, 7u);
          charged += payload.ticks;
        } else if (record.op == tp::trace::Op::Section && record.wall != 0) {
          EXPECT_EQ(record.wall, charged);
          ++waits;
        }
      }
      EXPECT_GT(charged, 0u);
      EXPECT_EQ(waits, 1u);
    }
  } while (std::ranges::next_permutation(order).found);
}

// Who waits for a lock learns of its release, and where it had been acquired, also if the thread that releases it
// has acquired others since.
TEST(Locks, ALockThatIsNotTheLastIsNotedForThoseThatWait) {
  char locks[3];
  for (const unsigned awaited : {0u, 1u, 2u}) {
    const std::string data = record([&] {
      start();
      const auto address = reinterpret_cast<std::uint64_t>(&locks[awaited]);
      const auto take_one = [&](unsigned lock) {
        tp_on_lock_taken(&locks[lock], TP_LOCK_SPIN_MUTEX, 0,
                         static_cast<const char*>(caller()) + lock);
      };
      for (const unsigned lock : {0u, 1u, 2u, 0u, 1u, 2u, awaited}) {
        take_one(lock);
        tp_on_lock_given(&locks[lock]);
      }
      const std::uint32_t since = tp::rt::post_lock_wait(address);
      for (const unsigned lock : {0u, 1u, 2u})
        take_one(lock);
      for (const unsigned lock : {awaited, (awaited + 1) % 3, (awaited + 2) % 3})
        EXPECT_EQ(tp_on_lock_given(&locks[lock]), lock == awaited ? 2 : 1);
      tp::rt::LockBlame blame;
      tp::rt::find_blame(address, address, since, 0, 100, blame);
      tp::rt::end_lock_post(address);
      ASSERT_EQ(blame.count, 1u);
      EXPECT_EQ(blame.parts[0].place,
                awaited); // of the places, in the order of the first acquisitions
    });
    EXPECT_EQ(places_of(data), 3u);
  }
}

// One thread does the operations of all that have asked for some: a thread that waits for that was not handed the lock, and has
// nothing to do in its own section, also if the clock goes on.
TEST(Locks, AnotherThreadMayHaveDoneWhatASectionIsFor) {
  const std::string data = record([] {
    start();
    FakeTask task;
    FakeContext context;
    std::atomic<int> turn{0};
    const auto until = [&](int value) { wait_for(turn, value); };
    const auto do_operations = [&](int place) {
      tp_on_lock_taken(&first, TP_LOCK_CONCURRENT_PRIORITY_QUEUE, 0,
                       static_cast<const char*>(caller()) + place);
    };
    do_operations(1);
    std::thread other([&] {
      start();
      tp_on_lock_wait_for(&first);
      turn = 1;
      until(4);
      tp_spend(100);
      take(&first, TP_LOCK_DONE, TP_LOCK_CONCURRENT_PRIORITY_QUEUE);
      tp_on_lock_wait_end(1);
      tp_spend(5);
      EXPECT_EQ(tp_on_lock_given(&first), 1);
      tp_spend(7);
      turn = 5;
    });
    std::thread next([&] {
      start();
      until(1);
      tp_on_lock_wait_for(&first);
      turn = 2;
      until(3);
      do_operations(2);
      tp_on_lock_wait_end(1);
      turn = 4;
      until(5);
      tp_on_lock_given(&first);
    });
    until(2);
    EXPECT_EQ(tp_on_lock_given(&first), 2);
    turn = 3;
    other.join();
    next.join();
  });
  unsigned served = 0, did = 0;
  for (const char* const name : {"/000001.tps", "/000002.tps"}) {
    const Stream stream = read_stream(data + name);
    const auto handed_over =
        payloads<tp::trace::LockHandedOverPayload>(stream, tp::trace::ExtendedKind::LockHandedOver);
    const auto waits =
        payloads<tp::trace::LockWaitPayload>(stream, tp::trace::ExtendedKind::LockWait);
    for (const auto& record : stream.records)
      if (record.op == tp::trace::Op::Section) {
        const bool was_served = handed_over.empty();
        ++(was_served ? served : did);
        EXPECT_EQ(line_of(record), "Section at 0 work 0 contended");
        EXPECT_EQ(waits.size(),
                  was_served ? 2u : 1u); // of who did the operation, and of who was before
        std::uint64_t charged = 0;
        for (const auto& wait : waits)
          charged += wait.ticks;
        EXPECT_EQ(charged, record.wall);
      } else if (record.op == tp::trace::Op::End && record.work != 0) {
        EXPECT_EQ(record.work, 12u); // no wait
      }
  }
  EXPECT_EQ(served, 1u);
  EXPECT_EQ(did, 1u);
}

// What the runtime does for itself before a wait is over is not part of it; and who held the lock before that, and until when,
// is known nevertheless.
TEST(Locks, WhatTheRuntimeDoesInAWaitIsNoPartOfIt) {
  auto* const most = static_cast<std::atomic<std::uint64_t>*>(mmap(
      nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const std::string data = record([&] {
    const auto address = reinterpret_cast<std::uint64_t>(&first);
    const auto pass_time = [](std::uint64_t ticks) {
      for (const std::uint64_t begin = tp::rt::read_time(); tp::rt::read_time() - begin < ticks;) {
      }
    };
    start();
    const std::uint64_t begin = tp::rt::read_time();
    tp_on_lock_wait_for(&first);
    for (const unsigned place : {7u, 8u}) { // released by others
      pass_time(1000);
      tp::rt::note_release(address, address, tp::rt::read_time(), place);
    }
    std::uint64_t outside_for = 0;
    {
      tp::rt::ThreadState& thread = *tp::rt::this_thread;
      const tp::rt::OutsideOfStep outside(thread, *thread.frame.load());
      const std::uint64_t outside_since = tp::rt::read_time();
      pass_time(5'000'000);
      outside_for = tp::rt::read_time() - outside_since;
    }
    take(&first);
    tp_on_lock_wait_end(0);
    *most = tp::rt::read_time() - begin - outside_for;
    tp_on_lock_given(&first);
  });
  const Stream stream = read_stream(data + "/000000.tps");
  const auto waits =
      payloads<tp::trace::LockWaitPayload>(stream, tp::trace::ExtendedKind::LockWait);
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].place, 7u);
  EXPECT_EQ(waits[1].place, 8u);
  EXPECT_GE(waits[0].ticks, 1000u);
  EXPECT_GE(waits[1].ticks, 1000u);
  EXPECT_LE(waits[0].ticks + waits[1].ticks, *most);
}

// Wherever it is acquired, until another lock is made at its address.
TEST(Locks, ThePlaceOfANodesLockIsWhereTheNodeWasMade) {
  static constexpr tp_spawn_site kMade{"graph.cpp", "int main()", 17, 5, nullptr, 0};
  const std::string data = record([] {
    start();
    struct {
      char node[64];
      char behind;
    } memory;
    const auto acquire = [](const void* lock, int place) {
      tp_on_lock_taken(lock, TP_LOCK_FLOW_GRAPH_NODE, 0,
                       static_cast<const char*>(caller()) + place);
      tp_on_lock_given(lock);
    };
    tp_on_node_lock_made(&memory.node[8]);
    tp_name_node_locks(memory.node, sizeof memory.node, "queue_node", &kMade);
    acquire(&memory.node[8], 1);
    acquire(&memory.node[8], 2);
    acquire(&memory.node[63], 1);
    acquire(&memory.behind, 1);
    tp_on_node_lock_made(&memory.node[8]);
    acquire(&memory.node[8], 1);
  });
  std::vector<std::uint32_t> places;
  for (const auto& record : read_stream(data + "/000000.tps").records)
    if (record.op == tp::trace::Op::Section)
      places.push_back(record.lock_place);
  EXPECT_EQ(places, (std::vector<std::uint32_t>{0, 0, 0, 1, 1}));
  EXPECT_EQ(places_of(data), 2u);
  EXPECT_NE(content_of(data + "/sites.jsonl")
                .find("{\"lock_place\":0,\"kind\":\"flow_graph_node\",\"name\":\"queue_node\","
                      "\"file\":\"graph.cpp\",\"line\":17,\"column\":5,\"stack\":"),
            std::string::npos);
}

TEST(Locks, WaitingIsNotWork) {
  const std::string data = record([] {
    start();
    tp_spend(5);
    tp_on_lock_wait();
    tp_spend(100); // spins
    tp_sleep(50);
    tp_on_lock_wait();
    tp_spend(10);
    tp_on_lock_wait_end(0);
    tp_on_lock_wait_end(0);
    take(&first);
    tp_spend(7);
    tp_on_lock_wait(); // for another one, inside of the section
    tp_spend(1000);
    tp_on_lock_wait_end(0);
    take(&second);
    tp_on_lock_given(&second);
    tp_on_lock_given(&first);
    take(&first);
    tp_on_lock_given(&first);
  });
  EXPECT_EQ(steps_and_locks_of(data),
            (Lines{"Cut 0", "Section at 12 work 0 contended", "Section at 5 work 7 contended",
                   "Section at 12 work 0", "End 12"}));
  const Stream stream = read_stream(data + "/000000.tps");
  for (const auto& record : stream.records) {
    EXPECT_FALSE(record.op == tp::trace::Op::Extended &&
                 record.extended_kind == tp::trace::ExtendedKind::Asleep);
    if (record.op == tp::trace::Op::Section) {
      EXPECT_EQ(record.wall > 0, (record.flags & tp::trace::kLockContended) != 0);
    }
  }
}

namespace {

// Time and, of it, waited.
std::pair<std::uint64_t, std::uint64_t> asleep_of(const std::string& data) {
  std::pair<std::uint64_t, std::uint64_t> sum;
  const Stream stream = read_stream(data + "/000000.tps");
  for (const auto& payload :
       payloads<tp::trace::AsleepPayload>(stream, tp::trace::ExtendedKind::Asleep)) {
    sum.first += payload.time;
    sum.second += payload.waited;
  }
  return sum;
}

} // namespace

// As in a loop around an attempt that announces what it got.
TEST(Locks, TakenBeforeTheWaitEnds) {
  const std::string data = record([] {
    start();
    tp_spend(5);
    tp_on_lock_wait();
    for (int i = 0; i < 3; ++i) {
      tp_spend(100);
      take(&second); // which the attempt needs
      tp_spend(20);
      tp_on_lock_given(&second);
    }
    take(&second);
    take(&first);
    tp_on_lock_wait_end(0);
    tp_on_lock_given(&second);
    tp_spend(7);
    tp_on_lock_given(&first);
    take(&first);
    tp_on_lock_given(&first);
  });
  EXPECT_EQ(steps_and_locks_of(data),
            (Lines{"Cut 0", "Section at 5 work 0", "Section at 5 work 0", "Section at 5 work 0",
                   "Section at 5 work 0", "Section at 5 work 7 contended", "Section at 12 work 0",
                   "End 12"}));
}

TEST(Locks, AnAttemptThatFailsIsAWait) {
  const std::string data = record([] {
    start();
    tp_spend(5);
    tp_sleep(3);
    tp_on_lock_wait();
    tp_spend(100);
    tp_sleep(50);
    tp_on_lock_wait_end(1);
    tp_spend(2);
    take(&first);
    tp_on_lock_given(&first);
  });
  EXPECT_EQ(steps_and_locks_of(data), (Lines{"Cut 0", "Section at 7 work 0", "End 7"}));
  EXPECT_EQ(asleep_of(data), (std::pair<std::uint64_t, std::uint64_t>{153, 150}));
}

TEST(Locks, BusyWaitsAreSleep) {
  const std::string data = record([] {
    start();
    tp_spend(5);
    tp_on_busy_wait();
    tp_spend(100);
    tp_on_busy_wait_end();
    tp_spend(2);
    tp_sleep(30);
  });
  EXPECT_EQ(steps_and_locks_of(data), (Lines{"Cut 0", "End 7"}));
  EXPECT_EQ(asleep_of(data), (std::pair<std::uint64_t, std::uint64_t>{130, 100}));
}

TEST(Locks, ABusyWaitEndsWithItsStep) {
  const std::string data = record([] {
    FakeTask task;
    FakeContext context;
    start();
    tp_spend(5);
    tp_on_busy_wait();
    tp_spend(100);
    spawn(task, context);
    tp_spend(20);
    tp_on_busy_wait_end();
    tp_spend(2);
    wait(context, [&] { run(task, context, [] { tp_spend(1); }); });
  });
  EXPECT_EQ(steps_and_locks_of(data),
            (Lines{"Cut 0", "Spawn 5 new", "Wait 22 last", "Task 1 newest", "WaitEnd", "End 0"}));
  EXPECT_EQ(asleep_of(data), (std::pair<std::uint64_t, std::uint64_t>{100, 100}));
}

// Only while stacks are sampled. Times are real; what a note says must fit into the step.
TEST(Locks, WaitsAreNotedForSamples) {
  const auto noted = [](bool on) {
    const std::string data = record([on] {
      start();
      tp::rt::note_waits(on);
      for (int i = 0; i < 2; ++i) {
        tp_on_lock_wait_for(&first);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        take(&first);
        tp_on_lock_wait_end(0);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        tp_on_lock_given(&first);
      }
      tp::rt::note_waits(false);
    });
    return payloads<tp::trace::WaitedPayload>(read_stream(data + "/000000.tps"),
                                              tp::trace::ExtendedKind::Waited);
  };
  EXPECT_EQ(noted(false).size(), 0u);
  const auto notes = noted(true);
  ASSERT_EQ(notes.size(), 2u);
  const auto ticks = [](double ms) {
    return static_cast<std::uint64_t>(ms * 1e6 * tp::rt::clock_config.ticks_per_ns);
  };
  EXPECT_GE(notes[0].ticks, ticks(1.9));
  EXPECT_GE(notes[0].until, notes[0].ticks);
  EXPECT_GE(notes[1].until - notes[1].ticks, notes[0].until + ticks(0.9));
}

TEST(Locks, OnlyTheOutermostAcquisitionCounts) {
  const std::string data = record([] {
    start();
    const unsigned kind = TP_LOCK_PTHREAD_MUTEX;
    take(&first, TP_LOCK_RECURSIVE, kind);
    tp_spend(1);
    take(&first, TP_LOCK_RECURSIVE, kind);
    tp_spend(2);
    EXPECT_EQ(tp_on_lock_given(&first), 1);
    tp_spend(4);
    EXPECT_EQ(tp_on_lock_given(&first), 1);
    EXPECT_EQ(tp_on_lock_given(&first), 0);
  });
  EXPECT_EQ(steps_and_locks_of(data), (Lines{"Cut 0", "Section at 0 work 7", "End 7"}));
}

TEST(Locks, ANewLockAtTheSameAddressIsAnotherOne) {
  const std::string data = record([] {
    start();
    const auto lock = std::make_unique<char>();
    for (int i = 0; i < 3; ++i) {
      take(lock.get());
      tp_on_lock_given(lock.get());
      if (i > 0)
        tp_on_lock_renewed(lock.get());
    }
  });
  const auto locks = locks_of(data);
  ASSERT_EQ(locks.size(), 2u);
  EXPECT_EQ(locks[0].address, locks[1].address);
  EXPECT_EQ(locks[0].flags, tp::trace::kLockMayBeReused);
  EXPECT_EQ(locks[0].generation + 1, locks[1].generation);
  EXPECT_EQ(locks[1].flags, 0); // its making was seen
}

TEST(Locks, ALockOfAnotherKindAtTheSameAddressIsAnotherOne) {
  const std::string data = record([] {
    start();
    const auto lock = std::make_unique<char>();
    for (const unsigned kind : {TP_LOCK_PTHREAD_MUTEX, TP_LOCK_SPIN_MUTEX}) {
      take(lock.get(), 0, kind);
      tp_on_lock_given(lock.get());
    }
  });
  const auto locks = locks_of(data);
  ASSERT_EQ(locks.size(), 2u);
  EXPECT_EQ(locks[0].kind, unsigned{TP_LOCK_PTHREAD_MUTEX});
  EXPECT_EQ(locks[1].kind, unsigned{TP_LOCK_SPIN_MUTEX});
}

TEST(Locks, TwoThatShareASlotWhileHeld) {
  const std::string data = record([] {
    start();
    // The slot is the upper bits of a product: some address near has the same.
    static char near[1 << 20];
    const auto slot = [](const char* at) {
      return reinterpret_cast<std::uint64_t>(at) * 0x9e3779b97f4a7c15ull >>
             (64 - tp::rt::kLockSlotBits);
    };
    const char* other = near + 1;
    while (slot(other) != slot(near))
      ++other;
    take(near);
    tp_spend(1);
    take(other);
    tp_spend(2);
    tp_on_lock_given(other);
    tp_on_lock_given(near);
  });
  const auto locks = locks_of(data);
  ASSERT_EQ(locks.size(), 2u);
  EXPECT_EQ(locks[0].slot, locks[1].slot);
  EXPECT_GT(locks[0].address, locks[1].address); // in the order of the sections
  EXPECT_EQ(steps_and_locks_of(data),
            (Lines{"Cut 0", "Section at 1 work 2", "Section at 0 work 3", "End 3"}));
}

// The one that is forgotten counts as acquired.
TEST(Locks, MoreThanAreRemembered) {
  const std::string data = record([] {
    static char locks[tp::rt::kMostHeldLocks + 1];
    start();
    for (const char& lock : locks)
      take(&lock);
    EXPECT_EQ(tp_on_lock_given(&locks[0]), 0);
    for (std::size_t i = 1; i < sizeof locks; ++i)
      EXPECT_EQ(tp_on_lock_given(&locks[i]), 1);
  });
  EXPECT_EQ(steps_and_locks_of(data).size(), 2 + tp::rt::kMostHeldLocks + 1);
}

TEST(Locks, NothingInAPause) {
  const std::string data = record([] {
    start();
    tp_spend(5);
    take(&first);
    tp_spend(1);
    tp_set_paused(1);
    take(&second);
    tp_spend(10);
    EXPECT_EQ(tp_on_lock_given(&second), 0);
    EXPECT_EQ(tp_on_lock_given(&first), 1);
    tp_set_paused(0);
    tp_spend(2);
  });
  EXPECT_EQ(steps_and_locks_of(data),
            (Lines{"Cut 0", "Take at 5", "Cut 6", "Give at 0", "Cut 0", "End 2"}));
}

TEST(Locks, PlacesAndAnnotations) {
  const std::string data = record([] {
    start();
    static constexpr tp_lock_place kPlace{"queue", "a.cpp", 17};
    tp_on_user_lock_taken(&first, TP_LOCK_SHARED, &kPlace);
    tp_on_lock_given(&first);
    take(&second);
    tp_on_lock_given(&second);
    take(&second);
    tp_on_lock_given(&second);
  });
  EXPECT_EQ(places_of(data), 2u);
  EXPECT_NE(
      content_of(data + "/sites.jsonl")
          .find("{\"lock_place\":0,\"kind\":\"user_lock\",\"name\":\"queue\",\"file\":\"a.cpp\","
                "\"line\":17,\"stack\":[["),
      std::string::npos);
}

// A thread that has no step open: what it gives then is written with its next step.
TEST(Locks, GivenBetweenSteps) {
  const std::string data = record([] {
    start();
    take(&first);
    tp_spend(3);
    tp_on_block();
    EXPECT_EQ(tp_on_lock_given(&first), 1);
    EXPECT_EQ(tp_on_lock_given(&first), 0);
    take(&second);
    EXPECT_EQ(tp_on_lock_given(&second), 0);
    tp_on_unblock();
    tp_spend(2);
  });
  EXPECT_EQ(steps_and_locks_of(data), (Lines{"Cut 0", "Take at 0", "Cut 3", "Give at 0", "End 2"}));
}

namespace {

constexpr std::uint64_t kShort = 100; // in tests of sampling

// Tests run with the virtual clock, with which nothing is sampled otherwise.
void sample_short_sections() {
  take(&first);
  tp_on_lock_given(&first);
  tp::rt::this_thread->locks->shorts.short_length = kShort;
  tp::rt::this_thread->timed_locks = nullptr;
}

void hold(const void* lock, std::uint64_t work) {
  take(lock);
  tp_spend(work);
  EXPECT_EQ(tp_on_lock_given(lock), 1);
}

// Until the next section is not timed.
void skip_one_next(const void* lock) {
  const auto to_skip = [&] {
    return tp::rt::this_thread->locks->shorts.find(reinterpret_cast<std::uint64_t>(lock), caller())
        .to_skip;
  };
  for (int i = 0; i < 100'000 && to_skip() == 0; ++i)
    hold(lock, 5);
  for (unsigned i = 0; i < tp::rt::ShortSections::kFew; ++i) // of the step
    hold(lock, 5);
  ASSERT_GT(to_skip(), 0u);
}

struct Sampled {
  std::uint64_t timed = 0, skipped = 0;
  std::uint64_t timed_work = 0, skipped_work = 0, error = 0;
  std::vector<std::uint64_t> takes;
};
Sampled sampled_in(const std::string& data) {
  Sampled sums;
  const Stream stream = read_stream(data + "/000000.tps");
  for (const auto& record : stream.records) {
    if (record.op == tp::trace::Op::Take)
      sums.takes.push_back(record.lead);
    if (record.op != tp::trace::Op::Section)
      continue;
    const bool many = (record.flags & tp::trace::kLockMany) != 0;
    (many ? sums.skipped : sums.timed) += record.sections;
    (many ? sums.skipped_work : sums.timed_work) += record.work;
    sums.error += record.work_error;
  }
  return sums;
}

} // namespace

TEST(Locks, ShortSectionsAreCountedAndSampled) {
  constexpr std::uint64_t kSections = 200'000;
  std::vector<std::uint64_t> lengths;
  std::uint64_t state = 1, work = 0;
  for (std::uint64_t i = 0; i < kSections; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    lengths.push_back(state >> 60); // 0 to 15
    work += lengths.back();
  }
  const std::string data = record([&] {
    start();
    sample_short_sections();
    for (const std::uint64_t length : lengths)
      hold(&first, length);
  });
  const Sampled sums = sampled_in(data);
  EXPECT_EQ(sums.timed + sums.skipped, kSections + 1);
  EXPECT_GT(sums.timed, 10'000 + kSections / 520);
  EXPECT_LT(sums.timed, 10'000 + kSections / 160);
  const std::uint64_t skipped_work = work - sums.timed_work;
  EXPECT_GT(sums.error, sums.skipped / 8); // deviation 4.6, of 63 samples
  EXPECT_LT(sums.error, sums.skipped);
  EXPECT_LT(sums.skipped_work, skipped_work + 3 * sums.error);
  EXPECT_GT(sums.skipped_work + 3 * sums.error, skipped_work);
}

// A timed section contains a reading of the clock, which one that is skipped does not.
TEST(Locks, WhatAReadingAddsIsTakenOffAndPartOfTheError) {
  const std::string data = record([&] {
    start();
    sample_short_sections();
    tp::rt::this_thread->locks->shorts.reading = 2;
    for (int i = 0; i < 20'000; ++i)
      hold(&first, 5);
  });
  const Sampled sums = sampled_in(data);
  EXPECT_GT(sums.skipped, 0u);
  EXPECT_EQ(sums.skipped_work, 3 * sums.skipped);
  EXPECT_GE(sums.error, 2 * sums.skipped);
}

TEST(Locks, LongSectionsAreAllTimed) {
  const std::string data = record([&] {
    start();
    sample_short_sections();
    for (int i = 0; i < 20'000; ++i)
      hold(&first, kShort + 1);
  });
  EXPECT_EQ(sampled_in(data).timed, 20'001u);
}

// Short and long ones in turn: not short on average.
TEST(Locks, SectionsThatBecomeLongAreTimedAgain) {
  const std::string data = record([&] {
    start();
    sample_short_sections();
    skip_one_next(&first);
    for (int i = 0; i < 10'000; ++i)
      hold(&first, 16 * kShort);
  });
  EXPECT_LT(sampled_in(data).skipped, 5 * 512u);
}

TEST(Locks, ThoseOfARecursiveLockAreSampled) {
  const std::string data = record([&] {
    start();
    sample_short_sections();
    for (int i = 0; i < 30'000; ++i) {
      tp_on_lock_taken(&second, TP_LOCK_PTHREAD_MUTEX, TP_LOCK_RECURSIVE, caller());
      if (i % 3 == 0)
        tp_on_lock_taken(&second, TP_LOCK_PTHREAD_MUTEX, TP_LOCK_RECURSIVE, caller());
      tp_spend(5);
      EXPECT_EQ(tp_on_lock_given(&second), 1);
      if (i % 3 == 0) {
        EXPECT_EQ(tp_on_lock_given(&second), 1);
      }
      EXPECT_EQ(tp_on_lock_given(&second), 0);
    }
  });
  const Sampled sums = sampled_in(data);
  EXPECT_EQ(sums.timed + sums.skipped, 30'001u);
  EXPECT_GT(sums.skipped, 19'000u);
  EXPECT_EQ(sums.skipped_work, 5 * sums.skipped);
}

namespace {

// By the address of the lock.
std::map<std::uint64_t, Sampled> sampled_by_lock_in(const std::string& data) {
  std::map<std::uint64_t, Sampled> locks;
  std::map<unsigned, std::uint64_t> meaning; // of slots
  const Stream stream = read_stream(data + "/000000.tps");
  for (const auto& record : stream.records) {
    if (record.op == tp::trace::Op::Extended &&
        record.extended_kind == tp::trace::ExtendedKind::LockObject) {
      tp::trace::LockObjectPayload payload;
      std::memcpy(&payload, record.payload, sizeof payload);
      meaning[payload.slot] = payload.address;
    }
    if (record.op != tp::trace::Op::Section)
      continue;
    Sampled& sums = locks[meaning.at(record.lock_slot)];
    const bool many = (record.flags & tp::trace::kLockMany) != 0;
    (many ? sums.skipped : sums.timed) += record.sections;
    (many ? sums.skipped_work : sums.timed_work) += record.work;
    sums.error += record.work_error;
  }
  return locks;
}

void take_all(std::span<char> locks) {
  for (char& lock : locks) {
    take(&lock);
    tp_spend(1);
    tp_on_lock_given(&lock);
  }
}

} // namespace

TEST(Locks, MoreLocksThanSlots) {
  static char locks[70'000];
  const std::string data = record([] {
    start();
    take(&first); // held while there come to be more slots
    for (unsigned round = 0; round < 2; ++round)
      take_all(locks);
    tp_on_lock_given(&first);
  });
  auto sections = sampled_by_lock_in(data);
  EXPECT_EQ(sections[reinterpret_cast<std::uint64_t>(&first)].timed, 1u);
  sections.erase(reinterpret_cast<std::uint64_t>(&first));
  EXPECT_EQ(sections.size(), std::size(locks));
  EXPECT_TRUE(std::all_of(sections.begin(), sections.end(),
                          [](const auto& entry) { return entry.second.timed == 2; }));
  EXPECT_EQ(places_of(data), 1u);
}

TEST(Locks, WhereLocksReplaceEachOtherOftenThereAreMoreSlots) {
  static char locks[1u << 14];
  const std::string data = record([] {
    start();
    for (unsigned round = 0; round < 8; ++round)
      take_all(locks);
  });
  EXPECT_EQ(sampled_by_lock_in(data).size(), std::size(locks));
  // Each is named once for the slot that it had first, if it had one, and once for that which it keeps, unless it is one of
  // few that share it.
  EXPECT_LT(locks_of(data).size(), 3 * std::size(locks));
}

// All are timed 10,000 times in all, and each 32 times; after that the fewer, the more were timed.
TEST(Locks, ThoseOfManyLocksAreSampled) {
  constexpr unsigned kMany = 64, kSections = 10'000;
  static char many[kMany * 40];
  const std::string data = record([&] {
    start();
    sample_short_sections();
    for (unsigned i = 0; i < kMany * kSections; ++i)
      hold(&many[i % kMany * 40], 5);
  });
  const Sampled sums = sampled_in(data);
  EXPECT_EQ(sums.timed + sums.skipped, kMany * kSections + 1);
  EXPECT_LT(sums.timed, kMany * kSections / 16);
  EXPECT_EQ(sums.skipped_work, 5 * sums.skipped);
}

// Few of each are timed: each has a mean and an error of its own.
TEST(Locks, TheErrorIsThatOfTheFewThatWereTimed) {
  constexpr unsigned kMany = 1000, kSections = 500;
  static char many[kMany * 40];
  std::vector<std::uint64_t> work(kMany);
  std::mt19937 random(1);
  std::vector<std::uint64_t> lengths(kMany * kSections);
  for (unsigned i = 0; i < kMany * kSections; ++i) {
    // Of some, one of ten is ten times as long as the others.
    const unsigned mean = 1 + i % kMany % 8;
    lengths[i] = i % kMany % 2 == 0   ? random() % (2 * mean + 1)
                 : random() % 10 == 0 ? 10 * mean
                                      : mean;
    work[i % kMany] += lengths[i];
  }
  const std::string data = record([&] {
    start();
    sample_short_sections();
    for (unsigned i = 0; i < kMany * kSections; ++i)
      hold(&many[i % kMany * 40], lengths[i]);
  });
  const auto locks = sampled_by_lock_in(data);
  unsigned within_one = 0;
  for (unsigned i = 0; i < kMany; ++i) {
    const Sampled& sums = locks.at(reinterpret_cast<std::uint64_t>(&many[i * 40]));
    EXPECT_EQ(sums.timed + sums.skipped, kSections);
    EXPECT_LT(sums.timed, kSections / 4);
    const auto estimate = static_cast<double>(sums.timed_work + sums.skipped_work);
    const double away =
        std::abs(estimate - static_cast<double>(work[i])) / static_cast<double>(sums.error);
    within_one += away <= 1 ? 1 : 0;
    EXPECT_LT(away, 5) << "lock " << i;
  }
  EXPECT_GT(within_one, kMany * 2 / 3); // of a normal distribution: 68 %
}

namespace {

// Of the locks that are not kept apart.
Sampled rest_in(const std::string& data) {
  std::set<std::uint64_t> addresses;
  for (const auto& lock : locks_of(data))
    if ((lock.flags & tp::trace::kLocksNotApart) != 0)
      addresses.insert(lock.address);
  EXPECT_LE(addresses.size(), 1u);
  return addresses.empty() ? Sampled{} : sampled_by_lock_in(data)[*addresses.begin()];
}

} // namespace

// The table of a thread grows while it is in a section that is counted.
TEST(Locks, OfAsManyAsThereIsRoomForEachSectionCounts) {
  constexpr unsigned kMany = tp::rt::ShortSections::kMost - 1, kRounds = 60, kFew = 400;
  static char many[kMany];
  const std::string data = record([&] {
    start();
    sample_short_sections();
    for (unsigned i = 0; i < 100 * kFew; ++i) {
      take(&second);
      hold(&many[i % kFew], 1);
      EXPECT_EQ(tp_on_lock_given(&second), 1);
    }
    for (unsigned i = 0; i < kRounds * kMany; ++i)
      hold(&many[i % kMany], 1);
  });
  const auto locks = sampled_by_lock_in(data);
  for (unsigned i = 0; i < kMany; ++i) {
    const Sampled& sums = locks.at(reinterpret_cast<std::uint64_t>(&many[i]));
    ASSERT_EQ(sums.timed + sums.skipped, kRounds + (i < kFew ? 100 : 0)) << i;
    ASSERT_EQ(sums.timed_work + sums.skipped_work, sums.timed + sums.skipped) << i;
  }
  const Sampled& outer = locks.at(reinterpret_cast<std::uint64_t>(&second));
  EXPECT_EQ(outer.timed + outer.skipped, 100 * kFew);
  EXPECT_GT(outer.skipped, 10 * kFew);
  EXPECT_EQ(rest_in(data).skipped, 0u);
}

// All sections count. Most are of locks that are not kept apart, but not those of the one that is acquired often.
TEST(Locks, OfMoreThanThereIsRoomForThoseOfTheRestAreSampled) {
  constexpr unsigned kMany = 8 * tp::rt::ShortSections::kMost, kSections = 2'000'000;
  static char many[kMany];
  std::mt19937 random(1);
  std::vector<std::pair<const void*, unsigned>> sections(kSections);
  std::uint64_t work = 0, of_first = 0;
  for (unsigned i = 0; i < kSections; ++i) {
    const bool is_first = i > kSections / 4 && i % 16 == 0;
    sections[i] = {is_first ? &first : &many[random() % kMany], random() % 9};
    work += sections[i].second;
    of_first += is_first ? 1 : 0;
  }
  const std::string data = record([&] {
    start();
    sample_short_sections();
    for (const auto& [lock, length] : sections)
      hold(lock, length);
  });
  const Sampled all = sampled_in(data), rest = rest_in(data);
  EXPECT_EQ(all.timed + all.skipped, kSections + 1);
  EXPECT_LT(all.timed, kSections / 3);
  EXPECT_GT(rest.skipped, kSections / 2);
  EXPECT_LT(
      std::abs(static_cast<double>(all.timed_work + all.skipped_work) - static_cast<double>(work)),
      3 * static_cast<double>(rest.error));
  const Sampled heavy = sampled_by_lock_in(data)[reinterpret_cast<std::uint64_t>(&first)];
  EXPECT_LE(heavy.timed + heavy.skipped, of_first + 1);
  EXPECT_GT(heavy.timed + heavy.skipped + 8 * 257, of_first);
}

// Where a section of the rest does not end in its step, it is that of its lock.
TEST(Locks, OneOfTheRestThatCrossesTheEndOfAStepIsItsOwn) {
  constexpr unsigned kMany = 4 * tp::rt::ShortSections::kMost;
  static char many[kMany];
  const auto is_skipped = [&](unsigned i) {
    auto& shorts = tp::rt::this_thread->locks->shorts;
    return shorts.find(reinterpret_cast<std::uint64_t>(&many[i]), caller()).is_none() &&
           shorts.rest_of(caller()).to_skip > 0;
  };
  const std::string data = record([&] {
    FakeTask task;
    FakeContext context;
    start();
    sample_short_sections();
    for (unsigned i = 0; i < 4 * kMany; ++i)
      hold(&many[i % kMany], 5);
    unsigned chosen = 0;
    while (chosen + 1 < kMany && !is_skipped(chosen))
      ++chosen;
    ASSERT_TRUE(is_skipped(chosen));
    take(&many[chosen]);
    spawn(task, context);
    wait(context, [&] { run(task, context, [] {}); });
    EXPECT_EQ(tp_on_lock_given(&many[chosen]), 1);
    EXPECT_EQ(tp_on_lock_given(&many[chosen]), 0);
  });
  const Sampled all = sampled_in(data);
  EXPECT_EQ(all.takes.size(), 1u);
  EXPECT_EQ(all.timed + all.skipped, 4u * kMany + 1);
  // It is named before its Take.
  const Stream stream = read_stream(data + "/000000.tps");
  std::map<unsigned, tp::trace::LockObjectPayload> meaning; // of slots
  for (const auto& record : stream.records) {
    if (record.op == tp::trace::Op::Extended &&
        record.extended_kind == tp::trace::ExtendedKind::LockObject) {
      tp::trace::LockObjectPayload lock;
      std::memcpy(&lock, record.payload, sizeof lock);
      meaning[lock.slot] = lock;
    }
    if (record.op == tp::trace::Op::Take) {
      EXPECT_EQ(meaning.at(record.lock_slot).flags & tp::trace::kLocksNotApart, 0u);
      EXPECT_GE(meaning.at(record.lock_slot).address, reinterpret_cast<std::uint64_t>(many));
    }
  }
}

// Others wait for locks of the rest: what is said of their releases is of a lock that has a slot.
TEST(Locks, OfTheRestThatAreAwaitedHaveNoSlotsOfTheirOwn) {
  constexpr unsigned kMany = 4 * tp::rt::ShortSections::kMost;
  static char many[kMany];
  const std::string data = record([&] {
    FakeTask task;
    FakeContext context;
    start();
    tp::rt::clock_config.same_as_time = true;
    sample_short_sections();
    for (unsigned i = 0; i < 4 * kMany; ++i)
      hold(&many[i % kMany], 5);
    for (unsigned i = 0; i < kMany; i += 64) {
      const auto address = reinterpret_cast<std::uint64_t>(&many[i]);
      tp::rt::post_lock_wait(address);
      take(&many[i]);
      EXPECT_EQ(tp_on_lock_given(&many[i]), 2);
      tp::rt::end_lock_post(address);
      spawn(task, context);
      wait(context, [&] { run(task, context, [] {}); });
    }
  });
  std::set<unsigned> named;
  unsigned calls = 0;
  for (const auto& record : read_stream(data + "/000000.tps").records) {
    if (record.op != tp::trace::Op::Extended)
      continue;
    if (record.extended_kind == tp::trace::ExtendedKind::LockObject) {
      tp::trace::LockObjectPayload lock;
      std::memcpy(&lock, record.payload, sizeof lock);
      named.insert(lock.slot);
    } else if (record.extended_kind == tp::trace::ExtendedKind::LockCall) {
      tp::trace::LockCallPayload call;
      std::memcpy(&call, record.payload, sizeof call);
      EXPECT_TRUE(named.contains(call.slot)) << call.slot;
      ++calls;
    }
  }
  EXPECT_GT(calls, kMany / 64 / 2);
}

// One in 500 is so much longer than the others that it counts in part only.
TEST(Locks, WhatIsCutOffTheEstimateIsInItsError) {
  constexpr std::uint64_t kLong = 100 * kShort;
  std::uint64_t work = 0;
  const std::string data = record([&] {
    start();
    sample_short_sections();
    for (int i = 0; i < 300'000; ++i)
      hold(&first, i % 500 == 499 ? kLong : 1);
  });
  for (int i = 0; i < 300'000; ++i)
    work += i % 500 == 499 ? kLong : 1;
  const Sampled sums = sampled_in(data);
  EXPECT_GT(sums.skipped, 100'000u);
  EXPECT_GT(sums.timed_work + sums.skipped_work + 2 * sums.error, work);
  EXPECT_GT(sums.error, 15 * sums.skipped); // (100 - 16) * 100 of 500
}

// To time the few of a step costs less than to write how many they were. They do not count towards the mean of the others.
TEST(Locks, FewOfAStepAreTimed) {
  const std::vector<unsigned> in_step = {1, 2, 3, 1, 1, 4, 2, 2};
  const std::string data = record([&] {
    FakeTask task;
    FakeContext context;
    const auto end_step = [&] {
      spawn(task, context);
      wait(context, [&] { run(task, context, [] {}); });
    };
    start();
    sample_short_sections();
    // Not one of the next ones is timed at random.
    auto& shorts = tp::rt::this_thread->locks->shorts;
    const auto address = reinterpret_cast<std::uint64_t>(&first);
    for (int i = 0; i < 1'000'000 && shorts.find(address, caller()).to_skip < 100; ++i)
      hold(&first, 5);
    ASSERT_GE(shorts.find(address, caller()).to_skip, 100u);
    end_step();
    hold(&first, 5); // the step before had many
    end_step();
    hold(&second, 1); // ends what is compared
    end_step();
    for (const unsigned count : in_step) {
      for (unsigned i = 0; i < count; ++i)
        hold(&first, 77);
      end_step();
    }
  });
  std::vector<std::string> found;
  for (const auto& record : read_stream(data + "/000000.tps").records)
    if (record.op == tp::trace::Op::Section)
      found.push_back(std::to_string(record.sections) + " of " + std::to_string(record.work));
  const auto begin = std::ranges::find(found, "1 of 1");
  ASSERT_NE(begin, found.end());
  EXPECT_EQ(*(begin - 1), "1 of 5"); // an estimate
  const std::vector<std::string> expected = {
      "1 of 77",                       // 1
      "1 of 77", "1 of 77",            // 2
      "1 of 77", "1 of 77", "1 of 5",  // 3: the third is counted; the next step begins without
      "1 of 5",                        // 1
      "1 of 77",                       // 1
      "1 of 77", "1 of 77", "2 of 10", // 4
      "2 of 10",                       // 2
      "1 of 77", "1 of 77"};           // 2
  EXPECT_EQ(std::vector<std::string>(begin + 1, found.end()), expected);
}

TEST(Locks, SampledOnesOfOneStepAreItsOwn) {
  const std::string data = record([&] {
    FakeTask task;
    FakeContext context;
    start();
    sample_short_sections();
    skip_one_next(&first);
    hold(&first, 5);
    spawn(task, context);
    hold(&second, 5); // exact
    wait(context, [&] { run(task, context, [] {}); });
  });
  const Lines lines = steps_and_locks_of(data);
  const auto spawned =
      std::ranges::find_if(lines, [](auto& line) { return line.starts_with("Spawn"); });
  ASSERT_NE(spawned, lines.end());
  EXPECT_EQ(*(spawned - 1), "Section at 0 work 5");
  EXPECT_EQ(*(spawned + 1), "Section at 0 work 5");
  const Sampled sums = sampled_in(data);
  EXPECT_EQ(sums.skipped, 1u);
  EXPECT_EQ(sums.skipped_work, 5u);
}

// Of a section that crosses the end of a step, what comes after that is timed.
TEST(Locks, ASkippedSectionMayCrossTheEndOfAStep) {
  const std::string data = record([&] {
    FakeTask task;
    FakeContext context;
    start();
    sample_short_sections();
    skip_one_next(&first);
    take(&first);
    spawn(task, context);
    tp_spend(1000);
    EXPECT_EQ(tp_on_lock_given(&first), 1);
    EXPECT_EQ(tp_on_lock_given(&first), 0);
    wait(context, [&] { run(task, context, [] {}); });
  });
  const Sampled sums = sampled_in(data);
  EXPECT_EQ(sums.skipped, 0u);
  EXPECT_EQ(sums.takes, std::vector<std::uint64_t>{INT64_MAX});
  const Lines lines = steps_and_locks_of(data);
  EXPECT_TRUE(std::ranges::count(lines, "Give at 1000"));
}

TEST(Locks, ContendedOnesAndOtherLocksAreTimed) {
  const std::string data = record([&] {
    start();
    sample_short_sections();
    skip_one_next(&first);
    tp_on_lock_wait();
    tp_spend(30);
    tp_on_lock_wait_end(0);
    hold(&first, 7);
    hold(&first, 5); // counted only
    tp_on_lock_renewed(&first);
    hold(&first, 9); // another lock at that address
  });
  const Lines lines = steps_and_locks_of(data);
  EXPECT_EQ(
      std::ranges::count_if(lines, [](auto& line) { return line.ends_with("work 7 contended"); }),
      1);
  EXPECT_EQ(std::ranges::count_if(lines, [](auto& line) { return line.ends_with("work 9"); }), 1);
  EXPECT_EQ(sampled_in(data).skipped, 1u);
  const auto locks = locks_of(data);
  ASSERT_EQ(locks.size(), 3u); // the lock, the new one, the old one for what was counted
  EXPECT_EQ(locks[1].generation, locks[0].generation + 1);
}
