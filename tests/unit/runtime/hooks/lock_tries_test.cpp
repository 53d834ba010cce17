// SPDX-License-Identifier: Apache-2.0
// Failed attempts to acquire locks, and the work from each of them to the next attempt: by hand, and against the
// definition for random sequences of events. On the virtual clock.
#include "builder/held_locks.h"
#include "rt_support.h"

#include "fake_scheduler.h"
#include "oracle_runs.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <random>
#include <span>
#include <sys/mman.h>
#include <tuple>

using namespace tp::test;
using Lines = std::vector<std::string>;

namespace {

char tried_locks[64];
constexpr unsigned kMostTried = tp::rt::LockState::kMostTried;
constexpr tp_lock_place kTriedAt[] = {{"a", "a.cpp", 10}, {"a", "a.cpp", 11}};

void fail_at(unsigned lock, unsigned place = 0) {
  tp_on_user_lock_try_failed(&tried_locks[lock], &kTriedAt[place]);
}
void take_lock(unsigned lock, unsigned place = 0) {
  tp_on_user_lock_taken(&tried_locks[lock], 0, &kTriedAt[place]);
}
int give_lock(unsigned lock) {
  return tp_on_lock_given(&tried_locks[lock]);
}
void close_step() {
  FakeTask task;
  FakeContext context;
  spawn(task, context);
  wait(context, [&] { run(task, context, [] {}); });
}

// Lines of the source by numbers of places.
std::map<std::uint32_t, unsigned> lines_of_tried_places(const std::string& data) {
  std::map<std::uint32_t, unsigned> lines;
  const std::string sites = content_of(data + "/sites.jsonl");
  const std::string begin = "{\"lock_place\":", line = "\"line\":";
  for (std::size_t at = 0; (at = sites.find(begin, at)) != std::string::npos; ++at)
    lines[static_cast<std::uint32_t>(std::stoul(sites.substr(at + begin.size())))] =
        static_cast<unsigned>(std::stoul(sites.substr(sites.find(line, at) + line.size())));
  return lines;
}

// By lock, in which generation of it, and line: how many there were, and the work.
using Tries =
    std::map<std::tuple<unsigned, unsigned, unsigned>, std::pair<std::uint64_t, std::uint64_t>>;

// "Section at 5 work 7"; "3 tries, work 12, of lock 0 at line 10": in the order of the records.
Lines tries_and_steps_of(const std::string& data, Tries* tries = nullptr) {
  Lines lines;
  const auto places = lines_of_tried_places(data);
  std::map<std::uint16_t, tp::trace::LockObjectPayload> slots;
  const Stream stream = read_stream(data + "/000000.tps");
  for (const auto& record : stream.records) {
    if (record.op != tp::trace::Op::Extended) {
      lines.push_back(line_of(record));
    } else if (record.extended_kind == tp::trace::ExtendedKind::LockObject) {
      tp::trace::LockObjectPayload object;
      std::memcpy(&object, record.payload, sizeof object);
      slots[object.slot] = object;
    } else if (record.extended_kind == tp::trace::ExtendedKind::LockTries) {
      tp::trace::LockTriesPayload payload;
      std::memcpy(&payload, record.payload, sizeof payload);
      const auto& object = slots.at(payload.slot);
      const auto lock =
          static_cast<unsigned>(reinterpret_cast<const char*>(object.address) - tried_locks);
      const unsigned line = places.at(payload.place);
      lines.push_back(std::to_string(payload.tries) + " tries, work " +
                      std::to_string(payload.work) + ", of lock " + std::to_string(lock) +
                      " at line " + std::to_string(line));
      if (tries != nullptr) {
        auto& sum = (*tries)[{lock, object.generation, line}];
        sum.first += payload.tries;
        sum.second += payload.work;
      }
    }
  }
  return lines;
}

} // namespace

TEST(LockTries, CountUpToTheAcquisition) {
  const std::string data = record([] {
    start();
    tp_spend(5);
    fail_at(0);
    tp_spend(10);
    fail_at(0);
    tp_spend(20);
    take_lock(0);
    tp_spend(3);
    EXPECT_EQ(give_lock(0), 1);
    tp_spend(1);
    take_lock(0);
    EXPECT_EQ(give_lock(0), 1);
  });
  EXPECT_EQ(tries_and_steps_of(data),
            (Lines{"Cut 0", "2 tries, work 30, of lock 0 at line 10", "Section at 35 work 3",
                   "Section at 39 work 0", "End 39"}));
}

TEST(LockTries, EndWithTheStep) {
  const std::string data = record([] {
    start();
    fail_at(0);
    tp_spend(10);
    fail_at(0);
    tp_spend(20);
    close_step();
    tp_spend(5);
    take_lock(0);
    EXPECT_EQ(give_lock(0), 1);
    tp_spend(7);
    fail_at(0);
    tp_spend(100);
    fail_at(0);
  });
  EXPECT_EQ(tries_and_steps_of(data),
            (Lines{"Cut 0", "2 tries, work 10, of lock 0 at line 10", "Spawn 30 new", "Wait 0 last",
                   "Task 0 newest", "WaitEnd", "Section at 5 work 0",
                   "2 tries, work 100, of lock 0 at line 10", "End 112"}));
}

// What lies between attempts at several locks is counted once.
TEST(LockTries, AtLocksInTurn) {
  const std::string data = record([] {
    start();
    fail_at(0);
    tp_spend(1);
    fail_at(1);
    tp_spend(2);
    fail_at(0);
    tp_spend(4);
    fail_at(1);
    tp_spend(8);
    take_lock(0);
    tp_spend(16);
    take_lock(1);
    give_lock(0);
    give_lock(1);
  });
  EXPECT_EQ(tries_and_steps_of(data),
            (Lines{"Cut 0", "2 tries, work 11, of lock 0 at line 10",
                   "2 tries, work 20, of lock 1 at line 10", "Section at 15 work 16",
                   "Section at 31 work 0", "End 31"}));
}

// Of more than the thread remembers, only their number.
TEST(LockTries, AtManyLocksInTurn) {
  const auto try_in_turn = [](unsigned locks) {
    for (int i = 0; i < 5; ++i)
      for (unsigned lock = 0; lock < locks; ++lock) {
        fail_at(lock);
        tp_spend(1);
      }
  };
  const std::string data = record([&] {
    start();
    try_in_turn(kMostTried + 1);
    try_in_turn(kMostTried);
  });
  Tries tries;
  tries_and_steps_of(data, &tries);
  ASSERT_EQ(tries.size(), kMostTried + 1);
  std::uint64_t work = 0;
  for (const auto& [of, each] : tries) {
    EXPECT_EQ(each.first, std::get<0>(of) < kMostTried ? 10u : 5u);
    work += each.second;
  }
  EXPECT_EQ(work, 5u * kMostTried - 1); // from the first attempt at one of these to the last one
}

TEST(LockTries, ContainNoWaitAndNoSleep) {
  const std::string data = record([] {
    start();
    fail_at(0);
    tp_spend(3);
    tp_sleep(1000);
    tp_on_busy_wait();
    tp_spend(100);
    fail_at(0); // part of the wait
    tp_on_busy_wait_end();
    tp_spend(4);
    fail_at(0);
    tp_on_lock_wait_for(&tried_locks[0]);
    tp_spend(500);
    fail_at(0);
    take_lock(0);
    tp_on_lock_wait_end(0);
    tp_spend(7);
    give_lock(0);
  });
  EXPECT_EQ(tries_and_steps_of(data), (Lines{"Cut 0", "2 tries, work 7, of lock 0 at line 10",
                                             "Section at 7 work 7 contended", "End 14"}));
}

TEST(LockTries, AtSeveralPlaces) {
  const std::string data = record([] {
    start();
    fail_at(0, 0);
    tp_spend(1);
    fail_at(0, 1);
    tp_spend(2);
    fail_at(0, 1);
    tp_spend(4);
    take_lock(0, 0);
    give_lock(0);
  });
  EXPECT_EQ(tries_and_steps_of(data),
            (Lines{"Cut 0", "1 tries, work 1, of lock 0 at line 10",
                   "2 tries, work 6, of lock 0 at line 11", "Section at 7 work 0", "End 7"}));
}

TEST(LockTries, OfAnotherLockAtTheSameAddress) {
  const std::string data = record([] {
    start();
    fail_at(0);
    tp_spend(1);
    tp_on_lock_renewed(&tried_locks[0]);
    tp_spend(2);
    fail_at(0);
    tp_spend(4);
    fail_at(0);
  });
  Tries tries;
  tries_and_steps_of(data, &tries);
  EXPECT_EQ(tries, (Tries{{{0, 0, 10}, {1, 0}}, {{0, 1, 10}, {2, 4}}}));
}

// OpenMP's: before each attempt.
TEST(LockTries, ThatMaySucceed) {
  const std::string data = record([] {
    const auto attempt = [] {
      tp_on_lock_try_failed(&tried_locks[0], TP_LOCK_OMP_LOCK, TP_LOCK_MAY_SUCCEED,
                            reinterpret_cast<const void*>(&std::free));
    };
    start();
    attempt();
    tp_spend(1);
    take_lock(0);
    give_lock(0);
    for (int i = 0; i < 3; ++i) {
      attempt();
      tp_spend(10);
    }
    take_lock(0);
    tp_spend(1);
    give_lock(0);
  });
  const Stream stream = read_stream(data + "/000000.tps");
  Lines found;
  for (const auto& record : stream.records)
    if (record.op == tp::trace::Op::Extended &&
        record.extended_kind == tp::trace::ExtendedKind::LockTries)
      found.push_back(tries_of(record));
  // The last of the three succeeds, after 20 units.
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].starts_with(" of 2 at ") && found[0].ends_with(" with work 20")) << found[0];
}

TEST(LockTries, ByTheLibraryItselfAreIgnored) {
  const std::string data = record([] {
    start();
    const auto* const own = reinterpret_cast<const void*>(&tp_on_lock_given);
    tp_on_lock_try_failed(&tried_locks[0], TP_LOCK_PTHREAD_MUTEX, 0, own);
    tp_spend(1);
  });
  EXPECT_EQ(tries_and_steps_of(data), (Lines{"Cut 0", "End 1"}));
}

// Of a lock that the thread holds itself, here while its sections are sampled.
TEST(LockTries, OfALockThatTheThreadHolds) {
  const std::string data = record([] {
    start();
    take_lock(0);
    tp_spend(1);
    for (int i = 0; i < 1000; ++i) {
      fail_at(0);
      tp_spend(7);
    }
    give_lock(0);
  });
  EXPECT_EQ(tries_and_steps_of(data),
            (Lines{"Cut 0", "Section at 0 work 7001", "1000 tries, work 6993, of lock 0 at line 10",
                   "End 7001"}));
}

namespace {

// Each unit of work between an attempt at a lock that failed and the next one belongs to the lock that is tried next
// of all those of which that is so.
class TriesByDefinition {
public:
  void spend(std::uint64_t units) { position_ += units; }
  // An attempt. The one before may have failed.
  void attempt(unsigned lock) {
    const auto last = failed_.find(lock);
    if (last == failed_.end())
      return;
    if (last->second.generation == generations_[lock])
      for (std::uint64_t unit = last->second.at; unit < position_; ++unit)
        if (owned_.insert({unit, true}).second)
          ++tries_[{lock, last->second.generation, last->second.line}].second;
    failed_.erase(last);
  }
  void fail_at(unsigned lock, unsigned line) {
    attempt(lock);
    failed_[lock] = {position_, generations_[lock], line};
    ++tries_[{lock, generations_[lock], line}].first;
  }
  void renew(unsigned lock) { ++generations_[lock]; }
  void close_step() {
    failed_.clear();
    owned_.clear();
    position_ = 0;
  }
  const Tries& tries() const { return tries_; }

private:
  struct Failed {
    std::uint64_t at;
    unsigned generation, line;
  };
  std::uint64_t position_ = 0;
  std::map<unsigned, unsigned> generations_;
  std::map<unsigned, Failed> failed_;
  std::map<std::uint64_t, bool> owned_; // units of the step that are counted
  Tries tries_;
};

void run_random_tries(unsigned seed, TriesByDefinition& definition, bool records) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const unsigned lock_count = 1 + below(below(2) != 0 ? 4 : kMostTried);
  std::vector<unsigned> held;
  const auto spend = [&](std::uint64_t units) {
    definition.spend(units);
    if (records)
      tp_spend(units);
  };
  if (records)
    start();
  for (int i = 0; i < 3000; ++i) {
    const unsigned lock = below(lock_count), place = below(2), what = below(100);
    const auto at = std::ranges::find(held, lock);
    if (what < 1) {
      definition.close_step();
      if (records)
        close_step();
      definition.close_step();
    } else if (what < 3) {
      definition.renew(lock);
      if (records)
        tp_on_lock_renewed(&tried_locks[lock]);
      std::erase(held, lock); // a new lock is free
    } else if (what < 10) {
      if (records) {
        tp_on_busy_wait();
        tp_spend(5);
        fail_at(lock);
        tp_on_busy_wait_end();
      }
    } else if (what < 60) {
      definition.fail_at(lock, kTriedAt[place].line);
      if (records)
        fail_at(lock, place);
    } else if (at != held.end()) {
      held.erase(at);
      if (records)
        give_lock(lock);
    } else {
      definition.attempt(lock);
      held.push_back(lock);
      if (records)
        take_lock(lock, place);
    }
    spend(below(4));
  }
}

} // namespace

TEST(LockTries, AreThoseOfTheDefinition) {
  for (unsigned seed = 0; seed < 60 / tp::test::kFewer; ++seed) {
    const std::string data = record([seed] {
      TriesByDefinition unused;
      run_random_tries(seed, unused, /*records=*/true);
    });
    TriesByDefinition definition;
    run_random_tries(seed, definition, /*records=*/false);
    Tries tries;
    tries_and_steps_of(data, &tries);
    EXPECT_EQ(tries, definition.tries()) << "seed " << seed;
    EXPECT_GT(tries.size(), 1u);
  }
}
