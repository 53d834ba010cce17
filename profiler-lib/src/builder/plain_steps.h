// SPDX-License-Identifier: Apache-2.0
// PLAIN STEPS: the commonest events, for the hooks, without any call: a step that ends or begins while nothing is
// paused, no extra event is counted, no causal region is open, nothing slept, and the clock needs no new anchor. They
// write the same records as dpst_builder.cpp does for the same events, with fewer questions and no saved registers.
// Each function returns false, having changed nothing, where the event is not plain: dpst_builder.cpp's takes over.
// Hot.
#pragma once

#include "builder/causal_region.h"
#include "builder/dpst_builder.h"
#include "builder/thread_state.h"

#include <bit>
#include <cstring>

namespace tp::rt {

// The clock, as read_clock(). False: it needs a call. Never true while extra events are counted.
TP_HOT bool read_plainly(ThreadClock& clock, Reading& now) noexcept {
  const volatile std::uint64_t* const proof = clock.proof;
  if (proof == nullptr) [[unlikely]] {
    if (clock_config.kind != ClockKind::Virtual || clock_config.extra_count != 0)
      return false;
    now = {clock.virtual_work, advance_time(clock)};
    return true;
  }
  const std::uint64_t time = read_time();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (*proof != clock.proven || time - clock.last_time > clock_config.reanchor_ticks) [[unlikely]]
    return false;
  clock.last_time = time;
  now = {time - clock.offset, time};
  return true;
}

// What is set in the four bytes of OpenStep.
TP_HOT std::uint32_t state_of(const ThreadState& thread) noexcept {
  return std::bit_cast<std::uint32_t>(static_cast<const OpenStep&>(thread));
}
TP_HOT void set_state(ThreadState& thread, std::uint32_t state) noexcept {
  std::memcpy(static_cast<void*>(static_cast<OpenStep*>(&thread)), &state, sizeof state);
}
inline constexpr auto kOnlyBeginPending =
    std::bit_cast<std::uint32_t>(OpenStep{.begin_pending = true});

// Is the open step, if it is closed now, one with nothing but its three figures, and perhaps a pending Begin?
TP_HOT bool is_plain_step(const ThreadState& thread, const Frame& frame) noexcept {
  return (state_of(thread) & ~kOnlyBeginPending) == 0 && (frame.region | thread.clock.asleep) == 0;
}

// The common part of all closings.
TP_HOT ClosedStep close_plainly(ThreadState& thread, Frame& frame, const Reading& now) noexcept {
  ClosedStep step{};
  frame.step_open = false;
  thread.in_runtime_call = kNoCall;
  const std::uint64_t gap = elapsed_since(thread.close_time, thread.step_time);
  step.lead = elapsed_since(thread.idle_since_close, gap);
  step.work = now.work - thread.step_work;
  step.wall = now.time - thread.step_time;
  thread.close_time = now.time;
  thread.close_work = now.work;
  thread.between = kOfEvents;
  thread.idle_since_close = 0;
  return step;
}

// ... of those of plain steps. A new anchor may correct the clock by a few ticks, but a step has no more work than wall
// time.
TP_HOT ClosedStep close_plain_step(ThreadState& thread, Frame& frame, const Reading& now) noexcept {
  ClosedStep step = close_plainly(thread, frame, now);
  if (clock_config.same_as_time) [[likely]] {
    if (step.work > step.wall) [[unlikely]]
      step.work = step.wall;
    step.wall -= step.work;
  }
  return step;
}

// The common part of all openings, but for frame.step_open and thread.step_pause.
TP_HOT void begin_step(ThreadState& thread, Frame& frame, const Reading& now) noexcept {
  thread.between_steps[thread.between] += now.work - thread.close_work;
  thread.clock.asleep = thread.clock.waited = thread.clock.known_sleep.total = 0;
  thread.step_work = now.work;
  thread.step_time = now.time;
  continue_region(frame, now.work);
}

TP_HOT void open_plainly(ThreadState& thread, Frame& frame, const Reading& now) noexcept {
  frame.step_open = true;
  // Hardly ever another one. A CPU waits where it reads four bytes of which it has just written one.
  if (const Pause pause = pause_state(); thread.step_pause != pause) [[unlikely]]
    thread.step_pause = pause;
  begin_step(thread, frame, now);
}

TP_HOT void open_plain_step(ThreadState& thread, Frame& frame) noexcept {
  Reading now;
  if (!read_plainly(thread.clock, now)) [[unlikely]]
    return open_step(thread, frame);
  open_plainly(thread, frame, now);
}

// The figures of the open step as a record holds them in four bytes, if it ends at `now`. False: it may be that they do
// not fit. A time that would be negative is a large one here. Changes nothing.
TP_HOT bool are_short(const ThreadState& thread, const Reading& now,
                      std::uint64_t& figures) noexcept {
  const std::uint64_t lead = thread.step_time - thread.close_time - thread.idle_since_close;
  const std::uint64_t work = now.work - thread.step_work, wall = now.time - thread.step_time;
  figures = lead | work << 16;
  return ((lead - 1) | (work - 1)) < 0xffff && work == wall && clock_config.same_as_time;
}
inline constexpr unsigned kShortFigures = 1u << trace::kLeadShift | 1u << trace::kWorkShift;

// Closes a step that has them.
TP_HOT void close_short_step(ThreadState& thread, Frame& frame, const Reading& now) noexcept {
  frame.step_open = false;
  thread.in_runtime_call = kNoCall;
  thread.close_time = thread.reader_time = now.time;
  thread.close_work = now.work;
  thread.idle_since_close = 0;
}

// Writes the pending Begin, a record without figures of a step, for which there must be room; `idle` is the idle time
// before it, in ticks.
TP_HOT void put_begin(ThreadState& thread, std::uint64_t idle) noexcept {
  trace::RecordEncoder record(thread.writer.cursor());
  const unsigned lead_code = record.field(idle);
  record.number(thread.begin_id, thread.begin.bytes);
  thread.writer.advance(record.commit(static_cast<std::uint16_t>(
      trace::make_tag(trace::Op::Begin, lead_code, 0, 0, 0) | thread.begin.flags)));
  thread.reader_time += idle;
  thread.begin_pending = false;
}

// The frame's task, whose Begin is to be written with the next record, or with its end. Most tasks are the newest one.
TP_HOT void name_task(ThreadState& thread, std::uint64_t word, bool cancelled) noexcept {
  trace::TaskCode code = trace::TaskCode::Newest;
  std::uint64_t operand = thread.first_word + thread.ordinals.spawns - 1 - word;
  if (operand != 0) {
    const bool is_own = trace::id_stream(word - 1) == thread.writer.stream();
    code = !is_own || operand > UINT32_MAX ? trace::TaskCode::Id
           : operand > UINT16_MAX          ? trace::TaskCode::Back32
                                           : trace::TaskCode::Back16;
    if (code == trace::TaskCode::Id)
      operand = word - 1;
  }
  const unsigned flags = static_cast<unsigned>(code) | (cancelled ? trace::kTaskCancelled : 0);
  thread.begin_id = operand;
  thread.begin = {static_cast<std::uint16_t>(flags << trace::kFlagShift),
                  static_cast<std::uint16_t>(trace::kWidthBytes[static_cast<unsigned>(code)])};
}

// The flags of a new frame, as a number: assigned one by one they would be as many stores. Its step is about to open.
inline constexpr auto kNewFlags = std::bit_cast<std::uint64_t>(FrameFlags{.step_open = true});

// A new frame on top of the thread's; `origin`: words[1] of the task.
TP_HOT void push_frame(ThreadState& thread, Frame& frame, const tp_task& task,
                       const tp_context& context, std::uint64_t origin) noexcept {
  std::memcpy(static_cast<void*>(static_cast<FrameFlags*>(&frame)), &kNewFlags, sizeof kNewFlags);
  frame.site_tagged = (origin & TP_TASK_SITE_TAGGED) != 0;
  frame.outer = thread.frame.load(std::memory_order_relaxed);
  frame.thread = &thread;
  frame.own_context = __atomic_load_n(context.word, __ATOMIC_RELAXED);
  frame.last_context = 0;
  frame.type = task.type;
  frame.task_words = task.words;
  frame.site = static_cast<std::uint32_t>(origin);
  frame.call_site = 0;
  frame.region = static_cast<std::uint32_t>(origin >> TP_TASK_REGION_SHIFT);
  frame.region_depth = frame.region != 0;
  frame.waits = 0;
  frame.loops = 0;
  frame.part = 0;
  task.words[0] = 0;
  thread.frame.store(&frame, std::memory_order_relaxed);
}

// As begin_task(), of a task that has been spawned and is not run again; `origin` as in push_frame().
TP_HOT bool begin_new_task(ThreadState& thread, Frame& frame, const tp_task& task,
                           const tp_context& context, std::uint64_t origin,
                           bool cancelled) noexcept {
  const std::uint64_t word = task.words[0];
  if (word == 0 || (state_of(thread) & ~kOnlyBeginPending) != 0 || pause_state() != Pause::Never ||
      !thread.writer.has_room(2)) [[unlikely]]
    return false;
  push_frame(thread, frame, task, context, origin);
  std::uint64_t idle = 0;
  if (const std::uint64_t start = thread.search_start; start != 0) {
    idle = elapsed_since(start, read_own_time(thread.clock));
    thread.search_start = 0;
  }
  if (thread.begin_pending) [[unlikely]]
    put_begin(thread, 0);
  name_task(thread, word, cancelled);
  if (idle != 0) {
    thread.idle_since_close += idle;
    put_begin(thread, idle);
  } else {
    set_state(thread, kOnlyBeginPending);
  }
  Reading now;
  if (!read_plainly(thread.clock, now)) [[unlikely]] {
    frame.step_open = false;
    open_step(thread, frame);
    return true;
  }
  begin_step(thread, frame, now);
  return true;
}
TP_HOT bool begin_plain_task(ThreadState& thread, Frame& frame, const tp_task& task,
                             const tp_context& context, bool cancelled) noexcept {
  return !thread.failed.failed &&
         begin_new_task(thread, frame, task, context, task.words[1], cancelled);
}

// Is a step open in the frame, which has no tickets?
TP_HOT bool is_plain_frame(const Frame& frame) noexcept {
  constexpr auto kNone = std::bit_cast<std::uint64_t>(FrameFlags{});
  constexpr auto kPlain = kNone ^ std::bit_cast<std::uint64_t>(FrameFlags{.step_open = true});
  constexpr auto kAsked =
      kPlain | (kNone ^ std::bit_cast<std::uint64_t>(FrameFlags{.has_tickets = true}));
  const auto flags = std::bit_cast<std::uint64_t>(static_cast<const FrameFlags&>(frame));
  return (flags & kAsked) == kPlain;
}

// As end_task(), of a task that did not throw, and whose frame is_plain_frame(). Of one with events inside, or before whose
// begin the thread was looking for work (OpenMP's in a wait), only the reading is made here.
TP_HOT bool end_plain_task(ThreadState& thread, Frame& frame) noexcept {
  TraceWriter& writer = thread.writer;
  std::byte* const at = writer.room_for(1);
  Reading now;
  if (!is_plain_step(thread, frame) || at == nullptr || !read_plainly(thread.clock, now))
      [[unlikely]]
    return false;
  std::uint64_t figures;
  if (!thread.begin_pending || !are_short(thread, now, figures)) {
    finish_task(thread, frame, now);
    return true;
  }
  close_short_step(thread, frame, now);
  trace::RecordEncoder record(at);
  record.number(figures, 4);
  const PendingBegin begin = thread.begin;
  record.number(thread.begin_id, begin.bytes);
  writer.advance(record.commit(static_cast<std::uint16_t>(
      trace::make_tag(trace::Op::Task, 0, 0, 0, 0) | kShortFigures | begin.flags)));
  set_state(thread, 0);
  Frame* const outer = frame.outer;
  thread.between = outer->between;
  thread.frame.store(outer, std::memory_order_release);
  return true;
}

// As spawn_in_runtime_call(), at the reading of the call, of a task with a site that was set in advance (`preset`, as
// words[1]) and in a context that has an id.
TP_HOT bool spawn_plainly(ThreadState& thread, Frame& frame, const tp_task& task,
                          std::uint64_t preset, const tp_context& context) noexcept {
  TraceWriter& writer = thread.writer;
  const std::uint64_t word = __atomic_load_n(context.word, __ATOMIC_RELAXED);
  const auto site = static_cast<std::uint32_t>(preset);
  const Reading& now = thread.runtime_call;
  const bool is_last_site = site == thread.ordinals.last_site;
  std::uint64_t figures;
  if (thread.in_runtime_call != kPlainCall || word == 0 ||
      context.traits == TP_CONSTRUCT_USER_CONTEXT ||
      (preset & (TP_TASK_SITE_PRESET | TP_TASK_SITE_STAGE)) != TP_TASK_SITE_PRESET ||
      (is_last_site ? site == 0 : site - 1 >= UINT16_MAX) || frame.split_next || !frame.step_open ||
      !is_plain_step(thread, frame) || !writer.has_room(2) || !are_short(thread, now, figures))
      [[unlikely]]
    return false;
  frame.reopen = true;
  if (thread.begin_pending) // before reader_time is this record's
    put_begin(thread, 0);
  close_short_step(thread, frame, now);
  thread.between = kOfEvents;
  trace::RecordEncoder record(writer.cursor());
  record.number(figures, 4);
  unsigned flags = static_cast<unsigned>(trace::SiteCode::Last);
  if (!is_last_site) [[unlikely]] {
    record.operand(static_cast<std::uint16_t>(site));
    flags = static_cast<unsigned>(trace::SiteCode::U16);
    thread.ordinals.last_site = site;
  }
  trace::ContextCode code = trace::ContextCode::Last;
  if (word == frame.own_context) {
    code = trace::ContextCode::Own;
  } else if (word != frame.last_context) {
    code = trace::ContextCode::Id;
    frame.last_context = word;
    record.operand(word - 1);
  }
  flags |= static_cast<unsigned>(code) << trace::kContextShift;
  task.words[0] = thread.first_word + thread.ordinals.spawns++;
  task.words[1] =
      site | TP_TASK_SITE_TAGGED | (preset & TP_TASK_REGION_BITS << TP_TASK_REGION_SHIFT);
  writer.advance(record.commit(static_cast<std::uint16_t>(
      trace::make_tag(trace::Op::Spawn, 0, 0, 0, flags) | kShortFigures)));
  return true;
}

} // namespace tp::rt
