// CAUSAL REGIONS: the part of each step that lies between causal_begin and causal_end (TaskProf,
// FSE 2017, section 3.3). Regions belong to the frame, not to the thread: while a task waits inside
// a region the thread may run other tasks, and those are not in it. Nested regions: the outermost
// counts. Hot, but for the first use of a region.
#pragma once

#include "builder/thread_state.h"

namespace tp::rt {

void begin_region(ThreadState& thread, Frame& frame, tp_region& region) noexcept;
void end_region(ThreadState& thread, Frame& frame, tp_region& region) noexcept;

// Adds work of the open step to a region. The step closes with room for kRegionsPerStep different
// regions; further ones are dropped from the what-if analysis of that step (counted by nobody
// rather than by the wrong one).
void add_region_work(ThreadState& thread, std::uint32_t region, std::uint64_t work) noexcept;

// The step turned out to have only `work`: its regions have no more together.
void trim_regions(ThreadState& thread, std::uint64_t work) noexcept;

// At the closing of a step: what the open region got, up to `work_now`. At the opening: counts from
// `work_now` on.
TP_HOT void pause_region(ThreadState& thread, Frame& frame, std::uint64_t work_now) noexcept {
  if (frame.region != 0) [[unlikely]]
    add_region_work(thread, frame.region - 1, work_now - frame.region_mark);
}
TP_HOT void continue_region(Frame& frame, std::uint64_t work_now) noexcept {
  if (frame.region != 0) [[unlikely]]
    frame.region_mark = work_now;
}

} // namespace tp::rt
