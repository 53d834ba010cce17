// SPDX-License-Identifier: Apache-2.0
// CAUSAL REGIONS: the work of each step between causal_begin and causal_end (TaskProf, ESEC/FSE
// 2017, section 3.3). A region belongs to the frame, not to the thread: while a task waits inside a
// region the thread may run other tasks, which are not in it. Of nested regions the outermost
// counts. Called by the hooks and the builder, on the thread that owns the state. Hot, except for
// the first use of a region.
#pragma once

#include "builder/thread_state.h"

namespace tp::rt {

// The frame enters a region, and leaves it. A call that does not match is reported on stderr.
void begin_region(ThreadState& thread, Frame& frame, tp_region& region) noexcept;
void end_region(ThreadState& thread, Frame& frame, tp_region& region) noexcept;

// Adds work of the open step to a region. Warns, once per process, if memory runs out.
void add_region_work(ThreadState& thread, std::uint32_t region, std::uint64_t work) noexcept;

// When a step closes, its work up to the clock reading `work_now` is added to the open region; when
// the next one opens, the region counts from `work_now` on.
TP_HOT void pause_region(ThreadState& thread, Frame& frame, std::uint64_t work_now) noexcept {
  if (frame.region != 0) [[unlikely]]
    add_region_work(thread, frame.region - 1, work_now - frame.region_mark);
}
TP_HOT void continue_region(Frame& frame, std::uint64_t work_now) noexcept {
  if (frame.region != 0) [[unlikely]]
    frame.region_mark = work_now;
}

} // namespace tp::rt
