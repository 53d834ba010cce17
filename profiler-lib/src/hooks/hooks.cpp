// SPDX-License-Identifier: Apache-2.0
// The C entry points of tp/hooks.h: each gets the thread's state and calls one function of the
// builder. Hot.
//
// Those for edges are in edge_hooks.cpp and limiter_hooks.cpp, those for tools in tool_hooks.cpp.
#include "tp/hooks.h"

#include "builder/causal_region.h"
#include "builder/dpst_builder.h"
#include "builder/lock_records.h"
#include "builder/loop_portions.h"
#include "builder/plain_steps.h"
#include "hooks/current_thread.h"
#include "hooks/limit_hooks.h"
#include "hooks/tickets.h"
#include "session/control.h"
#include "session/session.h"
#include "sites/address_sites.h"

namespace tp::rt {

ThreadState* create_thread_state(trace::ThreadRole role) noexcept {
  ThreadState* const thread = enter_thread(role);
  if (thread == nullptr)
    return nullptr;
  note_allowed_threads(*thread);
  if (thread->has_root_steps)
    open_step(*thread, thread->root);
  return thread;
}

std::uint32_t learn_site(ThreadState& thread, Frame& frame, const void* record,
                         Notes notes) noexcept {
  const OutsideOfStep outside(thread, frame);
  const std::uint64_t path = thread.call_paths.learn(task_stack_of(frame));
  const std::uint32_t id = register_site(record, path, task_stack_of(frame), notes);
  thread.sites.remember((id & kInternalSite) != 0 ? record_key(record) : record_key(record, path),
                        id);
  return id;
}

} // namespace tp::rt

using namespace tp::rt;

namespace {

TP_HOT Frame& as_frame(tp_frame* storage) noexcept {
  return *reinterpret_cast<Frame*>(storage);
}

// Closes the open step: what follows is overhead, until resume_step() or the end of a wait.
void interrupt_step(ThreadState& thread) noexcept {
  Frame& frame = top(thread);
  frame.reopen = frame.step_open;
  if (frame.step_open)
    cut(thread, frame);
}
TP_HOT void resume_step() noexcept {
  if (ThreadState* thread = thread_state())
    if (Frame& frame = top(*thread); frame.reopen)
      open_plain_step(*thread, frame);
}

// Of the commonest tasks nothing of this.
TP_COLD void begin_any_task(Frame& frame, const tp_task& task, const tp_context& context,
                            bool cancelled) noexcept {
  ThreadState* const thread = thread_state_or_create();
  if (thread == nullptr) {
    frame.thread = nullptr;
    return;
  }
  begin_task(*thread, frame, task, context, cancelled);
}
TP_COLD void end_any_task(Frame& frame, int by_exception) noexcept {
  if (frame.thread == nullptr)
    return;
  ThreadState* const thread = thread_state();
  // If the frame is not the thread's current one, recording has ended, or the process forked inside
  // the task.
  if (thread == nullptr || &top(*thread) != &frame)
    return;
  if (frame.has_tickets) [[unlikely]]
    forget_tickets(frame);
  end_task(*thread, frame, by_exception != 0);
}

} // namespace

#define TP_EXPORT [[gnu::visibility("default")]]

namespace {

TP_COLD std::uint32_t learn_whether_of_algorithm(ThreadState& thread, std::uint64_t key,
                                                 const void* type) noexcept {
  const std::uint32_t known = is_task_of_algorithm(type) ? 2 : 1;
  thread.task_kinds.remember(key, known);
  return known;
}

// Does the frame's task belong to a parallel algorithm that tp-c++ tagged? Then its own calls of
// oneTBB have the algorithm's site; the user's calls in its body have tags, too.
bool is_inside_tagged_algorithm(ThreadState& thread, const Frame& frame) noexcept {
  if (!frame.site_tagged)
    return false;
  const std::uint64_t key = reinterpret_cast<std::uintptr_t>(frame.type) + 1; // types are aligned
  const std::uint32_t known = thread.task_kinds.find(key);
  return (known != 0 ? known : learn_whether_of_algorithm(thread, key, frame.type)) == 2;
}

} // namespace

extern "C" {

TP_EXPORT void tp_on_external_thread(void) noexcept {
  if (ThreadState* thread = thread_state_or_create())
    interrupt_step(*thread);
}

TP_EXPORT void tp_on_scheduler_ready(void) noexcept {
  resume_step();
}

TP_EXPORT void tp_on_block(void) noexcept {
  if (ThreadState* thread = thread_state())
    interrupt_step(*thread);
}

TP_EXPORT void tp_on_unblock(void) noexcept {
  resume_step();
}

TP_EXPORT void tp_on_worker_thread(void) noexcept {
  if (thread_state() == nullptr && recording() != Recording::Off)
    create_thread_state(tp::trace::ThreadRole::Worker);
}

TP_EXPORT void tp_on_spawn(const tp_task* task, const tp_context* context) noexcept {
  ThreadState* const thread = thread_state_or_create();
  if (thread == nullptr)
    return;
  Frame& frame = top(*thread);
  frame.reopen = false;
  if (task->words[0] == 0)
    spawn(*thread, frame, *task, *context);
}

TP_EXPORT void tp_on_delegate(const tp_task* task) noexcept {
  ThreadState* const thread = thread_state();
  if (thread == nullptr)
    return;
  const Frame& frame = top(*thread);
  task->words[1] = frame.site | (frame.region & TP_TASK_REGION_BITS) << TP_TASK_REGION_SHIFT |
                   TP_TASK_SITE_PRESET;
}

TP_EXPORT void tp_on_spawn_end(void) noexcept {
  resume_step();
}

TP_EXPORT void tp_on_wait(const tp_task* task, const tp_context* task_context,
                          const tp_context* context) noexcept {
  if (ThreadState* thread = thread_state_or_create())
    wait(*thread, top(*thread), task, task_context, *context);
}

TP_EXPORT void tp_on_wait_end(int by_exception) noexcept {
  if (ThreadState* thread = thread_state())
    end_wait(*thread, top(*thread), by_exception != 0);
}

TP_EXPORT void tp_on_task_begin(tp_frame* storage, const tp_task* task, const tp_context* context,
                                int cancelled) noexcept {
  Frame& frame = as_frame(storage);
  ThreadState* const thread = thread_state();
  if (thread == nullptr || !begin_plain_task(*thread, frame, *task, *context, cancelled != 0))
      [[unlikely]]
    begin_any_task(frame, *task, *context, cancelled != 0);
}

TP_EXPORT void tp_on_task_end(tp_frame* storage, int by_exception) noexcept {
  Frame& frame = as_frame(storage);
  ThreadState* const thread = thread_state();
  if (by_exception != 0 || thread == nullptr || &top(*thread) != &frame || !is_plain_frame(frame) ||
      !end_plain_task(*thread, frame)) [[unlikely]]
    end_any_task(frame, by_exception);
}

TP_EXPORT void tp_on_search(void) noexcept {
  if (ThreadState* thread = thread_state())
    if (thread->search_start == 0)
      thread->search_start = read_own_time(thread->clock);
}

TP_EXPORT void tp_on_context_init(uint64_t* word) noexcept {
  *word = 0;
}

TP_EXPORT void tp_on_context_end(uint64_t* word) noexcept {
  const std::uint64_t id = __atomic_load_n(word, __ATOMIC_RELAXED);
  if (id == 0)
    return;
  if (ThreadState* thread = thread_state())
    end_context(*thread, top(*thread), id);
}

TP_EXPORT uint64_t tp_on_stack_out(void) noexcept {
  ThreadState* const thread = thread_state();
  if (thread == nullptr)
    return 0;
  return reinterpret_cast<std::uint64_t>(suspend_stack(*thread));
}

TP_EXPORT void tp_on_stack_in(uint64_t token) noexcept {
  if (token == 0)
    return;
  ThreadState* const thread = thread_state_or_create();
  if (thread == nullptr)
    return;
  resume_stack(*thread, reinterpret_cast<StackToken*>(token));
}

TP_EXPORT int tp_concurrency(int slots, int all) noexcept {
  const int cores = as_if_cores();
  return cores > 0 && slots == all ? cores : slots;
}

TP_EXPORT int tp_threads(int cores) noexcept {
  const int wanted = as_if_cores();
  return wanted > 0 && wanted < cores ? wanted : cores;
}

TP_EXPORT uint32_t tp_enter_site(const void* site) noexcept {
  ThreadState* const thread = thread_state_or_create();
  if (thread == nullptr)
    return 0;
  Frame& frame = top(*thread);
  const std::uint32_t previous = frame.call_site;
  if (previous != 0)
    return previous; // one entry point calls another
  const std::uint32_t id = id_of_site(*thread, frame, site);
  if (id == kStandardLibrarySite && !is_inside_tagged_algorithm(*thread, frame))
    return previous; // the address of the spawn will name the algorithm's call
  // A call written in a library header belongs to the task around it.
  frame.call_site = (id & kInternalSite) != 0 ? frame.site : id;
  return previous;
}

TP_EXPORT void tp_leave_site(uint32_t previous) noexcept {
  if (ThreadState* thread = thread_state())
    top(*thread).call_site = previous;
}

TP_EXPORT void tp_on_loop_begin(void) noexcept {
  if (ThreadState* thread = thread_state_or_create())
    begin_loop(*thread, top(*thread));
}

TP_EXPORT void tp_on_loop_end(uint64_t iterations, uint64_t grain) noexcept {
  if (ThreadState* thread = thread_state())
    end_loop(*thread, top(*thread), {{{iterations, grain}}, 1, 0});
}

TP_EXPORT void tp_on_body_end(const tp_range* range) noexcept {
  if (ThreadState* thread = thread_state())
    end_loop(*thread, top(*thread), *range);
}

TP_EXPORT void tp_on_portion_end(const tp_range* range) noexcept {
  if (ThreadState* thread = thread_state())
    end_called_portion(*thread, top(*thread), *range);
}

TP_EXPORT void tp_on_portions_joined(void) noexcept {
  if (ThreadState* thread = thread_state())
    join_portions(*thread, top(*thread));
}

TP_EXPORT uint64_t tp_on_iterations(tp_iterations* state, uint64_t left) noexcept {
  ThreadState* const thread = thread_state();
  if (thread == nullptr || divides()) // with --divide, the range has been divided already
    return left;
  return next_iterations(*thread, top(*thread), *state, left);
}

TP_EXPORT void tp_on_proportional_loop(const tp_range* range) noexcept {
  if (ThreadState* thread = thread_state_or_create())
    thread->loop_whole = *range;
}

TP_EXPORT int tp_divides(void) noexcept {
  return recording() != Recording::Off && divides() ? 1 : 0;
}

TP_EXPORT int tp_start_dividing(uint64_t iterations) noexcept {
  ThreadState* const thread = thread_state();
  return thread != nullptr && divides() && start_dividing(*thread, top(*thread), iterations) ? 1
                                                                                             : 0;
}

TP_EXPORT int tp_should_divide(uint64_t iterations) noexcept {
  ThreadState* const thread = thread_state();
  return thread != nullptr && should_divide(*thread, top(*thread), iterations) ? 1 : 0;
}

TP_EXPORT void tp_on_fold_split(void) noexcept {
  if (ThreadState* thread = thread_state_or_create())
    top(*thread).split_next = true;
}

TP_EXPORT void tp_on_fold_join(void) noexcept {
  if (ThreadState* thread = thread_state_or_create())
    join_fold(*thread, top(*thread), 0);
}

TP_EXPORT void tp_on_fold(int joins) noexcept {
  if (ThreadState* thread = thread_state_or_create())
    join_fold(*thread, top(*thread), joins != 0 ? tp::trace::kJoinRuns : tp::trace::kJoinSkipped);
}

TP_EXPORT void tp_region_begin(tp_region* region) noexcept {
  if (ThreadState* thread = thread_state_or_create())
    begin_region(*thread, top(*thread), *region);
}

TP_EXPORT void tp_region_end(tp_region* region) noexcept {
  if (ThreadState* thread = thread_state())
    end_region(*thread, top(*thread), *region);
}

TP_EXPORT void tp_set_paused(int pause) noexcept {
  const bool wanted = pause != 0;
  if (paused() == wanted) {
    tp_control_page.delayed = false; // the program decides from here on
    return;
  }
  // The open step is divided here: up to a pause it counts, after it does not.
  ThreadState* const thread =
      recording() == Recording::NotStarted && wanted ? nullptr : thread_state_or_create();
  if (thread != nullptr) {
    Frame& frame = top(*thread);
    const bool open = frame.step_open;
    if (open)
      cut(*thread, frame);
    write_pause(*thread, wanted);
    pause_recording(wanted);
    if (open)
      open_step(*thread, frame);
  } else {
    pause_recording(wanted);
  }
}

TP_EXPORT void tp_sleep(uint64_t units) noexcept {
  if (clock_config.kind != ClockKind::Virtual && recording() == Recording::On)
    return;
  if (ThreadState* thread = thread_state_or_create()) {
    thread->clock.asleep += units;
    sleep_in_sections(*thread, units);
  }
}

TP_EXPORT void tp_spend(uint64_t units) noexcept {
  if (clock_config.kind != ClockKind::Virtual && recording() == Recording::On)
    return;
  if (ThreadState* thread = thread_state_or_create())
    thread->clock.virtual_work += units;
}

} // extern "C"
