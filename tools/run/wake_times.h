// SPDX-License-Identifier: Apache-2.0
// How long this machine takes to wake a thread that sleeps: what handing over a lock costs where who waits
// for it sleeps. For predictions; the recording contains it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tp::tool {

struct WakeTimes {
  std::uint64_t latency_ns;     // from the call that wakes a thread until that runs
  std::uint64_t call_ns;        // of the call
  std::string variable() const; // TP_WAKE
};

// Medians of some 30 wake-ups of a thread that has slept for 20 us: 1 or 2 ms in all. None: this process has
// one CPU only, or it took too long.
std::optional<WakeTimes> measure_wake_times();

} // namespace tp::tool
