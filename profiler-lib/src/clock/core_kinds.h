// SPDX-License-Identifier: Apache-2.0
// Kinds of cores that have a PMU each (P and E cores of x86-64, big.LITTLE): an event of
// perf_event_open counts on the cores of one PMU only. Called when the clock is chosen, once per
// process. Cold.
#pragma once

#include <cstdint>

namespace tp::rt {

inline constexpr unsigned kMaxCoreKinds = 4;

// The types of the PMUs for perf_event_open, where there is more than one; else count is 0.
struct CoreKinds {
  unsigned count = 0;
  std::uint32_t pmu[kMaxCoreKinds] = {};
};

// Reads sysfs; `devices` is /sys/bus/event_source/devices. `count` is 0 if nothing is found there.
CoreKinds find_core_kinds(const char* devices);

} // namespace tp::rt
