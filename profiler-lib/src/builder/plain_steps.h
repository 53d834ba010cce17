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

namespace tp::rt {

// The clock, as read_clock(). False: it needs a call.
TP_HOT bool read_plainly(ThreadClock& clock, Reading& now) noexcept {
  const ClockKind kind = clock_config.kind;
  if (kind == ClockKind::TscRseq) [[likely]] {
    const std::uint64_t time = read_time();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (*const_cast<const volatile std::uint64_t*>(clock.rseq_slot) != clock.rseq_marker ||
        time - clock.last_time > clock_config.reanchor_ticks) [[unlikely]]
      return false;
    clock.last_time = time;
    now = {time - clock.offset, time};
    return true;
  }
  if (kind == ClockKind::TscPerfPage) {
    const std::uint64_t time = read_time();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (perf::lock_of(clock.lock_page) != clock.page_lock ||
        time - clock.last_time > clock_config.reanchor_ticks) [[unlikely]]
      return false;
    clock.last_time = time;
    now = {time - clock.offset, time};
    return true;
  }
  if (kind != ClockKind::Virtual)
    return false;
  now = {clock.virtual_work, advance_time(clock)};
  return true;
}

// Is the open step, if it is closed now, one with nothing but its three figures?
TP_HOT bool is_plain_step(const ThreadState& thread, const Frame& frame) noexcept {
  return frame.step_open &&
         (frame.region | thread.extras | thread.regions.size() | clock_config.extra_count |
          static_cast<unsigned>(thread.step_pause)) == 0 &&
         thread.clock.asleep == 0;
}

// The common part of all closings.
TP_HOT ClosedStep close_plainly(ThreadState& thread, Frame& frame, const Reading& now) noexcept {
  ClosedStep step{};
  frame.step_open = false;
  thread.in_runtime_call = false;
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

// The common part of all openings.
TP_HOT void open_plainly(ThreadState& thread, Frame& frame, const Reading& now) noexcept {
  frame.step_open = true;
  thread.between_steps[thread.between] += now.work - thread.close_work;
  thread.clock.asleep = thread.clock.waited = thread.clock.known_sleep.total = 0;
  thread.step_pause = pause_state();
  thread.step_work = now.work;
  thread.step_time = now.time;
  continue_region(frame, now.work);
}

TP_HOT void open_plain_step(ThreadState& thread, Frame& frame) noexcept {
  Reading now;
  if (clock_config.extra_count != 0 || !read_plainly(thread.clock, now)) [[unlikely]]
    return open_step(thread, frame);
  open_plainly(thread, frame, now);
}

// The figures of the open step as a record holds them in four bytes, if it ends at `now`; 0: it may be that they do not
// fit. A time that would be negative is a large one here. Changes nothing.
TP_HOT std::uint64_t short_figures(const ThreadState& thread, const Reading& now) noexcept {
  const std::uint64_t lead = thread.step_time - thread.close_time - thread.idle_since_close;
  const std::uint64_t work = now.work - thread.step_work, wall = now.time - thread.step_time;
  const bool fit = ((lead - 1) | (work - 1)) < 0xffff && work == wall && clock_config.same_as_time;
  return fit ? lead | work << 16 : 0;
}
inline constexpr unsigned kShortFigures = 1u << trace::kLeadShift | 1u << trace::kWorkShift;

// Closes a step that has them.
TP_HOT void close_short_step(ThreadState& thread, Frame& frame, const Reading& now) noexcept {
  frame.step_open = false;
  thread.in_runtime_call = false;
  thread.close_time = thread.reader_time = now.time;
  thread.close_work = now.work;
  thread.idle_since_close = 0;
}

// Writes the pending Begin, a record without figures of a step, for which there must be room; `idle` is the idle time
// before it, in ticks.
TP_HOT void put_begin(ThreadState& thread, std::uint64_t idle) noexcept {
  trace::RecordEncoder record(thread.writer.cursor());
  const unsigned lead_code = record.field(idle);
  record.number(thread.begin_id, trace::kWidthBytes[thread.begin_flags & 3]);
  thread.writer.advance(
      record.commit(trace::make_tag(trace::Op::Begin, lead_code, 0, 0, thread.begin_flags)));
  thread.reader_time += idle;
  thread.begin_pending = false;
}

// What the thread does after the end of a task.
TP_HOT void go_on_in(ThreadState& thread, const Frame& frame) noexcept {
  thread.between = frame.waits > 0                                    ? frame.waits_in
                   : &frame == &thread.root && !thread.has_root_steps ? kOutsideOfTasks
                                                                      : kOfEvents;
}

// The frame's task, whose Begin is to be written with the next record, or with its end.
TP_HOT void name_task(ThreadState& thread, std::uint64_t id, bool cancelled) noexcept {
  trace::TaskCode code = trace::TaskCode::Id;
  std::uint64_t operand = id;
  if (trace::id_stream(id) == thread.writer.stream()) {
    operand = thread.ordinals.spawns - 1 - trace::id_ordinal(id);
    if (operand == 0)
      code = trace::TaskCode::Newest;
    else if (operand <= UINT16_MAX)
      code = trace::TaskCode::Back16;
    else if (operand <= UINT32_MAX)
      code = trace::TaskCode::Back32;
    else
      operand = id;
  }
  thread.begin_id = operand;
  thread.begin_flags = static_cast<std::uint8_t>(static_cast<unsigned>(code) |
                                                 (cancelled ? trace::kTaskCancelled : 0));
}

// A new frame on top of the thread's.
TP_HOT void push_frame(ThreadState& thread, Frame& frame, const tp_task& task,
                       const tp_context& context) noexcept {
  frame.outer = thread.frame.load(std::memory_order_relaxed);
  frame.thread = &thread;
  frame.own_context = __atomic_load_n(context.word, __ATOMIC_RELAXED);
  frame.last_context = 0;
  frame.type = task.type;
  frame.task_words = task.words;
  frame.site = static_cast<std::uint32_t>(task.words[1]);
  frame.site_tagged = (task.words[1] & TP_TASK_SITE_TAGGED) != 0;
  frame.call_site = 0;
  frame.step_open = false;
  frame.split_next = false;
  frame.reopen = false;
  frame.failed = false;
  frame.threw = false;
  frame.has_tickets = false;
  frame.region = static_cast<std::uint32_t>(task.words[1] >> TP_TASK_REGION_SHIFT);
  frame.region_depth = frame.region != 0;
  frame.waits = 0;
  frame.loops = 0;
  frame.part = 0;
  task.words[0] = 0;
  thread.frame.store(&frame, std::memory_order_relaxed);
}

// As begin_task(), of a task that has been spawned and is not run again.
TP_HOT bool begin_plain_task(ThreadState& thread, Frame& frame, const tp_task& task,
                             const tp_context& context, bool cancelled) noexcept {
  const std::uint64_t word = task.words[0];
  if (word == 0 || thread.failed.failed || pause_state() != Pause::Never ||
      !thread.writer.has_room(2)) [[unlikely]]
    return false;
  push_frame(thread, frame, task, context);
  const std::uint64_t start = thread.search_start;
  const std::uint64_t idle = start != 0 ? elapsed_since(start, read_own_time(thread.clock)) : 0;
  if (thread.begin_pending)
    put_begin(thread, 0);
  name_task(thread, word - 1, cancelled);
  thread.search_start = 0;
  if (idle != 0) {
    thread.idle_since_close += idle;
    put_begin(thread, idle);
  } else {
    thread.begin_pending = true;
  }
  open_plain_step(thread, frame);
  return true;
}

// As end_task(), of a task that did not throw. Of one with events inside, or before whose begin the thread was looking
// for work (OpenMP's in a wait), only the reading is made here.
TP_HOT bool end_plain_task(ThreadState& thread, Frame& frame) noexcept {
  Reading now;
  if (!is_plain_step(thread, frame) || !thread.writer.has_room(1) ||
      !read_plainly(thread.clock, now)) [[unlikely]]
    return false;
  const std::uint64_t figures = thread.begin_pending ? short_figures(thread, now) : 0;
  if (figures == 0) {
    thread.closed = close_plain_step(thread, frame, now);
    finish_task(thread, frame);
    return true;
  }
  close_short_step(thread, frame, now);
  trace::RecordEncoder record(thread.writer.cursor());
  record.number(figures, 4);
  record.number(thread.begin_id, trace::kWidthBytes[thread.begin_flags & 3]);
  thread.writer.advance(record.commit(static_cast<std::uint16_t>(
      trace::make_tag(trace::Op::Task, 0, 0, 0, thread.begin_flags) | kShortFigures)));
  thread.begin_pending = false;
  go_on_in(thread, *frame.outer);
  thread.frame.store(frame.outer, std::memory_order_release);
  return true;
}

// As spawn(), at a reading that the caller has made, of a task with a site that was set in advance and in a context
// that has an id.
TP_HOT bool spawn_plainly(ThreadState& thread, Frame& frame, const tp_task& task,
                          const tp_context& context, const Reading& now) noexcept {
  const std::uint64_t word = __atomic_load_n(context.word, __ATOMIC_RELAXED);
  const std::uint64_t preset = task.words[1];
  const auto site = static_cast<std::uint32_t>(preset);
  if (word == 0 || context.traits == TP_CONSTRUCT_USER_CONTEXT ||
      (preset & (TP_TASK_SITE_PRESET | TP_TASK_SITE_STAGE)) != TP_TASK_SITE_PRESET ||
      site - 1 >= UINT16_MAX || frame.split_next || !is_plain_step(thread, frame) ||
      !thread.writer.has_room(2)) [[unlikely]]
    return false;
  const std::uint64_t figures = short_figures(thread, now);
  if (figures == 0) [[unlikely]] {
    thread.closed = close_plain_step(thread, frame, now);
    finish_spawn(thread, frame, task, context);
    return true;
  }
  if (thread.begin_pending) // before reader_time is this record's
    put_begin(thread, 0);
  close_short_step(thread, frame, now);
  thread.between = kOfEvents;
  trace::RecordEncoder record(thread.writer.cursor());
  record.number(figures, 4);
  unsigned flags = static_cast<unsigned>(trace::SiteCode::Last);
  if (site != thread.ordinals.last_site) {
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
  const std::uint64_t spawns = thread.ordinals.spawns++;
  task.words[0] = trace::pack_id(thread.writer.stream(), spawns) + 1;
  task.words[1] =
      site | TP_TASK_SITE_TAGGED | (preset & TP_TASK_REGION_BITS << TP_TASK_REGION_SHIFT);
  thread.writer.advance(record.commit(static_cast<std::uint16_t>(
      trace::make_tag(trace::Op::Spawn, 0, 0, 0, flags) | kShortFigures)));
  return true;
}

} // namespace tp::rt
