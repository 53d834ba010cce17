// SPDX-License-Identifier: Apache-2.0
// The calling thread's state and frame, for the hooks. Hot.
//
// A thread without a state (before its first event, or after a fork) gets one here. While nothing
// is recorded every hook costs two loads and a branch.
#pragma once

#include "base/recording_state.h"
#include "builder/outside_of_step.h"
#include "sites/call_path.h"
#include "sites/site_registry.h"

namespace tp::rt {

// Makes the calling thread's state and, for an external thread, opens its first step. Null: it is
// not recorded.
TP_COLD ThreadState* create_thread_state(trace::ThreadRole role) noexcept;

// The state of the calling thread; null if it has none, or if nothing is recorded.
TP_HOT ThreadState* thread_state() noexcept {
  return recording() == Recording::On ? this_thread : nullptr;
}

// The same, but an external thread without a state gets one.
TP_HOT ThreadState* thread_state_or_create() noexcept {
  ThreadState* const thread = thread_state();
  if (thread == nullptr) [[unlikely]]
    return recording() == Recording::Off ? nullptr
                                         : create_thread_state(trace::ThreadRole::External);
  return thread;
}

// The thread's current frame.
TP_HOT Frame& top(ThreadState& thread) noexcept {
  return *thread.frame.load(std::memory_order_relaxed);
}

// Can the frame have a step now? Not while it waits, and never at the bottom of a worker or of a
// stack that the library lent: the scheduler's code there (observers, callbacks of suspended tasks)
// belongs to no task.
TP_HOT bool has_steps(const ThreadState& thread, const Frame& frame) noexcept {
  return frame.waits == 0 && &frame != &thread.base &&
         (thread.has_root_steps || &frame != &thread.root);
}

// For a site or a path of calls that the thread has not met.
TP_COLD std::uint32_t learn_site(ThreadState& thread, Frame& frame, const void* record,
                                 Notes notes) noexcept;

// The number of a call's site, from its record and the path of calls that led here, from the
// thread's cache if possible; with kInternalSite where that applies.
TP_HOT std::uint32_t id_of_site(ThreadState& thread, Frame& frame, const void* record,
                                Notes notes = Notes::Used) noexcept {
  const std::uint32_t kind = thread.sites.find(record_key(record));
  if ((kind & kInternalSite) != 0)
    return kind;
  const std::uint64_t path = thread.call_paths.find(task_stack_of(frame));
  const std::uint32_t id =
      path != CallPaths::kUnlearned ? thread.sites.find(record_key(record, path)) : 0;
  return id != 0 ? id : learn_site(thread, frame, record, notes);
}

} // namespace tp::rt
