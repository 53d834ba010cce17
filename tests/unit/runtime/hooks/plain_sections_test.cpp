// SPDX-License-Identifier: Apache-2.0
// Plain sections (builder/plain_sections.h) are recorded as all others: random sequences of events, on the virtual
// clock, once with and once without what these need, have to give the same records and the same answers. Without:
// the thread knows no acquisition, and no section follows another one.
#include "builder/lock_records.h"
#include "builder/thread_state.h"
#include "rt_support.h"

#include "fake_scheduler.h"
#include "oracle_runs.h"
#include "temporary_folder.h"

#include <algorithm>
#include <map>
#include <random>

using namespace tp::test;

namespace {

constexpr unsigned kPlainLocks = 400; // more than the thread knows
char plain_locks[kPlainLocks];
constexpr unsigned kStatedPlaces = 17; // the last one is a mere name
std::vector<tp_lock_place> stated_places() {
  std::vector<tp_lock_place> list;
  for (unsigned i = 0; i + 1 < kStatedPlaces; ++i)
    list.push_back({"queue", "a.cpp", 1 + i});
  list.push_back({"name", nullptr, 0});
  return list;
}
const std::vector<tp_lock_place> kStated = stated_places();

class PlainSequence {
public:
  PlainSequence(unsigned seed, bool plain)
      : random_(seed), plain_(plain), variety_(1 + 10 * (seed % 7)), waits_often_(seed % 5 == 0) {}

  void run() {
    FakeContext context;
    start();
    // Calls in this executable, which contains the runtime, count as calls of others.
    tp::rt::own_code.begin = 1;
    tp::rt::own_code.end = 1;
    const unsigned some[] = {1, 3, 60, kPlainLocks};
    const unsigned lock_count = some[below(4)], most_held = 1 + below(below(2) ? 4 : 1);
    const unsigned rarely = below(2) ? 20 + below(500) : 5000;
    for (int i = 0; i < 30'000; ++i) {
      char* const lock = &plain_locks[below(lock_count)];
      const bool is_held = std::ranges::count(held_, lock) != 0;
      forget();
      if (const unsigned what = below(rarely); what < 2) { // ends the step
        FakeTask task;
        spawn(task, context);
        wait(context, [&] { tp::test::run(task, context, [] {}); });
      } else if (what == 2) {
        tp_on_lock_renewed(lock);
      } else if ((what == 3 || (waits_often_ && below(3) == 0)) && !is_held &&
                 held_.size() < most_held) {
        wait_for(lock);
      } else if (what == 4) {
        tp_on_busy_wait();
        tp_spend(below(50));
        if (!held_.empty() && below(2) != 0)
          give(held_.size() - 1);
        tp_on_busy_wait_end();
      } else if (what == 5) { // as if another thread began or ceased to wait
        const auto address = reinterpret_cast<std::uint64_t>(awaited_);
        if (awaited_ != nullptr)
          tp::rt::end_lock_post(address);
        awaited_ = awaited_ != nullptr ? nullptr : lock;
        if (awaited_ != nullptr)
          tp::rt::post_lock_wait(reinterpret_cast<std::uint64_t>(lock));
      } else if (what == 6) {
        tp_spend(0x10000 + below(2));
      } else if (what == 7) { // other records
        FakeContext ended;
        FakeTask task;
        spawn(task, ended);
        wait(ended, [&] { tp::test::run(task, ended, [] {}); });
        tp_spend(below(5));
        tp_on_context_end(&ended.word);
      } else if (what == 8) {
        for (unsigned tries = 1 + below(3); tries > 0; --tries) {
          fail(lock);
          tp_spend(below(5));
        }
        if (!is_held && held_.size() < most_held && below(2) != 0)
          take(lock);
      } else if (!held_.empty() && (held_.size() >= most_held || below(2) != 0)) {
        give(below(8) != 0 ? held_.size() - 1 : below(static_cast<unsigned>(held_.size())));
      } else if (!is_held || below(8) == 0) {
        take(lock);
      }
      tp_spend(below(3) != 0 ? 1 + below(9) : 0);
    }
    if (awaited_ != nullptr)
      tp::rt::end_lock_post(reinterpret_cast<std::uint64_t>(awaited_));
  }

private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

  // What makes sections plain.
  void forget() {
    tp::rt::LockState* const state = tp::rt::this_thread->locks;
    if (plain_ || state == nullptr)
      return;
    for (tp::rt::KnownUse& use : state->uses)
      use = {};
    tp::rt::this_thread->writer.after_section = nullptr;
  }

  // Seldom anything else than what is usual.
  bool is_unusual() { return below(variety_) == 0 && below(2) != 0; }

  // A lock is always of the same kind.
  void announce(const char* lock) {
    const auto number = static_cast<unsigned>(lock - plain_locks);
    const auto* const code = reinterpret_cast<const char*>(&std::free) + (is_unusual() ? 1 : 0);
    const unsigned shared = is_unusual() ? TP_LOCK_SHARED : 0;
    if (number % 8 == 5)
      return tp_on_user_lock_taken(lock, shared, &kStated[is_unusual() ? below(kStatedPlaces) : 0]);
    if (number % 8 == 6)
      return tp_on_named_lock_taken(lock, TP_LOCK_ITT, 0, code,
                                    is_unusual() ? nullptr : &kStated.back());
    if (number % 8 == 7)
      return tp_on_lock_taken(lock, TP_LOCK_PTHREAD_MUTEX, TP_LOCK_RECURSIVE, code);
    tp_on_lock_taken(lock, number % 8 < 3 ? TP_LOCK_SPIN_MUTEX : TP_LOCK_PTHREAD_RWLOCK, shared,
                     code);
  }
  [[gnu::noinline]] void take_from_one(const char* lock) {
    announce(lock);
    asm volatile("");
  }
  [[gnu::noinline]] void take_from_another(const char* lock) {
    announce(lock);
    asm volatile("");
  }
  void take(const char* lock) {
    forget();
    is_unusual() ? take_from_another(lock) : take_from_one(lock);
    held_.push_back(lock);
  }
  void fail(const char* lock) {
    const auto number = static_cast<unsigned>(lock - plain_locks);
    const auto* const code = reinterpret_cast<const char*>(&std::free);
    if (number % 8 == 5)
      return tp_on_user_lock_try_failed(lock, &kStated[is_unusual() ? below(kStatedPlaces) : 0]);
    tp_on_lock_try_failed(lock,
                          number % 8 < 3    ? TP_LOCK_SPIN_MUTEX
                          : number % 8 == 6 ? TP_LOCK_ITT
                          : number % 8 == 7 ? TP_LOCK_PTHREAD_MUTEX
                                            : TP_LOCK_PTHREAD_RWLOCK,
                          is_unusual() ? TP_LOCK_MAY_SUCCEED : 0, code);
  }
  // The answer is work, so that it is recorded.
  void give(std::size_t which) {
    forget();
    const int answer = tp_on_lock_given(held_[which]);
    tp_spend(static_cast<std::uint64_t>(answer));
    if (answer == 2 && tp_on_lock_release(held_[which]) != 0) {
      tp_spend(3);
      tp_on_lock_released();
    }
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(which));
  }
  void wait_for(const char* lock) {
    tp_on_lock_wait_for(lock);
    tp_spend(below(50));
    const bool before = below(2) != 0;
    if (before)
      take(lock);
    tp_on_lock_wait_end(static_cast<int>(below(3)));
    if (!before && below(3) != 0)
      take(lock);
  }

  std::mt19937 random_;
  const bool plain_;
  const unsigned variety_;
  const bool waits_often_;
  std::vector<const char*> held_;
  const char* awaited_ = nullptr;
};

std::vector<std::string> plain_records_of(unsigned seed, bool plain, std::size_t& bytes) {
  const std::string data = record([&] { PlainSequence(seed, plain).run(); });
  const Stream stream = read_stream(data + "/000000.tps");
  bytes = 0;
  for (const auto& chunk : stream.chunks)
    bytes += chunk.used_bytes;
  std::vector<std::string> lines;
  for (const auto& record : stream.records) {
    // Of releases there is a record of each that took long enough to wake a thread.
    if (record.op == tp::trace::Op::Extended &&
        record.extended_kind == tp::trace::ExtendedKind::LockCall)
      continue;
    // How sections are written.
    if (record.op == tp::trace::Op::Extended &&
        record.extended_kind == tp::trace::ExtendedKind::LockUse)
      continue;
    lines.push_back(line_of(record));
    if (record.op == tp::trace::Op::Section || record.op == tp::trace::Op::Take)
      lines.back() += " slot " + std::to_string(record.lock_slot) + " place " +
                      std::to_string(record.lock_place) + " flags " + std::to_string(record.flags) +
                      " of " + std::to_string(record.sections) +
                      (record.wall != 0 ? " waited" : "");
    // But not times, nor addresses of the other process.
    if (record.op == tp::trace::Op::Extended &&
        record.extended_kind == tp::trace::ExtendedKind::LockObject) {
      tp::trace::LockObjectPayload object;
      std::memcpy(&object, record.payload, sizeof object);
      lines.back() += " slot " + std::to_string(object.slot) + " generation " +
                      std::to_string(object.generation);
    }
    if (record.op == tp::trace::Op::Extended &&
        record.extended_kind == tp::trace::ExtendedKind::LockTries)
      lines.back() += tries_of(record);
  }
  return lines;
}

} // namespace

TEST(PlainSections, AreRecordedAsAllOthers) {
  std::size_t most_saved = 0;
  for (unsigned seed = 1; seed <= 40 / tp::test::kFewer; ++seed) {
    std::size_t short_bytes, long_bytes;
    const auto with = plain_records_of(seed, true, short_bytes);
    const auto without = plain_records_of(seed, false, long_bytes);
    for (std::size_t i = 0; i < std::min(with.size(), without.size()); ++i)
      ASSERT_EQ(with[i], without[i]) << "seed " << seed << ", record " << i;
    ASSERT_EQ(with.size(), without.size()) << "seed " << seed;
    most_saved =
        std::max(most_saved, 100 * (long_bytes - std::min(short_bytes, long_bytes)) / long_bytes);
  }
  EXPECT_GT(most_saved, 15u); // percent: where one lock follows itself
}

TEST(PlainSections, DoNotFollowThoseOfAnotherChunk) {
  const TemporaryFolder folder;
  tp::rt::TraceWriter writer(1, 0);
  ASSERT_TRUE(writer.open(folder.at("000000.tps")));
  writer.after_section = writer.reserve(0, 0);
  writer.make_room(0, 0);
  EXPECT_EQ(writer.after_section, nullptr);
  writer.finish();
}

namespace {

// One step of sections that are all brief, except for the first ones of a chunk: `lock_count` locks in turn, each for
// `work`. They fill two chunks and go on in a third.
void expect_sections_across_chunks(unsigned lock_count, std::uint64_t work) {
  constexpr unsigned kSections = 40'000;
  const std::string data = record([&] {
    start();
    tp::rt::own_code.begin = tp::rt::own_code.end = 1;
    for (unsigned i = 0; i < kSections; ++i) {
      const char* const lock = &plain_locks[i % lock_count];
      tp_on_lock_taken(lock, TP_LOCK_SPIN_MUTEX, 0, reinterpret_cast<const void*>(&std::free));
      tp_spend(work);
      EXPECT_EQ(tp_on_lock_given(lock), 1);
    }
  });
  const Stream stream = read_stream(data + "/000000.tps");
  ASSERT_GE(stream.chunks.size(), 3u);
  std::vector<unsigned> slots; // of the locks, in the order of their first sections
  unsigned count = 0;
  for (const auto& record : stream.records) {
    if (record.op != tp::trace::Op::Section)
      continue;
    if (slots.size() < lock_count)
      slots.push_back(record.lock_slot);
    ASSERT_EQ(record.lead, count * work) << "section " << count;
    ASSERT_EQ(record.work, work) << "section " << count;
    ASSERT_EQ(record.lock_slot, slots[count % lock_count]) << "section " << count;
    ++count;
  }
  EXPECT_EQ(count, kSections);
}

} // namespace

TEST(PlainSections, NearOnesGoOnInTheNextChunk) {
  expect_sections_across_chunks(1, 3);
}

TEST(PlainSections, LongerOnesGoOnInTheNextChunk) {
  expect_sections_across_chunks(1, 5000);
}

TEST(PlainSections, OnesInTurnGoOnInTheNextChunk) {
  expect_sections_across_chunks(2, 3);
}
TEST(PlainSections, OnesOfManyLocksGoOnInTheNextChunk) {
  expect_sections_across_chunks(16, 3);
}
TEST(PlainSections, LongerOnesOfManyLocksGoOnInTheNextChunk) {
  expect_sections_across_chunks(16, 5000);
}

// Two locks that share a slot of the stream, and others: each section is of the lock that the slot means there. The second one is
// used once in so many times.
void expect_shared_slots(unsigned other_locks, unsigned rarely) {
  const tp::rt::LockSlots slots;
  const auto slot_of = [&](const char* lock) {
    return slots.slot_of(reinterpret_cast<std::uint64_t>(lock));
  };
  static char candidates[(2u << tp::rt::kLockSlotBits) + 1]; // more than slots
  const char* const first = &candidates[1];
  const char* second = first + 1;
  while (second != std::end(candidates) && slot_of(second) != slot_of(first))
    ++second;
  ASSERT_NE(second, std::end(candidates));
  std::vector<const char*> locks = {first};
  for (const char* lock = candidates; locks.size() < 1 + other_locks; ++lock)
    if (slot_of(lock) != slot_of(first))
      locks.push_back(lock);
  std::mt19937 random(1);
  std::vector<const char*> order(20'000);
  for (const char*& lock : order)
    lock = random() % rarely == 0 ? second : locks[random() % locks.size()];
  const std::string data = record([&] {
    start();
    tp::rt::own_code.begin = tp::rt::own_code.end = 1;
    for (const char* const lock : order) {
      // Acquired by different code, so that they do not share what the thread knows of an acquisition.
      const auto* const code = reinterpret_cast<const char*>(&std::free) + (lock == second ? 1 : 0);
      tp_on_lock_taken(lock, TP_LOCK_SPIN_MUTEX, 0, code);
      tp_spend(3);
      EXPECT_EQ(tp_on_lock_given(lock), 1);
    }
  });
  std::map<unsigned, std::uint64_t> lock_of_slot;
  std::size_t count = 0;
  for (const auto& record : read_stream(data + "/000000.tps").records) {
    if (record.op == tp::trace::Op::Section) {
      ASSERT_LT(count, order.size());
      ASSERT_EQ(lock_of_slot[record.lock_slot], reinterpret_cast<std::uint64_t>(order[count]))
          << "section " << count;
      ++count;
    } else if (record.op == tp::trace::Op::Extended &&
               record.extended_kind == tp::trace::ExtendedKind::LockObject) {
      tp::trace::LockObjectPayload object;
      std::memcpy(&object, record.payload, sizeof object);
      lock_of_slot[object.slot] = object.address;
    }
  }
  EXPECT_EQ(count, order.size());
}
TEST(PlainSections, OnesOfLocksThatShareASlotAreNamedAgain) {
  expect_shared_slots(1, 3);
}
TEST(PlainSections, OnesOfManyLocksOfWhichTwoShareASlot) {
  expect_shared_slots(8, 100);
}
