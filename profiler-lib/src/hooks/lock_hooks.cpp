// SPDX-License-Identifier: Apache-2.0
// The C entry points of tp/hooks.h for locks, and for code that waits. Hot. Locks that a thread takes
// before its first event, outside of steps (while it waits, or in the scheduler's code), in a pause, and
// in the runtime's or the library's own code are ignored, here and when they are given.
#include "builder/lock_records.h"
#include "builder/plain_sections.h"
#include "hooks/current_thread.h"
#include "session/session.h"
#include "sites/lock_places.h"

using namespace tp::rt;

namespace {

// Null: what the thread does with locks now is not recorded.
TP_HOT ThreadState* thread_in_step() noexcept {
  ThreadState* const thread = thread_state();
  if (thread == nullptr || !top(*thread).step_open || thread->step_pause == tp::Pause::Now ||
      thread->outside_of_step != 0)
    return nullptr;
  return thread;
}

TP_HOT ThreadState* thread_outside_of_runtime() noexcept {
  ThreadState* const thread = thread_state();
  return thread == nullptr || thread->outside_of_step != 0 ? nullptr : thread;
}

// Of a hook, for what it calls: the path of calls begins there. The hook ends with TP_KEEP_FRAME.
#define TP_FRAME __builtin_frame_address(0)

// Locks of OpenMP's constructs are the program's, from wherever they are acquired.
bool is_openmp(unsigned kind) noexcept {
  return (kind >= TP_LOCK_OMP_CRITICAL && kind <= TP_LOCK_OMP_ORDERED) ||
         kind == TP_LOCK_OMP_ATOMIC || kind == TP_LOCK_OMP_MUTEXINOUTSET;
}
bool is_own(const void* caller) noexcept {
  return own_code.contains(reinterpret_cast<std::uintptr_t>(caller));
}

// `code`: of the section, if that is not the caller.
[[gnu::noinline]] void take(ThreadState& thread, const void* lock, unsigned kind_and_mode,
                            const void* caller, const void* code, const void* frame) noexcept {
  if (is_own(caller)) {
    if (!is_openmp(kind_and_mode & 0xff))
      return forget_lock_wait(thread);
    caller =
        nullptr; // libomp reports an address of its own now and then: the program's is on the stack
  }
  take_lock(thread, top(thread), lock, kind_and_mode >> 8,
            {kind_and_mode & 0xff, caller, nullptr, code, frame});
}
// What is not plain.
[[gnu::noinline]] void take_otherwise(ThreadState& thread, const void* lock, unsigned asked,
                                      const void* caller, const void* frame) noexcept {
  if (samples_sections(thread) &&
      (skip_short_section(thread, lock, asked >> 8, caller, /*counts=*/false) ||
       take_plainly(thread, *thread.locks, top(thread), lock, asked, caller, caller, frame)))
    return;
  take(thread, lock, asked, caller, nullptr, frame);
}

[[gnu::noinline]] int give_otherwise(ThreadState& thread, LockState& locks, const void* lock,
                                     const Reading now) noexcept {
  if (give_in_turn(thread, locks, lock, locks.held_count, now.work) ||
      give_whole_plainly(thread, locks, lock, locks.held_count, now.work))
    return 1;
  return give_lock_at(thread, top(thread), lock, now);
}

[[gnu::noinline]] void take_users(ThreadState& thread, const void* lock, unsigned mode,
                                  const void* caller, const tp_lock_place* place,
                                  const void* frame) noexcept {
  if (!skip_section(thread, lock, mode, place != nullptr ? place : caller))
    take_lock(thread, top(thread), lock, mode, {TP_LOCK_USER, caller, place, nullptr, frame});
}

} // namespace

#define TP_EXPORT [[gnu::visibility("default")]]

extern "C" {

TP_EXPORT void tp_on_lock_wait_for(const void* lock) noexcept {
  if (ThreadState* thread = thread_in_step())
    begin_lock_wait(*thread, top(*thread), lock);
}

TP_EXPORT void tp_on_lock_wait(void) noexcept {
  tp_on_lock_wait_for(nullptr);
}

TP_EXPORT void tp_on_lock_wait_end(int failed) noexcept {
  ThreadState* const thread = thread_outside_of_runtime();
  if (thread == nullptr)
    return;
  end_lock_wait(*thread, top(*thread), failed == 1);
  if (failed == 2)
    forget_lock_wait(*thread);
}

TP_EXPORT void tp_on_lock_taken(const void* lock, unsigned kind, unsigned mode,
                                const void* caller) noexcept {
  ThreadState* const thread = thread_in_step();
  if (thread == nullptr)
    return;
  if (caller == nullptr && (mode & TP_LOCK_BY_LIBRARY) == 0)
    caller = __builtin_return_address(0);
  LockState* const locks = thread->timed_locks;
  if (locks == nullptr || !take_plainly(*thread, *locks, top(*thread), lock, asked_for(kind, mode),
                                        caller, caller, TP_FRAME)) [[unlikely]]
    take_otherwise(*thread, lock, asked_for(kind, mode), caller, TP_FRAME);
  TP_KEEP_FRAME();
}

TP_EXPORT void tp_on_counted_lock_taken(const void* lock, unsigned kind, unsigned mode,
                                        const void* caller) noexcept {
  ThreadState* const thread = thread_in_step();
  if (thread == nullptr)
    return;
  const void* code = counting_code();
  const bool is_clients = (mode & TP_LOCK_BY_LIBRARY) == 0 ||
                          !own_code.contains(reinterpret_cast<std::uintptr_t>(code) << 8 >> 8);
  if (!is_clients)
    code = nullptr; // of many clients
  if (skip_section(*thread, lock, mode, code, /*counts=*/is_clients))
    return;
  if (caller == nullptr && (mode & TP_LOCK_BY_LIBRARY) == 0)
    caller = __builtin_return_address(0);
  if (thread->locks == nullptr || !take_plainly(*thread, *thread->locks, top(*thread), lock,
                                                asked_for(kind, mode), caller, code, TP_FRAME))
    take(*thread, lock, asked_for(kind, mode), caller, code, TP_FRAME);
  TP_KEEP_FRAME();
}

TP_EXPORT void tp_on_lock_try_failed(const void* lock, unsigned kind, unsigned mode,
                                     const void* caller) noexcept {
  ThreadState* const thread = thread_in_step();
  if (thread == nullptr)
    return;
  if (caller == nullptr && (mode & TP_LOCK_BY_LIBRARY) == 0)
    caller = __builtin_return_address(0);
  if (is_own(caller)) {
    if (!is_openmp(kind))
      return;
    caller = nullptr; // as take()
  }
  note_failed_try(*thread, top(*thread), lock, {kind, caller, nullptr, nullptr, TP_FRAME},
                  (mode & TP_LOCK_MAY_SUCCEED) != 0);
  TP_KEEP_FRAME();
}

TP_EXPORT int tp_on_lock_given(const void* lock) noexcept {
  ThreadState* const thread = thread_outside_of_runtime();
  if (thread == nullptr)
    return 0;
  LockState* const locks = thread->timed_locks;
  Reading now;
  if (locks == nullptr) [[unlikely]]
    return give_lock(*thread, top(*thread), lock);
  const std::uint64_t count = locks->plainly_held();
  if (count - 1 >= kMostHeldLocks || !read_plainly(thread->clock, now)) [[unlikely]]
    return give_lock(*thread, top(*thread), lock);
  if (give_plainly(*thread, *locks, lock, count, now.work)) [[likely]]
    return 1;
  return give_otherwise(*thread, *locks, lock, now);
}

TP_EXPORT int tp_on_lock_release(const void* lock) noexcept {
  ThreadState* const thread = thread_outside_of_runtime();
  return thread != nullptr && begin_release(*thread, top(*thread), lock) ? 1 : 0;
}

TP_EXPORT void tp_on_lock_released(void) noexcept {
  if (ThreadState* const thread = thread_outside_of_runtime())
    end_release(*thread, top(*thread));
}

TP_EXPORT void tp_on_lock_renewed(const void* lock) noexcept {
  count_lock_generation(reinterpret_cast<std::uint64_t>(lock));
}

TP_EXPORT void tp_on_node_lock_made(const void* lock) noexcept {
  const auto address = reinterpret_cast<std::uint64_t>(lock);
  count_lock_generation(address);
  if (recording() == Recording::On)
    forget_node_of_lock(address);
}

TP_EXPORT void tp_name_node_locks(const void* node, unsigned long size, const char* what,
                                  const void* site) noexcept {
  ThreadState* const thread = tp_locks_are_on != 0 ? thread_state_or_create() : nullptr;
  if (thread == nullptr)
    return;
  Frame& frame = top(*thread);
  const OutsideOfStep outside(*thread, frame);
  const void* const task_stack = task_stack_of(frame);
  std::uint64_t path = thread->call_paths.find(task_stack);
  if (path == CallPaths::kUnlearned)
    path = thread->call_paths.learn(task_stack);
  register_node(node, size, what, site, __builtin_return_address(0), path, task_stack);
}

TP_EXPORT void tp_on_user_lock_taken(const void* lock, unsigned mode,
                                     const tp_lock_place* place) noexcept {
  ThreadState* const thread = thread_in_step();
  const void* const caller = __builtin_return_address(0);
  if (thread == nullptr)
    return;
  // A name without a line says nothing of the code.
  LockState* const locks = thread->timed_locks;
  if (locks == nullptr || place == nullptr || place->line == 0 ||
      !take_plainly(*thread, *locks, top(*thread), lock, asked_for(TP_LOCK_USER, mode), caller,
                    place, TP_FRAME))
    take_users(*thread, lock, mode, caller, place, TP_FRAME);
  TP_KEEP_FRAME();
}

TP_EXPORT void tp_on_user_lock_try_failed(const void* lock, const tp_lock_place* place) noexcept {
  if (ThreadState* const thread = thread_in_step())
    note_failed_try(*thread, top(*thread), lock,
                    {TP_LOCK_USER, __builtin_return_address(0), place, nullptr, TP_FRAME},
                    /*may_succeed=*/false);
  TP_KEEP_FRAME();
}

TP_EXPORT void tp_on_counted_user_lock_taken(const void* lock, unsigned mode,
                                             const tp_lock_place* place) noexcept {
  ThreadState* const thread = thread_in_step();
  if (thread != nullptr && !skip_section(*thread, lock, mode, place, /*counts=*/true))
    take_lock(*thread, top(*thread), lock, mode,
              {TP_LOCK_USER, __builtin_return_address(0), place, nullptr, TP_FRAME});
  TP_KEEP_FRAME();
}

TP_EXPORT void tp_on_named_lock_taken(const void* lock, unsigned kind, unsigned mode,
                                      const void* caller, const tp_lock_place* name) noexcept {
  ThreadState* const thread = thread_in_step();
  if (thread != nullptr && !skip_section(*thread, lock, mode, caller))
    take_lock(*thread, top(*thread), lock, mode, {kind, caller, name, nullptr, TP_FRAME});
  TP_KEEP_FRAME();
}

TP_EXPORT void tp_on_busy_wait(void) noexcept {
  if (ThreadState* thread = thread_in_step())
    begin_busy_wait(*thread, top(*thread));
}

TP_EXPORT void tp_on_busy_wait_end(void) noexcept {
  if (ThreadState* thread = thread_outside_of_runtime())
    end_lock_wait(*thread, top(*thread), /*failed=*/false);
}

TP_EXPORT void tp_c_locks_are_seen(void) noexcept {
  set_c_locks_seen();
}

} // extern "C"
