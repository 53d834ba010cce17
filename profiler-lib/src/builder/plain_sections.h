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

#include <utility>

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

// As take_lock(), of a thread for which nothing is outside of the step. `asked`: asked_for(). `code`:
// LockPlace::counted_code().
TP_HOT bool take_plainly(ThreadState& thread, LockState& locks, const Frame& frame,
                         const void* lock, unsigned asked, const void* caller, const void* code,
                         const void* frame_of_hook) noexcept {
  const BusyInHook busy(thread);
  const KnownUse& known = locks.use_of(lock, code);
  const std::uint64_t count = locks.plainly_held();
  if (known.use.address != reinterpret_cast<std::uint64_t>(lock) || known.use.code != code ||
      known.caller != caller || known.use.asked != asked ||
      known.generation_at->load(std::memory_order_relaxed) != known.use.generation ||
      count >= kMostHeldLocks || known.found->path != known.path ||
      !known.found->is_of(frame_of_hook, task_stack_of(frame))) [[unlikely]]
    return false;
  HeldLock& held = locks.held[count];
  static_cast<LockUse&>(held) = known.use;
  held.state = {};
  held.waited = 0;
  thread.extras |= kExtraLocks;
  Reading now;
  if (!read_plainly(thread.clock, now) || now.work < thread.step_work) [[unlikely]]
    return false;
  held.taken_at = now.work - thread.step_work;
  locks.hold_plainly(count + 1);
  return true;
}

// The record that was written ends there.
TP_HOT void end_section_at(TraceWriter& writer, LockState& locks, std::uint64_t position,
                           std::byte* end) noexcept {
  locks.section_end = position;
  writer.after_section = end;
  writer.advance(end);
}

// Writes a section that directly follows another section record, in short, if it can be. So the step is the same,
// and its begin is written. `follows`: a section of the same lock and place; else one of those that a SectionTurn
// means.
TP_HOT bool put_briefly(TraceWriter& writer, LockState& locks, const HeldLock& held,
                        std::uint64_t work, bool follows) noexcept {
  std::byte* const at = writer.cursor();
  const std::uint64_t lead = held.taken_at - locks.section_end;
  std::byte* end = nullptr;
  if (!follows) {
    if (!trace::RecordEncoder::is_turn(lead + trace::kTurnLead, work))
      return false;
    std::swap(locks.section, locks.turn);
    end = trace::RecordEncoder::section_turn(at, lead + trace::kTurnLead, work);
  } else if (trace::RecordEncoder::is_near(lead, work)) {
    end = trace::RecordEncoder::section_near(at, lead, work);
  } else if ((lead | work) <= UINT16_MAX) {
    end = trace::RecordEncoder::section_again(at, lead, work, held.flags);
  } else {
    return false;
  }
  end_section_at(writer, locks, held.taken_at + work, end);
  return true;
}
// Does the next record directly follow a section record?
TP_HOT bool follows_section(const TraceWriter& writer) noexcept {
  return writer.has_room(2) && writer.cursor() == writer.after_section;
}

// Before the whole record of a section that follows one of another lock, where two records have room: the next ones may be
// SectionOfUse. False: it is known in this chunk, or no use.
TP_HOT bool put_use(TraceWriter& writer, LockState& locks, const HeldLock& held) noexcept {
  std::uint32_t& written = locks.written_uses[held.use];
  if (held.use == 0 || written == writer.chunks())
    return false;
  // Where locks share an entry of `uses` it is soon another one's again, and not worth the record.
  if (written >= LockState::kNotWritten && written < LockState::kNotWritten + 4) {
    ++written;
    return false;
  }
  writer.advance(trace::RecordEncoder::lock_use(
      writer.cursor(), {held.place, held.slot, static_cast<std::uint8_t>(held.use - 1u),
                        static_cast<std::uint8_t>(held.flags & trace::kLockShared)}));
  written = writer.chunks();
  return true;
}

// The whole record of a section was written: of the lock and place that short ones mean from here on. `follows`: directly
// after another section.
TP_HOT void begin_sections_of(TraceWriter& writer, LockState& locks, const HeldLock& held,
                              std::uint64_t work, bool follows) noexcept {
  writer.after_section = writer.cursor();
  locks.section_end = held.taken_at + work;
  locks.turn = follows ? locks.section : LastSection{};
  locks.section = {held.address, held.recorded(), held.generation,
                   held.use != 0 ? held.use : LastSection::kNoUse};
}

// As give_lock_at(), of a thread for which nothing is outside of the step, which samples no sections, and holds
// a lock: if that is the one that it has acquired last, and the section is short, and directly follows another
// one: of the same lock and place, or of one of those that the thread uses in turn.
TP_HOT bool give_plainly(ThreadState& thread, LockState& locks, const void* lock,
                         std::uint64_t count, std::uint64_t work) noexcept {
  const BusyInHook busy(thread);
  const HeldLock& held = locks.held[count - 1];
  const auto address = reinterpret_cast<std::uint64_t>(lock);
  TraceWriter& writer = thread.writer;
  const std::uint64_t position = work - thread.step_work;
  const std::uint64_t lead = held.taken_at - locks.section_end, length = position - held.taken_at;
  if (held.address != address || !follows_section(writer) || is_awaited(address, held.kind))
      [[unlikely]]
    return false;
  std::byte* end = nullptr;
  if (held.use == locks.section.use) {
    if (!trace::RecordEncoder::is_near(lead, length)) [[unlikely]]
      return false;
    end = trace::RecordEncoder::section_near(writer.cursor(), lead, length);
  } else {
    // Twice the same one: the next whole record makes it the one that takes fewer bytes.
    if (locks.written_uses[held.use] != writer.chunks() || held.use == locks.last_use ||
        !trace::RecordEncoder::is_of_use(lead + trace::kTurnLead, length)) [[unlikely]]
      return false;
    locks.last_use = held.use;
    end = trace::RecordEncoder::section_of_use(writer.cursor(), held.use - 1u,
                                               lead + trace::kTurnLead, length);
  }
  end_section_at(writer, locks, position, end);
  locks.hold_plainly(count - 1);
  return true;
}

// Likewise, of the lock that it has acquired last or before that, if the section directly follows another one.
TP_HOT bool give_in_turn(ThreadState& thread, LockState& locks, const void* lock,
                         std::uint64_t count, std::uint64_t work) noexcept {
  const auto address = reinterpret_cast<std::uint64_t>(lock);
  const BusyInHook busy(thread);
  HeldLock* const last = &locks.held[count - 1];
  HeldLock* held = last;
  if (held->address != address) {
    // Of one that has waited there is more than become() copies.
    if (count < 2 || last->use == 0)
      return false;
    --held;
    if (held->address != address)
      return false;
  }
  const bool follows = held->use == locks.section.use;
  if ((!follows && (held->use == 0 || held->use != locks.turn.use)) ||
      !follows_section(thread.writer) || is_awaited(address, held->kind) ||
      !put_briefly(thread.writer, locks, *held, work - thread.step_work - held->taken_at, follows))
    return false;
  if (held != last)
    held->become(*last);
  locks.hold_plainly(count - 1);
  return true;
}

// Likewise, of the lock that it has acquired last, if the section directly follows one of other locks: a whole record.
TP_HOT bool give_whole_plainly(ThreadState& thread, LockState& locks, const void* lock,
                               std::uint64_t count, std::uint64_t work) noexcept {
  const auto address = reinterpret_cast<std::uint64_t>(lock);
  const BusyInHook busy(thread);
  const HeldLock& held = locks.held[count - 1];
  const std::uint64_t length = work - thread.step_work - held.taken_at;
  TraceWriter& writer = thread.writer;
  if (held.address != address || held.use == 0 || !follows_section(writer) ||
      !trace::RecordEncoder::is_usual_section(held.taken_at, length, held.place) ||
      !locks.slots.is(held.slot, {address, held.generation, held.kind}) ||
      is_awaited(address, held.kind))
    return false;
  const bool is_known = !put_use(writer, locks, held);
  writer.advance(trace::RecordEncoder::usual_section(writer.cursor(), held.taken_at, length,
                                                     held.slot, held.place, held.flags));
  begin_sections_of(writer, locks, held, length, /*follows=*/is_known);
  locks.last_use = 0;
  locks.hold_plainly(count - 1);
  return true;
}

} // namespace tp::rt
