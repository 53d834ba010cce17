// SPDX-License-Identifier: Apache-2.0
// See outside_of_step.h. What was counted meanwhile is added to where the step began, so that the
// step does not contain it.
#include "builder/outside_of_step.h"

#include <cerrno>
#include <cstring>

namespace tp::rt {

OutsideOfStep::OutsideOfStep(ThreadState& thread, Frame& frame) noexcept
    : thread_(thread), frame_(frame), begin_(read_clock(thread.clock)),
      begin_asleep_(thread.clock.asleep), begin_waited_(thread.clock.waited),
      begin_known_sleep_(thread.clock.known_sleep), errno_(errno) {
  ++thread.outside_of_step;
  read_extra_events(thread.clock);
  std::memcpy(begin_extra_, thread.clock.extra, sizeof begin_extra_);
}

OutsideOfStep::~OutsideOfStep() {
  const Reading end = read_clock(thread_.clock);
  read_extra_events(thread_.clock);
  --thread_.outside_of_step;
  errno = errno_;
  thread_.clock.asleep = begin_asleep_;
  thread_.clock.waited = begin_waited_;
  thread_.clock.known_sleep = begin_known_sleep_;
  // In a call of the runtime's (tp_on_runtime_call) it is outside anyway.
  if (!frame_.step_open || thread_.in_runtime_call)
    return;
  thread_.step_work += end.work - begin_.work;
  thread_.between_steps[kOfEvents] += end.work - begin_.work;
  thread_.step_time += end.time - begin_.time;
  frame_.region_mark += end.work - begin_.work;
  if (thread_.locks != nullptr && thread_.locks->waits != 0)
    thread_.locks->leave_out_of_wait(end.work - begin_.work, end.time - begin_.time);
  for (unsigned i = 0; i < kMaxExtraEvents; ++i)
    thread_.step_extra[i] += thread_.clock.extra[i] - begin_extra_[i];
}

} // namespace tp::rt
