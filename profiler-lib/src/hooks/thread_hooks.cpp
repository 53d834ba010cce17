// SPDX-License-Identifier: Apache-2.0
// The C entry points of tp/hooks.h for the library that tp-run preloads: threads that the program
// creates, and the end of a process that runs no destructors. Cold.
//
// A thread is a task: its creation is the spawn, in a context of its own, and joining it a wait for
// that context.
#include "tp/hooks.h"

#include "builder/dpst_builder.h"
#include "builder/lock_records.h"
#include "hooks/current_thread.h"
#include "sampling/sampler.h"
#include "session/openmp_use.h"
#include "session/session.h"
#include "sites/thread_sites.h"

using namespace tp::rt;

namespace {

constexpr unsigned kTraits = TP_CONSTRUCT_THREAD | TP_CONTEXT_EXCLUSIVE;

tp_context context_of(tp_thread& thread) noexcept {
  return {&thread.context, kTraits};
}
tp_task task_of(tp_thread& thread) noexcept {
  return {thread.words, nullptr, nullptr};
}

std::uint32_t site_of(ThreadState& state, Frame& frame, const StartFunction& start) noexcept {
  const OutsideOfStep outside(state, frame);
  if (frame.call_site != 0) // inside a call that tp-c++ or a header tagged
    return frame.call_site;
  const void* const task_stack = task_stack_of(frame);
  std::uint64_t path = state.call_paths.find(task_stack);
  if (path == CallPaths::kUnlearned)
    path = state.call_paths.learn(task_stack);
  return register_thread(start, path, task_stack);
}

// What advances while a thread waits: with the virtual clock, only sleep that is said.
std::uint64_t waiting_time(const ThreadClock& clock) noexcept {
  return clock_config.kind == ClockKind::Virtual ? clock.asleep : read_own_time(clock);
}

std::uint64_t unknown_sleep(const ThreadClock& clock) noexcept {
  return elapsed_since(clock.known_sleep.total, clock.asleep);
}

// Before the recording what passes in a call is what was slept there: the start of the first step knows
// how long the thread slept in all. Less than what counts as sleep at any rate of ticks is none.
std::uint64_t long_enough(std::uint64_t ticks) noexcept {
  constexpr std::uint64_t kLeastTicks = 50000;
  return ticks >= kLeastTicks ? ticks : 0;
}

// So long (half a millisecond at 2 GHz) that a record of it is neither costly nor frequent.
bool is_long_wait(std::uint64_t ticks) noexcept {
  constexpr std::uint64_t kLeastTicks = 1'000'000;
  return ticks >= (clock_config.kind == ClockKind::Virtual ? 1 : kLeastTicks);
}

} // namespace

#define TP_EXPORT [[gnu::visibility("default")]]

extern "C" {

TP_EXPORT int tp_on_thread_create(tp_thread* thread, const void* function, const void* argument,
                                  const void* caller) noexcept {
  if (own_code.contains(reinterpret_cast<std::uintptr_t>(caller)) || creates_sampler())
    return 0;
  note_creator(caller);
  if (recording() == Recording::Off || (recording() == Recording::NotStarted && !needs_onetbb()))
    return 0;
  ThreadState* const state = thread_state_or_create();
  if (state == nullptr || !has_steps(*state, top(*state)))
    return 0;
  Frame& frame = top(*state);
  *thread = {};
  thread->words[1] =
      site_of(*state, frame, start_function(function, argument, caller)) | TP_TASK_SITE_PRESET;
  spawn(*state, frame, task_of(*thread), context_of(*thread));
  return 1;
}

TP_EXPORT void tp_on_thread_created(tp_thread* thread, int failed) noexcept {
  ThreadState* const state = thread_state();
  if (state == nullptr)
    return;
  if (failed != 0) {
    Frame frame{};
    begin_task(*state, frame, task_of(*thread), context_of(*thread), /*cancelled=*/true);
    end_task(*state, frame, /*by_exception=*/false);
  }
  if (Frame& frame = top(*state); frame.reopen)
    open_step(*state, frame);
}

TP_EXPORT void tp_on_thread_begin(tp_thread* thread) noexcept {
  if (recording() != Recording::On || thread_state() != nullptr)
    return;
  ThreadState* const state = create_thread_state(tp::trace::ThreadRole::Created);
  if (state == nullptr)
    return;
  begin_task(*state, state->created, task_of(*thread), context_of(*thread), /*cancelled=*/false);
  state->created.task_words = nullptr; // the frame is not on the thread's stack
}

TP_EXPORT void tp_on_thread_joined(tp_thread* thread) noexcept {
  ThreadState* const state = thread_state();
  if (state == nullptr)
    return;
  Frame& frame = top(*state);
  if (!frame.reopen)
    return;
  state->search_start = state->close_time; // without a task since
  wait(*state, frame, nullptr, nullptr, context_of(*thread));
  end_wait(*state, frame, /*by_exception=*/false);
  end_context(*state, frame, thread->context);
}

TP_EXPORT std::uint64_t tp_on_thread_wait(void) noexcept {
  ThreadState* const state = thread_state();
  if (state == nullptr || !top(*state).step_open || !clock_config.sees_sleep())
    return 0;
  // Not 0.
  return waiting_time(state->clock) + 1;
}

TP_EXPORT void tp_on_thread_wait_end(std::uint64_t begun) noexcept {
  ThreadState* const state = begun != 0 ? thread_state() : nullptr;
  if (state == nullptr || !top(*state).step_open)
    return;
  const std::uint64_t waited = elapsed_since(begun - 1, waiting_time(state->clock));
  state->clock.waited += waited;
  if (is_long_wait(waited) && state->outside_of_step == 0)
    note_wait(*state, top(*state));
}

TP_EXPORT std::uint64_t tp_on_call(void) noexcept {
  ThreadState* const state = thread_state();
  if (state == nullptr)
    return recording() == Recording::NotStarted ? read_time() : 0;
  if (!top(*state).step_open || !clock_config.sees_sleep() || state->outside_of_step != 0 ||
      state->clock.reads_delay)
    return 0;
  if (was_off_cpu(state->clock)) [[unlikely]] // before the call
    read_clock(state->clock);
  return unknown_sleep(state->clock) + 1;
}

TP_EXPORT std::uint64_t tp_on_call_end(std::uint64_t begun) noexcept {
  if (begun == 0)
    return 0;
  ThreadState* const state = thread_state();
  if (state == nullptr)
    return recording() == Recording::NotStarted ? long_enough(elapsed_since(begun, read_time()))
                                                : 0;
  if (!top(*state).step_open || state->outside_of_step != 0)
    return 0;
  if (was_off_cpu(state->clock)) [[unlikely]]
    read_clock(state->clock);
  return elapsed_since(begun - 1, unknown_sleep(state->clock));
}

TP_EXPORT void tp_on_slept(unsigned kind, std::uint64_t time) noexcept {
  if (kind >= tp::trace::kSleepKinds)
    return;
  ThreadState* const state = thread_state();
  SleepByKind& known = state != nullptr ? state->clock.known_sleep : early_sleep;
  known.add(static_cast<tp::trace::SleepKind>(kind), time);
  if (state != nullptr)
    sleep_in_sections(*state, time);
}

TP_EXPORT void tp_threads_are_seen(void) noexcept {
  set_threads_seen();
}

TP_EXPORT void tp_end_recording(void) noexcept {
  end_session();
}

TP_EXPORT int tp_is_recording_here(void) noexcept {
  return is_recorded_here() ? 1 : 0;
}

} // extern "C"
