// SPDX-License-Identifier: Apache-2.0
// OPENMP USE: whether the program used an OpenMP runtime that is not recorded. A runtime creates threads when a region
// first needs them, and reports to tools only; so what shows the use is those threads. Where nothing sees their creation
// (without tp-run's preloaded library) it is not known. Any thread. Cold.
#pragma once

#include "base/attributes.h"

#include <cstdint>
#include <string>

namespace tp::rt {

struct OpenMpUse {
  std::string runtime; // the path of a loaded runtime, whatever needs it; empty: there is none
  std::uint64_t threads = 0; // that a runtime which is not recorded has created, in this process
};

// The program contains a runtime that was linked statically.
void expect_openmp_in_program() noexcept;

// A thread was created by a call from there, which is not code of a recorded runtime.
TP_COLD void note_creator(const void* caller) noexcept;

// In a fork()ed child, which has none of these threads.
void forget_openmp_threads() noexcept;

TP_COLD OpenMpUse openmp_use();

} // namespace tp::rt
