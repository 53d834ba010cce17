// SPDX-License-Identifier: Apache-2.0
// The parts of the path of a run (passes/run_path.h defines them), in ticks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tp::analysis {

// The edge of the DAG before a step. Inside: between two steps of one task that depend on nothing
// else (before a body call of a loop, for example). Lock: from the code that held a lock to the step that
// waited for it, inside of that step; all of this wait is Delays::busy.
enum class EdgeKind : std::uint8_t { Create, CreateContinue, WaitContinue, End, Inside, Lock };
inline constexpr std::size_t kEdgeKinds = static_cast<std::size_t>(EdgeKind::Lock) + 1;

struct Delays {
  std::uint64_t busy = 0, scheduler = 0;
  // Of the scheduler's: every thread that could have run the step was inside another one and slept, or
  // was inside one and others had its CPU.
  std::uint64_t blocked = 0, taken = 0;
  std::uint64_t at_locks = 0; // of `blocked`: it waited for a lock
};

struct RunPathPart {
  std::uint64_t running = 0;
  // Of it: asleep, not waiting for other threads; asleep, and it did or that is not known; without a CPU,
  // while this program's threads had them all, and while others had one. 0 if work is not time.
  std::uint64_t latency = 0, waited = 0, crowded = 0, taken = 0;
  std::array<Delays, kEdgeKinds> delays{};

  std::uint64_t busy() const { return sum_of(&Delays::busy); }
  std::uint64_t scheduler() const { return sum_of(&Delays::scheduler); }
  std::uint64_t blocked() const { return sum_of(&Delays::blocked); }
  std::uint64_t blocked_at_locks() const { return sum_of(&Delays::at_locks); }
  std::uint64_t delay_taken() const { return sum_of(&Delays::taken); }
  std::uint64_t in_locks() const { return delays[static_cast<std::size_t>(EdgeKind::Lock)].busy; }
  std::uint64_t length() const { return running + busy() + scheduler() + in_locks(); }
  void add(const RunPathPart& other) {
    running += other.running;
    latency += other.latency;
    waited += other.waited;
    crowded += other.crowded;
    taken += other.taken;
    for (std::size_t i = 0; i < kEdgeKinds; ++i) {
      delays[i].busy += other.delays[i].busy;
      delays[i].scheduler += other.delays[i].scheduler;
      delays[i].blocked += other.delays[i].blocked;
      delays[i].at_locks += other.delays[i].at_locks;
      delays[i].taken += other.delays[i].taken;
    }
  }

private:
  std::uint64_t sum_of(std::uint64_t Delays::* part) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(EdgeKind::Lock); ++i)
      sum += delays[i].*part;
    return sum;
  }
};

} // namespace tp::analysis
