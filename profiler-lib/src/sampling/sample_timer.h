// SPDX-License-Identifier: Apache-2.0
// SAMPLE TIMER: the substitute for perf events where these are not permitted: a timer for the CPU time of
// each thread, and a signal. The kernel looks at such timers at its tick only, so that there are at most
// as many samples per second. One for each thread, created and ended under the sampler's lock.
//
// The handler runs in the program's threads, at any point: it makes no call but timer_settime, takes no
// lock, and leaves errno as it is. It copies what it needs to memory of the thread's own, from where the
// sampler's thread takes it.
#pragma once

#include "sampling/sample_event.h"

#include <cstddef>
#include <cstdint>

namespace tp::rt {

struct SampleTimer;

// Chooses a realtime signal that the process does not use, and sets its handler. Returns 0 or an errno.
int choose_sample_signal();
// The kernel's ticks per second, which no rate exceeds; 0: not known.
std::uint32_t most_timer_samples();
// For the calling thread. Null: errno says why not.
SampleTimer* start_sample_timer(const SamplingPlan& plan, std::uint64_t period_ns);
// By any thread; then nothing refers to it any more. In a fork()ed child there is no timer.
void end_sample_timer(SampleTimer* timer, bool in_child = false) noexcept;

// As drain_ring().
RingContent drain_timer(SampleTimer& timer, std::uint32_t stream, std::uint32_t os_thread,
                        std::byte* out, std::size_t room) noexcept;

// Before the library is unloaded: a signal that is still on its way must not find its handler gone.
void ignore_sample_signal() noexcept;

} // namespace tp::rt
