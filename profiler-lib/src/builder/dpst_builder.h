// SPDX-License-Identifier: Apache-2.0
// DPST BUILDER: turns the hooks' events into records of the dynamic program structure tree: which
// task was created where, which wait joined what, and the work of every step in between. (DPST:
// Raman, Zhao, Sarkar, Vechev, Yahav, PLDI 2012; its use for work and span: TaskProf, ESEC/FSE
// 2017, section 3. Here the tree is only written down; the analyzer builds it.)
//
// A step closes with the first reading of the clock in a hook, and the next one opens with the last
// reading, so what happens in between, here and in oneTBB, belongs to neither. All functions run on
// the thread that owns the state; `frame` is the one on top of its frames. Hot, except for those
// marked as cold: no lock, allocation or system call, other than by the clock and when a chunk is
// full.
#pragma once

#include "builder/thread_state.h"

#include "tp/trace/trace_codec.h"

namespace tp::rt {

// Opens a step, without a record.
void open_step(ThreadState& thread, Frame& frame) noexcept;

// Room for one record that closes no step: inside of the open step, or after it was closed and before
// its record. For a RecordEncoder, whose end goes to thread.writer.advance().
std::byte* room_in_step(ThreadState& thread, Frame& frame) noexcept;
std::byte* room_after_step(ThreadState& thread) noexcept;

// Begins the thread's part of the stream, and pushes the root frame, without an open step.
// `prior_work`, `slept`: of the thread before that, in the unit of work; `early`: what it slept in.
void begin_thread(ThreadState& thread, trace::ThreadRole role, std::uint64_t prior_work,
                  std::uint64_t slept, const SleepByKind& early) noexcept;
// After begin_thread of the first thread of a process: how many fork()s led to the process. Cold.
void record_forks(ThreadState& thread, std::uint32_t forks) noexcept;
// Closes the root frame's step, if it is open, and the frame. `cpu_ns`: CPU time of the thread
// since it was created.
void end_thread(ThreadState& thread, std::uint64_t cpu_ns) noexcept;

// The events of tp/hooks.h. spawn, wait, cut and end_task leave the frame without an open step;
// end_context and change_edge_uses write a record inside of the open step; the others open one.
void spawn(ThreadState& thread, Frame& frame, const tp_task& task,
           const tp_context& context) noexcept;
void wait(ThreadState& thread, Frame& frame, const tp_task* task, const tp_context* task_context,
          const tp_context& context) noexcept;
void end_wait(ThreadState& thread, Frame& frame, bool by_exception) noexcept;
// As wait: the arrival at a barrier of so many threads.
void arrive(ThreadState& thread, Frame& frame, const tp_context& context,
            unsigned threads) noexcept;
// Between the two the open step, if there is one, makes no progress: its begin moves forward.
void begin_runtime_call(ThreadState& thread, const Frame& frame) noexcept;
void end_runtime_call(ThreadState& thread, Frame& frame) noexcept;
void spawn_in_runtime_call(ThreadState& thread, Frame& frame, const tp_task& task,
                           const tp_context& context) noexcept;
void hand_over(ThreadState& thread, Frame& frame, const tp_context& from,
               const tp_context& to) noexcept;
void begin_task(ThreadState& thread, Frame& frame, const tp_task& task, const tp_context& context,
                bool cancelled) noexcept;
void end_task(ThreadState& thread, Frame& frame, bool by_exception) noexcept;
// The same as end_task(), of a plain step (plain_steps.h) that ends at `now`.
TP_COLD void finish_task(ThreadState& thread, Frame& frame, Reading now) noexcept;
void end_context(ThreadState& thread, Frame& frame, std::uint64_t word) noexcept;
void begin_loop(ThreadState& thread, Frame& frame) noexcept;
// A body call of a loop is over, or a portion of it.
void end_loop(ThreadState& thread, Frame& frame, const tp_range& range, bool opens = true) noexcept;
void end_portion(ThreadState& thread, Frame& frame, const tp_range& range) noexcept;
void join_portions(ThreadState& thread, Frame& frame) noexcept;
// `flags`: those of trace::Op::Join.
void join_fold(ThreadState& thread, Frame& frame, unsigned flags) noexcept;
void cut(ThreadState& thread, Frame& frame) noexcept;
// Releases an edge and returns it (packed id + 1). A kept edge may be acquired by any number of
// frames, others by one.
std::uint64_t release_edge(ThreadState& thread, Frame& frame, bool kept) noexcept;
enum class Acquire : std::uint8_t {
  Also,  // the frame continues after its own path so far and after the edges
  Alone, // after the edges only
  First, // the same, before any code of the user has run in the task: its step ends where it began
};
void acquire_edges(ThreadState& thread, Frame& frame, const std::uint64_t* edges, unsigned count,
                   Acquire how) noexcept;
// The edge will be acquired by `change` more frames, or fewer, than its release said.
void change_edge_uses(ThreadState& thread, Frame& frame, std::uint64_t edge, int change) noexcept;
// Resumable tasks: a thread leaves its call stack, and the frames on it, and continues on another
// stack, with other frames or none. suspend_stack makes the token, resume_stack frees it, on any
// thread. Null: there are no frames to return to, or no memory.
struct StackToken;
TP_COLD StackToken* suspend_stack(ThreadState& thread) noexcept;
TP_COLD void resume_stack(ThreadState& thread, StackToken* token) noexcept;
// The thread executes in the arena from here on. A task was enqueued in the arena. So many threads may
// run tasks from here on; `like_machine`: as many as the machine has CPUs. Within the open step, if
// there is one.
TP_COLD void enter_arena(ThreadState& thread, Frame& frame, const tp_arena& arena,
                         bool entered) noexcept;
// A long wait for another thread has ended.
TP_COLD void note_wait(ThreadState& thread, Frame& frame) noexcept;
TP_COLD void note_enqueued(ThreadState& thread, Frame& frame, std::uint32_t arena) noexcept;
TP_COLD void note_tokens(ThreadState& thread, Frame& frame, std::uint64_t tokens) noexcept;
TP_COLD void allow_threads(ThreadState& thread, Frame& frame, std::uint32_t threads,
                           bool like_machine) noexcept;
// Records that recording is paused, or resumed. Without an open step.
void write_pause(ThreadState& thread, bool pause) noexcept;

} // namespace tp::rt
