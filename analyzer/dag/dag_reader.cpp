// SPDX-License-Identifier: Apache-2.0
// The merge and the meaning of each record. One function per operation, in the order of
// trace_format.h; edges are in edges.cpp, the judgment of the whole in completeness.cpp.
//
// A record is processed as a whole or not at all: everything that it may have to wait for is
// checked first, so that a stream that was held back processes the same record again.
#include "dag/dag_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace tp::analysis {

static_assert(kSleepKinds == trace::kSleepKinds &&
              static_cast<std::uint32_t>(SleepKind::PageFault) ==
                  static_cast<std::uint32_t>(trace::SleepKind::PageFault));

using trace::Op;
using trace::Record;

namespace {
// The least number of chunks of a stream. If end.json does not state it (older traces), one: each
// thread records its beginning.
std::uint64_t expected_chunks(const EndInfo& end, std::size_t stream) {
  if (end.chunks.empty())
    return end.truncated ? 0 : 1;
  return stream < end.chunks.size() ? end.chunks[stream] : 0;
}

constexpr auto kTaskGroup = static_cast<std::uint8_t>(trace::Construct::TaskGroup);

// The context of a thread that the program creates.
bool is_thread(const Context* context) {
  return context && context->construct == static_cast<std::uint8_t>(trace::Construct::Thread);
}

bool is_league(const Context* context) {
  return context &&
         (context->construct == static_cast<std::uint8_t>(trace::Construct::OmpTeams) ||
          context->construct == static_cast<std::uint8_t>(trace::Construct::OmpTeamsGcc));
}

// That of the implicit tasks of an OpenMP region: each thread of the team has its own, which no other one could run.
bool is_region(const Context* context) {
  return is_league(context) ||
         (context &&
          (context->construct == static_cast<std::uint8_t>(trace::Construct::OmpParallel) ||
           context->construct == static_cast<std::uint8_t>(trace::Construct::OmpParallelGcc)));
}

// That of what one thread of a region runs of a loop.
bool is_loop_of_openmp(const Context* context) {
  return context && context->construct == static_cast<std::uint8_t>(trace::Construct::OmpFor);
}
// That of what one team of a league has of a loop.
bool is_distributed(const Context* context) {
  return context &&
         context->construct == static_cast<std::uint8_t>(trace::Construct::OmpDistribute);
}
bool is_worksharing(const Context* context) {
  return is_loop_of_openmp(context) ||
         (context &&
          context->construct == static_cast<std::uint8_t>(trace::Construct::OmpSections));
}
// Likewise, if each thread takes what is left.
bool is_shared_loop(const Context* context) {
  return is_worksharing(context) && context->gathers;
}
} // namespace

DagReader::DagReader(const TraceSource& source, const TraceInfo& info, const RowMaps& rows,
                     DagVisitor& visitor, bool from_first_use)
    : source_(source), info_(info), rows_(rows), visitor_(visitor), queue_(source.streams.size()),
      joins_(visitor, queue_), from_first_use_(from_first_use),
      no_extra_(info.run.extra_events.size()) {
  streams_.reserve(source.streams.size());
  for (std::uint32_t number = 0; number < source.streams.size(); ++number)
    streams_.push_back({.cursor = {source, number, info.run}});
  summary_.streams = streams_.size();
  summary_.extra.resize(info.run.extra_events.size());
  summary_.constructs.resize(index_of(rows.unknown_row) + 1); // the last row
  summary_.after_messages.resize(index_of(rows.unknown_row) + 1);
  waits_for_messages_ = !info.run.libtbb_version.starts_with("2021.");
  waits_for_tasks_ = waits_for_messages_ && !info.run.libtbb_version.starts_with("2022.");
  claims_complete_ = info.end && !info.end->truncated;
  if (!info.end)
    return;
  for (Stream& stream : streams_) {
    const std::uint32_t number = stream.cursor.number();
    stream.expected_chunks = expected_chunks(*info.end, number);
    claims_complete_ &= count_chunks(source.streams[number].bytes()) >= stream.expected_chunks;
  }
}

ReadSummary DagReader::run() {
  merge();
  finish_all();
  measure_streams();
  refine_time_rate();
  judge_completeness();
  summary_.concurrency = pools_.limits(externals_);
  return summary_;
}

// ---- merge

void DagReader::merge() {
  bool any = false;
  for (Stream& stream : streams_)
    if (stream.cursor.next()) {
      queue_.push(stream.cursor.time().at, stream.cursor.number());
      stream.first_time = stream.cursor.time().begin;
      summary_.first_time = any ? std::min(summary_.first_time, stream.cursor.time().begin)
                                : stream.cursor.time().begin;
      any = true;
    }
  for (;;) {
    std::uint32_t number;
    if (!queue_.empty()) {
      number = queue_.pop();
    } else {
      // No stream can go on: either a wait joins less than it seems to, or what the earliest record
      // waits for was never recorded.
      number = queue_.take_earliest_blocked();
      if (number == kNoStream)
        return;
      force_ = true;
    }
    Stream& stream = streams_[number];
    // In the common case the same stream goes on for a while.
    for (;;) {
      const bool done = process(stream);
      force_ = false;
      if (!done || !stream.cursor.next())
        break;
      const std::uint64_t time = stream.cursor.time().at;
      if (!queue_.comes_before(time, number)) {
        queue_.push(time, number);
        break;
      }
    }
  }
}

bool DagReader::block(Stream& stream, Waiters& waiters, std::uint64_t wanted,
                      bool perhaps_in_vain) {
  queue_.block(stream.cursor.time().at, stream.cursor.number(), waiters, wanted, perhaps_in_vain);
  return false;
}

DagReader::Stream* DagReader::stream_of(const Stream& reader, std::uint64_t id) {
  const std::uint32_t number = trace::id_stream(id);
  if (number < streams_.size())
    return &streams_[number];
  if (claims_complete_)
    fail(Problem::IdOutOfRange, reader.cursor.place(),
         fmt::format("a stream below {}", streams_.size()), std::to_string(number));
  return nullptr;
}

// ---- steps and frames

// The frame whose step the record closes.
Frame& DagReader::running(Stream& stream) {
  if (!stream.top)
    fail(Problem::StepWithoutFrame, stream.cursor.place(), "a running task or an external thread",
         "none");
  return *stream.top;
}

// Of the time in which a step slept.
std::uint64_t DagReader::latency_of(const trace::AsleepPayload& asleep) const {
  return info_.run.waits_seen ? asleep.time - std::min(asleep.waited, asleep.time) : 0;
}

// Of a step with so much work and sleep: in order, and nothing that is more.
std::span<const WaitPoint> DagReader::wait_points(Stream& stream, std::uint64_t work,
                                                  std::uint64_t asleep) {
  WaitPoint before;
  for (WaitPoint& each : stream.waits)
    before = each = {std::clamp(each.work, before.work, std::max(work, before.work)),
                     std::clamp(each.asleep, before.asleep, std::max(asleep, before.asleep))};
  return stream.waits;
}

// Of a step with so much latency; nothing that is more.
const SleepTimes* DagReader::slept_in(Stream& stream, std::uint64_t latency) {
  for (std::uint64_t& time : stream.slept_in.of) {
    time = std::min(time, latency);
    latency -= time;
  }
  return &stream.slept_in;
}

// `counts`: false for a step that is left out of the profile; it is one without work then.
void DagReader::close_step(Stream& stream, Frame& frame, Boundary closed, bool counts) {
  const Record& record = stream.cursor.record();
  const RecordTime& time = stream.cursor.time();
  if (!counts) {
    summary_.left_out_in_steps += record.work;
    summary_.left_out_work += record.work;
    stream.regions.clear();
  }
  if (!stream.regions.empty()) {
    std::uint64_t rest = record.work;
    bool exceeds = false;
    for (RegionWork& part : stream.regions) {
      exceeds |= part.work > rest;
      part.work = std::min(part.work, rest);
      rest -= part.work;
    }
    if (exceeds)
      note(Problem::RegionExceedsStep);
  }
  std::uint64_t lead = record.lead, length = time.at - time.begin;
  PauseRole pause = PauseRole::None;
  if (stream.paused) [[unlikely]] {
    pause = PauseRole::LeftOut;
    summary_.paused_time += length + lead;
    lead = length = 0;
    counts = false;
    --summary_.steps;
  } else if (frame.state.is_left_out) [[unlikely]] {
    pause = PauseRole::Enters;
    frame.state.is_left_out = false;
    summary_.begun += frame.is_task;
  }
  if (!stream.locks.empty())
    settle_locks(stream, counts);
  if (!stream.lock_tries.empty()) [[unlikely]]
    settle_tries(stream, counts);
  const std::uint64_t* const extra = counts ? record.extra : no_extra_.data();
  const PoolId pool = enter_pools(stream, frame, time.begin, counts ? record.work : 0,
                                  counts ? latency_of(stream.asleep) : 0);
  const Step step{counts ? record.work : 0,
                  lead,
                  counts ? stream.asleep.time : 0,
                  counts ? latency_of(stream.asleep) : 0,
                  length,
                  time.begin,
                  stream.cursor.number(),
                  {stream.regions.data(), stream.regions.size()},
                  {stream.locks.data(), stream.locks.size()},
                  {extra, summary_.extra.size()},
                  frame.state.opened,
                  closed,
                  frame.state.fold,
                  frame.state.after_portion,
                  pause,
                  !counts && pause != PauseRole::LeftOut,
                  counts ? 0 : record.work,
                  pool,
                  {stream.changes.data(), stream.changes.size()},
                  {stream.blames.data(), stream.blames.size()},
                  counts && stream.knows_sleep ? slept_in(stream, latency_of(stream.asleep))
                                               : nullptr,
                  {stream.handed_over.data(), stream.handed_over.size()},
                  {stream.lock_calls.data(), stream.lock_calls.size()},
                  wait_points(stream, counts ? record.work : 0, counts ? stream.asleep.time : 0),
                  {stream.waited.data(), stream.waited.size()},
                  {stream.lock_tries.data(), stream.lock_tries.size()},
                  {stream.untimed.data(), counts ? stream.untimed.size() : 0},
                  frame.open_loops > 0};
  visitor_.step(frame.state, step);
  frame.state.opened = closed;
  frame.state.fold = FoldKind::None;
  frame.state.after_portion = false;
  stream.regions.clear();
  stream.locks.clear();
  stream.blames.clear();
  stream.handed_over.clear();
  stream.lock_calls.clear();
  stream.lock_tries.clear();
  stream.untimed.clear();
  stream.slept_inside.clear();
  stream.waits.clear();
  stream.waited.clear();
  stream.asleep = {};
  if (std::exchange(stream.knows_sleep, false)) [[unlikely]]
    stream.slept_in = {};
  summary_.asleep += step.asleep;
  ++summary_.steps;
  summary_.overhead += step.overhead_before;
  if (!step.lock_calls.empty()) [[unlikely]]
    summary_.lock_calls += step.ticks_of_lock_calls();
  summary_.step_time += step.length;
  for (std::size_t event = 0; event < summary_.extra.size(); ++event)
    summary_.extra[event] += extra[event];
}

// Threads outside of tasks, and those that the program creates, run whatever is allowed; the first of
// them is what is allowed.
PoolId DagReader::enter_pools(Stream& stream, const Frame& frame, std::uint64_t begin,
                              std::uint64_t work, std::uint64_t latency) {
  const bool may_always_run = frame.state.is_thread || (frame.state.is_root && !stream.is_main);
  std::uint32_t allowed = may_always_run ? 0 : pools_.allowed_at(begin);
  // What the step itself changed came after its begin; times of records are not as precise.
  const auto change = std::ranges::find(stream.moves, false, &Stream::Move::is_arena);
  if (change != stream.moves.end() && !may_always_run)
    allowed = change->from;
  PoolId pool = pools_.pool_of(stream.arena, allowed);
  stream.changes.clear();
  PoolChange done;
  for (const Stream::Move& move : stream.moves) {
    if (move.is_arena)
      stream.arena = move.to;
    else if (!may_always_run)
      allowed = move.to;
    const PoolId to = pools_.pool_of(stream.arena, allowed);
    done = {std::clamp(move.work, done.work, std::max(work, done.work)),
            std::clamp(move.latency, done.latency, std::max(latency, done.latency)), to};
    if (done.work > 0 || done.latency > 0)
      stream.changes.push_back(done);
    else
      pool = to;
  }
  stream.moves.clear();
  stream.latency_before = 0;
  return pool;
}

// The record came after a time without work.
void DagReader::add_idle(const Stream& stream) {
  const std::uint64_t lead = stream.cursor.record().lead, at = stream.cursor.time().at;
  (stream.paused ? summary_.paused_time : summary_.idle) += lead;
  if (lead > 0)
    visitor_.idle(stream.cursor.number(), at - lead, at);
}

void DagReader::push(Stream& stream, Frame* frame) {
  frame->below = stream.top;
  stream.top = frame;
}

void DagReader::finish_top(Stream& stream) {
  Frame* const frame = stream.top;
  stream.top = frame->below;
  summary_.ended += frame->is_task && !frame->state.is_left_out;
  joins_.finish(frame);
}

void DagReader::push_root(Stream& stream, bool is_main) {
  Frame* const root = joins_.make_root(is_main);
  root->state.path = visitor_.new_path();
  root->state.is_root = true;
  visitor_.root_begun(root->state);
  push(stream, root);
}

// Ends frames that no record will end any more.
void DagReader::finish_stack(Frame*& top) {
  while (top) {
    Frame* const frame = top;
    top = frame->below;
    // A thread of the program's may run until the process ends.
    summary_.unfinished +=
        frame->is_task && !frame->state.is_left_out && !is_thread(frame->context);
    joins_.finish(frame);
  }
}

bool DagReader::process(Stream& stream) {
  if (!process_record(stream))
    return false;
  if (!stream.ending.empty()) {
    const Op op = stream.cursor.record().op;
    if (trace::closes_step(op) || op == Op::Begin || op == Op::WaitEnd)
      end_contexts(stream);
  }
  return true;
}

bool DagReader::process_record(Stream& stream) {
  switch (stream.cursor.record().op) {
  case Op::Spawn:
  case Op::SpawnWait:
    return process_spawn(stream);
  case Op::Wait:
    return process_wait(stream);
  case Op::WaitEnd:
    return process_wait_end(stream);
  case Op::Begin:
  case Op::Task:
    return process_begin(stream);
  case Op::End:
    process_end(stream);
    return true;
  case Op::LoopBegin: {
    Frame& frame = running(stream);
    close_step(stream, frame, {BoundaryKind::BodyBegin});
    ++frame.open_loops;
    frame.has_bodies = true;
    visitor_.loop_begin(frame.state);
    return true;
  }
  case Op::LoopEnd:
  case Op::PortionEnd:
  case Op::PortionJoin:
    process_body_end(stream);
    return true;
  case Op::Join:
    return process_join(stream);
  case Op::Release:
    process_release(stream);
    return true;
  case Op::Acquire:
    return process_acquire(stream);
  case Op::Region:
    process_region(stream);
    return true;
  case Op::ContextEnd:
    return process_context_end(stream);
  case Op::Cut:
    process_cut(stream);
    return true;
  case Op::Section:
  case Op::SectionAgain: // these are read as Sections
  case Op::SectionNear:
  case Op::SectionTurn:
  case Op::SectionOfUse:
  case Op::Take:
  case Op::Give:
    process_lock(stream);
    return true;
  case Op::Extended:
    return process_extended(stream);
  case Op::None:
    break;
  }
  return true;
}

// ---- spawns and waits

Context* DagReader::make_next_context(Stream& stream, unsigned traits) {
  const std::uint64_t id = trace::pack_id(stream.cursor.number(), stream.contexts);
  Context* const context =
      joins_.make_context(id, traits & trace::kContextExclusive,
                          static_cast<std::uint8_t>(traits & 63), traits & trace::kContextGathers);
  // A substitute, made for a record that could not wait, gives way.
  if (Context* const stand_in = contexts_.find(id)) {
    joins_.end_context(stand_in);
    joins_.release(stand_in);
    contexts_.erase(id);
  }
  contexts_.insert(id, context);
  queue_.wake_up_to(stream.context_waiters, stream.contexts++);
  return context;
}

// Null: it has not been read yet, so that the record has to wait.
Context* DagReader::find_context(Stream& stream, std::uint64_t id) {
  if (Context* const found = contexts_.find(id))
    return found;
  Stream* const maker = stream_of(stream, id);
  const bool created = maker && trace::id_ordinal(id) < maker->contexts;
  if (!created && !force_) {
    block(stream, maker ? maker->context_waiters : lost_, trace::id_ordinal(id));
    return nullptr;
  }
  if (created)
    note(Problem::ContextReused);
  else
    note_missing(Problem::NeverCreated, stream);
  Context* const stand_in = joins_.make_context(id, false, 0);
  contexts_.insert(id, stand_in);
  return stand_in;
}

// The context operand. False: the context has not been read yet, and nothing has changed.
bool DagReader::resolve_context(Stream& stream, Frame* frame, Context*& context) {
  const Record& record = stream.cursor.record();
  const auto need = [&](Context* found, const char* what) {
    if (!found)
      fail(Problem::NoContextYet, stream.cursor.place(), what, "none");
    context = found;
    return true;
  };
  switch (static_cast<trace::ContextCode>(record.flags >> trace::kContextShift & 3)) {
  case trace::ContextCode::Own:
    return need(frame ? frame->context : nullptr, "a task with a context");
  case trace::ContextCode::Last:
    return need(frame ? frame->last_context : nullptr, "a context named before");
  case trace::ContextCode::New:
    context = make_next_context(stream, record.context_traits);
    break;
  case trace::ContextCode::Id:
    context = find_context(stream, record.id);
    if (!context)
      return false;
    break;
  }
  if (frame)
    joins_.set_context(frame->last_context, context);
  return true;
}

Row DagReader::resolve_site(Stream& stream, const Frame& parent) {
  const Record& record = stream.cursor.record();
  switch (static_cast<trace::SiteCode>(record.flags & 3)) {
  case trace::SiteCode::Inherit:
    return parent.state.row;
  case trace::SiteCode::Last:
    if (!stream.any_site)
      fail(Problem::NoSiteYet, stream.cursor.place(), "a site named before", "none");
    return stream.last_row;
  default:
    break;
  }
  if (!stream.any_site || record.site != stream.last_site) {
    const Row* row = rows_.row_of_site.find(record.site);
    // A killed program may have lost the last lines of its site table.
    if (!row && claims_complete_)
      fail(Problem::BadSite, stream.cursor.place(), "a site of sites.jsonl",
           std::to_string(record.site));
    if (!row)
      note(Problem::BadSite);
    stream.last_row = row ? *row : rows_.unknown_row;
    stream.last_site = record.site;
    stream.any_site = true;
  }
  return stream.last_row;
}

void DagReader::add_tokens(Row row, std::uint64_t tokens) {
  ReadSummary::Tokens& found = summary_.tokens[row];
  found.most = std::max(found.most, tokens);
  ++found.pipelines;
}

bool DagReader::process_spawn(Stream& stream) {
  const Record& record = stream.cursor.record();
  Frame& parent = running(stream);
  const Row spawned_at = resolve_site(stream, parent);
  const Row row = parent.is_task && rows_.is_of_library(spawned_at) ? parent.state.row : spawned_at;
  Context* context = nullptr;
  if (!resolve_context(stream, &parent, context))
    return false;
  note_external(stream);
  summary_.constructs[row] |= std::uint64_t{1} << (context->construct & 63);
  close_step(stream, parent,
             {record.op == Op::Spawn ? BoundaryKind::Spawn : BoundaryKind::Wait, row});
  parent.state.last_spawned = row;
  if (!parent.state.divides_taskloop && rows_.is_of_taskloop(row) && parent.is_task &&
      parent.state.row == row && !parent.has_bodies &&
      (parent.context == context || record.op == Op::SpawnWait)) { // in a final task
    parent.state.divides_taskloop = true;
    visitor_.taskloop_divided(parent.state);
  }

  Frame* const child = joins_.make_task(parent);
  child->is_task = true;
  child->spawn_time = stream.cursor.time().at;
  child->state.row = child->state.last_spawned = row;
  child->state.path = visitor_.copy_path(*parent.state.path);
  const bool inherits = static_cast<trace::SiteCode>(record.flags & 3) == trace::SiteCode::Inherit;
  // A pipeline's own spawns have the sites of its filters.
  const bool passes_item = record.op == Op::Spawn && !inherits && rows_.is_of_filter(spawned_at);
  const bool is_split = (record.op == Op::Spawn && inherits) || passes_item;
  // Not what a filter's body spawns: a call that another thread executes for it, a pipeline of its own.
  const bool is_stage = passes_item && rows_.is_of_filter(row) &&
                        rows_.is_of_filter(parent.state.row) && context == parent.context;
  const bool is_wait = record.op == Op::SpawnWait;
  const bool waits_alone = is_wait && record.flags & trace::kWaitAlone;
  if (waits_alone)
    joins_.begin_wait_alone(parent, *child, context, stream.feed_next);
  else if (stream.feed_next && !is_wait)
    joins_.enter_feed(*child, parent, context);
  else
    joins_.enter_scope(*child, parent, context, is_split);
  stream.feed_next = false;
  if (!is_wait && record.flags & trace::kSpawnSplit)
    joins_.split(parent, *child);
  child->state.is_split = is_split;
  child->state.is_stage = is_stage;
  child->state.is_thread = is_thread(context);
  child->largest_leaf = is_split ? parent.largest_leaf : stream.largest_leaf;
  stream.largest_leaf = 0;
  ++summary_.spawned;
  if (stream.paused) [[unlikely]] {
    child->state.is_left_out = true;
    --summary_.spawned;
  }
  visitor_.spawned(parent.state, child->state);
  if (is_worksharing(context)) {
    ReadSummary::LoopParts& parts = summary_.loop_parts[row];
    ++parts.all;
    parts.shared += context->gathers ? 1 : 0;
  }
  if (is_shared_loop(context) && is_region(parent.context))
    visitor_.shares_loop(child->state, parent.context->id, parent.shared_loops++);
  summary_.most_live_frames = std::max(summary_.most_live_frames, joins_.live_frames());

  const std::uint64_t ordinal = stream.cursor.spawns();
  tasks_.insert(trace::pack_id(stream.cursor.number(), ordinal), child);
  stream.cursor.count_spawn();
  queue_.wake_up_to(stream.spawn_waiters, ordinal);
  if (is_wait && !waits_alone)
    joins_.begin_wait(parent, context);
  return true;
}

bool DagReader::process_wait(Stream& stream) {
  Frame& frame = running(stream);
  Context* context = nullptr;
  if (!resolve_context(stream, &frame, context))
    return false;
  note_external(stream);
  close_step(stream, frame, {BoundaryKind::Wait, frame.state.last_spawned});
  summary_.graph_waits += context->construct == kFlowGraph;
  if (const std::uint32_t threads = std::exchange(stream.barrier_threads, 0); threads != 0)
    if (!context->gathers || !joins_.arrive(frame, context, threads)) {
      if (claims_complete_)
        fail(Problem::BadPayload, stream.cursor.place(),
             fmt::format("{} arrivals at a context that gathers", threads), "another one");
      note(Problem::BadPayload);
    }
  joins_.begin_wait(frame, context);
  return true;
}

bool DagReader::process_wait_end(Stream& stream) {
  Frame* const frame = stream.top;
  if (frame && frame->is_lost && !frame->wait)
    return true; // of a frame below it
  if (!frame || !frame->wait)
    fail(Problem::WaitEndWithoutWait, stream.cursor.place(), "a frame that waits",
         frame ? "one that runs" : "no frame");
  // If several groups share a context, it is unknown which tasks this wait is for: some of the
  // others may end later. The same holds for try_put_and_wait(), which waits for one message in a
  // graph, and for wait_for_task() of a task_group.
  const Context& context = *frame->wait->context;
  const bool is_shared = !context.exclusive ||
                         (waits_for_messages_ && context.construct == kFlowGraph) ||
                         (waits_for_tasks_ && context.construct == kTaskGroup);
  const bool is_known = !is_shared || frame->wait->alone || !claims_complete_;
  if (Waiters* waiters = joins_.end_wait(*frame, force_))
    return block(stream, *waiters, 0, !is_known);
  if (force_ && is_known)
    note_missing(Problem::NeverEnded, stream);
  ++summary_.waits;
  if (stream.paused) [[unlikely]]
    --summary_.waits;
  add_idle(stream);
  if (stream.cursor.record().flags & trace::kWaitEndByException)
    ++summary_.by_exception;
  return true;
}

// ---- begin and end

bool DagReader::claim_task(Stream& stream, Frame*& task) {
  const Record& record = stream.cursor.record();
  const std::uint64_t own = stream.cursor.spawns();
  std::uint64_t id = record.id;
  Stream* spawner = &stream;
  if (static_cast<trace::TaskCode>(record.flags & 3) != trace::TaskCode::Id) {
    // `id` is the number of spawns before the newest.
    if (record.id >= own)
      fail(Problem::UnknownTask, stream.cursor.place(),
           fmt::format("one of {} spawns of this stream", own),
           fmt::format("the {}th before the newest", record.id));
    id = trace::pack_id(stream.cursor.number(), own - 1 - record.id);
  } else {
    spawner = stream_of(stream, id);
  }
  if (Frame* const found = tasks_.find(id)) {
    task = found;
    tasks_.erase(id);
    return true;
  }
  const std::uint64_t ordinal = trace::id_ordinal(id);
  if (spawner && ordinal < spawner->cursor.spawns())
    fail(Problem::TaskTwice, stream.cursor.place(), "each task once",
         fmt::format("task {} of stream {} again", ordinal, trace::id_stream(id)));
  if (!force_)
    return block(stream, spawner ? spawner->spawn_waiters : lost_, ordinal);
  note_missing(Problem::NeverSpawned, stream);
  task = placeholder_frame(id);
  task->is_task = true;
  return true;
}

// A task whose spawn is lost: its path starts at 0.
Frame* DagReader::placeholder_frame(std::uint64_t id) {
  Frame* const frame = joins_.make_lost_task();
  frame->state.row = frame->state.last_spawned = rows_.unknown_row;
  frame->state.path = visitor_.new_path();
  // Its context is lost with its spawn: a context that no record names replaces it.
  Context* const stand_in = joins_.make_context(id, false, 0);
  joins_.set_context(frame->context, stand_in);
  joins_.release(stand_in);
  Frame nowhere;
  visitor_.spawned(nowhere.state, frame->state);
  return frame;
}

bool DagReader::process_begin(Stream& stream) {
  const Record& record = stream.cursor.record();
  Frame* task = nullptr;
  if (!claim_task(stream, task))
    return false;
  ++summary_.begun;
  task->state.is_left_out = stream.paused;
  if (stream.paused) [[unlikely]]
    --summary_.begun;
  if (record.flags & trace::kTaskCancelled) {
    ++summary_.cancelled;
    task->state.has_no_thread = is_region(task->context);
    if (task->state.has_no_thread && !task->state.is_left_out)
      ++summary_.missing_threads[task->state.row];
  } else if (is_region(task->context) && !task->state.is_left_out) {
    task->context->region = task->state.row;
    teams_of_kind(task->context)[task->state.row].add({.most = ++task->context->team});
  }
  push(stream, task);
  note_steal(stream, *task);
  visitor_.begun(task->state);
  if (record.op == Op::Begin) {
    add_idle(stream);
    return true;
  }
  if (record.flags & trace::kTaskByException)
    ++summary_.by_exception;
  close_step(stream, *task, {BoundaryKind::End});
  finish_top(stream);
  return true;
}

std::map<Row, ThreadRange>& DagReader::teams_of_kind(const Context* region) {
  return is_league(region) ? summary_.leagues : summary_.teams;
}

// The time from the moment when a stolen task existed and its thief looked for work until the task
// began; of an OpenMP region, until another thread of its team began its part.
void DagReader::note_steal(const Stream& stream, Frame& task) {
  const Record& record = stream.cursor.record();
  if (task.state.is_thread || // a new thread begins it
      static_cast<trace::TaskCode>(record.flags & 3) != trace::TaskCode::Id ||
      trace::id_stream(record.id) == stream.cursor.number())
    return;
  const bool is_of_team = is_region(task.context);
  task.state.is_stolen = !is_of_team;
  if (record.op != Op::Begin || record.lead == 0)
    return;
  const std::uint64_t now = stream.cursor.time().at;
  const std::uint64_t both_there = std::max(task.spawn_time, now - std::min(now, record.lead));
  if (both_there >= now)
    return;
  if (is_of_team) {
    summary_.team_delay.add(now - both_there);
    return;
  }
  task.state.steal_delay = now - both_there;
  summary_.steal_delay.add(task.state.steal_delay);
}

void DagReader::process_end(Stream& stream) {
  if (!stream.top)
    fail(Problem::EndWithoutFrame, stream.cursor.place(), "a running task", "none");
  if (stream.top->is_task && stream.top->wait)
    fail(Problem::StepInWait, stream.cursor.place(), "the end of its wait first",
         "the end of the task");
  close_step(stream, running(stream), {BoundaryKind::End});
  if (stream.cursor.record().flags & trace::kEndByException)
    ++summary_.by_exception;
  if (!stream.top->is_lost) // else there may be more frames below
    finish_top(stream);
}

// The payload of a LoopShape or LoopWhole record.
std::vector<trace::LoopDimension> DagReader::dimensions(const Stream& stream) const {
  const Record& record = stream.cursor.record();
  const std::size_t count = record.payload_bytes / sizeof(trace::LoopDimension);
  if (count == 0 || count > trace::kMaxDimensions)
    fail(Problem::BadPayload, stream.cursor.place(),
         fmt::format("1 to {} dimensions of {} bytes", trace::kMaxDimensions,
                     sizeof(trace::LoopDimension)),
         fmt::format("{} bytes", record.payload_bytes));
  std::vector<trace::LoopDimension> found(count);
  std::memcpy(found.data(), record.payload, count * sizeof(trace::LoopDimension));
  return found;
}

// What the LoopEnd or PortionEnd record says.
LoopPart DagReader::loop_part(Stream& stream, const Frame& frame) {
  const Record& record = stream.cursor.record();
  LoopPart part = stream.shape.empty() ? LoopPart::of(record.iterations, record.grain)
                                       : LoopPart::of(stream.shape);
  stream.shape.clear();
  part.joins = record.flags & trace::kPartsJoin;
  if (frame.largest_leaf > 0 && part.iterations > 0)
    part.largest = part.deepest = frame.largest_leaf;
  if (is_distributed(frame.context) && part.iterations > 0) // in chunks, not in halves
    part.largest = part.deepest = std::min(part.iterations, std::max<std::uint64_t>(part.grain, 1));
  if (part.iterations == 0 && part.grain > 1 &&
      (is_loop_of_openmp(frame.context) || is_distributed(frame.context))) {
    part.ordered = part.grain - 1;
    part.grain = 1;
  }
  return part;
}

// A LoopEnd, PortionEnd or PortionJoin. For what the portions of a body are made of, they are bodies.
void DagReader::process_body_end(Stream& stream) {
  const Op op = stream.cursor.record().op;
  Frame& frame = running(stream);
  if (frame.open_loops == 0 && !frame.is_lost)
    fail(Problem::LoopEndWithoutBegin, stream.cursor.place(), "an open loop body", "none");
  close_step(stream, frame, {BoundaryKind::BodyEnd});
  if (op != Op::LoopEnd) {
    frame.state.opened = {BoundaryKind::BodyBegin};
    frame.state.after_portion = true;
  }
  if (frame.open_loops == 0) {
    stream.shape.clear();
    return;
  }
  if (op == Op::PortionJoin) {
    visitor_.portions_joined(frame.state);
    return;
  }
  const LoopPart part = loop_part(stream, frame);
  if (op == Op::PortionEnd) {
    visitor_.portion_end(frame.state, part);
    return;
  }
  --frame.open_loops;
  visitor_.loop_end(frame.state, part);
}

// ---- other joins

bool DagReader::process_join(Stream& stream) {
  Frame& frame = running(stream);
  if (!frame.node && !claims_complete_) { // a task whose spawn is lost
    note_missing(Problem::NeverJoined, stream);
    close_step(stream, frame, {BoundaryKind::Other});
    return true;
  }
  if (!frame.node)
    fail(Problem::JoinWithoutNode, stream.cursor.place(), "a frame that was split",
         "one that was not");
  // The step before a Join is closed when the record passes, not when it starts to wait: no other
  // stream can see the difference.
  FoldNode* const node = frame.node;
  const std::uint8_t other = 1 - frame.side;
  const bool there = node->ends[other] || node->gone[other];
  if (!there && !force_)
    return block(stream, node->waiters);
  if (!there)
    note_missing(Problem::NeverJoined, stream);
  close_step(stream, frame, {BoundaryKind::Other});
  summary_.folds += !stream.paused;
  visitor_.folds(frame.state);
  joins_.pass_node(frame, force_);
  const unsigned flags = stream.cursor.record().flags;
  frame.state.fold = flags & trace::kJoinRuns      ? FoldKind::Joins
                     : flags & trace::kJoinSkipped ? FoldKind::Skipped
                                                   : FoldKind::Unknown;
  return true;
}

// The code of a thread that has not used oneTBB yet ends in a cut, unless the cut begins a pause,
// which the next record shows. A thread that has created a context has used oneTBB already.
void DagReader::process_cut(Stream& stream) {
  Frame& frame = running(stream);
  const bool before_use =
      !stream.used_tbb && !frame.is_task && (!frame.last_context || is_thread(frame.last_context));
  const auto follows = stream.cursor.next_extended();
  const bool is_first_use =
      before_use && follows != trace::ExtendedKind::Pause && follows != trace::ExtendedKind::Resume;
  stream.used_tbb |= is_first_use;
  close_step(stream, frame, {is_first_use ? BoundaryKind::FirstUse : BoundaryKind::Other},
             !(from_first_use_ && before_use));
}

// ---- what closes no step

void DagReader::process_region(Stream& stream) {
  const Record& record = stream.cursor.record();
  const RegionId* const region = rows_.region_of_id.find(record.region);
  if (!region && claims_complete_)
    fail(Problem::BadRegion, stream.cursor.place(), "a region of sites.jsonl",
         std::to_string(record.region));
  if (!region) {
    note(Problem::BadRegion);
    return;
  }
  for (RegionWork& part : stream.regions)
    if (part.region == *region) {
      part.work += record.work;
      return;
    }
  stream.regions.push_back({*region, record.work});
}

// Of the step that the next closing record closes.
void DagReader::process_lock(Stream& stream) {
  const Record& record = stream.cursor.record();
  LockUse use{.kind = record.op == Op::Section ? LockUseKind::Section
                      : record.op == Op::Take  ? LockUseKind::Take
                                               : LockUseKind::Give,
              .object = lock_in(stream, record.lock_slot),
              .at = record.lead,
              .shared = (record.flags & trace::kLockShared) != 0};
  if (!stream.slept_inside.empty()) [[unlikely]]
    std::erase_if(stream.slept_inside, [&](const Stream::SleptInside& each) {
      if (each.object != use.object)
        return false;
      use.latency = each.time;
      use.is_outermost = !each.is_inner;
      return true;
    });
  if (use.kind == LockUseKind::Give) {
    stream.locks.push_back(use);
    return;
  }
  const LockPlaceId* const place = recorded_lock_place(stream, record.lock_place);
  if (!place)
    note(Problem::BadLockPlace);
  use.place = lock_place(place ? *place : LockPlaceId{}, use.object);
  use.waited = record.wall;
  use.is_contended = (record.flags & trace::kLockContended) != 0;
  if (!stream.handed_over.empty() && stream.handed_over.back().object == use.object &&
      stream.handed_over.back().waited == 0)
    stream.handed_over.back().waited = use.waited;
  if (use.kind == LockUseKind::Section) {
    use.work = record.work;
    use.is_sampled = (record.flags & trace::kLockMany) != 0;
    if (use.is_sampled) {
      use.count = record.sections;
      use.error = record.work_error;
    }
  }
  stream.locks.push_back(use);
}

// Corrections of the clock may make a section a little longer than what is left of its step. In a step
// that does not count no section does, but one that is open at its end or ends in it may matter.
void DagReader::settle_locks(Stream& stream, bool counts) {
  const std::uint64_t work = counts ? stream.cursor.record().work : 0;
  if (!counts) {
    std::erase_if(stream.locks,
                  [](const LockUse& use) { return use.kind == LockUseKind::Section; });
    stream.blames.clear();
    stream.handed_over.clear();
    stream.lock_calls.clear();
  }
  for (LockUse& use : stream.locks) {
    use.at = std::min(use.at, work);
    use.work = std::min(use.work, work - use.at);
    if (!counts)
      use.waited = 0;
    summary_.lock_waits += use.waited;
  }
  if (std::ranges::any_of(stream.locks, [](const LockUse& use) { return use.latency > 0; }))
    settle_latencies(stream, counts ? latency_of(stream.asleep) : 0);
  std::ranges::stable_partition(stream.locks,
                                [](const LockUse& use) { return use.kind != LockUseKind::Take; });
  summary_.lock_records += stream.locks.size();
}

// Sections of a lock, one after the other, have no more sleep than the step.
void DagReader::settle_latencies(Stream& stream, std::uint64_t latency) {
  std::unordered_map<std::uint32_t, std::uint64_t> rests;
  for (LockUse& use : stream.locks) {
    std::uint64_t& rest = rests.try_emplace(index_of(use.object), latency).first->second;
    use.latency = std::min(use.latency, rest);
    rest -= use.shared ? 0 : use.latency;
  }
}

LockObjectId DagReader::lock_in(const Stream& stream, std::uint16_t slot) const {
  if (slot >= stream.slots.size() || !stream.slots[slot])
    fail(Problem::NoLockYet, stream.cursor.place(), "a slot of a lock", std::to_string(slot));
  return *stream.slots[slot];
}

void DagReader::process_blame(Stream& stream, const trace::LockWaitPayload& payload) {
  const LockObjectId object = lock_in(stream, payload.slot);
  if (const LockPlaceId* const place = recorded_lock_place(stream, payload.place))
    stream.blames.push_back({object, lock_place(*place, object), payload.ticks});
}

void DagReader::process_tries(Stream& stream, const trace::LockTriesPayload& payload) {
  const LockObjectId object = lock_in(stream, payload.slot);
  if (const LockPlaceId* const place = recorded_lock_place(stream, payload.place))
    stream.lock_tries.push_back({object, lock_place(*place, object), payload.tries, payload.work});
}

void DagReader::process_untimed(Stream& stream, const trace::LockUntimedPayload& payload) {
  const LockObjectId object = lock_in(stream, payload.slot);
  if (const LockPlaceId* const place = recorded_lock_place(stream, payload.place))
    stream.untimed.push_back(
        {object, lock_place(*place, object), payload.count, payload.work, payload.error});
}

// As settle_locks(). All of them together are part of the step's work.
void DagReader::settle_tries(Stream& stream, bool counts) {
  if (!counts)
    stream.lock_tries.clear();
  std::uint64_t rest = stream.cursor.record().work;
  for (LockTries& tries : stream.lock_tries) {
    tries.work = std::min(tries.work, rest);
    rest -= tries.work;
  }
  summary_.lock_records += stream.lock_tries.size();
}

// Null: an incomplete recording does not know it.
const LockPlaceId* DagReader::recorded_lock_place(const Stream& stream,
                                                  std::uint32_t number) const {
  const LockPlaceId* const place = rows_.lock_place_of_id.find(number);
  if (!place && claims_complete_)
    fail(Problem::BadLockPlace, stream.cursor.place(), "a lock_place of sites.jsonl",
         std::to_string(number));
  return place;
}

// A line may acquire locks of several declarations: what a function is given, or several at once. One of its
// own for each is what makes them rows of their own.
LockPlaceId DagReader::lock_place(LockPlaceId at, LockObjectId object) {
  if (rows_.lock_places == 0)
    return at;
  const LockDeclaration& of = lock_declarations_[object];
  std::optional<LockDeclaration>& first = first_at_.grown_to(at);
  if (!first)
    first = of;
  if (*first == of)
    return at;
  const auto [found, fresh] = other_lock_places_.try_emplace(
      {at, of}, static_cast<LockPlaceId>(rows_.lock_places + other_lock_places_.size()));
  if (fresh)
    visitor_.lock_place(found->second, at);
  return found->second;
}

void DagReader::set_slot(Stream& stream, const trace::LockObjectPayload& payload) {
  const auto [found, fresh] = lock_objects_.try_emplace(
      {payload.address, std::uint64_t{payload.kind} << 32 | payload.generation},
      static_cast<LockObjectId>(lock_objects_.size()));
  if (fresh) {
    const auto variable = rows_.lock_variables.find(payload.address);
    lock_declarations_.push_back(
        {payload.kind, variable != rows_.lock_variables.end() ? variable->second : 0});
    visitor_.lock_object(
        found->second, {payload.address, payload.generation, payload.kind,
                        (payload.flags & trace::kLockMayBeReused) != 0,
                        (payload.flags & trace::kLocksNotApart) != 0,
                        static_cast<trace::LockKind>(payload.kind) == trace::LockKind::Semaphore});
  }
  if (payload.slot >= stream.slots.size())
    stream.slots.resize(std::size_t{payload.slot} + 1);
  stream.slots[payload.slot] = found->second;
}

// An external thread runs tasks.
void DagReader::note_external(Stream& stream) {
  externals_ += !stream.is_worker && !stream.runs_tasks;
  stream.runs_tasks = true;
}

bool DagReader::process_context_end(Stream& stream) {
  Context* context = nullptr;
  if (!resolve_context(stream, stream.top, context))
    return false;
  if (contexts_.find(context->id) != context)
    return true; // its end was recorded before
  // The record has no time of its own: what other threads did until this thread's next record still
  // came before it.
  stream.ending.push_back(context);
  return true;
}

void DagReader::end_contexts(Stream& stream) {
  for (Context* context : stream.ending) {
    if (contexts_.find(context->id) != context)
      continue;
    if (context->team > 0)
      teams_of_kind(context)[context->region].add({.least = context->team});
    contexts_.erase(context->id);
    joins_.end_context(context);
    joins_.release(context);
  }
  stream.ending.clear();
}

bool DagReader::process_extended(Stream& stream) {
  const Record& record = stream.cursor.record();
  const auto load = [&](auto& payload) {
    if (record.payload_bytes < sizeof payload)
      fail(Problem::BadPayload, stream.cursor.place(),
           fmt::format("at least {} bytes", sizeof payload), std::to_string(record.payload_bytes));
    std::memcpy(&payload, record.payload, sizeof payload);
  };
  switch (record.extended_kind) {
  case trace::ExtendedKind::ThreadBegin: {
    trace::ThreadBeginPayload payload;
    load(payload);
    begin_thread(stream, payload);
    break;
  }
  case trace::ExtendedKind::ThreadEnd: {
    trace::ThreadEndPayload payload;
    load(payload);
    summary_.threads.cpu_ns += payload.cpu_ns;
    summary_.threads.paused_work += payload.paused_work;
    stream.thread_ended_at = stream.cursor.time().at;
    if (stream.top && !stream.top->below && !stream.top->is_task)
      finish_top(stream);
    if (stream.top && !stream.cursor.truncated())
      fail(Problem::ThreadNotOver, stream.cursor.place(),
           "an empty frame stack at the thread's end", "open frames");
    break;
  }
  case trace::ExtendedKind::StackOut:
    suspend_stack(stream);
    break;
  case trace::ExtendedKind::StackIn: {
    trace::StackInPayload payload;
    load(payload);
    if (!resume_stack(stream, payload.stack))
      return false;
    add_idle(stream);
    break;
  }
  case trace::ExtendedKind::EdgeUses: {
    trace::EdgeUsesPayload payload;
    load(payload);
    return process_edge_uses(stream, payload);
  }
  case trace::ExtendedKind::HandOver: {
    trace::HandOverPayload payload;
    load(payload);
    return process_hand_over(stream, payload);
  }
  case trace::ExtendedKind::BarrierWait: {
    trace::BarrierWaitPayload payload;
    load(payload);
    if (payload.threads == 0)
      fail(Problem::BadPayload, stream.cursor.place(), "a number of threads", "0");
    stream.barrier_threads = payload.threads;
    break;
  }
  case trace::ExtendedKind::Feed:
    stream.feed_next = true;
    break;
  case trace::ExtendedKind::LoopShape:
    stream.shape = dimensions(stream);
    break;
  case trace::ExtendedKind::LoopWhole:
    stream.largest_leaf = LoopPart::of(dimensions(stream)).largest;
    break;
  case trace::ExtendedKind::Asleep: {
    load(stream.asleep);
    break;
  }
  case trace::ExtendedKind::AsleepIn: {
    trace::AsleepInPayload payload;
    load(payload);
    std::uint64_t& time = stream.slept_in.of[payload.kind < kSleepKinds ? payload.kind : 0];
    time += std::min(payload.time, std::numeric_limits<std::uint64_t>::max() - time);
    stream.knows_sleep = true;
    break;
  }
  case trace::ExtendedKind::AsleepBefore: {
    trace::AsleepPayload payload;
    load(payload);
    stream.latency_before = latency_of(payload);
    break;
  }
  case trace::ExtendedKind::Tokens: {
    trace::TokensPayload payload;
    load(payload);
    if (payload.tokens > 0)
      add_tokens(running(stream).state.row, payload.tokens);
    break;
  }
  case trace::ExtendedKind::LockObject: {
    trace::LockObjectPayload payload;
    load(payload);
    set_slot(stream, payload);
    std::uint32_t ticks = 0;
    if (record.payload_bytes >= sizeof payload + sizeof ticks)
      std::memcpy(&ticks, record.payload + sizeof payload, sizeof ticks);
    if (ticks > 0)
      stream.lock_calls.push_back({*stream.slots[payload.slot], ticks, false});
    break;
  }
  case trace::ExtendedKind::LockWait: {
    trace::LockWaitPayload payload;
    load(payload);
    process_blame(stream, payload);
    break;
  }
  case trace::ExtendedKind::LockTries: {
    trace::LockTriesPayload payload;
    load(payload);
    process_tries(stream, payload);
    break;
  }
  case trace::ExtendedKind::LockUntimed: {
    trace::LockUntimedPayload payload;
    load(payload);
    process_untimed(stream, payload);
    break;
  }
  case trace::ExtendedKind::LockHandedOver: {
    trace::LockHandedOverPayload payload;
    load(payload);
    stream.handed_over.push_back(
        {lock_in(stream, payload.slot), 0, payload.since_release, payload.since_wake});
    break;
  }
  case trace::ExtendedKind::SleptInSection: {
    trace::SleptInSectionPayload payload;
    load(payload);
    stream.slept_inside.push_back({lock_in(stream, payload.slot), payload.time,
                                   (payload.flags & trace::kSectionIsInner) != 0});
    break;
  }
  case trace::ExtendedKind::LockCall: {
    trace::LockCallPayload payload;
    load(payload);
    stream.lock_calls.push_back({lock_in(stream, payload.slot), payload.ticks,
                                 (payload.flags & trace::kLockCallWakes) != 0});
    break;
  }
  case trace::ExtendedKind::WaitedAt: {
    trace::WaitedAtPayload payload;
    load(payload);
    stream.waits.push_back({payload.work, payload.asleep.time});
    break;
  }
  case trace::ExtendedKind::Waited: {
    trace::WaitedPayload payload;
    load(payload);
    const std::uint64_t now = stream.cursor.time().at;
    const std::uint64_t end = now + std::min(payload.until, UINT64_MAX - now);
    stream.waited.push_back({end - std::min(payload.ticks, end - now), end});
    break;
  }
  case trace::ExtendedKind::InArena: {
    trace::InArenaPayload payload;
    load(payload);
    const bool entered = (payload.flags & trace::kArenaEntered) != 0 && stream.top;
    const std::uint32_t arena = pools_.enter(payload, entered ? stream.top->serial : 0);
    stream.moves.push_back({payload.work, stream.latency_before, arena, true, 0});
    break;
  }
  case trace::ExtendedKind::Enqueued: {
    trace::EnqueuedPayload payload;
    load(payload);
    pools_.enqueued(payload.arena);
    break;
  }
  case trace::ExtendedKind::AllowedThreads: {
    trace::AllowedThreadsPayload payload;
    load(payload);
    const std::uint32_t before = pools_.allowed_at(payload.time - 1);
    stream.moves.push_back(
        {payload.work, stream.latency_before, pools_.allow(payload), false, before});
    break;
  }
  case trace::ExtendedKind::Pause:
    ++summary_.pauses;
    break;
  case trace::ExtendedKind::StepsPaused:
    stream.paused = true;
    break;
  case trace::ExtendedKind::StepsResumed:
    stream.paused = false;
    break;
  case trace::ExtendedKind::Forked:
    ++summary_.forks;
    break;
  default: // Resume, and kinds added within the version
    break;
  }
  return true;
}

// Both contexts are found before anything changes.
bool DagReader::process_hand_over(Stream& stream, const trace::HandOverPayload& payload) {
  Context* const from = find_context(stream, payload.from);
  if (!from)
    return false;
  const bool is_new = payload.flags & trace::kHandOverNew;
  Context* const to =
      is_new ? make_next_context(stream, payload.traits) : find_context(stream, payload.to);
  if (!to)
    return false;
  if (from == to || !from->exclusive || !to->gathers) {
    if (claims_complete_)
      fail(Problem::BadPayload, stream.cursor.place(), "an exclusive context and one that gathers",
           "others");
    note(Problem::BadPayload);
    return true;
  }
  joins_.hand_over(from, to);
  contexts_.erase(payload.from);
  joins_.end_context(from);
  joins_.release(from);
  return true;
}

// Resumable tasks. Below the frames of the resumed stack the thread has no frames of its own: a
// base frame without steps takes their place.
void DagReader::suspend_stack(Stream& stream) {
  const std::uint64_t ordinal = stream.stacks++;
  stacks_.insert(trace::pack_id(stream.cursor.number(), ordinal), stream.top);
  stream.top = nullptr;
  push_root(stream);
  queue_.wake_up_to(stream.stack_waiters, ordinal);
}

bool DagReader::resume_stack(Stream& stream, std::uint64_t id) {
  Frame** const found = stacks_.find(id);
  if (!found && !force_) {
    Stream* const owner = stream_of(stream, id);
    return block(stream, owner ? owner->stack_waiters : lost_, trace::id_ordinal(id));
  }
  finish_stack(stream.top);
  if (found) {
    stream.top = *found;
    stacks_.erase(id);
    return true;
  }
  note_missing(Problem::NeverPutAside, stream);
  push(stream, placeholder_frame(id));
  stream.top->is_lost = true;
  joins_.set_context(stream.top->last_context, stream.top->context);
  visitor_.begun(stream.top->state);
  return true;
}

void DagReader::begin_thread(Stream& stream, const trace::ThreadBeginPayload& payload) {
  if (stream.top) {
    if (!stream.cursor.truncated())
      fail(Problem::ThreadNotOver, stream.cursor.place(), "an empty frame stack", "open frames");
    finish_stack(stream.top);
  }
  ++summary_.threads.threads;
  if (const std::uint64_t now = stream.cursor.time().at;
      stream.thread_ended_at > 0 && now > stream.thread_ended_at)
    stream.without_thread += now - stream.thread_ended_at;
  stream.thread_ended_at = 0;
  switch (static_cast<trace::ThreadRole>(payload.role)) {
  case trace::ThreadRole::Worker:
    ++summary_.threads.workers;
    break;
  case trace::ThreadRole::Created:
    ++summary_.threads.created;
    break;
  case trace::ThreadRole::External:
    ++summary_.threads.others;
    break;
  case trace::ThreadRole::Main:
    break;
  }
  const auto role = static_cast<trace::ThreadRole>(payload.role);
  stream.is_main = role == trace::ThreadRole::Main;
  stream.is_worker = role == trace::ThreadRole::Worker;
  stream.runs_tasks = false;
  stream.arena = 0;
  stream.moves.clear();
  stream.waits.clear();
  stream.waited.clear();
  stream.latency_before = 0;
  push_root(stream, stream.is_main);
  stream.used_tbb = false;
  stream.paused = false;
  // Recording may have begun before the first use (a causal region): both parts are one code
  // segment.
  const trace::AsleepPayload slept = std::exchange(stream.asleep, {});
  if (from_first_use_) {
    summary_.left_out_work += payload.prior_work;
  } else if (payload.prior_work > 0 || slept.time > 0) {
    const Step step{.work = payload.prior_work,
                    .asleep = slept.time,
                    .latency = latency_of(slept),
                    .begin = stream.cursor.time().at,
                    .stream = stream.cursor.number(),
                    .closed = {BoundaryKind::FirstUse},
                    .slept_in = stream.knows_sleep ? slept_in(stream, latency_of(slept)) : nullptr};
    visitor_.step(stream.top->state, step);
    summary_.prior_work += step.work;
    summary_.prior_asleep += step.asleep;
    if (payload.role == static_cast<std::uint32_t>(trace::ThreadRole::Main)) {
      summary_.main_prior_work += step.work;
      summary_.main_prior_asleep += step.asleep;
    }
  }
  stream.slept_in = {};
  stream.knows_sleep = false;
}

// ---- the end

// Everything that is left at the end of all streams ends there.
void DagReader::finish_all() {
  for (Stream& stream : streams_)
    finish_stack(stream.top);
  stacks_.for_each([&](std::uint64_t, Frame* top) { finish_stack(top); });
  tasks_.for_each([&](Frame* frame) {
    summary_.never_begun += !frame->state.is_left_out;
    // A thread that was still in its first step has left no record.
    if (is_region(frame->context) && !frame->state.is_left_out)
      teams_of_kind(frame->context)[frame->state.row].add({.most = ++frame->context->team});
    joins_.abandon(frame);
  });
  contexts_.for_each([&](Context* context) {
    joins_.end_context(context);
    joins_.release(context);
  });
}

} // namespace tp::analysis
