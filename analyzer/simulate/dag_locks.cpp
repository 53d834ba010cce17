// SPDX-License-Identifier: Apache-2.0
// See dag_locks.h.
#include "simulate/dag_locks.h"

#include <algorithm>

namespace tp::analysis {

LockTable::LockTable(const std::vector<LockRules>& locks, const LockCosts& costs)
    : costs_(costs), none_{.retry = costs.retry, .hand_over = costs.hand_over} {
  locks_.resize(locks.size());
  for (std::size_t i = 0; i < locks.size(); ++i)
    locks_[i].rules = locks[i];
}

bool LockTable::admits(const Lock& lock, bool shared, std::uint64_t time) const {
  if (!shared)
    return lock.writers == 0 && lock.readers == 0;
  if (has_mark(lock))
    return lock.writers == 0 && time < lock.marked_at;
  if (lock.writers > 0 || lock.waiting_writers == 0 || lock.rules.prefers == Prefers::Readers ||
      lock.rules.hand_over == HandOver::Phases)
    return lock.writers == 0;
  return lock.readers == 0 && lock.rules.prefers != Prefers::Writers;
}

LockTable::State LockTable::first_state(const LockRules& rules) const {
  const bool spins = rules.hand_over == HandOver::SpinsThenSleeps
                         ? costs_.spin > 0
                         : !sleeps_at_once(rules.hand_over);
  return spins ? State::Spins : State::Sleeps;
}

namespace {
bool is_in_order(HandOver hand_over) {
  return hand_over == HandOver::InOrder || hand_over == HandOver::LetsBegin;
}
} // namespace

void LockTable::hold(Lock& lock, bool shared) {
  ++(shared ? lock.readers : lock.writers);
}

bool LockTable::take(DagLockId id, Waiter waiter, bool shared, std::uint64_t now) {
  Lock& lock = locks_[id];
  const HandOver hand_over = lock.rules.hand_over;
  if (admits(lock, shared, now) && (!is_in_order(hand_over) || lock.is_alone())) {
    hold(lock, shared);
    return true;
  }
  if (!shared)
    lock.marked_at = std::min(lock.marked_at, now);
  lock.waiting.push_back({waiter, first_state(lock.rules), shared, now, now, next_number_++});
  lock.waiting_writers += !shared;
  lock.will_wake = true;
  ++waiters_;
  return false;
}

std::uint64_t LockTable::give(DagLockId id, bool shared, std::uint64_t now,
                              std::vector<Call>& calls) {
  Lock& lock = locks_[id];
  --(shared ? lock.readers : lock.writers);
  if (!shared)
    lock.marked_at = has_mark(lock) ? first_look_of_writers(lock, now) : kNever;
  if (lock.is_alone())
    return 0;
  if (is_in_order(lock.rules.hand_over)) {
    call_in_order(lock, now, calls);
    return 0;
  }
  if (lock.rules.hand_over == HandOver::Phases)
    return end_phase(lock, shared, now, calls);
  call_spinning(lock, now, calls);
  return wake(lock, now, calls);
}

bool LockTable::retry(DagLockId id, Waiter waiter, std::uint64_t now, std::vector<Call>& calls) {
  Lock& lock = locks_[id];
  const auto found =
      std::find_if(lock.waiting.begin() + static_cast<std::ptrdiff_t>(lock.first),
                   lock.waiting.end(), [&](const Waiting& each) { return each.waiter == waiter; });
  const bool was_woken = found->state == State::Woken;
  if (admits(lock, found->shared, now)) {
    const bool shared = found->shared;
    let_in(lock, static_cast<std::size_t>(found - lock.waiting.begin()), now, calls);
    calls.pop_back(); // the caller knows
    lock.will_wake = true;
    if (shared)
      call_spinning(lock, now, calls);
    return true;
  }
  if (was_woken) {
    found->state = first_state(lock.rules);
    found->spins_since = now;
    lock.will_wake = true;
  }
  call_spinning(lock, now, calls); // another one may be admitted
  return false;
}

bool LockTable::force(std::uint64_t now, std::vector<Call>& calls) {
  if (waiters_ == 0)
    return false;
  Lock* first = nullptr;
  for (Lock& lock : locks_)
    if (!lock.is_alone() &&
        (!first || lock.waiting[lock.first].number < first->waiting[first->first].number))
      first = &lock;
  let_in(*first, first->first, now, calls);
  first->will_wake = true;
  return true;
}

void LockTable::let_in(Lock& lock, std::size_t which, std::uint64_t time,
                       std::vector<Call>& calls) {
  const Waiting taken = lock.waiting[which];
  const auto begin = lock.waiting.begin();
  if (which != lock.first)
    lock.waiting.erase(begin + static_cast<std::ptrdiff_t>(which));
  else if (++lock.first * 2 > lock.waiting.size() + 64) { // constant cost for each
    lock.waiting.erase(begin, begin + static_cast<std::ptrdiff_t>(lock.first));
    lock.first = 0;
  }
  lock.waiting_writers -= !taken.shared;
  --waiters_;
  hold(lock, taken.shared);
  waited_ += lock.rules.hand_over == HandOver::LetsBegin ? 0 : time - taken.came;
  calls.push_back({taken.waiter, time, true});
}

void LockTable::call_in_order(Lock& lock, std::uint64_t now, std::vector<Call>& calls) {
  while (!lock.is_alone()) {
    const bool shared = lock.waiting[lock.first].shared;
    if (lock.writers > 0 || (!shared && lock.readers > 0))
      return;
    const bool at_once = lock.rules.hand_over == HandOver::LetsBegin;
    let_in(lock, lock.first, now + (at_once ? 0 : times_of(lock).hand_over), calls);
  }
}

// Of one that spins.
std::uint64_t LockTable::next_look(const Lock& lock, const Waiting& waiting,
                                   std::uint64_t now) const {
  const std::uint64_t retry = times_of(lock).retry;
  if (retry == 0)
    return now;
  const std::uint64_t looks = (now - waiting.spins_since + retry - 1) / retry;
  return waiting.spins_since + std::max<std::uint64_t>(looks, 1) * retry;
}

std::uint64_t LockTable::first_look_of_writers(const Lock& lock, std::uint64_t now) const {
  std::uint64_t first = kNever;
  for (std::size_t i = lock.first; i < lock.waiting.size(); ++i)
    if (!lock.waiting[i].shared)
      first = std::min(first, next_look(lock, lock.waiting[i], now));
  return first;
}

// The first that will see that the lock is free. Those that gave up before sleep.
void LockTable::call_spinning(Lock& lock, std::uint64_t now, std::vector<Call>& calls) {
  const bool may_sleep = lock.rules.hand_over == HandOver::SpinsThenSleeps;
  for (;;) {
    std::size_t first = lock.waiting.size();
    std::uint64_t time = 0;
    for (std::size_t i = lock.first; i < lock.waiting.size(); ++i) {
      Waiting& each = lock.waiting[i];
      if (each.state != State::Spins)
        continue;
      const std::uint64_t look = next_look(lock, each, now);
      if (may_sleep && look > each.spins_since + costs_.spin) {
        each.state = State::Sleeps;
        continue;
      }
      if (admits(lock, each.shared, look) && (first == lock.waiting.size() || look < time)) {
        first = i;
        time = look;
      }
    }
    if (first == lock.waiting.size())
      return;
    if (time > now) {
      calls.push_back({lock.waiting[first].waiter, time, false});
      return;
    }
    let_in(lock, first, now, calls);
  }
}

LockTable::WakeUp LockTable::next_wake_up(Lock& lock) {
  const HandOverTimes& times = times_of(lock);
  const std::uint64_t number = lock.wakes++;
  return {times.wake_call.empty() ? costs_.wake_call : HandOverTimes::pick(times.wake_call, number),
          times.wake_latency.empty() ? costs_.wake_latency
                                     : HandOverTimes::pick(times.wake_latency, number)};
}

// A writer, or all readers that sleep.
std::uint64_t LockTable::wake(Lock& lock, std::uint64_t now, std::vector<Call>& calls) {
  if (lock.rules.hand_over != HandOver::SpinsThenSleeps && !lock.will_wake)
    return 0;
  std::uint64_t cost = 0;
  bool readers = false;
  for (std::size_t i = lock.first; i < lock.waiting.size();) {
    Waiting& each = lock.waiting[i];
    if (each.state != State::Sleeps || !admits(lock, each.shared, now) ||
        (readers && !each.shared)) {
      ++i;
      continue;
    }
    readers = each.shared;
    const auto [call, latency] = next_wake_up(lock);
    cost += call;
    if (latency > 0) {
      each.state = State::Woken;
      lock.will_wake = false;
      calls.push_back({each.waiter, now + latency, false});
      ++i;
    } else { // it takes its place
      let_in(lock, i, now, calls);
      i = std::max(i, lock.first);
    }
    if (!readers)
      break;
  }
  waited_ += cost;
  return cost;
}

// Of glibc (pthread_rwlock_common.c): only the writer that waits for the end of the readers' phase has announced itself; one
// that has been woken has not yet, so that the lock is free.
std::uint64_t LockTable::end_phase(Lock& lock, bool shared, std::uint64_t now,
                                   std::vector<Call>& calls) {
  if (lock.readers > 0 || lock.writers > 0)
    return 0;
  const bool readers_wait = lock.waiting.size() - lock.first > lock.waiting_writers;
  if (!shared && !readers_wait)
    return wake(lock, now, calls);
  const bool is_one_coming = std::any_of(
      lock.waiting.begin() + static_cast<std::ptrdiff_t>(lock.first), lock.waiting.end(),
      [](const Waiting& each) { return each.state == State::Woken; });
  if (shared && is_one_coming)
    return 0;
  const bool to_readers = !shared || lock.waiting_writers == 0;
  std::uint64_t cost = 0;
  for (std::size_t i = lock.first; i < lock.waiting.size();) {
    if (lock.waiting[i].shared != to_readers) {
      ++i;
      continue;
    }
    const auto [call, latency] = next_wake_up(lock);
    cost += call;
    let_in(lock, i, now + latency, calls);
    i = std::max(i, lock.first);
    if (!to_readers)
      break;
  }
  waited_ += cost;
  return cost;
}

} // namespace tp::analysis
