// SPDX-License-Identifier: Apache-2.0
// MACHINE TIME: how long the CPUs of the machine were busy, with whatever it was.
#pragma once

#include <cstdint>

namespace tp::rt {

// Of all CPUs together, since the machine was started: processes, the kernel, interrupts, and what a hypervisor had. Counted
// by the kernel's tick, so short times are rough. Not known where the kernel does not say, or a container has its own
// count. Reads a file.
struct MachineTime {
  bool known = false;
  std::uint64_t busy_ns = 0;
};
MachineTime read_machine_time() noexcept;

} // namespace tp::rt
