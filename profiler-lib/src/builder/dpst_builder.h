// DPST BUILDER: turns the hooks' events into records of the dynamic program structure tree: which
// task was created where, which wait joined what, and the work of every step in between. (DPST:
// Raman, Zhao, Sarkar, Vechev, Yahav, PLDI 2012; its use for work and span: TaskProf, FSE 2017,
// section 3. Here the tree is only written down; it is rebuilt offline.)
//
// A step closes with the first clock reading of a hook and the next opens with the last one, so
// what happens in between, in this file and in oneTBB, belongs to neither. All functions run on the
// thread that owns the state. Hot, but for those marked cold: no lock, allocation or system call,
// except by the clock and when a chunk is full.
#pragma once

#include "builder/thread_state.h"

#include "tp/trace/trace_codec.h"

namespace tp::rt {

void open_step(ThreadState& thread, Frame& frame) noexcept;

// Pushes the root frame, without an open step.
void begin_thread(ThreadState& thread, trace::ThreadRole role, std::uint64_t prior_work) noexcept;
// Closes the root frame's step, if it is open, and the frame.
void end_thread(ThreadState& thread, std::uint64_t cpu_ns) noexcept;

void spawn(ThreadState& thread, Frame& frame, const tp_task& task,
           const tp_context& context) noexcept;
void wait(ThreadState& thread, Frame& frame, const tp_task* task, const tp_context* task_context,
          const tp_context& context) noexcept;
void end_wait(ThreadState& thread, Frame& frame, bool by_exception) noexcept;
void begin_task(ThreadState& thread, Frame& frame, const tp_task& task, const tp_context& context,
                bool cancelled) noexcept;
void end_task(ThreadState& thread, Frame& frame, bool by_exception) noexcept;
void end_context(ThreadState& thread, Frame& frame, std::uint64_t word) noexcept;
void begin_loop(ThreadState& thread, Frame& frame) noexcept;
void end_loop(ThreadState& thread, Frame& frame, std::uint64_t iterations,
              std::uint64_t grain) noexcept;
void join_fold(ThreadState& thread, Frame& frame) noexcept;
void cut(ThreadState& thread, Frame& frame) noexcept;
// Edges (packed id + 1). One that is kept may be acquired by any number of frames, else by one.
std::uint64_t release_edge(ThreadState& thread, Frame& frame, bool kept) noexcept;
enum class Acquire : std::uint8_t {
  Also,  // the frame continues after its own path so far and after the edges
  Alone, // after the edges only
  First, // the same, before anything of the user's has run in the task: its step ends where it began
};
void acquire_edges(ThreadState& thread, Frame& frame, const std::uint64_t* edges, unsigned count,
                   Acquire how) noexcept;
// So many more acquires will name the edge, or fewer.
void change_edge_uses(ThreadState& thread, Frame& frame, std::uint64_t edge, int change) noexcept;
// Resumable tasks: a thread leaves its frames and continues on another stack, with other frames or
// none. The token is made by put_aside and freed by take_back, on whichever thread; null: there is
// nothing to come back to.
struct StackToken;
TP_COLD StackToken* put_aside(ThreadState& thread) noexcept;
TP_COLD void take_back(ThreadState& thread, StackToken* token) noexcept;
void write_pause(ThreadState& thread, bool pause) noexcept;

} // namespace tp::rt
