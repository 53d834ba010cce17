// SPDX-License-Identifier: Apache-2.0
// Sections that the code of a lock counts (tp/counted_locks.h) are recorded as those that hooks are called for: random
// sequences of events, on the virtual clock, once with and once without that, have to give the same records.
#include "builder/lock_records.h"
#include "builder/thread_state.h"
#include "rt_support.h"
#include "tp/counted_locks.h"
#include "tp/lock.h"

#include "fake_scheduler.h"
#include "oracle_runs.h"

#include <algorithm>
#include <random>
#include <sys/mman.h>

using namespace tp::test;

#if TP_COUNTS_LOCKS

namespace {

constexpr unsigned kLocks = 8;
char locks[kLocks]; // some share an entry of the table; from here on they are annotated:
constexpr unsigned kFirstAnnotated = 5;
const char* const kRecursive = &locks[1];
constexpr tp_lock_place kPlaces[6] = {{"a", "a.cpp", 1}, {"a", "a.cpp", 2}, {"a", "a.cpp", 3},
                                      {"a", "a.cpp", 4}, {"a", "a.cpp", 5}, {"a", "a.cpp", 6}};

static_assert(sizeof(tp_lock_entry) == sizeof(tp_counted_lock) &&
              offsetof(tp_lock_entry, place) == offsetof(tp_counted_lock, code) &&
              offsetof(tp_lock_entry, left) == offsetof(tp_counted_lock, left) &&
              offsetof(tp_lock_entry, generation) == offsetof(tp_counted_lock, generation) &&
              offsetof(tp_lock_entry, generation_at) == offsetof(tp_counted_lock, generation_at) &&
              offsetof(tp_lock_entry, waiters_at) == offsetof(tp_counted_lock, waiters_at) &&
              offsetof(tp_lock_entry, others_wait_at) == offsetof(tp_counted_lock, others_wait_at));

// In memory that the recorded process shares.
std::uint64_t* const counted_by_child = static_cast<std::uint64_t*>(mmap(
    nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));

// As the code of a lock does.
class LockCode {
public:
  explicit LockCode(bool counts) : counts_(counts) {}
  void take(const char* lock, unsigned place, unsigned mode) {
    if (lock >= locks + kFirstAnnotated)
      return take_annotated(lock, mode, &kPlaces[2 * place + mode]);
    const auto* const code = reinterpret_cast<const char*>(&std::free) + 2 * place + mode;
    if (!counts_)
      return tp_on_lock_taken(lock, TP_LOCK_SPIN_MUTEX, mode, code);
    if (tp_begin_counted(lock, code) != 0) {
      ++counted_;
      return;
    }
    tp_counting_here()->code = code;
    tp_on_counted_lock_taken(lock, TP_LOCK_SPIN_MUTEX, mode, code);
  }
  void fail(const char* lock, unsigned place) {
    if (lock >= locks + kFirstAnnotated)
      tp_on_user_lock_try_failed(lock, &kPlaces[2 * place]);
    else
      tp_on_lock_try_failed(lock, TP_LOCK_SPIN_MUTEX, 0,
                            reinterpret_cast<const char*>(&std::free) + 2 * place);
  }
  // The answer is work, so that it is recorded.
  void give(const char* lock) {
    const bool counted = counts_ && (lock >= locks + kFirstAnnotated ? tp_lock_counts_given(lock)
                                                                     : tp_end_counted(lock)) != 0;
    tp_spend(counted ? 1 : static_cast<std::uint64_t>(tp_on_lock_given(lock)));
  }
  std::uint64_t counted() const { return counted_; }

private:
  void take_annotated(const char* lock, unsigned mode, const tp_lock_place* place) {
    if (!counts_)
      return tp_on_user_lock_taken(lock, mode, place);
    if (tp_lock_counts_taken(lock, place) != 0)
      ++counted_;
    else
      tp_on_counted_user_lock_taken(lock, mode, place);
  }

  const bool counts_;
  std::uint64_t counted_ = 0;
};

void run_random_events(unsigned seed, bool counts) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  FakeContext context;
  LockCode code(counts);
  start();
  tp_on_lock_taken(&locks[0], TP_LOCK_SPIN_MUTEX, 0, reinterpret_cast<const void*>(&std::free));
  tp_on_lock_given(&locks[0]);
  tp::rt::locks_may_count();
  tp::rt::this_thread->locks->shorts.short_length = 100;
  tp::rt::this_thread->timed_locks = nullptr;
  if (counts)
    tp::rt::count_by_code(*tp::rt::this_thread->locks);
  std::vector<const char*> held;
  std::uint64_t awaited = 0; // by another thread, which may not name it
  bool is_awaited = false;
  const unsigned lock_count = 1 + below(kLocks), places = 1 + below(3);
  const unsigned most_held = 1 + below(5), first = below(kLocks - lock_count + 1);
  for (int i = 0; i < 80'000 * static_cast<int>(lock_count); ++i) {
    const char* const lock = &locks[first + below(lock_count)];
    const bool may_nest = lock == kRecursive && below(2) == 0;
    const bool is_held = std::ranges::count(held, lock) != 0 && !may_nest;
    const unsigned what = below(6000);
    if (what < 2) { // ends the step
      FakeTask task;
      spawn(task, context);
      wait(context, [&] { run(task, context, [] {}); });
    } else if (what == 2) {
      if (below(20) == 0) // it is timed 1000 times after that
        tp_on_lock_renewed(lock);
    } else if (what < 6 && !is_held && lock != kRecursive && held.size() < most_held) {
      tp_on_lock_wait_for(lock);
      tp_spend(below(50));
      if (below(3) != 0) {
        code.take(lock, below(places), 0);
        held.push_back(lock);
      }
      tp_on_lock_wait_end(static_cast<int>(below(2)));
    } else if (what == 6) {
      tp_on_busy_wait();
      tp_spend(below(50));
      tp_on_busy_wait_end();
    } else if (what < 12 && what > 8) {
      code.fail(lock, below(places));
    } else if (what == 8) {
      if (is_awaited)
        tp::rt::end_lock_post(awaited);
      else
        tp::rt::post_lock_wait(awaited = below(2) ? 0 : reinterpret_cast<std::uint64_t>(lock));
      is_awaited = !is_awaited;
    } else if (!held.empty() && (held.size() == most_held || below(2) != 0)) {
      const auto which = held.begin() + below(static_cast<unsigned>(held.size()));
      code.give(*which);
      held.erase(which);
    } else if (!is_held) {
      const unsigned mode = lock == kRecursive ? TP_LOCK_RECURSIVE
                            : below(8) == 0    ? TP_LOCK_SHARED
                                               : 0;
      code.take(lock, below(places), mode);
      held.push_back(lock);
    }
    tp_spend(what == 7 ? 3000 : below(9));
  }
  if (is_awaited)
    tp::rt::end_lock_post(awaited);
  *counted_by_child += code.counted();
  tp::rt::forget_counted_locks();
}

// Locks that are held when a step ends, and what was only counted in it, are in no order.
bool has_no_order(const std::string& line) {
  return line.starts_with("Take at 9223372036854775807") || line.find(" many") != line.npos;
}

std::vector<std::string> records_of(unsigned seed, bool counts) {
  const std::string data = record([&] { run_random_events(seed, counts); });
  std::vector<std::string> lines;
  for (const auto& record : read_stream(data + "/000000.tps").records)
    if (record.op == tp::trace::Op::Extended) {
      if (record.extended_kind == tp::trace::ExtendedKind::LockTries)
        lines.push_back(line_of(record) + tries_of(record));
    } else {
      const bool is_section = record.op == tp::trace::Op::Section;
      lines.push_back( // what other records have in these fields is that of the one before
          line_of(record) +
          (is_section || record.op == tp::trace::Op::Take
               ? " place " + std::to_string(record.lock_place)
               : "") +
          (is_section ? " of " + std::to_string(record.sections) + " error " +
                            std::to_string(record.work_error)
                      : "") +
          (record.flags & tp::trace::kLockMany ? " many" : ""));
    }
  for (auto begin = lines.begin(); begin != lines.end();) {
    begin = std::find_if(begin, lines.end(), has_no_order);
    const auto end = std::find_if_not(begin, lines.end(), has_no_order);
    std::sort(begin, end);
    begin = end;
  }
  return lines;
}

} // namespace

TEST(CountedLocks, AreRecordedAsThoseThatHooksAreCalledFor) {
  constexpr unsigned kSeeds = 12 / tp::test::kFewer;
  for (unsigned seed = 4; seed < 4 + kSeeds; ++seed) { // few are counted before
    const auto with = records_of(seed, true), without = records_of(seed, false);
    for (std::size_t i = 0; i < std::min(with.size(), without.size()); ++i)
      ASSERT_EQ(with[i], without[i]) << "seed " << seed << ", record " << i;
    ASSERT_EQ(with.size(), without.size()) << "seed " << seed;
  }
  EXPECT_GT(*counted_by_child, kSeeds * 12'500);
}

#endif
