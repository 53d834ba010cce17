// SPDX-License-Identifier: Apache-2.0
// See simulated_locks.h.
#include "profile/simulated_locks.h"

#include "base/wide.h"
#include "profile/burden.h"
#include "profile/conservation.h"

#include "tp/trace/trace_format.h"

#include <algorithm>

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
  case trace::LockKind::OmpAtomic:
  // Who comes first while operations are done does the next ones.
  case trace::LockKind::ConcurrentPriorityQueue:
  case trace::LockKind::FlowGraphNode:
  case trace::LockKind::ConcurrentLruCache:
    return {HandOver::InOrder};
  case trace::LockKind::OmpMutexInOutSet:
    return {HandOver::LetsBegin};
  case trace::LockKind::Mutex:
    return {HandOver::SpinsThenSleeps};
  case trace::LockKind::RwMutex:
    return {HandOver::SpinsThenSleeps, Prefers::Writers};
  case trace::LockKind::PthreadMutex:
    return {HandOver::Sleeps};
  case trace::LockKind::PthreadRwlock:
    return {HandOver::Phases};
  case trace::LockKind::SpinRwMutex:
  case trace::LockKind::SpeculativeSpinRwMutex:
  case trace::LockKind::HashMapBucket:
    return {HandOver::Spins, Prefers::Marked};
  case trace::LockKind::Accessor: // tries until it has the lock, and leaves no mark
    return {HandOver::Spins, Prefers::Readers};
  case trace::LockKind::Unknown:
  case trace::LockKind::SpinMutex:
  case trace::LockKind::SpeculativeSpinMutex:
  case trace::LockKind::PthreadSpinlock:
  case trace::LockKind::User:
  case trace::LockKind::Itt:
  case trace::LockKind::Semaphore: // its sections exclude no others
    break;
  }
  return {HandOver::Spins};
}

// What the run shows of hand-overs, in ticks.
class ShownTimes {
public:
  // `sampled_ns`: what wake-ups of the run took longer than those that are asked for.
  ShownTimes(const Measured& measured, const LockTimes& fallback, std::uint64_t sampled_ns)
      : measured_(measured), spin_ticks_(ticks_of(fallback.spin)),
        sampled_ticks_(ticks_of(sampled_ns)),
        waited_for_cpus_(is_crowded(measured) ||
                         check_balance(measured).balance.machine_was_shared()) {
    for (std::size_t kind = 0; kind < LockHandOvers::kKinds; ++kind)
      if (sleeps(static_cast<std::uint8_t>(kind)))
        append(measured.fold.hand_overs.kinds[kind], all_that_sleep_);
  }

  HandOverTimes of(const LockObjectUse& object, const LockTimes& fallback) const {
    const LockHandOvers::Results& found = measured_.fold.hand_overs;
    const LockHandOvers::Times* const own = found.of(object.id);
    const LockHandOvers::Times& kind =
        found.kinds[object.kind < LockHandOvers::kKinds ? object.kind : 0];
    HandOverTimes times;
    for (const LockHandOvers::Times* from : {own, &kind, &all_that_sleep_}) {
      if (from == nullptr || waited_for_cpus_)
        continue;
      if (times.wake_latency.empty() && sleeps(object.kind))
        times.wake_latency = in_work(latencies(*from, object.kind));
      if (times.wake_call.empty() && sleeps(object.kind))
        times.wake_call = in_work(from->calls);
    }
    std::uint64_t gap = 0;
    for (const LockHandOvers::Times* from : {own, &kind})
      if (from != nullptr && gap == 0)
        gap = typical_gap(*from, object.kind);
    times.hand_over = gap > 0 ? work_of(gap) : work_of_ns(measured_, fallback.hand_over);
    // Looks come at even distances, so that the lock has been free for half of one, on average.
    times.retry = gap > 0 ? 2 * work_of(gap) : work_of_ns(measured_, fallback.retry);
    return times;
  }

private:
  static constexpr std::size_t kFew = 16; // with fewer, nothing is known

  static bool sleeps(std::uint8_t kind) {
    const HandOver hand_over = rules_of(kind).hand_over;
    return sleeps_at_once(hand_over) || hand_over == HandOver::SpinsThenSleeps;
  }
  static void append(const LockHandOvers::Times& from, LockHandOvers::Times& to) {
    to.waits.insert(to.waits.end(), from.waits.begin(), from.waits.end());
    to.calls.insert(to.calls.end(), from.calls.begin(), from.calls.end());
  }
  std::uint64_t ticks_of(std::uint64_t ns) const {
    return static_cast<std::uint64_t>(static_cast<double>(ns) * 1e-9 * measured_.read.time_hz);
  }
  std::uint64_t work_of(std::uint64_t ticks) const {
    return work_of_ns(measured_, to_ns(ticks, measured_.read.time_hz));
  }
  std::vector<std::uint64_t> in_work(std::vector<std::uint64_t> ticks) const {
    if (ticks.size() < kFew)
      return {};
    for (std::uint64_t& each : ticks)
      each = work_of(each);
    std::ranges::sort(ticks);
    return ticks;
  }
  // Was the thread asleep when the lock was released for the last time?
  bool slept(const LockHandedOver& wait, std::uint8_t kind) const {
    return sleeps_at_once(rules_of(kind).hand_over) ||
           wait.waited > wait.since_release + spin_ticks_;
  }
  // From the call that woke the thread: others may have had the lock meanwhile. Who was back sooner than samples alone
  // allow for did not sleep.
  std::vector<std::uint64_t> latencies(const LockHandOvers::Times& from, std::uint8_t kind) const {
    std::vector<std::uint64_t> result;
    for (const LockHandedOver& each : from.waits)
      if (slept(each, kind)) {
        const std::uint64_t ticks = each.since_wake > 0 ? each.since_wake : each.since_release;
        result.push_back(ticks > sampled_ticks_ ? ticks - sampled_ticks_ : ticks);
      }
    return result;
  }
  // Median, of those that did not sleep and had a CPU: one that looks at the lock all the time, and sees it free as late as
  // another kind of lock would have made it sleep, had none.
  std::uint64_t typical_gap(const LockHandOvers::Times& from, std::uint8_t kind) const {
    if (sleeps_at_once(rules_of(kind).hand_over) || waited_for_cpus_)
      return 0;
    std::vector<std::uint64_t> gaps;
    for (const LockHandedOver& each : from.waits)
      if (each.since_release <= spin_ticks_ && (!sleeps(kind) || !slept(each, kind)))
        gaps.push_back(each.since_release);
    if (gaps.size() < kFew)
      return 0;
    const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
    std::ranges::nth_element(gaps, middle);
    return *middle;
  }

  const Measured& measured_;
  const std::uint64_t spin_ticks_, sampled_ticks_;
  // Threads that should get a lock had to wait for a CPU first, for other threads of the program or for other programs:
  // predicted is a CPU per thread.
  const bool waited_for_cpus_;
  LockHandOvers::Times all_that_sleep_;
};

// How much longer wake-ups of the run took since its threads were sampled: a mean over its CPU time.
std::uint64_t longer_since_sampled(const Measured& measured) {
  const RunInfo& run = measured.run();
  const std::optional<EndInfo>& end = measured.info.end;
  if (!end || !end->sampling || end->cpu_ns <= run.cpu_ns_at_start)
    return run.wake_sampled_ns;
  const std::uint64_t all = end->cpu_ns - run.cpu_ns_at_start;
  const std::uint64_t sparse = std::min(end->sampling->sparse_ns, all);
  return static_cast<std::uint64_t>(
      (Wide{run.wake_sampled_ns} * (all - sparse) + Wide{run.wake_sparse_ns} * sparse) / all);
}

} // namespace

bool is_crowded(const Measured& measured) {
  const ReadSummary& read = measured.read;
  const std::uint64_t elapsed = read.last_time - std::min(read.first_time, read.last_time);
  const std::uint64_t asleep =
      measured.run().same_as_time ? std::min(read.asleep, read.step_time) : 0;
  return Wide{read.step_time - asleep} > Wide{elapsed} * measured.run().cpus;
}

LockCosts lock_costs(const Measured& measured, const std::vector<LockObjectUse>& objects,
                     WakeUps wake_ups) {
  if (measured.is_virtual() || measured.run().work.hz == 0)
    return {.times = std::vector<HandOverTimes>(objects.size())};
  const std::uint64_t sampled_ns = longer_since_sampled(measured);
  LockTimes times;
  if (measured.run().wake_latency_ns > 0) {
    times.wake_latency = measured.run().wake_latency_ns;
    times.wake_call = measured.run().wake_call_ns;
  }
  if (wake_ups == WakeUps::AsInRun)
    times.wake_latency += sampled_ns;
  LockCosts costs{.hand_over = work_of_ns(measured, times.hand_over),
                  .retry = work_of_ns(measured, times.retry),
                  .spin = work_of_ns(measured, times.spin),
                  .wake_latency = work_of_ns(measured, times.wake_latency),
                  .wake_call = work_of_ns(measured, times.wake_call)};
  const ShownTimes shown(measured, times, wake_ups == WakeUps::AsInRun ? 0 : sampled_ns);
  for (const LockObjectUse& each : objects)
    costs.times.push_back(shown.of(each, times));
  return costs;
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
    choice.rules.back().times = static_cast<std::uint32_t>(choice.rules.size());
    choice.number.grown_to(each.id) = static_cast<DagLockId>(choice.rules.size());
  }
  return choice;
}

} // namespace tp::analysis
