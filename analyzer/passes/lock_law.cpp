// SPDX-License-Identifier: Apache-2.0
// Sections are found forwards, distances to the end of the program backwards.
#include "passes/lock_law.h"

#include "base/problem.h"
#include "base/wide.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tp::analysis {

LockLaw::LockLaw(LockLawSetup setup) : setup_(std::move(setup)) {
  for (const LockScenario& scenario : setup_.scenarios)
    largest_factor_ = std::max(largest_factor_, scenario.factor);
  for (std::uint32_t i = 0; i < setup_.ends_of.size(); ++i)
    ends_index_.emplace(index_of(setup_.ends_of[i]), i);
  longest_.length.resize(measures());
  results_.work.resize(measures());
  shortened_.resize(setup_.scenarios.size());
  anywhere_.resize(setup_.scenarios.size());
  inside_.resize(setup_.scenarios.size());
  if (setup_.samples && setup_.weights &&
      std::ranges::any_of(setup_.scenarios, [](const LockScenario& scenario) {
        return !scenario.code.code.empty() || !scenario.code.rests.empty();
      }))
    samples_.emplace(*setup_.samples, setup_.weights);
  for (std::uint32_t i = 0; i < setup_.scenarios.size(); ++i)
    for (const StepClassId of : setup_.scenarios[i].code.classes)
      of_class_.grown_to(of).push_back(i);
  least_before_.assign(setup_.ends_of.size() + setup_.limits.count,
                       Lengths(measures(), std::numeric_limits<std::uint64_t>::max()));
  inside_points_.resize(setup_.scenarios.size());
  inside_rests_.resize(setup_.scenarios.size());
  const auto shorten_same = [](const LockScenario& a, const LockScenario& b) {
    return a.code == b.code && std::ranges::equal(a.places, b.places);
  };
  for (std::size_t i = 0; i < setup_.scenarios.size(); ++i) {
    std::size_t first = 0;
    while (!shorten_same(setup_.scenarios[first], setup_.scenarios[i]))
      ++first;
    same_code_.push_back(first);
  }
}

// ---- paths

Path* LockLaw::new_path() {
  if (spare_.empty())
    spare_.push_back(&made_.emplace_back());
  LockPath* const path = spare_.back();
  spare_.pop_back();
  path->length.assign(measures(), 0);
  path->open.clear();
  path->point = kNone;
  return path;
}

void LockLaw::copy(LockPath& into, const LockPath& from) {
  into.length = from.length;
  into.point = from.point;
  into.open.clear();
  for (const Open& open : from.open)
    if (is_open(open))
      into.open.push_back(open);
}

Path* LockLaw::copy_path(const Path& path) {
  Path* const made = new_path();
  copy(typed(*made), typed(path));
  return made;
}

void LockLaw::drop_path(Path* path) {
  spare_.push_back(&typed(*path));
}

void LockLaw::assign_path(Path& into, const Path& from) {
  copy(typed(into), typed(from));
}

bool LockLaw::join_path(Path& into, const Path& from, Tie) {
  join(typed(into), typed(from));
  return false;
}

void LockLaw::wait_joined(FrameState& frame, Path* fresh, Path*) {
  if (fresh)
    join(typed(*frame.path), typed(*fresh));
}

// Each measure, and each distance, is the longest by itself.
void LockLaw::join(LockPath& into, const LockPath& from) {
  std::erase_if(into.open, [&](const Open& open) { return !is_open(open); });
  const Lengths before = into.length;
  for (std::size_t m = 0; m < measures(); ++m)
    into.length[m] = std::max(before[m], from.length[m]);
  for (Open& open : into.open)
    for (std::size_t m = 0; m < measures(); ++m)
      open.offset[m] += before[m] - into.length[m];
  for (const Open& open : from.open) {
    if (!is_open(open))
      continue;
    Open moved = open;
    for (std::size_t m = 0; m < measures(); ++m)
      moved.offset[m] += from.length[m] - into.length[m];
    const auto same = std::ranges::find(into.open, open.take, &Open::take);
    if (same == into.open.end()) {
      into.open.push_back(std::move(moved));
      continue;
    }
    for (std::size_t m = 0; m < measures(); ++m)
      same->offset[m] =
          std::max(same->offset[m] + into.length[m], moved.offset[m] + into.length[m]) -
          into.length[m];
  }
  if (into.point == kNone)
    into.point = from.point;
  else if (from.point != kNone && from.point != into.point)
    into.point = add_point({into.point, from.point, 0});
}

// False: distances to the end are not asked for, or the DAG is too large.
bool LockLaw::has_room(std::size_t bytes) {
  if (least_before_.empty() || !results_.ends_known)
    return false;
  bytes_ += bytes;
  if (bytes_ <= kMostBytes)
    return true;
  results_.ends_known = false;
  points_ = {};
  class_of_point_ = {};
  latencies_ = {};
  sections_ = {};
  shared_lengths_ = {};
  inside_points_ = inside_rests_ = {};
  step_point_ = kNone;
  return false;
}

std::uint32_t LockLaw::add_point(Point point) {
  if (!has_room(sizeof point + sizeof(StepClassId)))
    return kNone;
  points_.push_back(point);
  if (!setup_.scenarios.empty())
    class_of_point_.push_back(point.work > 0 ? step_class_ : StepClassId{});
  return static_cast<std::uint32_t>(points_.size() - 1);
}

void LockLaw::add_step_point(std::uint32_t before, const Step& step) {
  step_point_ = add_point({before, kNone, step.work});
  if (step_point_ != kNone && step.latency > 0 && has_room(sizeof latencies_.front()))
    latencies_.emplace_back(step_point_, step.latency);
  for (std::size_t i = 0; i < setup_.scenarios.size() && step_point_ != kNone; ++i)
    if (same_code_[i] == i && !is_whole(i, step_class_))
      if (const std::uint64_t work = inside(i, 0, step.work); work > 0 && has_room(sizeof(Inside)))
        inside_points_[i].push_back({step_point_, work});
}

// ---- steps

void LockLaw::lock_object(LockObjectId id, const LockObjectInfo& info) {
  Object& object = results_.objects.grown_to(id);
  object.info = info;
  object.exclusive.assign(measures(), 0);
  object.longest_shared.assign(measures(), 0);
}

void LockLaw::step(FrameState& frame, const Step& step) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  if (step.work > kMost - step.latency ||
      step.work + step.latency > kMost / largest_factor_ - results_.work[kWithLatency])
    fail(Problem::Overflow, {"the trace"}, "lengths of paths below 2^64", "more", "");
  if (step.opened.kind == BoundaryKind::Wait && !takes_by_.empty())
    note_wait(frame);
  if (!step.locks.empty())
    mark_inner(frame, step);
  if (frame.row != kMainRow && passes_semaphore(step))
    results_.past_semaphores += step.work;
  for (const LockBlame& blame : step.blames)
    results_.places.grown_to(blame.place).wait_blame += blame.ticks;
  for (const LockTries& tries : step.lock_tries)
    add(results_.objects[tries.object], tries.place,
        {.failed_tries = tries.tries, .retried = tries.work});
  for (const LockUntimed& each : step.untimed)
    add_untimed(frame, step, each);
  find_shortened(frame, step);
  LockPath& path = typed(*frame.path);
  weigh(0, step.work, weight_);
  weight_[kWithLatency] += step.latency;
  for (std::size_t m = 0; m < measures(); ++m)
    results_.work[m] += weight_[m];
  const Lengths whole = weight_;
  find_room(step);
  add_step_point(path.point, step);
  if (setup_.limits.count > 0)
    add_ends_of_limits(path, step);
  for (std::size_t i = 0; i < step.locks.size(); ++i)
    if (const LockUse& use = step.locks[i]; use.kind == LockUseKind::Section)
      section(frame, step, use, inner_[i] != 0);
    else if (use.kind == LockUseKind::Give)
      give(frame, step, use);
  for (std::size_t m = 0; m < measures(); ++m)
    path.length[m] += whole[m];
  for (std::size_t i = 0; i < step.locks.size(); ++i)
    if (const LockUse& use = step.locks[i]; use.kind == LockUseKind::Take)
      take(frame, step, use, inner_[i] != 0);
  path.point = step_point_ != kNone ? step_point_ : path.point;
}

bool LockLaw::ended(FrameState& frame, Tie) {
  const LockPath& path = typed(*frame.path);
  for (std::size_t m = 0; m < measures(); ++m)
    longest_.length[m] = std::max(longest_.length[m], path.length[m]);
  if (const auto taken = takes_by_.find(&frame); taken != takes_by_.end()) {
    for (const std::uint64_t each : taken->second)
      if (const auto found = takes_.find(each); found != takes_.end())
        found->second.frame = nullptr;
    takes_by_.erase(taken);
  }
  return false;
}

bool LockLaw::passes_semaphore(const Step& step) const {
  return std::ranges::any_of(step.locks, [&](const LockUse& use) {
    return results_.objects[use.object].info.is_semaphore;
  });
}

// Which parts of the step a scenario shortens. Of sections those of the frame's own steps.
void LockLaw::find_shortened(const FrameState& frame, const Step& step) {
  if (setup_.scenarios.empty())
    return;
  const StepClassId of = classes_.id_of({frame.row, step.opened, step.closed});
  step_class_ = of;
  const std::span<const CodeWork> code =
      samples_ ? samples_->file(of, step) : std::span<const CodeWork>();
  for (std::size_t i = 0; i < setup_.scenarios.size(); ++i) {
    shortened_[i].clear();
    anywhere_[i] = 0;
  }
  if (of_class_.contains(of))
    for (const std::uint32_t i : of_class_[of])
      shortened_[i] = {{0, step.work}};
  for (std::size_t i = 0; i < setup_.scenarios.size(); ++i) {
    const LockScenario& scenario = setup_.scenarios[i];
    if (same_code_[i] != i || !shortened_[i].empty())
      continue;
    for (const RegionWork& part : step.regions)
      if (std::ranges::find(scenario.code.regions, part.region) != scenario.code.regions.end())
        anywhere_[i] += part.work;
    if (samples_)
      anywhere_[i] = std::max(anywhere_[i], work_in_code(scenario.code, of, step, code));
    if (!scenario.places.empty())
      find_sections(frame, step, scenario, shortened_[i], anywhere_[i]);
  }
}

// As in ScenarioLengths.
std::uint64_t LockLaw::work_in_code(const StepSet& set, StepClassId of, const Step& step,
                                    std::span<const CodeWork> code) const {
  std::uint64_t inside = 0, rest = step.work;
  for (const CodeWork& part : code) {
    rest -= part.work;
    if (std::ranges::binary_search(set.code, part.code))
      inside += part.work;
  }
  const auto share = std::ranges::find(set.rests, of, &CodeShare::of);
  return share == set.rests.end()
             ? inside
             : inside + static_cast<std::uint64_t>(Wide{rest} * share->share >> 16);
}

// The parts of the step in sections of the scenario's places.
void LockLaw::find_sections(const FrameState& frame, const Step& step, const LockScenario& scenario,
                            std::vector<Stretch>& disjoint, std::uint64_t& anywhere) const {
  const auto is_chosen = [&](LockPlaceId place) {
    return scenario.places.contains(place) && scenario.places[place] != 0;
  };
  std::vector<Stretch> found;
  if (const auto taken = takes_by_.find(&frame); taken != takes_by_.end())
    for (std::size_t i = 0; i < taken->second.size(); ++i) {
      const Take& take = takes_.at(taken->second[i]);
      if (!is_chosen(take.place) || take.inner)
        continue;
      // The last acquisition of the same lock and mode is released first.
      std::size_t later = 0;
      for (std::size_t j = i + 1; j < taken->second.size(); ++j) {
        const Take& other = takes_.at(taken->second[j]);
        later += other.object == take.object && other.shared == take.shared;
      }
      std::uint64_t end = step.work;
      for (const LockUse& use : step.locks)
        if (use.kind == LockUseKind::Give && use.object == take.object &&
            use.shared == take.shared && later-- == 0) {
          end = use.at;
          break;
        }
      found.push_back({0, end});
    }
  for (std::size_t i = 0; i < step.locks.size(); ++i) {
    const LockUse& use = step.locks[i];
    if (use.kind == LockUseKind::Give || !is_chosen(use.place) || inner_[i])
      continue;
    if (use.kind == LockUseKind::Take)
      found.push_back({use.at, step.work});
    else if (use.is_sampled)
      anywhere += use.work;
    else
      found.push_back({use.at, use.at + use.work});
  }
  std::ranges::sort(found, {}, &Stretch::begin);
  for (const Stretch& each : found)
    if (!disjoint.empty() && each.begin <= disjoint.back().end)
      disjoint.back().end = std::max(disjoint.back().end, each.end);
    else
      disjoint.push_back(each);
  std::uint64_t inside = 0;
  for (Stretch& each : disjoint) {
    each.before = inside;
    inside += each.end - each.begin;
  }
  anywhere = std::min(anywhere, step.work - inside);
}

// How much of [0, end) the stretches cover. A step may have millions of them.
std::uint64_t LockLaw::covered(const std::vector<Stretch>& disjoint, std::uint64_t end) {
  const auto after = std::ranges::lower_bound(disjoint, end, {}, &Stretch::begin);
  if (after == disjoint.begin())
    return 0;
  const Stretch& last = *std::prev(after);
  return last.before + std::min(end, last.end) - last.begin;
}

std::uint64_t LockLaw::inside(std::size_t scenario, std::uint64_t begin, std::uint64_t end) const {
  const std::vector<Stretch>& disjoint = shortened_[scenario];
  if (disjoint.empty())
    return std::min(anywhere_[scenario], end - begin);
  return std::min(anywhere_[scenario] + covered(disjoint, end) - covered(disjoint, begin),
                  end - begin);
}

void LockLaw::weigh(std::uint64_t begin, std::uint64_t end, Lengths& weight) {
  weight.assign(measures(), end - begin);
  for (std::size_t i = 0; i < setup_.scenarios.size(); ++i) {
    inside_[i] = same_code_[i] == i ? inside(i, begin, end) : inside_[same_code_[i]];
    const std::uint64_t factor = setup_.scenarios[i].factor;
    weight[kFirstScenario + i] = factor * (end - begin) - (factor - 1) * inside_[i];
  }
}

// Of a path that has not grown by the step yet, up to a place in the step.
void LockLaw::measure_before(const LockPath& path, std::uint64_t at) {
  weigh(0, at, before_);
  for (std::size_t m = 0; m < measures(); ++m)
    before_[m] += path.length[m];
}

bool LockLaw::is_whole(std::size_t scenario, StepClassId of) const {
  return of_class_.contains(of) && std::ranges::binary_search(of_class_[of], scenario);
}

// ---- sections

// Open exclusive sections of the object, by this task.
std::size_t LockLaw::depth_of(LockObjectId object, const FrameState& frame) const {
  const auto found = takes_of_.find(index_of(object));
  return found == takes_of_.end() ? 0
                                  : static_cast<std::size_t>(std::ranges::count_if(
                                        found->second, [&](std::uint64_t each) {
                                          const Take& take = takes_.at(each);
                                          return !take.shared && take.frame == &frame;
                                        }));
}

// Which sections lie inside another exclusive one of their object: that began in an earlier step, and
// whose end no earlier record is; or, as records are in the order of releases, that a later record
// begins before them. Of acquisitions, all but the first.
void LockLaw::mark_inner(const FrameState& frame, const Step& step) {
  inner_.assign(step.locks.size(), 0);
  by_object_.clear();
  for (std::size_t i = step.locks.size(); i-- > 0;) {
    const LockUse& use = step.locks[i];
    if (use.kind == LockUseKind::Give || use.is_sampled || use.shared)
      continue;
    const auto [outer, is_last] = by_object_.try_emplace(index_of(use.object), use.at);
    inner_[i] = !is_last && use.kind == LockUseKind::Section && use.at >= outer->second &&
                !use.is_outermost;
    if (!inner_[i])
      outer->second = std::min(outer->second, use.at);
  }
  by_object_.clear();
  for (std::size_t i = 0; i < step.locks.size(); ++i) {
    const LockUse& use = step.locks[i];
    const auto [depth, is_first] = by_object_.try_emplace(index_of(use.object), 0);
    if (is_first)
      depth->second = depth_of(use.object, frame);
    if (depth->second > 0 && !use.is_sampled)
      inner_[i] = 1;
    if (use.kind == LockUseKind::Give && !use.shared && depth->second > 0)
      --depth->second;
    else if (use.kind == LockUseKind::Take && !use.shared)
      ++depth->second;
  }
}

void LockLaw::count(const FrameState& frame, const Step& step, const LockUse& use) {
  const std::uint64_t key = std::uint64_t{index_of(use.place)} << 32 | index_of(frame.row);
  if (key != last_key_) {
    last_key_ = key;
    last_count_ = &results_.acquisitions[key];
  }
  *last_count_ += use.count;
  LockTotals more{.acquisitions = use.count,
                  .contended = use.is_contended ? use.count : 0,
                  .shared = use.shared ? use.count : 0,
                  .waited = use.waited,
                  .longest_waited = use.waited,
                  .is_sampled = use.is_sampled};
  Object& object = results_.objects[use.object];
  more.not_apart = object.info.is_rest ? use.count : 0;
  note_thread(object, frame, step);
  add(object, use.place, more);
}

void LockLaw::Takers::add(std::uint32_t stream) {
  several |= any && stream != first;
  first = any ? first : stream;
  any = true;
}

bool LockLaw::Object::has_one_thread() const {
  if (in_tasks || !by_main.any)
    return !by_others.several;
  return !by_main.several &&
         (!by_others.any || (!by_others.several && by_others.first == by_main.first));
}

void LockLaw::note_thread(Object& object, const FrameState& frame, const Step& step) {
  (frame.row == kMainRow ? object.by_main : object.by_others).add(step.stream);
  object.in_tasks |= frame.row != kMainRow && !frame.is_thread;
}

void LockLaw::add(Object& object, LockPlaceId place, const LockTotals& more) {
  object.totals.add(more);
  results_.places.grown_to(place).add(more);
  if (object.info.is_rest)
    return;
  if (std::ranges::find(object.places, place) == object.places.end())
    object.places.push_back(place);
}

void LockLaw::add_held(LockObjectId object, LockPlaceId place, const LockTotals& more) {
  results_.objects[object].totals.add(more);
  results_.places.grown_to(place).add(more);
}

// What the exact sections of each lock leave of the step for those that were sampled: an estimate may
// be more.
void LockLaw::find_room(const Step& step) {
  by_object_.clear();
  if (std::ranges::none_of(step.locks, &LockUse::is_sampled))
    return;
  for (std::size_t i = 0; i < step.locks.size(); ++i) {
    const LockUse& use = step.locks[i];
    std::uint64_t& room = by_object_.try_emplace(index_of(use.object), step.work).first->second;
    if (use.kind == LockUseKind::Section && !use.is_sampled && !use.shared && !inner_[i])
      room -= std::min(room, use.work);
  }
}

// Where on paths they lie is not known: they are part of H only.
void LockLaw::add_untimed(const FrameState& frame, const Step& step, const LockUntimed& untimed) {
  Object& object = results_.objects[untimed.object];
  note_thread(object, frame, step);
  add(object, untimed.place,
      {.acquisitions = untimed.count,
       .held = untimed.work,
       .is_sampled = true,
       .held_error = untimed.error});
  for (std::size_t m = 0; m < measures(); ++m) {
    const LockScenario* const scenario =
        m < kFirstScenario ? nullptr : &setup_.scenarios[m - kFirstScenario];
    const bool is_shorter = scenario == nullptr || (scenario->places.contains(untimed.place) &&
                                                    scenario->places[untimed.place] != 0);
    object.exclusive[m] += untimed.work * (is_shorter ? 1 : scenario->factor);
  }
}

void LockLaw::section(const FrameState& frame, const Step& step, const LockUse& use, bool inner) {
  count(frame, step, use);
  if (inner)
    return;
  if (use.is_sampled) {
    std::uint64_t& room = by_object_.at(index_of(use.object));
    const std::uint64_t work = std::min(use.work, use.shared ? step.work : room);
    room -= use.shared ? 0 : work;
    span_.assign(measures(), work);
    for (std::size_t i = 0; i < setup_.scenarios.size(); ++i) {
      const LockScenario& scenario = setup_.scenarios[i];
      if (!scenario.places.contains(use.place) || scenario.places[use.place] == 0)
        span_[kFirstScenario + i] *= scenario.factor;
    }
    const bool is_rest = results_.objects[use.object].info.is_rest;
    add_held(use.object, use.place,
             {.held = work, .held_error = use.error, .held_not_apart = is_rest ? work : 0});
    if (is_rest)
      return;
    if (use.shared) // the mean: which is the longest is not known
      for (std::uint64_t& each : span_)
        each /= std::max<std::uint64_t>(use.count, 1);
    add_section(use.object, use.shared, span_, typed(*frame.path).length, step.work, step);
    return;
  }
  weigh(use.at, use.at + use.work, span_);
  span_[kWithLatency] += use.latency;
  measure_before(typed(*frame.path), use.at);
  add_held(use.object, use.place, {.held = use.work, .longest_held = use.work});
  add_section(use.object, use.shared, span_, before_, use.at + use.work, step);
}

// It held the locks of its open sections meanwhile.
void LockLaw::note_wait(const FrameState& frame) {
  if (const auto taken = takes_by_.find(&frame); taken != takes_by_.end())
    for (const std::uint64_t each : taken->second)
      takes_.at(each).awaits_tasks = true;
}

// The path has grown by the step.
void LockLaw::take(const FrameState& frame, const Step& step, const LockUse& use, bool inner) {
  count(frame, step, use);
  LockPath& path = typed(*frame.path);
  Take taken{.object = use.object,
             .place = use.place,
             .frame = &frame,
             .stream = step.stream,
             .shared = use.shared,
             .inner = inner};
  weigh(use.at, step.work, span_);
  span_[kWithLatency] += use.latency;
  taken.before.resize(measures());
  weigh(0, step.work, before_);
  before_[kWithLatency] += step.latency;
  for (std::size_t m = 0; m < measures(); ++m)
    taken.before[m] = path.length[m] - before_[m];
  weigh(0, use.at, before_);
  for (std::size_t m = 0; m < measures(); ++m)
    taken.before[m] += before_[m];
  const std::uint64_t serial = ++serial_;
  Open open{serial, span_};
  for (std::size_t m = 0; m < measures(); ++m)
    open.offset[m] -= path.length[m];
  path.open.push_back(std::move(open));
  takes_of_[index_of(use.object)].push_back(serial);
  takes_by_[&frame].push_back(serial);
  takes_.emplace(serial, std::move(taken));
  ++results_.objects[use.object].open;
}

// The acquisition whose section this release ends, of the same mode; 0: none is open. That of the same
// task comes first, then the last one on the path, then the last one of the thread.
std::uint64_t LockLaw::find_take(const FrameState& frame, const LockPath& path, const Step& step,
                                 const LockUse& use) const {
  const auto of = takes_of_.find(index_of(use.object));
  if (of == takes_of_.end())
    return 0;
  std::uint64_t best = 0;
  int best_rank = 1;
  for (const std::uint64_t each : of->second) {
    const Take& take = takes_.at(each);
    const bool on_path = std::ranges::find(path.open, each, &Open::take) != path.open.end();
    const int rank = take.shared != use.shared    ? 0
                     : take.frame == &frame       ? 3
                     : on_path                    ? 2
                     : take.stream == step.stream ? 1
                                                  : 0;
    if (rank >= best_rank) {
      best = each;
      best_rank = rank;
    }
  }
  return best;
}

// The path has not grown by the step yet.
void LockLaw::give(const FrameState& frame, const Step& step, const LockUse& use) {
  LockPath& path = typed(*frame.path);
  const std::uint64_t serial = find_take(frame, path, step, use);
  if (serial == 0)
    return; // it was acquired before recording began
  const Take taken = std::move(takes_.at(serial));
  takes_.erase(serial);
  std::erase(takes_of_.at(index_of(use.object)), serial);
  if (takes_of_.at(index_of(use.object)).empty())
    takes_of_.erase(index_of(use.object));
  if (taken.frame) {
    const auto by = takes_by_.find(taken.frame);
    std::erase(by->second, serial);
    if (by->second.empty())
      takes_by_.erase(by);
  }
  const auto open = std::ranges::find(path.open, serial, &Open::take);
  if (open == path.open.end())
    return;
  weigh(0, use.at, span_);
  span_[kWithLatency] += use.latency;
  for (std::size_t m = 0; m < measures(); ++m)
    span_[m] += open->offset[m] + path.length[m];
  path.open.erase(open);
  --results_.objects[use.object].open;
  if (taken.inner)
    return;
  results_.objects[use.object].awaits_tasks |= taken.awaits_tasks;
  add_held(use.object, taken.place, {.held = span_[kWork], .longest_held = span_[kWork]});
  add_section(use.object, taken.shared, span_, taken.before, use.at, step);
}

// `end`: of the section, in the step.
void LockLaw::add_section(LockObjectId id, bool shared, const Lengths& span, const Lengths& before,
                          std::uint64_t end, const Step& step) {
  Object& object = results_.objects[id];
  for (std::size_t m = 0; m < measures(); ++m)
    if (shared)
      object.longest_shared[m] = std::max(object.longest_shared[m], span[m]);
    else
      object.exclusive[m] += span[m];
  const auto index = ends_index_.find(index_of(id));
  if (index == ends_index_.end() || step_point_ == kNone)
    return;
  if (shared) {
    Section found{index->second, step_point_, true, step.work - end};
    if (!has_room(2 * measures() * sizeof(std::uint64_t)))
      return;
    found.lengths = shared_lengths_.size();
    shared_lengths_.insert(shared_lengths_.end(), span.begin(), span.end());
    shared_lengths_.insert(shared_lengths_.end(), before.begin(), before.end());
    push_section(found, end, step);
  } else {
    add_end(index->second, before, end, step);
  }
}

// Of the exclusive sections of a step, and of what of it runs under a limit, only the first and the last end matter.
void LockLaw::add_end(std::uint32_t object, const Lengths& before, std::uint64_t end,
                      const Step& step) {
  Lengths& least = least_before_[object];
  for (std::size_t m = 0; m < measures(); ++m)
    least[m] = std::min(least[m], before[m]);
  const Section found{object, step_point_, false, step.work - end};
  if (!sections_.empty()) {
    Section& last = sections_.back();
    if (!last.shared && last.object == found.object && last.point == found.point) {
      if (found.rest < last.rest) {
        last.rest = found.rest;
        note_rest(static_cast<std::uint32_t>(sections_.size() - 1), end, step);
      }
      return;
    }
  }
  push_section(found, end, step);
}

void LockLaw::push_section(const Section& section, std::uint64_t end, const Step& step) {
  if (!has_room(sizeof section))
    return;
  sections_.push_back(section);
  note_rest(static_cast<std::uint32_t>(sections_.size() - 1), end, step);
}

// The path has not grown by the step yet.
void LockLaw::add_ends_of_limits(const LockPath& path, const Step& step) {
  for_each_pool(step, [&](PoolId pool, const PoolChange& begin, const PoolChange& end) {
    if (step_point_ == kNone || !setup_.limits.of.contains(pool))
      return;
    measure_before(path, begin.work);
    before_[kWithLatency] += begin.latency;
    for (const std::uint32_t limit : setup_.limits.of[pool])
      add_end(static_cast<std::uint32_t>(setup_.ends_of.size()) + limit, before_, end.work, step);
  });
}

// What scenarios shorten of the step after the section, in place of what was noted of it.
void LockLaw::note_rest(std::uint32_t section, std::uint64_t end, const Step& step) {
  for (std::size_t i = 0; i < setup_.scenarios.size() && step_point_ != kNone; ++i) {
    if (same_code_[i] != i || is_whole(i, step_class_))
      continue;
    std::vector<Inside>& notes = inside_rests_[i];
    if (!notes.empty() && notes.back().of == section)
      notes.pop_back();
    if (const std::uint64_t work = inside(i, end, step.work); work > 0 && has_room(sizeof(Inside)))
      notes.push_back({section, work});
  }
}

// ---- the end

std::vector<std::uint64_t> LockLaw::works_of_points(std::size_t measure) const {
  std::vector<std::uint64_t> work(points_.size());
  for (std::size_t i = 0; i < points_.size(); ++i)
    work[i] = points_[i].work;
  if (measure == kWithLatency)
    for (const auto& [point, latency] : latencies_)
      work[point] += latency;
  if (measure < kFirstScenario)
    return work;
  const std::size_t scenario = measure - kFirstScenario;
  const std::uint64_t factor = setup_.scenarios[scenario].factor;
  for (std::size_t i = 0; i < points_.size(); ++i)
    if (!is_whole(scenario, class_of_point_[i]))
      work[i] *= factor;
  for (const Inside& each : inside_points_[same_code_[scenario]])
    work[each.of] -= (factor - 1) * each.work;
  return work;
}

// What is left of the step in which each section ends.
std::vector<std::uint64_t> LockLaw::rests_of_sections(std::size_t measure) const {
  std::vector<std::uint64_t> rest(sections_.size());
  for (std::size_t i = 0; i < sections_.size(); ++i)
    rest[i] = sections_[i].rest;
  if (measure < kFirstScenario)
    return rest;
  const std::size_t scenario = measure - kFirstScenario;
  const std::uint64_t factor = setup_.scenarios[scenario].factor;
  for (std::size_t i = 0; i < sections_.size(); ++i)
    if (!is_whole(scenario, class_of_point_[sections_[i].point]))
      rest[i] *= factor;
  for (const Inside& each : inside_rests_[same_code_[scenario]])
    rest[each.of] -= (factor - 1) * each.work;
  return rest;
}

namespace {

// Keeps those of which no other one has as many sections and ends as long.
void add_bound(std::vector<LockBound>& bounds, const LockBound& found) {
  const auto exceeds = [](const LockBound& a, const LockBound& b) {
    return a.sections >= b.sections && a.before + a.after >= b.before + b.after;
  };
  if (std::ranges::any_of(bounds, [&](const LockBound& each) { return exceeds(each, found); }))
    return;
  std::erase_if(bounds, [&](const LockBound& each) { return exceeds(found, each); });
  bounds.push_back(found);
}

} // namespace

// What comes after each point at least, from the last point to the first, and the bounds that this
// gives.
void LockLaw::find_ends(Results& results) const {
  for (const LockObjectId id : setup_.ends_of)
    if (results.objects.contains(id))
      results.objects[id].with_ends.resize(measures());
  results.limit_ends.assign(setup_.limits.count, std::vector<PathEnds>(measures()));
  for (std::size_t m = 0; m < measures(); ++m) {
    const std::vector<std::uint64_t> work = works_of_points(m), rest = rests_of_sections(m);
    std::vector<std::uint64_t> after(points_.size());
    for (std::size_t i = points_.size(); i-- > 0;)
      for (const std::uint32_t before : {points_[i].a, points_[i].b})
        if (before != kNone)
          after[before] = std::max(after[before], after[i] + work[i]);
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    std::vector<std::uint64_t> least_after(least_before_.size(), kMost);
    for (std::size_t i = 0; i < sections_.size(); ++i)
      if (const Section& each = sections_[i]; !each.shared)
        least_after[each.object] = std::min(least_after[each.object], rest[i] + after[each.point]);
    const auto object_of = [&](std::uint32_t index) -> Object& {
      return results.objects[setup_.ends_of[index]];
    };
    for (std::uint32_t i = 0; i < setup_.ends_of.size(); ++i)
      if (least_after[i] != kMost)
        add_bound(object_of(i).with_ends[m],
                  {object_of(i).exclusive[m], least_before_[i][m], least_after[i]});
    for (std::uint32_t limit = 0; limit < setup_.limits.count; ++limit)
      if (const std::size_t i = setup_.ends_of.size() + limit; least_after[i] != kMost)
        results.limit_ends[limit][m] = {least_before_[i][m], least_after[i]};
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const Section& each = sections_[i];
      if (!each.shared)
        continue;
      Object& object = object_of(each.object);
      const std::uint64_t span = shared_lengths_[each.lengths + m];
      const std::uint64_t before = shared_lengths_[each.lengths + measures() + m];
      add_bound(object.with_ends[m],
                {object.exclusive[m] + span, std::min(least_before_[each.object][m], before),
                 std::min(least_after[each.object], rest[i] + after[each.point])});
    }
  }
}

LockBound LockLaw::Object::bound(std::size_t measure) const {
  LockBound greatest{exclusive[measure] + longest_shared[measure], 0, 0};
  if (!with_ends.empty())
    for (const LockBound& each : with_ends[measure])
      if (each.length() > greatest.length())
        greatest = each;
  return greatest;
}

std::uint64_t LockLaw::Object::least_time(std::size_t measure, std::uint64_t parts) const {
  const auto share = [&](std::uint64_t sections) {
    return sections / parts + (sections % parts > 0);
  };
  std::uint64_t least = share(exclusive[measure] + longest_shared[measure]);
  if (!with_ends.empty())
    for (const LockBound& each : with_ends[measure])
      least = std::max(least, each.before + share(each.sections) + each.after);
  return least;
}

std::uint64_t LockLaw::Results::greatest_sections(std::size_t measure,
                                                  const std::vector<LockObjectId>& except) const {
  std::uint64_t greatest = 0;
  for (const LockObjectId id : ids_below(objects.end_id()))
    if (!std::ranges::binary_search(except, id))
      greatest =
          std::max(greatest, objects[id].exclusive[measure] + objects[id].longest_shared[measure]);
  return greatest;
}

std::uint64_t LockLaw::Results::greatest_bound(std::size_t measure,
                                               const std::vector<LockObjectId>& except) const {
  std::uint64_t greatest = 0;
  for (const LockObjectId id : ids_below(objects.end_id()))
    if (!std::ranges::binary_search(except, id))
      greatest = std::max(greatest, objects[id].least_time(measure));
  return greatest;
}

LockLaw::Results LockLaw::results() {
  Results results = results_;
  results.span = longest_.length;
  if (results.ends_known)
    find_ends(results);
  return results;
}

} // namespace tp::analysis
