// Kinds of cores with a PMU each (P and E cores of x86-64, big.LITTLE): an event of perf_event_open
// counts on the cores of one PMU only. Cold: once per process.
#pragma once

#include <cstdint>

namespace tp::rt {

inline constexpr unsigned kMaxCoreKinds = 4;

// The types of the PMUs for perf_event_open, where there is more than one; else count is 0.
struct CoreKinds {
  unsigned count = 0;
  std::uint32_t pmu[kMaxCoreKinds] = {};
};

// As sysfs tells; `devices` is /sys/bus/event_source/devices. One kind if it tells nothing.
CoreKinds find_core_kinds(const char* devices);

} // namespace tp::rt
