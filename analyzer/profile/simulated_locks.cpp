// SPDX-License-Identifier: Apache-2.0
// See simulated_locks.h.
#include "profile/simulated_locks.h"

#include "base/wide.h"
#include "profile/burden.h"

#include "tp/trace/trace_format.h"

namespace tp::analysis {
namespace {

constexpr std::size_t kMostLocks = 65'536;
constexpr std::uint64_t kMostSections = 4'000'000; // 40 bytes each

LockRules rules_of(std::uint8_t kind) {
  switch (static_cast<trace::LockKind>(kind)) {
  case trace::LockKind::QueuingMutex:
  case trace::LockKind::QueuingRwMutex:
  // libomp's locks are queues, unless the program or KMP_LOCK_KIND asks for others.
  case trace::LockKind::OmpCritical:
  case trace::LockKind::OmpLock:
  case trace::LockKind::OmpNestLock:
  case trace::LockKind::OmpOrdered:
    return {HandOver::InOrder};
  case trace::LockKind::Mutex:
    return {HandOver::SpinsThenSleeps};
  case trace::LockKind::RwMutex:
    return {HandOver::SpinsThenSleeps, Prefers::Writers};
  case trace::LockKind::PthreadMutex:
    return {HandOver::Sleeps};
  case trace::LockKind::PthreadRwlock:
    return {HandOver::Sleeps, Prefers::Readers};
  case trace::LockKind::Unknown:
  case trace::LockKind::SpinMutex:
  case trace::LockKind::SpinRwMutex:
  case trace::LockKind::SpeculativeSpinMutex:
  case trace::LockKind::SpeculativeSpinRwMutex:
  case trace::LockKind::Accessor:
  case trace::LockKind::PthreadSpinlock:
  case trace::LockKind::User:
  case trace::LockKind::Itt:
    break;
  }
  return {HandOver::Spins};
}

} // namespace

LockCosts lock_costs(const Measured& measured) {
  if (measured.is_virtual() || measured.run().work.hz == 0)
    return {};
  LockTimes times;
  if (measured.run().wake_latency_ns > 0) {
    times.wake_latency = measured.run().wake_latency_ns;
    times.wake_call = measured.run().wake_call_ns;
  }
  return {.hand_over = work_of_ns(measured, times.hand_over),
          .retry = work_of_ns(measured, times.retry),
          .spin = work_of_ns(measured, times.spin),
          .wake_latency = work_of_ns(measured, times.wake_latency),
          .wake_call = work_of_ns(measured, times.wake_call)};
}

std::vector<LockObjectUse> locks_that_matter(const Locks& locks, std::uint64_t time) {
  Wide left_out = 0;
  for (const LockObjectUse& each : locks.exclusive)
    left_out += each.held;
  std::vector<LockObjectUse> chosen;
  std::uint64_t sections = 0;
  for (const LockObjectUse& each : locks.exclusive) {
    sections += each.acquisitions;
    if (left_out * 100 <= time || chosen.size() == kMostLocks || sections > kMostSections)
      break;
    chosen.push_back(each);
    left_out -= each.held;
  }
  return chosen;
}

LockChoice choice_of(const std::vector<LockObjectUse>& objects) {
  LockChoice choice;
  for (const LockObjectUse& each : objects) {
    choice.rules.push_back(rules_of(each.kind));
    choice.number.grown_to(each.id) = static_cast<DagLockId>(choice.rules.size());
  }
  return choice;
}

} // namespace tp::analysis
