// SPDX-License-Identifier: Apache-2.0
// The reading order is a topological order of the DAG, so edges are added when their later end is
// read.
#include "simulate/dag_recorder.h"

#include "base/wide.h"

#include <algorithm>

namespace tp::analysis {

DagRecorder::DagRecorder(const StepCosts& costs, std::size_t nodes_expected,
                         const LockChoice* locks)
    : costs_(costs), locks_(locks) {
  dag_.nodes.reserve(nodes_expected);
  if (locks)
    dag_.locks = locks->rules;
}

Dag& DagRecorder::dag() {
  for (const auto& [frame, sections] : open_)
    leave_out(sections);
  open_.clear();
  return dag_;
}

Path* DagRecorder::copy_path(const Path& path) {
  const DagTrack& from = typed(path);
  from.alone = false;
  DagTrack* const copy = tracks_.make();
  copy->point = from.point;
  copy->alone = false;
  return copy;
}

void DagRecorder::drop_path(Path* path) {
  tracks_.free(&typed(*path));
}

void DagRecorder::add_effect(Effect& to, Effect effect) {
  if (!to) {
    to = effect;
    return;
  }
  const auto add_cell = [&](Dag::Cell cell) {
    dag_.cells.push_back(cell);
    to = {Effect::Kind::Several, static_cast<std::uint32_t>(dag_.cells.size() - 1)};
    fits_ &= dag_.cells.size() < kMostDagNodes;
  };
  if (to.kind() != Effect::Kind::Several)
    add_cell({to, kNoDagId});
  add_cell({effect, to.id()});
}

DagJoinId DagRecorder::add_join() {
  dag_.joins.emplace_back();
  fits_ &= dag_.joins.size() < kMostDagNodes;
  return static_cast<DagJoinId>(dag_.joins.size() - 1);
}

void DagRecorder::signal(const DagPoint& from, DagJoinId join) {
  if (from.kind == DagPoint::Nowhere)
    return;
  ++dag_.joins[join].count;
  add_effect(from.kind == DagPoint::Node ? dag_.nodes[from.id].effect : dag_.joins[from.id].effect,
             {Effect::Kind::Signal, join});
}

// The join that represents the end of `of`. Neither the point nor the join grows afterwards.
DagJoinId DagRecorder::joined(DagTrack& of) {
  of.alone = false;
  if (of.point.kind == DagPoint::Join)
    return of.point.id;
  const DagJoinId join = add_join();
  signal(of.point, join);
  of.point = {DagPoint::Join, join};
  return join;
}

// ---- running frames

// No other node leads to it so far.
DagNodeId DagRecorder::add_first_node(PoolId pool) {
  const auto id = static_cast<DagNodeId>(dag_.nodes.size());
  dag_.nodes.emplace_back();
  if (pool != kNoPool || !dag_.pool_of_node.empty()) {
    dag_.pool_of_node.resize(dag_.nodes.size());
    dag_.pool_of_node.back() = static_cast<std::uint16_t>(index_of(pool));
  }
  if (!dag_.lock_ops.empty())
    dag_.lock_ops.emplace_back();
  fits_ &= dag_.nodes.size() < kMostDagNodes;
  return id;
}

DagNodeId DagRecorder::add_node(DagTrack& of, std::uint64_t cost, PoolId pool) {
  const DagNodeId id = add_first_node(pool);
  dag_.nodes[id].cost = cost;
  if (of.point.kind == DagPoint::Nowhere)
    dag_.roots.push_back(id);
  else if (of.detached)
    add_effect(dag_.joins[of.point.id].effect, {Effect::Kind::Start, id});
  else if (of.first)
    add_effect(dag_.nodes[of.point.id].effect, {Effect::Kind::Start, id});
  else
    dag_.nodes[of.point.id].next = id;
  of.point = {DagPoint::Node, id};
  of.pool = pool;
  of.detached = of.first = false;
  of.alone = true;
  return id;
}

std::uint64_t DagRecorder::work_of(const Step& step) const {
  return step.work - std::min(step.work, costs_.recording);
}

std::uint64_t DagRecorder::overhead_of(const FrameState& frame, const Step& step) const {
  return step.pause == PauseRole::LeftOut ||
                 (frame.is_root && step.opened.kind == BoundaryKind::Begin)
             ? 0 // the thread existed before
             : costs_.overhead[static_cast<std::size_t>(step.opened.kind)];
}

void DagRecorder::step(FrameState& frame, const Step& step) {
  const std::uint64_t work = work_of(step);
  add_step(frame, step, work, overhead_of(frame, step), work);
}

void DagRecorder::add_step(FrameState& frame, const Step& step, std::uint64_t work,
                           std::uint64_t overhead, std::uint64_t inside) {
  add_parts(frame, step, work, overhead, inside, {});
}

void DagRecorder::add_divided_step(FrameState& frame, const Step& step, std::uint64_t work,
                                   std::uint64_t overhead, std::uint64_t tasks,
                                   std::uint64_t least) {
  add_parts(frame, step, work, overhead, work, {tasks, std::max<std::uint64_t>(least, 1)});
}

void DagRecorder::add_parts(FrameState& frame, const Step& step, std::uint64_t work,
                            std::uint64_t overhead, std::uint64_t inside,
                            const Division& division) {
  if (!fits_)
    return;
  const std::uint64_t on_worker = frame.is_thread ? 0 : step.latency;
  std::uint64_t sum = 0;
  fits_ = !__builtin_add_overflow(work_, work, &work_) &&
          !__builtin_add_overflow(overhead_, overhead, &overhead_) &&
          !__builtin_add_overflow(latency_, on_worker, &latency_) &&
          !__builtin_add_overflow(asleep_, step.latency - on_worker, &asleep_) &&
          !__builtin_add_overflow(work_, overhead_, &sum) &&
          !__builtin_add_overflow(sum, latency_, &sum) &&
          !__builtin_add_overflow(sum, asleep_, &sum) && sum < Dag::kSleeps;
  DagTrack& of = path_of(frame);
  // What recording or a remedy takes off is not part of the work: in proportion.
  const std::uint64_t all = std::max<std::uint64_t>(step.work, 1);
  const auto share = [&](std::uint64_t whole, std::uint64_t to) {
    return static_cast<std::uint64_t>(Wide{whole} * std::min(to, all) / all);
  };
  PoolId pool = step.pool;
  std::uint64_t done = 0, slept = 0, before = overhead;
  const auto advance = [&](std::uint64_t to) {
    to = std::max(to, done);
    const bool holds = (inside != work || division.tasks > 1) && open_.contains(&frame);
    const std::uint64_t whole = holds ? inside : work;
    const std::uint64_t part = share(whole, to) - share(whole, done);
    if (division.tasks > 1 && !holds) {
      add_part(of, before, pool);
      add_tasks(of, part, pool, division);
    } else {
      add_part(of, before + part, pool);
    }
    done = to;
    before = 0;
  };
  const auto sleep = [&](std::uint64_t to) {
    const std::uint64_t time = std::max(to, slept) - slept;
    slept += time;
    if (!frame.is_thread) {
      add_part(of, time, pool);
    } else if (time > 0) {
      add_node(of, Dag::kSleeps | time, pool);
      add_node(of, 0, pool);
    }
  };
  const auto move = [&](const PoolChange& change) {
    advance(change.work);
    sleep(change.latency);
    pool = change.pool;
  };
  auto next = step.moves.begin();
  if (locks_)
    for (const LockCut& cut : cutter_.cut(step, *locks_)) {
      for (; next != step.moves.end() && next->work <= cut.at; ++next)
        move(*next);
      advance(cut.at);
      if (cut.slept > slept) [[unlikely]]
        sleep(cut.slept);
      add_cut(frame, of, cut, pool);
    }
  for (; next != step.moves.end(); ++next)
    move(*next);
  advance(all);
  sleep(step.latency);
}

// ---- locks

void DagRecorder::add_cut(const FrameState& frame, DagTrack& of, const LockCut& cut, PoolId pool) {
  OpenSections& open = open_[&frame];
  const DagLockId lock = locks_->number[cut.object] - 1;
  const auto add = [&](LockOp::Kind kind) {
    const DagNodeId node = add_node(of, 0, pool);
    dag_.lock_ops.resize(dag_.nodes.size());
    dag_.lock_ops[node] = {kind, lock, cut.shared};
    return node;
  };
  if (cut.takes) {
    const bool is_inner = std::ranges::find(open, cut.object, &OpenSection::object) != open.end();
    open.push_back({cut.object, cut.shared, is_inner ? kNoDagId : add(LockOp::Kind::Take)});
    return;
  }
  // The last one is given back first.
  for (std::size_t i = open.size(); i-- > 0;)
    if (open[i].object == cut.object && open[i].shared == cut.shared) {
      if (open[i].take != kNoDagId)
        add(LockOp::Kind::Give);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
  if (open.empty())
    open_.erase(&frame);
}

void DagRecorder::leave_out(const OpenSections& sections) {
  for (const OpenSection& each : sections)
    if (each.take != kNoDagId)
      dag_.lock_ops[each.take] = {};
}

void DagRecorder::forget_sections(const FrameState& frame) {
  if (const auto found = open_.find(&frame); found != open_.end()) {
    leave_out(found->second);
    open_.erase(found);
  }
}

void DagRecorder::restarted(FrameState& frame) {
  forget_sections(frame);
}

// ---- parts of steps

// What the task does next.
void DagRecorder::add_part(DagTrack& of, std::uint64_t cost, PoolId pool) {
  if (of.alone && !of.detached && !of.first && of.point.kind == DagPoint::Node &&
      dag_.pool_of(of.point.id) == index_of(pool))
    dag_.nodes[of.point.id].cost += cost;
  else
    add_node(of, cost, pool);
}

// Tasks that the running frame creates, and waits for. It does a part itself.
void DagRecorder::add_tasks(DagTrack& of, std::uint64_t cost, PoolId pool,
                            const Division& division) {
  const std::uint64_t tasks = std::min(division.tasks, cost / division.least);
  if (tasks < 2) {
    add_part(of, cost, pool);
    return;
  }
  if (of.detached || of.first || of.point.kind != DagPoint::Node)
    add_node(of, 0, pool);
  const DagNodeId creator = of.point.id;
  const DagJoinId join = add_join();
  for (std::uint64_t i = 1; i < tasks; ++i) {
    const DagNodeId task = add_first_node(pool);
    dag_.nodes[task].cost = cost / tasks;
    add_effect(dag_.nodes[creator].effect, {Effect::Kind::Start, task});
    signal({DagPoint::Node, task}, join);
  }
  add_node(of, cost - (tasks - 1) * (cost / tasks), pool);
  add_effect(dag_.nodes[of.point.id].effect, {Effect::Kind::Await, join});
  add_node(of, 0, pool);
}

// ---- shared loops

void DagRecorder::shares_loop(FrameState& child, std::uint64_t team, std::uint32_t number) {
  const auto [loop, is_new] =
      loops_.try_emplace({team, number}, static_cast<std::uint32_t>(dag_.loops.size()));
  if (is_new)
    dag_.loops.emplace_back();
  data_of(child).loop = loop->second + 1;
}

DagTurnId DagRecorder::add_turn(std::uint32_t loop) {
  dag_.turns.push_back({.loop = loop});
  return static_cast<DagTurnId>(dag_.turns.size() - 1);
}

// What the frame does next is not for it alone to do: nothing leads there yet.
void DagRecorder::end_turn(FrameState& frame) {
  DagTrack& of = path_of(frame);
  RecordedFrame& member = data_of(frame);
  if (of.detached || of.first || of.point.kind != DagPoint::Node)
    add_node(of, 0, of.pool);
  if (member.turn == 0)
    member.member = member.turn = add_turn(member.loop - 1) + 1;
  dag_.nodes[of.point.id].next = Dag::kEndsTurn | (member.turn - 1);
  if (!open_.empty())
    forget_sections(frame);
  of.point.id = add_first_node(of.pool);
  of.alone = true;
}

void DagRecorder::loop_begin(FrameState& frame) {
  RecordedFrame& member = data_of(frame);
  if (member.loop == 0 || !fits_)
    return;
  end_turn(frame);
  member.turn = add_turn(member.loop - 1) + 1;
  dag_.turns[member.turn - 1].node = path_of(frame).point.id;
  dag_.loops[member.loop - 1].push_back(member.turn - 1);
}

void DagRecorder::root_begun(FrameState& frame) {
  path_of(frame).running = true;
}

void DagRecorder::spawned(const FrameState& parent, FrameState& child) {
  data_of(child).is_inside =
      data_of(parent).is_inside || (!open_.empty() && open_.contains(&parent));
  DagTrack& of = path_of(child);
  of.running = true;
  of.detached = of.point.kind == DagPoint::Join;
  of.first = of.point.kind == DagPoint::Node;
}

bool DagRecorder::ended(FrameState& frame, Tie) {
  DagTrack& of = path_of(frame);
  if (const RecordedFrame& member = data_of(frame); member.loop != 0 && fits_) {
    end_turn(frame);
    dag_.turns[member.member - 1].node = of.point.id;
  }
  of.running = false;
  of.alone = false;
  if (!open_.empty())
    forget_sections(frame);
  return false;
}

void DagRecorder::wait_joined(FrameState& frame, Path* fresh, Path*) {
  if (!fresh || !fits_ || typed(*fresh).point.kind == DagPoint::Nowhere)
    return;
  DagTrack& of = path_of(frame);
  if (of.detached || of.first || of.point.kind != DagPoint::Node)
    add_node(of, 0, of.pool);
  const DagJoinId join = joined(typed(*fresh));
  if (frame.at_barrier) {
    dag_.barriers.resize(std::max<std::size_t>(dag_.barriers.size(), join + 1));
    dag_.barriers[join] = true;
  }
  add_effect(dag_.nodes[of.point.id].effect, {Effect::Kind::Await, join});
  add_node(of, 0, of.pool); // the step after the wait
}

// ---- joins

bool DagRecorder::join_path(Path& into_path, const Path& from_path, Tie) {
  DagTrack& into = typed(into_path);
  const DagTrack& from = typed(from_path);
  if (from.point.kind == DagPoint::Nowhere || !fits_)
    return false;
  if (into.point.kind == DagPoint::Nowhere && !into.running) {
    into.point = from.point;
    into.alone = from.alone = false;
    return false;
  }
  if (into.point.kind != DagPoint::Join || !into.alone) {
    const DagJoinId join = add_join();
    signal(into.point, join);
    into.point = {DagPoint::Join, join};
    into.alone = true;
    into.detached = into.running;
    into.first = false;
  }
  from.alone = false;
  signal(from.point, into.point.id);
  return false;
}

void DagRecorder::assign_path(Path& into_path, const Path& from_path) {
  DagTrack& into = typed(into_path);
  const DagTrack& from = typed(from_path);
  from.alone = false;
  into.point = from.point;
  into.alone = false;
  into.detached = into.point.kind != DagPoint::Nowhere;
  into.first = false;
  if (into.point.kind == DagPoint::Node && fits_)
    joined(into);
}

} // namespace tp::analysis
