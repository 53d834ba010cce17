// SPDX-License-Identifier: Apache-2.0
// PLAIN SECTIONS: the commonest critical sections, for the hooks, without any call: a lock that the thread has
// acquired before, by the same code, called in the same way; it need not wait, no thread waits for it, no
// step ends meanwhile, and the clock needs no new anchor. The same records as lock_records.cpp writes for the
// same events, with fewer questions and no saved registers. Each function returns false, having changed nothing
// that matters, where the section is not plain: lock_records.cpp's takes over. Hot.
#pragma once

#include "builder/lock_records.h"
#include "builder/plain_steps.h"
#include "builder/thread_state.h"

namespace tp::rt {

// A signal handler may use locks while the thread is here: it finds the state as it was, or as it will
// be, and is ignored. Of hooks, for threads that are in no other one.
class BusyInHook {
public:
  explicit BusyInHook(ThreadState& thread) noexcept : thread_(thread) {
    thread.outside_of_step = 1;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~BusyInHook() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    thread_.outside_of_step = 0;
  }
  BusyInHook(const BusyInHook&) = delete;
  BusyInHook& operator=(const BusyInHook&) = delete;

private:
  ThreadState& thread_;
};

// As take_lock(), of a thread for which nothing is outside of the step. `code`: LockPlace::counted_code().
TP_HOT bool take_plainly(ThreadState& thread, const Frame& frame, const void* lock, unsigned mode,
                         unsigned kind, const void* caller, const void* code,
                         const void* frame_of_hook) noexcept {
  const BusyInHook busy(thread);
  LockState& locks = *thread.locks;
  const KnownUse& known = locks.use_of(lock, code);
  if (known.use.address != reinterpret_cast<std::uint64_t>(lock) || known.use.code != code ||
      known.caller != caller || known.use.mode != mode || known.use.kind != kind ||
      known.generation_at->load(std::memory_order_relaxed) != known.use.generation ||
      locks.waits != 0 || locks.contended || locks.held_count == kMostHeldLocks ||
      known.found->path != known.path || !known.found->is_of(frame_of_hook, task_stack_of(frame)))
      [[unlikely]]
    return false;
  HeldLock& held = locks.held[locks.held_count];
  static_cast<LockUse&>(held) = known.use;
  held.state = {};
  held.waited = 0;
  thread.extras |= kExtraLocks;
  Reading now;
  if (!read_plainly(thread.clock, now)) [[unlikely]]
    return false;
  held.taken_at = elapsed_since(thread.step_work, now.work);
  ++locks.held_count;
  return true;
}

// If the section directly follows another one of the same lock and place: writes it, in short. So the step is
// the same, and its begin is written.
TP_HOT bool put_section_again(ThreadState& thread, LockState& locks, const HeldLock& held,
                              std::uint64_t work) noexcept {
  TraceWriter& writer = thread.writer;
  std::byte* const at = writer.room_for(2);
  const std::uint64_t lead = held.taken_at - locks.section_end;
  if (at == nullptr || at != writer.after_section || locks.section_of != held.address ||
      locks.section_generation != held.generation || locks.section_recorded != held.recorded() ||
      (lead | work) > UINT16_MAX || held.waited != 0) [[unlikely]]
    return false;
  locks.section_end = held.taken_at + work;
  std::byte* const end = trace::RecordEncoder::section_again(at, lead, work, held.flags);
  writer.after_section = end;
  writer.advance(end);
  return true;
}

// As give_lock_at(), of a thread for which nothing is outside of the step, which samples no sections, and holds
// a lock.
TP_HOT bool give_plainly(ThreadState& thread, const void* lock, const Reading& now) noexcept {
  LockState& locks = *thread.locks;
  const HeldLock& held = locks.held[locks.held_count - 1];
  const auto address = reinterpret_cast<std::uint64_t>(lock);
  // With such a state the step of the acquisition is open: its end writes a Take.
  if (held.address != address || !held.state.is_none() || locks.waits != 0 ||
      is_awaited(address, held.kind)) [[unlikely]]
    return false;
  const BusyInHook busy(thread);
  // Less than nothing is more than the short record can say.
  if (!put_section_again(thread, locks, held, now.work - thread.step_work - held.taken_at))
      [[unlikely]]
    return false;
  --locks.held_count;
  return true;
}

} // namespace tp::rt
