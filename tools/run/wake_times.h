// SPDX-License-Identifier: Apache-2.0
// How long this machine takes to wake a thread that sleeps: what handing over a lock costs where who waits
// for it sleeps. For predictions; the recording contains it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tp::tool {

struct WakeTimes {
  std::uint64_t latency_ns; // from the call that wakes a thread until that runs
  std::uint64_t call_ns;    // of the call
  std::uint64_t sampled_ns; // how much longer it takes if the thread is sampled; 0: not known
  std::uint64_t sparse_ns;  // the same, if it is sampled as programs are whose threads switch often
  std::string variable() const; // TP_WAKE
};

// Medians of some 30 wake-ups of a thread that has slept for 50 us, or, if `sampled`, of 19, and of as many while it
// is sampled in each way, in turn: some 5 ms in all. None: this process has one CPU only, or it took too long.
std::optional<WakeTimes> measure_wake_times(bool sampled);

} // namespace tp::tool
