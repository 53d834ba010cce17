// SPDX-License-Identifier: Apache-2.0
// LOCK RECORDS: critical sections of the program, and the time in which it waits for locks. A section
// that begins and ends in one step is one record, Section, written when the lock is released; one that
// crosses the end of a step is a Take and a Give. (Why work inside sections bounds the speedup: Eyerman
// and Eeckhout, ISCA 2010; what the analyzer makes of it is its own.)
//
// Waiting is not work: what the clock of work advances between the first failed attempt and the
// acquisition is taken out of the step, whose begin moves forward by as much. So positions in a step, and
// the work inside of sections, never contain a wait.
//
// Of an aggregator (concurrent_priority_queue, nodes of flow graphs) one thread at a time does the operations of all that have asked for some.
// Its section contains them all; those of the others are empty, after the wait (TP_LOCK_DONE).
//
// Where a thread tries to acquire a lock, and does not wait if that fails, what it does until it tries again stays
// work: it may be work, or a loop that waits. LockTries says how much there is of it.
//
// All functions run on the thread that owns the state; `frame` is on top of its frames. Hot, except for
// those marked as cold.
#pragma once

#include "builder/thread_state.h"

namespace tp::rt {

// Of a place where locks are acquired: a number of sites.jsonl, found by who asks.
struct LockPlace {
  unsigned kind;      // tp_lock_kind
  const void* caller; // an address in the code that acquires the lock; null: libtbb's caller
  const tp_lock_place* stated;   // by an annotation; without a line, its name only; else null
  const void* counted = nullptr; // by which its short sections are known; null: its code
  // __builtin_frame_address(0) in the hook.
  const void* frame = nullptr;

  // A mere name is one of locks, not of the code that acquires them.
  bool has_name_only() const noexcept { return stated != nullptr && stated->line == 0; }
  const void* code() const noexcept {
    return stated != nullptr && !has_name_only() ? static_cast<const void*>(stated) : caller;
  }
  const void* counted_code() const noexcept { return counted != nullptr ? counted : code(); }
};

// Whether threads that take their first lock from here on sample short sections. By any thread.
void sample_short_sections(bool on) noexcept;
// Whether it is recorded from here on when threads wait (trace::WaitedPayload): where samples are taken. By any thread, once
// the clock is known.
void note_waits(bool on) noexcept;

// True: the acquisition of a lock is counted, and its section not timed (short_sections.h). Else:
// take_lock().
// `counts`: the code of the lock can count its sections without a call from here on (tp/counted_locks.h).
bool skip_short_section(ThreadState& thread, const void* lock, unsigned mode, const void* code,
                        bool counts) noexcept;
TP_HOT bool samples_sections(const ThreadState& thread) noexcept {
  return thread.locks != nullptr && thread.locks->samples_sections();
}
TP_HOT bool skip_section(ThreadState& thread, const void* lock, unsigned mode, const void* code,
                         bool counts = false) noexcept {
  return samples_sections(thread) && skip_short_section(thread, lock, mode, code, counts);
}
// Can the code of locks count sections, if short ones are sampled? Makes that possible.
bool locks_may_count() noexcept;
// Not all acquisitions of the locks of flow graphs' nodes are announced from here on, if short sections are sampled. Before a
// recording begins, once the clock is known.
void sample_nodes() noexcept;
// The calling thread's code counts sections in that table; in none.
void count_by_code(LockState& locks) noexcept;
void forget_counted_locks() noexcept;
// What the code that called tp_on_counted_lock_taken is known by.
const void* counting_code() noexcept;

// The thread begins to wait, and has ended that. `failed`: without the lock, or for no lock.
// `lock`: null if it was not named.
void begin_lock_wait(ThreadState& thread, Frame& frame, const void* lock) noexcept;
void begin_busy_wait(ThreadState& thread, Frame& frame) noexcept;
void end_lock_wait(ThreadState& thread, Frame& frame, bool failed) noexcept;
// The frame has an open step.
void take_lock(ThreadState& thread, Frame& frame, const void* lock, unsigned mode,
               const LockPlace& where) noexcept;
// An attempt to acquire the lock has failed; or it is about to be made: `may_succeed`.
void note_failed_try(ThreadState& thread, Frame& frame, const void* lock, const LockPlace& where,
                     bool may_succeed) noexcept;
// The lock that the thread waited for is none of the program's.
void forget_lock_wait(ThreadState& thread) noexcept;
// 0: the thread does not hold it, as far as is known; 2: others wait for it; else 1.
[[gnu::noinline]] int give_lock(ThreadState& thread, Frame& frame, const void* lock) noexcept;
// The same, of a section that is timed, with the reading of the clock.
[[gnu::noinline]] int give_lock_at(ThreadState& thread, Frame& frame, const void* lock,
                                   Reading now) noexcept;
// Around the call that wakes those who wait for a lock, after give_lock(): it may take longer than many
// sections. No work. False: no thread waits, or it is another lock.
bool begin_release(ThreadState& thread, const Frame& frame, const void* lock) noexcept;
void end_release(ThreadState& thread, Frame& frame) noexcept;

// The thread has slept for so long, not waiting for another one: in each section that it is in. Cold.
TP_COLD void sleep_in_sections(ThreadState& thread, std::uint64_t time) noexcept;

// For the builder. The step was closed: writes the Takes of the locks that were acquired in it and are
// held. Cold.
TP_COLD void put_held_locks(ThreadState& thread) noexcept;
// The open step is about to be closed, at `now`: the thread may wait in a loop of its own. Cold.
TP_COLD void divide_busy_wait(ThreadState& thread, Frame& frame, const Reading& now) noexcept;

// A signal handler may use locks while the thread is here: it finds the state as it was, or as it will
// be, and is ignored.
class Busy {
public:
  explicit Busy(ThreadState& thread) noexcept : thread_(thread) { ++thread.outside_of_step; }
  ~Busy() { --thread_.outside_of_step; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

private:
  ThreadState& thread_;
};

// Somebody may wait for a lock of the program's own without naming it.
TP_HOT bool is_awaited(std::uint64_t lock, std::uint8_t kind) noexcept {
  return is_awaited(lock) || (kind >= TP_LOCK_USER && is_awaited(std::uint64_t{0}));
}

} // namespace tp::rt
