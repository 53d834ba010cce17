// SPDX-License-Identifier: Apache-2.0
// See dpst_builder.h, and trace_format.h for the meaning of each record.
//
// A hook that divides the work of a task goes: close_now() reads the clock and takes the step's
// figures; put_...() writes the record that carries them; open_now() reads the clock again. What a
// record carries is therefore always the step *before* the event, and its overhead ("lead") is the
// time from the end of the step before that one to the step's begin, minus idle time.
//
// Time in the trace is relative: a reader adds up the lead and the duration of each step.
// `reader_time` is where it has got to: the end of the last step written, plus the idle time in
// records since. The next chunk begins with it. Every record with idle time must add it here, and
// every record that closes a step must set it to the step's end (commit()).
//
// The commonest task has no events inside. So Begin is not written at once (`begin_pending`):
// end_task() writes it and End as one record, Task; every other record has to write it first
// (flush_begin(), put_pending()).
//
// Everything is in this file, so that the helpers that write a record are inlined into each event.
//
// Frames form a stack per thread, in the tp_frames of libtbb, from thread.frame through
// Frame::outer to the root. A task that throws leaves a copy of its frame in thread.failed, since
// the library runs it again, in another tp_frame, to cancel it.
#include "builder/dpst_builder.h"

#include "base/recording_state.h"
#include "builder/causal_region.h"
#include "builder/edge_table.h"
#include "builder/lock_records.h"
#include "builder/outside_of_step.h"
#include "builder/plain_steps.h"
#include "sites/address_sites.h"
#include "sites/call_path.h"
#include "sites/site_registry.h"

#include <cstring>
#include <new>
#include <utility>

namespace tp::rt {
namespace {

using trace::ContextCode;
using trace::make_tag;
using trace::Op;
using trace::RecordEncoder;
using trace::SiteCode;
using trace::width_code;

constexpr unsigned kConstructMask = TP_CONTEXT_EXCLUSIVE - 1;

// Extra events. Only in runs that have some, where a reading is a system call anyway, or reads
// several counters.
TP_COLD void open_extra(ThreadState& thread) noexcept {
  std::memcpy(thread.step_extra, thread.clock.extra, sizeof thread.step_extra);
}

TP_COLD void close_extra(ThreadState& thread) noexcept {
  read_extra_events(thread.clock);
  for (unsigned i = 0; i < clock_config.extra_count; ++i)
    thread.closed_extra[i] =
        thread.step_pause == Pause::Now ? 0 : thread.clock.extra[i] - thread.step_extra[i];
}

// Writes the closed step's extra events, after its three fields, and sets them to 0: they are
// written once. The encoder is passed by value, so that callers keep it in registers.
TP_COLD RecordEncoder put_extra(ThreadState& thread, RecordEncoder record) noexcept {
  std::uint16_t codes = 0;
  for (unsigned i = 0; i < clock_config.extra_count; ++i)
    codes |= static_cast<std::uint16_t>(width_code(thread.closed_extra[i]) << 2 * i);
  record.operand(codes);
  for (unsigned i = 0; i < clock_config.extra_count; ++i) {
    record.field(thread.closed_extra[i]);
    thread.closed_extra[i] = 0;
  }
  return record;
}

// Not more than what it slept without waiting for others.
TP_COLD void close_asleep_in(ThreadState& thread, const SleepByKind& known) noexcept {
  std::uint64_t rest = known.total != 0 ? thread.closed_asleep - thread.closed_waited : 0;
  for (unsigned kind = 0; kind < trace::kSleepKinds; ++kind) {
    const std::uint64_t part = rest != 0 ? std::min(known.of[kind], rest) : 0;
    thread.closed_asleep_in[kind] = part;
    rest -= part;
  }
}

TP_COLD void close_asleep(ThreadState& thread, Frame& frame, const Reading& now) noexcept {
  if (thread.locks != nullptr)
    divide_busy_wait(thread, frame, now);
  if (thread.step_pause == Pause::Now)
    return;
  thread.closed_asleep = thread.clock.asleep;
  thread.closed_waited = std::min(thread.clock.waited, thread.clock.asleep);
  if (thread.closed_asleep == 0)
    return;
  thread.extras |= kExtraAsleep;
  close_asleep_in(thread, thread.clock.known_sleep);
}

TP_HOT std::byte* room_at(ThreadState& thread) noexcept {
  return thread.writer.reserve(thread.reader_time, thread.ordinals.spawns);
}

// Says in the stream whether the steps count that its records close from here on. Comes before a
// Begin that is pending.
TP_COLD void write_pause_state(ThreadState& thread, bool pause) noexcept {
  if (thread.pause_written == pause)
    return;
  thread.pause_written = pause;
  RecordEncoder record(room_at(thread));
  record.operand(static_cast<std::uint8_t>(pause ? trace::ExtendedKind::StepsPaused
                                                 : trace::ExtendedKind::StepsResumed));
  record.operand(std::uint8_t{0});
  record.operand(std::uint16_t{0});
  thread.writer.advance(record.commit(make_tag(Op::Extended, 0, 0, 0, 0)));
}

// How much of the work of a step does not count, in a recording with pauses: all or nothing.
TP_COLD std::uint64_t leave_out(ThreadState& thread, std::uint64_t work) noexcept {
  const bool pause = thread.step_pause == Pause::Now;
  write_pause_state(thread, pause);
  if (!pause)
    return 0;
  thread.paused_work += work;
  thread.regions.clear();
  thread.extras &= static_cast<std::uint8_t>(~kExtraRegions);
  return work;
}

// Closes the open step with a reading of the clock that the caller has made.
TP_HOT ClosedStep close_at(ThreadState& thread, Frame& frame, const Reading& now) noexcept {
  pause_region(thread, frame, now.work);
  ClosedStep step = close_plainly(thread, frame, now);
  const std::uint64_t wall = step.wall;
  if (clock_config.same_as_time) {
    // A new anchor may correct the clock by a few ticks, but a step has no more work than wall
    // time.
    if (step.work > wall) [[unlikely]] {
      step.work = wall;
      thread.regions.trim(wall);
    }
    step.wall -= step.work;
  }
  if (thread.step_pause != Pause::Never) [[unlikely]] {
    const std::uint64_t left_out = leave_out(thread, step.work);
    step.work -= left_out;
    if (clock_config.same_as_time)
      step.wall += left_out;
  }
  return step;
}

// Closes the open step now. All zero if none is open.
TP_HOT ClosedStep close_now(ThreadState& thread, Frame& frame) noexcept {
  if (!frame.step_open)
    return {};
  const Reading now = read_clock(thread.clock);
  if (clock_config.extra_count != 0) [[unlikely]]
    close_extra(thread);
  if (thread.clock.asleep != 0) [[unlikely]]
    close_asleep(thread, frame, now);
  return close_at(thread, frame, now);
}

TP_HOT void open_now(ThreadState& thread, Frame& frame) noexcept {
  const bool has_extra = clock_config.extra_count != 0;
  if (has_extra) [[unlikely]]
    read_extra_events(thread.clock);
  const bool was_off = was_off_cpu(thread.clock);
  Reading now = read_clock(thread.clock);
  // To find out whether it slept takes system calls after that reading: they are no work.
  if (was_off) [[unlikely]]
    now = read_clock(thread.clock);
  open_plainly(thread, frame, now);
  if (has_extra) [[unlikely]]
    open_extra(thread);
}

// What the thread does in the frame without a step, if it does not wait. Only a root frame has none around it.
TP_HOT void set_between_without_wait(const ThreadState& thread, Frame& frame) noexcept {
  frame.between = kOfEvents;
  if (frame.outer == nullptr && &frame == &thread.root && !thread.has_root_steps) [[unlikely]]
    frame.between = kOutsideOfTasks;
}

// The thread's step is closed, and it waits.
TP_HOT void note_wait(ThreadState& thread, Frame& frame, const tp_context& context) noexcept {
  ++frame.waits;
  frame.between = static_cast<std::uint8_t>(context.traits & kConstructMask);
  thread.between = frame.between;
}

TP_HOT void flush_begin(ThreadState& thread) noexcept {
  if (!thread.begin_pending)
    return;
  room_at(thread);
  put_begin(thread, 0);
}

TP_COLD void put_extended(ThreadState& thread, trace::ExtendedKind kind, const void* payload,
                          std::uint16_t bytes, std::uint64_t idle = 0) noexcept;

TP_COLD void put_regions(ThreadState& thread) noexcept {
  for (unsigned i = 0; i < thread.regions.size(); ++i) {
    const RegionWork& entry = thread.regions[i];
    if (entry.work == 0)
      continue;
    RecordEncoder record(room_at(thread));
    const unsigned work_code = record.field(entry.work);
    const bool wide = entry.region > UINT16_MAX;
    record.number(entry.region, wide ? 4 : 2);
    thread.writer.advance(
        record.commit(make_tag(Op::Region, 0, work_code, 0, wide ? trace::kRegionWide : 0)));
  }
  thread.regions.clear();
}

TP_COLD void put_asleep(ThreadState& thread) noexcept {
  for (unsigned kind = 0; kind < trace::kSleepKinds; ++kind) {
    if (thread.closed_asleep_in[kind] == 0)
      continue;
    const trace::AsleepInPayload part{std::exchange(thread.closed_asleep_in[kind], 0), kind, 0};
    put_extended(thread, trace::ExtendedKind::AsleepIn, &part, sizeof part);
  }
  const trace::AsleepPayload payload{thread.closed_asleep, thread.closed_waited};
  thread.closed_asleep = thread.closed_waited = 0;
  put_extended(thread, trace::ExtendedKind::Asleep, &payload, sizeof payload);
}

TP_COLD void put_extras(ThreadState& thread) noexcept {
  if ((thread.extras & kExtraLocks) != 0)
    put_held_locks(thread);
  if (thread.closed_asleep != 0)
    put_asleep(thread);
  put_regions(thread);
  thread.extras = 0;
}

// Writes the records that have to precede one that closes a step.
TP_HOT void put_pending(ThreadState& thread) noexcept {
  flush_begin(thread);
  if (thread.extras != 0) [[unlikely]]
    put_extras(thread);
}

// Completes a record that closes a step.
TP_HOT void commit(ThreadState& thread, RecordEncoder& record, std::uint16_t tag) noexcept {
  thread.writer.advance(record.commit(tag));
  thread.reader_time = thread.close_time;
}

// Writes the figures, which come first in a record. Returns their width codes, for the tag.
TP_HOT unsigned put_figures(ThreadState& thread, RecordEncoder& record,
                            const ClosedStep& step) noexcept {
  const unsigned codes = record.figures(step.lead, step.work, step.wall);
  if (clock_config.extra_count != 0) [[unlikely]]
    record = put_extra(thread, record);
  return codes;
}
TP_HOT std::uint16_t tag_of(Op op, unsigned codes, unsigned flags) noexcept {
  return static_cast<std::uint16_t>(make_tag(op, 0, 0, 0, flags) | codes);
}

// Writes a record that closes a step and has no operands.
TP_HOT void put_plain(ThreadState& thread, Op op, const ClosedStep& step, unsigned flags) noexcept {
  put_pending(thread);
  RecordEncoder record(room_at(thread));
  const unsigned codes = put_figures(thread, record, step);
  commit(thread, record, tag_of(op, codes, flags));
}

// How a record refers to a context.
struct ContextOperand {
  ContextCode code;
  std::uint64_t id; // packed
};

// How to refer to the context; gives it an id if it has none. Two threads may be the first to use a
// shared group at the same time: one of them creates it, the other one refers to it by id.
TP_HOT ContextOperand name_context(ThreadState& thread, Frame& frame,
                                   const tp_context& context) noexcept {
  std::uint64_t word = __atomic_load_n(context.word, __ATOMIC_RELAXED);
  if (word == 0) {
    const std::uint64_t mine = trace::pack_id(thread.writer.stream(), thread.ordinals.contexts) + 1;
    if (__atomic_compare_exchange_n(context.word, &word, mine, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
      ++thread.ordinals.contexts;
      frame.last_context = mine;
      return {ContextCode::New, mine - 1};
    }
  }
  if (word == frame.own_context)
    return {ContextCode::Own, word - 1};
  if (word == frame.last_context)
    return {ContextCode::Last, word - 1};
  frame.last_context = word;
  return {ContextCode::Id, word - 1};
}

TP_HOT void put_context(RecordEncoder& record, const ContextOperand& operand,
                        unsigned traits) noexcept {
  if (operand.code == ContextCode::New)
    record.operand(static_cast<std::uint8_t>(traits));
  else if (operand.code == ContextCode::Id)
    record.operand(operand.id);
}

TP_COLD std::uint32_t learn_address(ThreadState& thread, const Frame& frame, const tp_task& task,
                                    unsigned traits, std::uint64_t path) noexcept {
  const std::uint32_t site =
      register_address(task, traits & kConstructMask, path, task_stack_of(frame));
  thread.sites.remember(address_key(task.type, task.caller, path), site);
  return site;
}

TP_COLD TaskKind learn_kind(ThreadState& thread, const void* type) noexcept {
  const TaskKind kind = kind_of_task(type);
  thread.task_kinds.remember(reinterpret_cast<std::uintptr_t>(type),
                             static_cast<std::uint32_t>(kind));
  return kind;
}

TP_HOT TaskKind kind_of(ThreadState& thread, const void* type) noexcept {
  const std::uint32_t known = thread.task_kinds.find(reinterpret_cast<std::uintptr_t>(type));
  return known != 0 ? static_cast<TaskKind>(known) : learn_kind(thread, type);
}

// Does a task of the algorithm that `frame` is part of spawn another one of the same? Then both have
// the same type; but so have the tasks of a function of the user's that calls itself. parallel_invoke
// of more than three functions has two types.
TP_HOT bool divides_itself(ThreadState& thread, const Frame& frame, const void* type) noexcept {
  const TaskKind kind = kind_of(thread, type);
  if (frame.type == type)
    return kind < TaskKind::Function;
  return kind == TaskKind::OfSubroot && kind_of(thread, frame.type) == TaskKind::Subroot;
}

struct SpawnedAt {
  std::uint32_t site;
  bool is_split;
  bool is_tagged;
};

// The spawn site of a new task, the first of these that applies:
//   1. it was set in advance: by the node whose body the task runs, the filter that the task calls, or
//      a delegated call
//   2. the entry point that the user called, if a header or tp-c++ tagged the call
//   3. the site of the spawning task, if an algorithm splits its own work, or if the task is
//      returned instead of spawned
//   4. the address of the call
TP_HOT SpawnedAt site_of(ThreadState& thread, const Frame& frame, const tp_task& task,
                         const ContextOperand& context, unsigned traits) noexcept {
  if ((task.words[1] & TP_TASK_SITE_PRESET) != 0) [[unlikely]] {
    // What a filter calls is tagged if the pipeline's own call is.
    const bool is_tagged = (task.words[1] & TP_TASK_SITE_STAGE) == 0 || frame.call_site != 0 ||
                           (context.code == ContextCode::Own && frame.site_tagged);
    return {static_cast<std::uint32_t>(task.words[1]), false, is_tagged};
  }
  if (frame.call_site != 0)
    return {frame.call_site, false, true};
  if (context.code == ContextCode::Own) {
    const unsigned construct = traits & kConstructMask;
    const bool users_group = construct == TP_CONSTRUCT_TASK_GROUP;
    const bool users_context =
        construct == TP_CONSTRUCT_USER_CONTEXT || construct == TP_CONSTRUCT_DEFAULT;
    // Tagged code tags every call of the user's, so a spawn without a tag is the algorithm's own.
    if (!users_group &&
        (!users_context || frame.site_tagged || divides_itself(thread, frame, task.type)))
      return {frame.site, true, frame.site_tagged};
  }
  // Returned by the task that ran: there is no call of its own on the stack.
  if (task.caller == task.type)
    return {frame.site, true, frame.site_tagged};
  std::uint64_t path = thread.call_paths.find(task_stack_of(frame));
  if (path == CallPaths::kUnlearned) [[unlikely]]
    path = thread.call_paths.learn(task_stack_of(frame));
  const std::uint32_t known = thread.sites.find(address_key(task.type, task.caller, path));
  return {known != 0 ? known : learn_address(thread, frame, task, traits, path), false, false};
}

// A context of the user's can serve several groups and algorithms at a time; the types of the tasks
// show which of them a task belongs to. What a loop waits for descends from its first task; a
// group's run_and_wait() waits for the whole group.
TP_HOT TaskKind kind_in(ThreadState& thread, const void* type, unsigned traits) noexcept {
  return traits == TP_CONSTRUCT_USER_CONTEXT ? kind_of(thread, type) : TaskKind::Other;
}

// Writes an Extended record, which closes no step; `idle` is the idle time before it, in ticks.
TP_COLD void put_extended(ThreadState& thread, trace::ExtendedKind kind, const void* payload,
                          std::uint16_t bytes, std::uint64_t idle) noexcept {
  flush_begin(thread);
  RecordEncoder record(room_at(thread));
  const unsigned lead_code = record.field(idle);
  record.operand(static_cast<std::uint8_t>(kind));
  record.operand(std::uint8_t{0});
  record.operand(bytes);
  if (bytes > 0)
    record.bytes(payload, bytes);
  thread.writer.advance(record.commit(make_tag(Op::Extended, lead_code, 0, 0, 0)));
  thread.reader_time += idle;
}

TP_HOT SiteCode code_of_site(const ThreadState& thread, std::uint32_t site,
                             bool is_split) noexcept {
  if (is_split)
    return SiteCode::Inherit;
  if (site == thread.ordinals.last_site && site != 0)
    return SiteCode::Last;
  return site <= UINT16_MAX ? SiteCode::U16 : SiteCode::U32;
}

// Writes a Spawn or SpawnWait, and the id and the site into the task.
TP_HOT void put_spawn(ThreadState& thread, Frame& frame, Op op, const ClosedStep& step,
                      const tp_task& task, const tp_context& context) noexcept {
  put_pending(thread);
  const ContextOperand operand = name_context(thread, frame, context);
  const auto [site, is_split, is_tagged] = site_of(thread, frame, task, operand, context.traits);
  const TaskKind kind = kind_in(thread, task.type, context.traits);
  const bool is_first =
      op == Op::SpawnWait && (kind == TaskKind::First || kind == TaskKind::ForEach);
  if (kind == TaskKind::FeederItem || (is_first && kind == TaskKind::ForEach)) [[unlikely]]
    put_extended(thread, trace::ExtendedKind::Feed, nullptr, 0);
  if (op == Op::SpawnWait && thread.loop_whole.dimensions != 0) [[unlikely]] {
    put_extended(thread, trace::ExtendedKind::LoopWhole, thread.loop_whole.of,
                 static_cast<std::uint16_t>(thread.loop_whole.dimensions * sizeof(tp_dimension)));
    thread.loop_whole.dimensions = 0;
  }
  const SiteCode site_code = code_of_site(thread, site, is_split);
  RecordEncoder record(room_at(thread));
  const unsigned codes = put_figures(thread, record, step);
  if (site_code == SiteCode::U16)
    record.operand(static_cast<std::uint16_t>(site));
  if (site_code == SiteCode::U32)
    record.operand(site);
  if (site_code >= SiteCode::U16)
    thread.ordinals.last_site = site;
  put_context(record, operand, context.traits);
  unsigned flags = static_cast<unsigned>(site_code) | static_cast<unsigned>(operand.code)
                                                          << trace::kContextShift;
  if (op == Op::SpawnWait)
    flags |= is_first ? trace::kWaitAlone : 0;
  else if (frame.split_next)
    flags |= trace::kSpawnSplit;
  frame.split_next = false;
  // The task has its id before another thread can see it: libtbb publishes the task after this
  // hook.
  task.words[0] = trace::pack_id(thread.writer.stream(), thread.ordinals.spawns) + 1;
  task.words[1] = site | (is_tagged ? TP_TASK_SITE_TAGGED : 0) |
                  (task.words[1] & TP_TASK_REGION_BITS << TP_TASK_REGION_SHIFT);
  ++thread.ordinals.spawns;
  commit(thread, record, tag_of(op, codes, flags));
}

// Writes a Wait.
TP_HOT void put_wait(ThreadState& thread, Frame& frame, const ClosedStep& step,
                     const tp_context& context) noexcept {
  const ContextOperand operand = name_context(thread, frame, context);
  RecordEncoder record(room_at(thread));
  const unsigned codes = put_figures(thread, record, step);
  put_context(record, operand, context.traits);
  commit(thread, record,
         tag_of(Op::Wait, codes, static_cast<unsigned>(operand.code) << trace::kContextShift));
}

// Ends the search for a task. Returns its idle ticks up to `now`, for the record that is written
// next.
TP_HOT std::uint64_t take_idle(ThreadState& thread, std::uint64_t now) noexcept {
  if (thread.search_start == 0)
    return 0;
  const std::uint64_t idle = now > thread.search_start ? now - thread.search_start : 0;
  thread.search_start = 0;
  thread.idle_since_close += idle;
  return idle;
}

// Makes room for a Begin and one more record that is written inside of a step, so that a new chunk
// is not counted as work.
TP_HOT void make_room_in_step(ThreadState& thread, Frame& frame) noexcept {
  if (!thread.writer.has_room(2)) [[unlikely]] {
    const OutsideOfStep outside(thread, frame);
    thread.writer.make_room(thread.reader_time, thread.ordinals.spawns);
  }
}

} // namespace

void open_step(ThreadState& thread, Frame& frame) noexcept {
  open_now(thread, frame);
}

std::byte* room_in_step(ThreadState& thread, Frame& frame) noexcept {
  make_room_in_step(thread, frame);
  flush_begin(thread);
  return room_at(thread);
}

std::byte* room_after_step(ThreadState& thread) noexcept {
  flush_begin(thread);
  return room_at(thread);
}

void begin_thread(ThreadState& thread, trace::ThreadRole role, std::uint64_t prior_work,
                  std::uint64_t slept, const SleepByKind& early) noexcept {
  thread.close_work = read_clock(thread.clock).work; // what came before is the root frame's
  thread.close_time = thread.reader_time = read_own_time(thread.clock);
  thread.closed_asleep = slept;
  if (slept != 0) {
    close_asleep_in(thread, early);
    put_asleep(thread);
  }
  const trace::ThreadBeginPayload payload{thread.os_thread, prior_work,
                                          static_cast<std::uint32_t>(role), 0};
  put_extended(thread, trace::ExtendedKind::ThreadBegin, &payload, sizeof payload);
  thread.root = Frame{};
  thread.root.thread = &thread;
  set_between_without_wait(thread, thread.root);
  thread.frame.store(&thread.root, std::memory_order_relaxed);
}

void record_forks(ThreadState& thread, std::uint32_t forks) noexcept {
  for (; forks > 0; --forks)
    put_extended(thread, trace::ExtendedKind::Forked, nullptr, 0);
}

void end_thread(ThreadState& thread, std::uint64_t cpu_ns) noexcept {
  // A thread that is killed in the middle of tasks has more frames than its root; those stay open.
  Frame* const top = thread.frame.load(std::memory_order_relaxed);
  if (top != &thread.root)
    return;
  if (thread.root.has_tickets)
    forget_edges(&thread.root);
  const ClosedStep step = close_now(thread, thread.root);
  put_plain(thread, Op::End, step, 0);
  const trace::ThreadEndPayload payload{cpu_ns, thread.paused_work};
  put_extended(thread, trace::ExtendedKind::ThreadEnd, &payload, sizeof payload);
  thread.frame.store(nullptr, std::memory_order_relaxed);
}

void spawn(ThreadState& thread, Frame& frame, const tp_task& task,
           const tp_context& context) noexcept {
  frame.reopen = frame.step_open;
  const ClosedStep step = close_now(thread, frame);
  put_spawn(thread, frame, Op::Spawn, step, task, context);
}

void wait(ThreadState& thread, Frame& frame, const tp_task* task, const tp_context* task_context,
          const tp_context& context) noexcept {
  ClosedStep step = close_now(thread, frame);
  note_wait(thread, frame, context);
  if (task != nullptr && task->words[0] == 0) {
    if (task_context->word == context.word)
      return put_spawn(thread, frame, Op::SpawnWait, step, *task, context);
    put_spawn(thread, frame, Op::Spawn, step, *task, *task_context);
    step = ClosedStep{};
  }
  put_pending(thread);
  put_wait(thread, frame, step, context);
}

void arrive(ThreadState& thread, Frame& frame, const tp_context& context,
            unsigned threads) noexcept {
  const ClosedStep step = close_now(thread, frame);
  note_wait(thread, frame, context);
  put_pending(thread);
  const trace::BarrierWaitPayload payload{threads, 0};
  put_extended(thread, trace::ExtendedKind::BarrierWait, &payload, sizeof payload);
  put_wait(thread, frame, step, context);
}

void begin_runtime_call(ThreadState& thread, const Frame& frame) noexcept {
  thread.in_runtime_call = frame.step_open ? kCall : kNoCall;
  if (!frame.step_open)
    return;
  thread.runtime_call = read_clock(thread.clock);
  if (clock_config.extra_count != 0) [[unlikely]] {
    read_extra_events(thread.clock);
    std::memcpy(thread.runtime_call_extra, thread.clock.extra, sizeof thread.runtime_call_extra);
  }
}

void end_runtime_call(ThreadState& thread, Frame& frame) noexcept {
  if (!thread.in_runtime_call)
    return;
  thread.in_runtime_call = kNoCall;
  if (!frame.step_open)
    return;
  const Reading now = read_clock(thread.clock);
  const std::uint64_t work = elapsed_since(thread.runtime_call.work, now.work);
  thread.step_work += work;
  thread.between_steps[kOfEvents] += work;
  thread.step_time += elapsed_since(thread.runtime_call.time, now.time);
  if (clock_config.extra_count != 0) [[unlikely]] {
    read_extra_events(thread.clock);
    for (unsigned i = 0; i < clock_config.extra_count; ++i)
      thread.step_extra[i] += thread.clock.extra[i] - thread.runtime_call_extra[i];
  }
  if (frame.region != 0)
    frame.region_mark += work;
}

void spawn_in_runtime_call(ThreadState& thread, Frame& frame, const tp_task& task,
                           const tp_context& context) noexcept {
  if (!thread.in_runtime_call || clock_config.extra_count != 0) [[unlikely]] {
    end_runtime_call(thread, frame);
    return spawn(thread, frame, task, context);
  }
  frame.reopen = true;
  if (thread.clock.asleep != 0) [[unlikely]]
    close_asleep(thread, frame, thread.runtime_call);
  const ClosedStep step = close_at(thread, frame, thread.runtime_call);
  put_spawn(thread, frame, Op::Spawn, step, task, context);
}

void hand_over(ThreadState& thread, Frame& frame, const tp_context& from,
               const tp_context& to) noexcept {
  const std::uint64_t word = *from.word;
  if (word == 0)
    return;
  make_room_in_step(thread, frame);
  flush_begin(thread);
  // The frame's records refer to the context in short afterwards, if they named it last.
  const std::uint64_t last = frame.last_context;
  const ContextOperand operand = name_context(thread, frame, to);
  const bool is_new = operand.code == ContextCode::New;
  frame.last_context = last == word ? 0 : last;
  const trace::HandOverPayload payload{word - 1, operand.id,
                                       is_new ? std::uint32_t{trace::kHandOverNew} : 0u,
                                       is_new ? to.traits : 0u};
  put_extended(thread, trace::ExtendedKind::HandOver, &payload, sizeof payload);
  *from.word = 0;
}

void end_wait(ThreadState& thread, Frame& frame, bool by_exception) noexcept {
  if (frame.waits == 0)
    return; // began before a fork
  if (--frame.waits == 0)
    set_between_without_wait(thread, frame);
  const std::uint64_t idle =
      thread.search_start != 0 ? take_idle(thread, read_own_time(thread.clock)) : 0;
  flush_begin(thread);
  RecordEncoder record(room_at(thread));
  const unsigned lead_code = record.field(idle);
  thread.writer.advance(record.commit(
      make_tag(Op::WaitEnd, lead_code, 0, 0, by_exception ? trace::kWaitEndByException : 0)));
  thread.reader_time += idle;
  open_now(thread, frame);
}

void begin_task(ThreadState& thread, Frame& frame, const tp_task& task, const tp_context& context,
                bool cancelled) noexcept {
  Frame* const outer = thread.frame.load(std::memory_order_relaxed);
  if (thread.failed.failed && thread.failed.task_words == task.words) [[unlikely]] {
    // The library runs a task that threw again, to cancel it: the same frame continues.
    frame = thread.failed;
    frame.outer = outer;
    thread.failed.failed = false;
    thread.frame.store(&frame, std::memory_order_relaxed);
    return open_now(thread, frame);
  }
  // Every way to create a task has a hook. Should one be missing, the task is spawned here, by the
  // frame below it.
  if (task.words[0] == 0) [[unlikely]]
    put_spawn(thread, *outer, Op::Spawn, ClosedStep{}, task, context);
  const std::uint64_t word = task.words[0];
  push_frame(thread, frame, task, context, task.words[1]);
  frame.step_open = false;

  const std::uint64_t now = thread.search_start != 0 ? read_own_time(thread.clock) : 0;
  flush_begin(thread);
  name_task(thread, word, cancelled);
  if (const std::uint64_t idle = take_idle(thread, now); idle != 0) {
    if (pause_state() != Pause::Never) [[unlikely]]
      write_pause_state(thread, paused());
    room_at(thread);
    put_begin(thread, idle);
  } else {
    thread.begin_pending = true;
  }
  open_now(thread, frame);
}

namespace {

// Writes a Task or End, and removes the frame.
TP_HOT void put_end(ThreadState& thread, Frame& frame, const ClosedStep& step) noexcept {
  if (thread.begin_pending && thread.extras == 0) {
    // The commonest record: a task without events inside.
    RecordEncoder record(room_at(thread));
    const unsigned codes = put_figures(thread, record, step);
    record.number(thread.begin_id, thread.begin.bytes);
    commit(thread, record,
           static_cast<std::uint16_t>(tag_of(Op::Task, codes, 0) | thread.begin.flags));
    thread.begin_pending = false;
  } else {
    put_plain(thread, Op::End, step, frame.threw ? trace::kEndByException : 0);
  }
  thread.between = frame.outer->between;
  thread.frame.store(frame.outer, std::memory_order_release);
}

} // namespace

void end_task(ThreadState& thread, Frame& frame, bool by_exception) noexcept {
  if (by_exception) [[unlikely]] {
    cut(thread, frame);
    frame.threw = true;
    thread.failed = frame;
    thread.failed.failed = true;
    thread.frame.store(frame.outer, std::memory_order_release);
    return;
  }
  put_end(thread, frame, close_now(thread, frame));
}

void finish_task(ThreadState& thread, Frame& frame, Reading now) noexcept {
  put_end(thread, frame, close_plain_step(thread, frame, now));
}

void end_context(ThreadState& thread, Frame& frame, std::uint64_t word) noexcept {
  make_room_in_step(thread, frame);
  flush_begin(thread);
  const ContextCode code = word == frame.own_context    ? ContextCode::Own
                           : word == frame.last_context ? ContextCode::Last
                                                        : ContextCode::Id;
  RecordEncoder record(room_at(thread));
  if (code == ContextCode::Id) {
    record.operand(word - 1);
    frame.last_context = word;
  }
  thread.writer.advance(record.commit(
      make_tag(Op::ContextEnd, 0, 0, 0, static_cast<unsigned>(code) << trace::kContextShift)));
}

void begin_loop(ThreadState& thread, Frame& frame) noexcept {
  put_plain(thread, Op::LoopBegin, close_now(thread, frame), 0);
  ++frame.loops;
  frame.part = 0;
  open_now(thread, frame);
  frame.portion_time = thread.step_time;
}

namespace {

// Writes a LoopEnd or PortionEnd.
TP_HOT void put_body_end(ThreadState& thread, Frame& frame, Op op, const tp_range& range,
                         bool opens = true) noexcept {
  const auto code_of = [](std::uint64_t count) {
    return count == 1 ? 0 : count == 0 ? 1 : width_code(count);
  };
  const ClosedStep step = close_now(thread, frame);
  put_pending(thread);
  if (range.dimensions > 1) [[unlikely]]
    put_extended(thread, trace::ExtendedKind::LoopShape, range.of,
                 static_cast<std::uint16_t>(range.dimensions * sizeof(tp_dimension)));
  std::uint64_t iterations = 1, grain = 1;
  for (unsigned i = 0; i < range.dimensions; ++i) {
    iterations *= range.of[i].iterations;
    grain *= range.of[i].grain;
  }
  RecordEncoder record(room_at(thread));
  const unsigned codes = put_figures(thread, record, step);
  const unsigned iterations_code = code_of(iterations);
  const unsigned grain_code = code_of(grain);
  record.number(iterations == 1 ? 0 : iterations, trace::kWidthBytes[iterations_code]);
  record.number(grain == 1 ? 0 : grain, trace::kWidthBytes[grain_code]);
  commit(thread, record,
         tag_of(op, codes,
                iterations_code | grain_code << 2 | (range.joins != 0 ? trace::kPartsJoin : 0)));
  if (opens)
    open_now(thread, frame);
}

} // namespace

void end_loop(ThreadState& thread, Frame& frame, const tp_range& range, bool opens) noexcept {
  if (frame.loops == 0)
    return; // began before a fork
  --frame.loops;
  frame.part = 0;
  put_body_end(thread, frame, Op::LoopEnd, range, opens);
}

void end_portion(ThreadState& thread, Frame& frame, const tp_range& range) noexcept {
  if (frame.loops == 0)
    return;
  frame.part = 0;
  put_body_end(thread, frame, Op::PortionEnd, range);
  frame.portion_time = thread.step_time;
}

void join_portions(ThreadState& thread, Frame& frame) noexcept {
  if (frame.loops == 0)
    return;
  put_plain(thread, Op::PortionJoin, close_now(thread, frame), 0);
  open_now(thread, frame);
  frame.portion_time = thread.step_time;
}

void join_fold(ThreadState& thread, Frame& frame, unsigned flags) noexcept {
  put_plain(thread, Op::Join, close_now(thread, frame), flags);
  open_now(thread, frame);
}

void cut(ThreadState& thread, Frame& frame) noexcept {
  put_plain(thread, Op::Cut, close_now(thread, frame), 0);
}

std::uint64_t release_edge(ThreadState& thread, Frame& frame, bool kept) noexcept {
  put_plain(thread, Op::Release, close_now(thread, frame), kept ? trace::kReleaseKept : 0);
  const std::uint64_t edge = trace::pack_id(thread.writer.stream(), thread.ordinals.releases++) + 1;
  open_now(thread, frame);
  return edge;
}

void acquire_edges(ThreadState& thread, Frame& frame, const std::uint64_t* edges, unsigned count,
                   Acquire how) noexcept {
  ClosedStep step = how == Acquire::First && frame.step_open
                        ? close_at(thread, frame, {thread.step_work, thread.step_time})
                        : close_now(thread, frame);
  if (how != Acquire::Also)
    frame.part = 0; // its path no longer contains the edges that it acquired before
  for (unsigned i = 0; i < count; ++i) {
    put_pending(thread);
    RecordEncoder record(room_at(thread));
    const unsigned codes = put_figures(thread, record, step);
    record.operand(edges[i] - 1);
    const bool alone = how != Acquire::Also && i == 0;
    commit(thread, record, tag_of(Op::Acquire, codes, alone ? trace::kAcquireAlone : 0));
    step = ClosedStep{}; // there is no work between two edges
  }
  open_now(thread, frame);
}

void change_edge_uses(ThreadState& thread, Frame& frame, std::uint64_t edge, int change) noexcept {
  make_room_in_step(thread, frame);
  const trace::EdgeUsesPayload payload{edge - 1, change, 0};
  put_extended(thread, trace::ExtendedKind::EdgeUses, &payload, sizeof payload);
}

struct StackToken {
  std::uint64_t stack; // packed id
  Frame* top;
  Frame* bottom; // the frame above the base of a lent stack; null: the thread's own stack
  bool reopen;
  std::uint32_t generation;
};

// A stack that the library lends a thread has none of the thread's frames: below its frames is a
// base that never has a step.
static void renew_base(ThreadState& thread) noexcept {
  thread.base = Frame{};
  thread.base.thread = &thread;
}

StackToken* suspend_stack(ThreadState& thread) noexcept {
  Frame* const top = thread.frame.load(std::memory_order_relaxed);
  // A lent stack without a task. The library keeps some of these for the next suspend() and
  // destroys the others: possibly no thread ever returns to it.
  if (top == &thread.base)
    return nullptr;
  auto* const token = new (std::nothrow) StackToken;
  if (token == nullptr)
    return nullptr;
  token->reopen = top->step_open;
  if (top->step_open)
    cut(thread, *top);
  token->stack = trace::pack_id(thread.writer.stream(), thread.ordinals.stacks++);
  token->top = token->bottom = top;
  while (token->bottom != nullptr && token->bottom->outer != &thread.base)
    token->bottom = token->bottom->outer;
  token->generation = thread.generation;
  put_extended(thread, trace::ExtendedKind::StackOut, nullptr, 0);
  renew_base(thread);
  thread.frame.store(&thread.base, std::memory_order_relaxed);
  return token;
}

void resume_stack(ThreadState& thread, StackToken* token) noexcept {
  if (token->generation == thread.generation) {
    const trace::StackInPayload payload{token->stack};
    const std::uint64_t idle =
        thread.search_start != 0 ? take_idle(thread, read_own_time(thread.clock)) : 0;
    put_extended(thread, trace::ExtendedKind::StackIn, &payload, sizeof payload, idle);
    if (token->bottom != nullptr) { // the thread that suspended the stack still uses its own base
      renew_base(thread);
      token->bottom->outer = &thread.base;
    }
    thread.frame.store(token->top, std::memory_order_relaxed);
    if (token->reopen)
      open_now(thread, *token->top);
  }
  delete token;
}

// Of the open step, so far.
static std::uint64_t work_so_far(ThreadState& thread, const Frame& frame) noexcept {
  return frame.step_open && thread.step_pause != Pause::Now
             ? read_clock(thread.clock).work - thread.step_work
             : 0;
}

// Work of the open step, at a point from which on it is under other limits of concurrency. What it slept
// before that it slept under the old ones.
static std::uint64_t work_before_limit(ThreadState& thread, const Frame& frame) noexcept {
  const std::uint64_t work = work_so_far(thread, frame);
  if (thread.clock.asleep != 0 && frame.step_open && thread.step_pause != Pause::Now) {
    const trace::AsleepPayload payload{thread.clock.asleep,
                                       std::min(thread.clock.waited, thread.clock.asleep)};
    put_extended(thread, trace::ExtendedKind::AsleepBefore, &payload, sizeof payload);
  }
  return work;
}

void enter_arena(ThreadState& thread, Frame& frame, const tp_arena& arena, bool entered) noexcept {
  make_room_in_step(thread, frame);
  const trace::InArenaPayload payload{work_before_limit(thread, frame),
                                      arena.id,
                                      arena.asked,
                                      arena.reserved,
                                      arena.slots,
                                      (entered ? trace::kArenaEntered : 0u) |
                                          (arena.like_machine != 0 ? trace::kArenaLikeMachine : 0u),
                                      0};
  put_extended(thread, trace::ExtendedKind::InArena, &payload, sizeof payload);
  thread.arena = arena.id;
}

void note_wait(ThreadState& thread, Frame& frame) noexcept {
  if (thread.step_pause == Pause::Now)
    return;
  make_room_in_step(thread, frame);
  const std::uint64_t work = work_so_far(thread, frame);
  if (thread.clock.asleep == 0)
    return;
  const trace::WaitedAtPayload payload{
      work, {thread.clock.asleep, std::min(thread.clock.waited, thread.clock.asleep)}};
  put_extended(thread, trace::ExtendedKind::WaitedAt, &payload, sizeof payload);
}

void note_enqueued(ThreadState& thread, Frame& frame, std::uint32_t arena) noexcept {
  make_room_in_step(thread, frame);
  const trace::EnqueuedPayload payload{arena, 0};
  put_extended(thread, trace::ExtendedKind::Enqueued, &payload, sizeof payload);
}

void note_tokens(ThreadState& thread, Frame& frame, std::uint64_t tokens) noexcept {
  make_room_in_step(thread, frame);
  const trace::TokensPayload payload{tokens};
  put_extended(thread, trace::ExtendedKind::Tokens, &payload, sizeof payload);
}

void allow_threads(ThreadState& thread, Frame& frame, std::uint32_t threads,
                   bool like_machine) noexcept {
  make_room_in_step(thread, frame);
  const std::uint64_t work = work_before_limit(thread, frame);
  const trace::AllowedThreadsPayload payload{read_own_time(thread.clock), work, threads,
                                             like_machine ? trace::kAllowedLikeMachine : 0u};
  put_extended(thread, trace::ExtendedKind::AllowedThreads, &payload, sizeof payload);
}

void write_pause(ThreadState& thread, bool pause) noexcept {
  put_extended(thread, pause ? trace::ExtendedKind::Pause : trace::ExtendedKind::Resume, nullptr,
               0);
}

} // namespace tp::rt
