// SPDX-License-Identifier: Apache-2.0
// LOCKS in a simulation: who holds each, who waits for it, and how it is handed over.
//
//   InOrder        first come, first served; a release hands the lock over.
//   Spins          a release leaves the lock free. Who waits looks at it every `retry`; who comes
//                  meanwhile takes it (barging).
//   Sleeps         as glibc's mutex: who waits sleeps at once. A release wakes one that sleeps, unless
//                  one has been woken and none has come in vain since. The call costs the releaser
//                  `wake_call`; the other comes `wake_latency` later, and sleeps again if it comes in
//                  vain.
//   SpinsThenSleeps  as oneTBB's mutex: spins for `spin`, then sleeps. Each release wakes one that
//                  sleeps: a writer, or all readers.
//   Phases         as glibc's rwlock: who waits sleeps at once. The last reader hands the lock to a writer that
//                  waits, a writer to all readers that do: they come `wake_latency` later. A writer without such
//                  readers wakes the next one, as Sleeps does. Readers that come while readers have the lock join them.
//   LetsBegin      as OpenMP's sets of tasks that exclude each other: as InOrder, but no worker waits. A task has come in
//                  vain, and begins when it has the lock.
//
// Readers share a lock. A writer that waits stops those that come later while readers hold it; always,
// if the lock prefers writers, and never, if it prefers readers (or has phases). If the lock is Marked, and who waits for it
// spins, as with oneTBB's spin_rw_mutex: from its first look in vain on, or, after a writer has released the lock, from the first look of
// a writer that waits; readers that look before that come in. Other Marked ones are as those that prefer none, and so is
// each if all costs are 0; each lock that prefers none is then one that is handed over in order.
#pragma once

#include "simulate/recorded_dag.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tp::analysis {

// Of a lock, in the unit of work, in ascending order: what each wake-up takes is one of them, in the order
// of pick(). Empty: that of LockCosts.
struct HandOverTimes {
  std::vector<std::uint64_t> wake_latency, wake_call;
  std::uint64_t retry = 0, hand_over = 0;
  // Of `times`, for the n-th wake-up of the lock (from 0): by multiples of the golden ratio, which take
  // long and short ones in turn, and each of them equally often.
  static std::uint64_t pick(const std::vector<std::uint64_t>& times, std::uint64_t n) {
    const std::uint64_t fraction = (n + 1) * 0x9e3779b9u & 0xffffffffu;
    return times[fraction * times.size() >> 32];
  }
};

// In the unit of work.
struct LockCosts {
  std::uint64_t hand_over = 0;           // InOrder, to one that waited
  std::uint64_t retry = 0;               // time between two looks at the lock
  std::uint64_t spin = 0;                // SpinsThenSleeps
  std::uint64_t wake_latency = 0;        // from the release to the next attempt
  std::uint64_t wake_call = 0;           // of the releaser, for each that it wakes
  std::vector<HandOverTimes> times = {}; // LockRules::times: of locks whose times are known
};

class LockTable {
public:
  using Waiter = std::uint32_t; // a number of the scheduler's
  // What a waiter does at `time`: it has the lock from now on and continues then, or it calls retry().
  struct Call {
    Waiter waiter;
    std::uint64_t time;
    bool has_it;
  };

  LockTable(const std::vector<LockRules>& locks, const LockCosts& costs);

  // False: the waiter has to wait until a call.
  bool take(DagLockId id, Waiter waiter, bool shared, std::uint64_t now);
  // The time that it takes to release the lock. Adds to `calls`.
  std::uint64_t give(DagLockId id, bool shared, std::uint64_t now, std::vector<Call>& calls);
  bool retry(DagLockId id, Waiter waiter, std::uint64_t now, std::vector<Call>& calls);
  // Nothing can continue without it: who has waited longest gets a lock that others hold. False: there
  // is none who waits.
  bool force(std::uint64_t now, std::vector<Call>& calls);
  bool lets_begin(DagLockId id) const { return locks_[id].rules.hand_over == HandOver::LetsBegin; }
  // Sum over all workers that waited, and what waking them took.
  std::uint64_t waited() const { return waited_; }

private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  enum class State : std::uint8_t { Spins, Sleeps, Woken };
  struct Waiting {
    Waiter waiter;
    State state;
    bool shared;
    std::uint64_t came;
    std::uint64_t spins_since;
    std::uint64_t number; // in the order in which all came
  };
  struct Lock {
    LockRules rules;
    std::uint32_t writers = 0, readers = 0; // that hold it; at most one writer, but for force()
    std::uint32_t waiting_writers = 0;
    std::uint64_t marked_at = kNever; // has_mark(): readers that look before that come in
    bool will_wake = false;       // Sleeps: somebody has come in vain since the last one was woken
    std::uint64_t wakes = 0;      // so far
    std::vector<Waiting> waiting; // from `first` on, in the order in which they came
    std::size_t first = 0;
    bool is_alone() const { return first == waiting.size(); }
  };

  State first_state(const LockRules& rules) const;
  bool has_mark(const Lock& lock) const {
    return lock.rules.prefers == Prefers::Marked && lock.rules.hand_over == HandOver::Spins &&
           times_of(lock).retry > 0;
  }
  // Who looks at that time.
  bool admits(const Lock& lock, bool shared, std::uint64_t time) const;
  std::uint64_t first_look_of_writers(const Lock& lock, std::uint64_t now) const;
  static void hold(Lock& lock, bool shared);
  // Also removes it.
  void let_in(Lock& lock, std::size_t which, std::uint64_t time, std::vector<Call>& calls);
  void call_in_order(Lock& lock, std::uint64_t now, std::vector<Call>& calls);
  void call_spinning(Lock& lock, std::uint64_t now, std::vector<Call>& calls);
  // How long the next wake-up of the lock takes the one that wakes, and the one that is woken.
  struct WakeUp {
    std::uint64_t call, latency;
  };
  WakeUp next_wake_up(Lock& lock);
  std::uint64_t wake(Lock& lock, std::uint64_t now, std::vector<Call>& calls);
  std::uint64_t end_phase(Lock& lock, bool shared, std::uint64_t now, std::vector<Call>& calls);
  std::uint64_t next_look(const Lock& lock, const Waiting& waiting, std::uint64_t now) const;
  const HandOverTimes& times_of(const Lock& lock) const {
    return lock.rules.times > 0 ? costs_.times[lock.rules.times - 1] : none_;
  }

  const LockCosts costs_;
  const HandOverTimes none_;
  std::vector<Lock> locks_;
  std::uint64_t waited_ = 0, next_number_ = 0, waiters_ = 0;
};

} // namespace tp::analysis
