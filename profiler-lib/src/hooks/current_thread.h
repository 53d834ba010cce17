// The calling thread's state and frame, as the hooks see them. Hot.
//
// A thread without a state (its first event, or after a fork) gets one here; while nothing is
// recorded every hook is two loads and a branch.
#pragma once

#include "base/recording_state.h"
#include "builder/outside_of_step.h"
#include "sites/site_registry.h"

namespace tp::rt {

// Gives the thread a state, if it is to be recorded.
TP_COLD ThreadState* first_event(bool is_worker) noexcept;

// The state of a thread that has had events; null if nothing is to be recorded.
TP_HOT ThreadState* known_thread() noexcept {
  return recording() == Recording::On ? this_thread : nullptr;
}

// The same, but an external thread that comes for the first time is welcome.
TP_HOT ThreadState* any_thread() noexcept {
  ThreadState* const thread = known_thread();
  if (thread == nullptr) [[unlikely]]
    return recording() == Recording::Off ? nullptr : first_event(false);
  return thread;
}

TP_HOT Frame& top(ThreadState& thread) noexcept {
  return *thread.frame.load(std::memory_order_relaxed);
}

// Does the frame have steps now? Not while it waits, and never at the bottom of a worker or of a
// borrowed stack: the scheduler's code there (observers, callbacks of suspended tasks) is no task's.
TP_HOT bool has_steps(const ThreadState& thread, const Frame& frame) noexcept {
  return frame.waits == 0 && &frame != &thread.base &&
         !(thread.is_worker && &frame == &thread.root);
}

// The id of a site record, with kInternalSite.
TP_HOT std::uint32_t id_of_site(ThreadState& thread, Frame& frame, const void* site) noexcept {
  const auto key = reinterpret_cast<std::uint64_t>(site);
  std::uint32_t id = thread.sites.find(key);
  if (id == 0) [[unlikely]] {
    const OutsideOfStep outside(thread, frame);
    id = register_site(site);
    thread.sites.remember(key, id);
  }
  return id;
}

} // namespace tp::rt
