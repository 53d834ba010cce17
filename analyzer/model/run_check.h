// SPDX-License-Identifier: Apache-2.0
// RUN CHECK: the time that this run took against the time that is predicted for its own number of CPUs,
// and what the run shows about the difference.
#pragma once

#include "base/ids.h"
#include "model/site.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tp::analysis {

// Why a run takes longer than predicted. No prediction contains any of it: of waits for locks, what is beyond those predicted.
enum class RunCause : std::uint8_t {
  NoCpu,      // other programs or a hypervisor had the CPUs of its steps
  Waited,     // steps of its path waited for other threads, or slept for a reason that is not known
  Blocked,    // work was ready while all threads that run tasks slept inside of others
  Late,       // work was ready, and a thread that had nothing to do had not begun it yet
  FewThreads, // fewer threads than CPUs ran tasks
  Readings,   // the profiler read clock and events between steps
  Queued,     // threads waited for CPUs that other programs did not have
  Locks, // threads waited for locks, on its path or while work was ready, for longer than the prediction contains
};
// In JSON: stable.
inline constexpr const char* kRunCauseNames[] = {"no_cpu",      "waited",   "blocked", "late",
                                                 "few_threads", "readings", "queued",  "locks"};

struct CauseOfTime {
  RunCause cause = RunCause::NoCpu;
  std::uint64_t ns =
      0; // each is measured by itself: together they may be more or less than the difference
  std::string
      code; // Waited: that waited most, in plain words; Locks: the lock that was waited for most
  SourcePlace place; // of it; no file: not known
};

struct RunCheck {
  // Smaller differences are starts and ends of processes.
  static constexpr std::uint64_t kLeastNs = 1'000'000;

  std::string skipped_because; // empty if it was not skipped
  std::uint64_t procs = 0;     // CPUs of this run
  std::uint64_t elapsed_ns = 0, predicted_ns = 0;
  std::uint64_t sampling_ns = 0; // part of predicted_ns: sampled threads wake up more slowly
  // With what steps waited for other threads, as long as in this run; null: they did not, or it is not
  // needed: nothing that takes longer is to be explained.
  std::optional<std::uint64_t> with_waits_ns;
  std::uint64_t without_cpu_ns = 0; // part of the elapsed time, an estimate (model/run_time.h)
  // At most so much more: of the time in which a thread that had nothing to do had not begun what was ready, as long as other
  // programs ran, one of which may have had its CPU.
  std::uint64_t perhaps_without_cpu_ns = 0;
  std::vector<CauseOfTime>
      causes;       // those with a tenth of the difference or more; the longest first
  std::string text; // if the times differ; else empty

  // By more than a tenth of the prediction.
  static bool is_off(std::uint64_t time_ns, std::uint64_t predicted_ns) {
    const std::uint64_t more = time_ns > predicted_ns ? time_ns - predicted_ns : 0;
    const std::uint64_t less = predicted_ns > time_ns ? predicted_ns - time_ns : 0;
    return (more > predicted_ns / 10 && more >= kLeastNs) ||
           (less > predicted_ns / 10 && less >= kLeastNs);
  }
  std::uint64_t on_cpus_ns() const { return elapsed_ns - without_cpu_ns; }
  bool differs() const { return skipped_because.empty() && is_off(elapsed_ns, predicted_ns); }
  // The run took longer than predicted, and not only because others had its CPUs: predicted times
  // promise too much. The estimate of that time may be off by a tenth.
  bool disproves() const {
    const std::uint64_t ns = on_cpus_ns() - std::min(on_cpus_ns(), perhaps_without_cpu_ns);
    return differs() && ns > predicted_ns && is_off(ns, predicted_ns) &&
           ns - predicted_ns > without_cpu_ns / 10;
  }
};

} // namespace tp::analysis
