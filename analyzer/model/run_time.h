// SPDX-License-Identifier: Apache-2.0
// Where the time of this run went.
#pragma once

#include "base/wide.h"
#include "model/run_delays.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace tp::analysis {

// P x elapsed = steps + overhead + idle + absent, in ticks.
struct TimeBalance {
  std::uint64_t threads = 0; // streams: threads that exist one after the other share one
  std::uint64_t elapsed = 0;
  std::uint64_t steps = 0, overhead = 0, idle = 0;
  std::uint64_t descheduled = 0; // part of the steps, if work is time: without a CPU
  std::uint64_t absent = 0;      // before a thread's first and after its last record
  std::uint64_t recording = 0;   // part of the overhead: reading the clock and the extra events
  std::uint64_t lock_calls =
      0; // part of the overhead: calls that release locks for which others wait
  std::uint64_t unexplained = 0; // the amount that is missing, or too much
  // Parts of `descheduled`: asleep, and waiting for locks, on a CPU or not.
  std::uint64_t asleep = 0, lock_waits = 0;
  // Of the recorded threads since they were created, in ns: ready to run, but without a CPU; and with one. A
  // thread that waits for a lock may be either. 0: not known.
  std::uint64_t run_delay_ns = 0, cpu_ns = 0;
  std::uint64_t voluntary_switches = 0; // how often threads of the process gave up their CPU

  // In steps that neither slept nor waited for a lock: others had the CPUs.
  std::uint64_t without_cpu() const { return descheduled - asleep - lock_waits; }
  // The same, of all that the threads did, but for what it takes to wake a thread on a CPU that is free.
  std::uint64_t waited_for_cpu_ns() const {
    constexpr std::uint64_t kMostToWake = 50'000; // in a virtual machine half of it
    const Wide woken = Wide{voluntary_switches} * kMostToWake;
    return woken < run_delay_ns ? static_cast<std::uint64_t>(run_delay_ns - woken) : 0;
  }
  // For a twentieth of the time in which they had one or wanted one.
  bool machine_was_shared() const {
    return Wide{without_cpu()} * 20 > steps - std::min(steps, asleep + lock_waits) ||
           Wide{waited_for_cpu_ns()} * 20 > Wide{waited_for_cpu_ns()} + cpu_ns;
  }
};

// Why this run took as long as it did: its path, and the share of each site (SiteRow).
struct ElapsedTime {
  std::string skipped_because; // empty if it was not skipped
  std::uint64_t workers = 0;   // steps that can run at a time
  RunPathPart path;
  // Of these CPUs, within the time of the run: all idle time is shared evenly among the steps that
  // run meanwhile (SiteRow::idle_beside_ns); the rest is that in which none ran.
  std::uint64_t idle_ns = 0, idle_beside_nothing_ns = 0;
  // The time by which the run would have been shorter if other programs (or a hypervisor) had left their
  // CPUs to its steps: an estimate (passes/idle_time.h). Null: the unit of work is not time.
  std::optional<std::uint64_t> taken_by_others_ns;
  // The same, of time in which other programs cannot have had the CPUs, as far as the kernel's counters show: threads waited behind
  // others of the program while CPUs were free, or at a limit of CPU time.
  std::uint64_t queued_ns = 0;
  bool is_queued_rather() const { return queued_ns > taken_by_others_ns.value_or(0); }
};

enum class AttributionBasis : std::uint8_t { None, Time, StepTime, Virtual };

struct Attribution {
  AttributionBasis basis = AttributionBasis::None;
  std::uint64_t attributed = 0; // ns, or units of the virtual clock
  std::uint64_t total = 0;
  std::uint64_t overhead_ns = 0, idle_ns = 0, paused_ns = 0;
  std::uint64_t unknown_threads_ns = 0; // CPU time of threads that never called oneTBB
  // CPU time of threads between their steps, by what they did then: the construct that they waited in, or
  // events, outside_of_tasks, lock_waits. Empty: not known.
  std::map<std::string, std::uint64_t> between_steps_ns;
  std::string likely_cause; // if much is missing or there is too much; empty: not known

  // In steps and between them.
  std::uint64_t accounted() const {
    std::uint64_t sum = attributed;
    for (const auto& [kind, ns] : between_steps_ns)
      sum += ns;
    return sum;
  }
};

} // namespace tp::analysis
