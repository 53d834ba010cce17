// SPDX-License-Identifier: Apache-2.0
// From objects and places (passes/lock_law.h) to locks: those whose objects have a place in common are
// one row.
#include "profile/locks.h"

#include "base/wide.h"
#include "dag/dag_visitor.h"
#include "passes/lock_law.h"
#include "profile/burden.h"
#include "report/numbers.h"

#include "tp/trace/trace_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

namespace tp::analysis {
namespace {

constexpr std::size_t kMostAsked = 16;     // objects whose ends are asked for
constexpr std::uint64_t kLeastPercent = 1; // of the span, that their sections take
constexpr std::size_t kMostWhatIf = 4;     // locks
constexpr std::size_t kMostUnseen = 4;     // in a sentence
constexpr std::uint64_t kLeastShare = 10'000;
// Of the sections of a lock that a thread does not keep apart yet, it times one of 257, and keeps it apart from then on: of so
// many it is not known whose they are, with a standard deviation of as many.
constexpr std::uint64_t kBeforeApart = 257;
constexpr std::uint64_t kFactors[] = {2, 4, 8};

using Object = LockLaw::Object;
using Lengths = LockLaw::Lengths;

std::uint64_t length_of(const Object& object) {
  return object.bound(LockLaw::kWork).length();
}

bool is_set_of_tasks(const Object& object) {
  return static_cast<trace::LockKind>(object.info.kind) == trace::LockKind::OmpMutexInOutSet;
}

bool is_of_node(const Object& object) {
  return static_cast<trace::LockKind>(object.info.kind) == trace::LockKind::FlowGraphNode;
}

// Of several locks that are taken at one place, which one a task takes may depend on the thread that it runs on (queues
// or caches of threads), as far as tasks of only one thread took each: then other threads would not wait for it. So may
// which element of an array it takes, also if this run took only one. Which sets an OpenMP task is in its depend clause says,
// and which node a message is put to the edges of the graph.
std::vector<LockObjectId> objects_of_schedule(const LockLaw::Results& found,
                                              const SiteTable& table) {
  IdVector<LockPlaceId, std::uint32_t> objects;
  for (const Object& object : found.objects)
    for (const LockPlaceId place : object.places)
      ++objects.grown_to(place);
  std::vector<LockObjectId> result;
  for (const LockObjectId id : ids_below(found.objects.end_id()))
    if (const Object& object = found.objects[id];
        object.has_one_thread() && object.is_acquired() && !is_set_of_tasks(object) &&
        !is_of_node(object) &&
        (table.locks_in_arrays.contains(object.info.address) ||
         std::ranges::any_of(object.places, [&](LockPlaceId place) {
           return objects[place] > 1 || found.places[place].not_apart > 0;
         })))
      result.push_back(id);
  return result;
}

bool is_among(const std::vector<LockObjectId>& objects, LockObjectId id) {
  return std::ranges::binary_search(objects, id);
}

// Of an object that is none of the schedule.
LockBoundKind kind_of(const Object& object) {
  return object.totals.is_sampled    ? LockBoundKind::Estimate
         : object.info.may_be_reused ? LockBoundKind::IfOneObject
                                     : LockBoundKind::Proven;
}

// In work, or with sleep.
bool has_share(const Object& object, const Measured& measured, std::uint64_t least_percent) {
  const auto sections = [&](std::size_t measure) {
    return object.exclusive[measure] + object.longest_shared[measure];
  };
  const std::uint64_t work = sections(LockLaw::kWork), asleep = sections(LockLaw::kWithLatency);
  return (Wide{work} * 100 >= Wide{measured.span()} * least_percent && work > 0) ||
         (Wide{asleep} * 100 >= Wide{measured.fold.span_with_latency} * least_percent &&
          asleep > work);
}

// Its bound matters, or nearly so: its sections take half of the span, or with what comes before and after them longer
// than the span.
bool matters(const Object& object, const Measured& measured) {
  return has_share(object, measured, 50) || length_of(object) > measured.span() ||
         object.bound(LockLaw::kWithLatency).length() > measured.fold.span_with_latency;
}

// The lock of the ITT API's own initialization is part of each library that announces something by it, as
// libtbbmalloc does, and none of the program's.
constexpr const char* kOwnOfItt = "__itt__ittapi_global";

void leave_out_foreign(LockLaw::Results& found, const SiteTable& table) {
  const auto is_foreign = [&](const Object& object) {
    const auto variable = table.lock_names.find(object.info.address);
    return variable != table.lock_names.end() && variable->second.starts_with(kOwnOfItt);
  };
  std::vector<LockPlaceId> foreign, others;
  for (Object& object : found.objects) {
    std::vector<LockPlaceId>& places = is_foreign(object) ? foreign : others;
    places.insert(places.end(), object.places.begin(), object.places.end());
    if (&places == &foreign) // an object without a place is none
      object = {.info = object.info,
                .exclusive = Lengths(object.exclusive.size()),
                .longest_shared = Lengths(object.longest_shared.size())};
  }
  for (const LockPlaceId place : foreign)
    if (std::ranges::find(others, place) == others.end()) {
      found.places[place] = {};
      std::erase_if(found.acquisitions,
                    [&](const auto& each) { return each.first >> 32 == index_of(place); });
    }
}

// Numbers the locks: places with an object in common have the same number.
std::vector<std::uint32_t> lock_numbers(const LockLaw::Results& found, std::size_t places) {
  std::vector<std::uint32_t> number(places);
  std::iota(number.begin(), number.end(), 0);
  const auto root = [&](std::uint32_t of) {
    while (number[of] != of)
      of = number[of] = number[number[of]];
    return of;
  };
  for (const Object& object : found.objects)
    for (const LockPlaceId place : object.places)
      number[root(index_of(place))] = root(index_of(object.places.front()));
  for (std::uint32_t place = 0; place < places; ++place)
    number[place] = root(place);
  return number;
}

// A lock in the making.
struct Group {
  std::vector<LockPlaceId> places;
  std::vector<LockObjectId> objects;
  LockObjectId heaviest{};
};

std::vector<Group> group(const LockLaw::Results& found,
                         const std::vector<LockObjectId>& of_schedule) {
  const std::vector<std::uint32_t> number = lock_numbers(found, found.places.size());
  std::map<std::uint32_t, Group> groups;
  for (const LockPlaceId place : ids_below(found.places.end_id()))
    if (found.places[place].acquisitions > 0 || found.places[place].failed_tries > 0)
      groups[number[index_of(place)]].places.push_back(place);
  for (const LockObjectId id : ids_below(found.objects.end_id())) {
    const Object& object = found.objects[id];
    if (object.places.empty())
      continue;
    Group& of = groups[number[index_of(object.places.front())]];
    const auto rank = [&](LockObjectId each) {
      return std::tuple(found.objects[each].is_acquired(), !is_among(of_schedule, each),
                        length_of(found.objects[each]),
                        -static_cast<int>(kind_of(found.objects[each])));
    };
    if (of.objects.empty() || rank(id) > rank(of.heaviest))
      of.heaviest = id;
    of.objects.push_back(id);
  }
  std::vector<Group> result;
  for (auto& [number_of, each] : groups)
    if (!each.objects.empty())
      result.push_back(std::move(each));
  return result;
}

std::vector<LockObjectId> heaviest_objects(const LockLaw::Results& found, const Measured& measured,
                                           const std::vector<LockObjectId>& of_schedule) {
  std::vector<LockObjectId> ids;
  for (const LockObjectId id : ids_below(found.objects.end_id()))
    if (!is_among(of_schedule, id) && has_share(found.objects[id], measured, kLeastPercent))
      ids.push_back(id);
  std::ranges::stable_sort(ids, std::ranges::greater(), [&](LockObjectId id) {
    return found.objects[id].least_time(LockLaw::kWithLatency);
  });
  ids.resize(std::min(ids.size(), kMostAsked));
  return ids;
}

// Scenarios with shorter sections, of the locks that matter; `first`: the measure of the first one, by group.
std::vector<LockScenario> shorter_sections(const std::vector<Group>& groups,
                                           const LockLaw::Results& found, const Measured& measured,
                                           const std::vector<LockObjectId>& of_schedule,
                                           std::map<std::size_t, std::size_t>& first) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order; // the greatest bounds first
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::uint64_t greatest = 0;
    for (const LockObjectId id : groups[i].objects)
      if (!is_among(of_schedule, id) && matters(found.objects[id], measured))
        greatest = std::max(greatest, found.objects[id].least_time(LockLaw::kWithLatency));
    if (greatest > 0)
      order.emplace_back(~greatest, i);
  }
  std::ranges::sort(order);
  order.resize(std::min(order.size(), kMostWhatIf));
  std::vector<LockScenario> scenarios;
  for (const auto& [bound, i] : order) {
    first.emplace(i, LockLaw::kFirstScenario + scenarios.size());
    for (const std::uint64_t factor : kFactors) {
      LockScenario scenario{.factor = factor};
      for (const LockPlaceId place : groups[i].places)
        scenario.places.grown_to(place) = 1;
      scenarios.push_back(std::move(scenario));
    }
  }
  return scenarios;
}

// `first`: the measure of the scenario with its first factor.
std::vector<LockWhatIf> what_if(const Group& lock, const LockLaw::Results& found,
                                const Measured& measured,
                                const std::vector<LockObjectId>& of_schedule, std::size_t first,
                                WhatIfMode mode, bool is_of_operations) {
  std::vector<LockWhatIf> result;
  for (std::size_t i = 0; i < std::size(kFactors); ++i) {
    const std::size_t measure = first + i;
    const std::uint64_t work =
        mode == WhatIfMode::Optimize ? found.work[measure] : measured.work() * kFactors[i];
    result.push_back(
        {LockChange::Shorter,
         kFactors[i],
         {work, std::max(found.span[measure], found.greatest_bound(measure, of_schedule))}});
  }
  std::vector<LockObjectId> gone;
  std::ranges::set_union(lock.objects, of_schedule, std::back_inserter(gone));
  const std::uint64_t others =
      std::max(measured.span(), found.greatest_bound(LockLaw::kWork, gone));
  for (const std::uint64_t factor : kFactors) {
    std::uint64_t least = others;
    for (const LockObjectId id : lock.objects)
      if (!is_among(of_schedule, id))
        least = std::max(least, found.objects[id].least_time(LockLaw::kWork, factor));
    result.push_back({LockChange::Split, factor, {measured.work(), least}});
  }
  // The longest section is on a path. What one thread does for all cannot be shared.
  if (!is_of_operations)
    result.push_back({LockChange::Shared, 1, {measured.work(), others}});
  result.push_back({LockChange::Gone, 1, {measured.work(), others}});
  return result;
}

// What waits are charged to a place is divided among the sites whose tasks acquire locks there, by how
// often they do; the last one has what is left.
std::vector<SiteWaitBlame> blame_of_sites(const LockLaw::Results& found) {
  std::map<std::uint32_t, std::vector<std::pair<Row, std::uint64_t>>> users; // of a place
  for (const auto& [key, count] : found.acquisitions)
    users[static_cast<std::uint32_t>(key >> 32)].emplace_back(static_cast<Row>(key), count);
  std::map<Row, std::uint64_t> ticks;
  for (auto& [place, rows] : users) {
    const LockTotals& totals = found.places[static_cast<LockPlaceId>(place)];
    std::ranges::sort(rows);
    std::uint64_t left = totals.wait_blame;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint64_t share =
          i + 1 == rows.size()
              ? left
              : static_cast<std::uint64_t>(Wide{totals.wait_blame} * rows[i].second /
                                           std::max<std::uint64_t>(totals.acquisitions, 1));
      ticks[rows[i].first] += share;
      left -= share;
    }
  }
  std::vector<SiteWaitBlame> result;
  for (const auto& [row, of] : ticks)
    if (of > 0)
      result.push_back({row, of});
  return result;
}

// What one lock may have of the sections of those that are not kept apart.
std::uint64_t unknown_share(const LockTotals& totals, std::uint64_t threads) {
  if (totals.not_apart == 0)
    return 0;
  const std::uint64_t sections = std::min(totals.not_apart, 2 * kBeforeApart * threads);
  return static_cast<std::uint64_t>(Wide{totals.held_not_apart} * sections / totals.not_apart);
}

// By the place where it is held longest: calls of the program's, as make_edge, may acquire it as well.
const LibraryLock& library_of(const Group& lock, const SiteTable& table,
                              const LockLaw::Results& found) {
  const LockPlaceId longest = *std::ranges::max_element(
      lock.places, {}, [&](LockPlaceId id) { return found.places[id].held; });
  return table.lock_places[found.in_table(longest)].library;
}

LockRow row_of(const Group& lock, const LockLaw::Results& found, const Measured& measured,
               const std::vector<LockObjectId>& of_schedule) {
  const SiteTable& table = measured.table;
  LockRow row;
  const Object& heaviest = found.objects[lock.heaviest];
  row.heaviest = heaviest.info;
  row.kind = heaviest.info.kind < std::size(trace::kLockKindNames)
                 ? trace::kLockKindNames[heaviest.info.kind]
                 : trace::kLockKindNames[0];
  std::string name; // that the program gives it
  for (const LockPlaceId id : lock.places) {
    const LockPlace& place = table.lock_places[found.in_table(id)];
    // Others are of locks with a row of their own.
    const bool is_its_own = std::ranges::find(place.kinds, row.kind) != place.kinds.end();
    row.places.push_back({place.info, is_its_own ? std::vector<std::string>{row.kind} : place.kinds,
                          found.places[id]});
    row.totals.add(found.places[id]);
    if (name.empty() && !place.names.empty())
      name = place.names.front();
  }
  // Each wait is charged as a whole, or not at all.
  for (const LockObjectId id : lock.objects)
    row.no_holder += found.objects[id].totals.waited;
  row.no_holder -= row.totals.wait_blame;
  std::ranges::stable_sort(row.places, [](const LockPlaceRow& a, const LockPlaceRow& b) {
    return std::tie(a.totals.held, a.totals.acquisitions, b.info.file, b.info.line) >
           std::tie(b.totals.held, b.totals.acquisitions, a.info.file, a.info.line);
  });
  row.objects = lock.objects.size();
  row.place_ids = lock.places;
  row.object_ids = lock.objects;
  for (const LockObjectId id : lock.objects)
    row.unmatched += found.objects[id].open;
  row.bound = heaviest.bound(LockLaw::kWork);
  row.awaits_tasks = heaviest.awaits_tasks;
  const bool is_of_schedule = is_among(of_schedule, lock.heaviest);
  for (const LockObjectId id : lock.objects) {
    const Object& object = found.objects[id];
    const LockBound bound = object.bound(LockLaw::kWithLatency);
    if (bound.length() <= row.with_latency || is_among(of_schedule, id) != is_of_schedule)
      continue;
    const std::uint64_t awake = object.bound(LockLaw::kWork).sections;
    row.with_latency = bound.length();
    row.sections_with_latency = bound.sections;
    row.asleep = bound.sections - std::min(awake, bound.sections);
  }
  row.bound_kind = is_of_schedule ? LockBoundKind::IfSameLock : kind_of(heaviest);
  row.bound_error =
      heaviest.totals.held_error + unknown_share(row.totals, measured.read.threads.threads);
  const auto variable = table.lock_names.find(heaviest.info.address);
  if (variable != table.lock_names.end())
    row.variable = variable->second;
  if (row.is_of_node()) {
    row.node = std::exchange(name, "");
    if (row.variable.empty())
      row.variable = row.places.front().info.variable;
  }
  if (row.variable.empty() && name.empty() && row.node.empty())
    row.library = library_of(lock, table, found);
  row.name = !row.variable.empty()    ? row.variable
             : !name.empty()          ? name
             : row.library.is_known() ? row.kind + " of " + row.library.what
                                      : row.noun() + " at " + row.places.front().info.name;
  return row;
}

} // namespace

namespace {

// Per object, the sleep of all steps that contain exclusive sections of it, as far as it is not known to have
// been inside of them or outside.
class SleepBesideSections final : public DagVisitor {
public:
  // `knows`: what threads are known to have slept in is part of the section that it was in.
  explicit SleepBesideSections(bool knows) : knows_(knows) {}
  Path* new_path() override { return &path_; }
  Path* copy_path(const Path&) override { return &path_; }
  void drop_path(Path*) override {}
  bool join_path(Path&, const Path&, Tie) override { return false; }
  void assign_path(Path&, const Path&) override {}
  void wait_joined(FrameState&, Path*, Path*) override {}
  void spawned(const FrameState&, FrameState&) override {}
  bool ended(FrameState&, Tie) override { return false; }
  void step(FrameState&, const Step& step) override {
    std::uint64_t open = step.latency;
    if (knows_ && step.slept_in)
      for (const std::uint64_t known : step.slept_in->of)
        open -= std::min(open, known);
    if (open == 0)
      return;
    seen_.clear();
    for (const LockUse& use : step.locks)
      if (use.kind == LockUseKind::Section && !use.shared &&
          std::ranges::find(seen_, use.object) == seen_.end()) {
        seen_.push_back(use.object);
        asleep_.grown_to(use.object) += open;
      }
  }
  std::uint64_t of(LockObjectId id) const { return asleep_.contains(id) ? asleep_[id] : 0; }

private:
  const bool knows_;
  Path path_; // of all: paths make no difference here
  IdVector<LockObjectId, std::uint64_t> asleep_;
  std::vector<LockObjectId> seen_;
};

} // namespace

std::vector<Warning> sleep_with_locks(const Measured& measured, const Locks& locks,
                                      const TraceReadings& readings) {
  // tp_sleep() says of all sleep where it is.
  if (locks.rows.empty() || measured.fold.latency == 0 ||
      (measured.run().section_sleep_seen && measured.is_virtual()))
    return {};
  SleepBesideSections sleep(measured.run().section_sleep_seen);
  readings.read(sleep);
  std::string names;
  std::uint64_t most = 0;
  for (const LockRow& row : locks.rows) {
    std::uint64_t asleep = 0;
    for (const LockObjectId id : row.object_ids)
      asleep = std::max(asleep, sleep.of(id));
    if (asleep == 0 ||
        (Wide{row.with_latency} + asleep) * 10 <= Wide{measured.fold.span_with_latency} * 11)
      continue;
    if (asleep > most)
      names = row.phrase();
    most = std::max(most, asleep);
  }
  if (most == 0)
    return {};
  return {{kSleepWithLock,
           fmt::format("steps that hold the {} slept, for {} % of the sleep of all steps: if they "
                       "held it then, others had to wait, which no bound and no prediction "
                       "contains",
                       names, percent(most, measured.fold.latency)),
           false}};
}

Locks analyze_locks(const Measured& measured, const TraceReadings& readings,
                    const ProfileOptions& options) {
  Locks locks{.observed = !measured.run().locks.empty() && measured.run().locks != "off",
              .c_observed = measured.run().c_locks_seen,
              .c_left_out = measured.run().threads_seen && !measured.run().c_locks_seen,
              .unseen = measured.table.unseen_locks};
  if (measured.read.lock_records == 0)
    return locks;
  LockLaw law({});
  readings.read(law);
  LockLaw::Results found = law.results();
  leave_out_foreign(found, measured.table);
  locks.past_semaphores = found.past_semaphores;
  locks.of_schedule = objects_of_schedule(found, measured.table);
  std::vector<Group> groups = group(found, locks.of_schedule);
  std::map<std::size_t, std::size_t> scenarios_of; // group, first measure
  const auto read_again = [&](std::vector<LockScenario> scenarios) {
    LockLaw closer({.scenarios = std::move(scenarios), .ends_of = locks.ends_of});
    readings.read(closer);
    found = closer.results();
    leave_out_foreign(found, measured.table);
    locks.ends_known = found.ends_known;
    groups = group(found, locks.of_schedule);
  };
  locks.ends_of = heaviest_objects(found, measured, locks.of_schedule);
  if (!locks.ends_of.empty()) {
    read_again({});
    const bool fits = measured.work() <= ~std::uint64_t{0} / (2 * kFactors[2]);
    if (std::vector<LockScenario> shorter =
            shorter_sections(groups, found, measured, locks.of_schedule, scenarios_of);
        fits && !shorter.empty())
      read_again(std::move(shorter));
    else
      scenarios_of.clear();
  }
  std::vector<std::pair<LockRow, const Group*>> rows;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    rows.emplace_back(row_of(groups[i], found, measured, locks.of_schedule), &groups[i]);
    if (const auto first = scenarios_of.find(i); first != scenarios_of.end())
      rows.back().first.what_if =
          what_if(groups[i], found, measured, locks.of_schedule, first->second, options.mode,
                  rows.back().first.is_of_operations());
  }
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [](const auto& row) { return row.first.totals.held; });
  IdVector<LockObjectId, std::size_t> row_of_object(found.objects.size());
  for (auto& [row, group] : rows) {
    for (const LockObjectId id : group->objects)
      row_of_object[id] = locks.rows.size();
    // A program whose libraries use oneTBB before our preloaded one is ready was recorded as without it.
    locks.c_observed |= row.kind.starts_with("pthread_");
    locks.rows.push_back(std::move(row));
  }
  for (const LockObjectId id : ids_below(found.objects.end_id())) {
    const Object& object = found.objects[id];
    if (object.places.empty())
      continue;
    ++locks.objects;
    const std::uint64_t time = object.bound(LockLaw::kWithLatency).length();
    if (is_among(locks.of_schedule, id)) {
      locks.greatest_of_schedule = std::max(locks.greatest_of_schedule, time);
      continue;
    }
    // Without its own, other sections are shared ones.
    const std::uint64_t asleep =
        object.exclusive[LockLaw::kWithLatency] - object.exclusive[LockLaw::kWork];
    const std::uint64_t held = object.totals.held + asleep;
    if (object.exclusive[LockLaw::kWithLatency] > 0 &&
        Wide{held} * kLeastShare >= measured.fold.span_with_latency)
      locks.exclusive.push_back({id, object.info.kind, held,
                                 object.totals.is_sampled ? 0 : object.totals.acquisitions,
                                 row_of_object[id]});
    const std::uint64_t work = length_of(object);
    locks.greatest_sections_with_latency = std::max(
        locks.greatest_sections_with_latency,
        object.exclusive[LockLaw::kWithLatency] + object.longest_shared[LockLaw::kWithLatency]);
    locks.greatest = std::max(locks.greatest, work);
    locks.greatest_with_latency = std::max(locks.greatest_with_latency, time);
    if (kind_of(object) != LockBoundKind::Proven)
      continue;
    locks.proven = std::max(locks.proven, work);
    locks.proven_with_latency = std::max(locks.proven_with_latency, time);
  }
  std::ranges::stable_sort(locks.exclusive, std::ranges::greater(), &LockObjectUse::held);
  locks.blame_of_sites = blame_of_sites(found);
  return locks;
}

namespace {

// The lock that is waited for nine tenths of all waits for locks, if simulations have it; else none.
std::size_t waited_for_alone(const Locks& locks, const Prediction& prediction) {
  std::uint64_t all = 0;
  std::size_t most = 0;
  for (std::size_t i = 0; i < locks.rows.size(); ++i) {
    all += locks.rows[i].totals.waited;
    if (locks.rows[i].totals.waited > locks.rows[most].totals.waited)
      most = i;
  }
  const bool is_simulated =
      std::ranges::find(prediction.simulated_locks, most, &LockObjectUse::lock) !=
      prediction.simulated_locks.end();
  return all > 0 && is_simulated && Wide{locks.rows[most].totals.waited} * 10 >= Wide{all} * 9
             ? most
             : locks.rows.size();
}

// Without this lock, as predicted, else without any: if it is held inside of sections of another one, these remain.
std::uint64_t time_without(const LockRow& row, const PredictedRun& run) {
  if (const LockWhatIf* const gone = row.what_if_of(LockChange::Gone, 1))
    for (const PredictedTime& each : gone->predicted)
      if (each.procs == run.procs)
        return each.time;
  return run.without_locks;
}

// At least that long after a remedy: the lock gone, or split, or its sections so short that they take no time. What they
// did is done by others then. For one schedule the time is a convex function of their length, so a line through two lengths is
// below it at 0.
std::uint64_t least_time_of_remedies(const LockRow& row, const PredictedRun& run,
                                     std::uint64_t work) {
  std::uint64_t least = std::min(run.time, time_without(row, run));
  for (const LockWhatIf& change : row.what_if)
    for (const PredictedTime& each : change.predicted) {
      if (each.procs != run.procs)
        continue;
      least = std::min(least, each.time);
      if (change.change == LockChange::Shorter && each.time < run.time && change.factor > 1)
        least = std::min(
            least, each.time - std::min(each.time, (run.time - each.time) / (change.factor - 1)));
    }
  return std::min(run.time, std::max(least, work / run.procs));
}

// Shorter sections of one lock are shorter sections of those that are held inside of them, so that each saves the same. Of
// locks that save the most, to a tenth of the time, the one comes first whose own sections need longest.
void limiting_lock_first(std::vector<Finding>& findings, const Locks& locks) {
  const auto first = std::ranges::find(findings, Shape::Lock, &Finding::shape);
  auto longest = first;
  for (auto each = first; each != findings.end(); ++each)
    if (each->shape == Shape::Lock &&
        Wide{first->saves_at_most() - each->saves_at_most()} * 10 <= first->time &&
        locks.rows[*each->lock].with_latency > locks.rows[*longest->lock].with_latency)
      longest = each;
  if (longest != first)
    std::rotate(first, longest, longest + 1);
}

} // namespace

void add_lock_findings(std::vector<Finding>& findings, const Measured& measured, const Locks& locks,
                       const Prediction& prediction, const ProfileOptions& options) {
  const std::uint64_t procs = options.advised_procs;
  const auto run = std::ranges::find(prediction.runs, procs, &PredictedRun::procs);
  const std::size_t waited_for = waited_for_alone(locks, prediction);
  for (std::size_t i = 0; i < locks.rows.size(); ++i) {
    const LockRow& row = locks.rows[i];
    const bool waits = i == waited_for && run != prediction.runs.end() &&
                       Wide{run->time - std::min(run->time, run->without_locks)} * 10 >= run->time;
    if (row.is_of_schedule() || (row.with_latency <= measured.fold.span_with_latency && !waits))
      continue;
    Finding finding{.shape = Shape::Lock,
                    .code = row.phrase(),
                    .place = {row.places.front().info.file, row.places.front().info.line},
                    .work = row.totals.held,
                    .procs = procs,
                    .lock = i};
    if (run != prediction.runs.end()) {
      finding.time = run->time;
      finding.least_time = least_time_of_remedies(row, *run, measured.work());
    }
    findings.push_back(std::move(finding));
  }
  std::ranges::stable_sort(findings, std::ranges::greater(), &Finding::saves_at_most);
  limiting_lock_first(findings, locks);
}

std::vector<Warning> reused_addresses(const Measured& measured, const Locks& locks,
                                      const Prediction& prediction) {
  const LockRow* longest = nullptr;
  for (const LockObjectUse& each : prediction.simulated_locks)
    if (const LockRow& row = locks.rows[each.lock];
        row.bound_kind == LockBoundKind::IfOneObject &&
        (!longest || row.totals.held > longest->totals.held))
      longest = &row;
  if (!longest || prediction.runs.empty())
    return {};
  const auto gain = [](const PredictedRun& run) {
    return run.without_locks > 0
               ? static_cast<double>(run.time) / static_cast<double>(run.without_locks)
               : 1;
  };
  const PredictedRun& most = *std::ranges::max_element(prediction.runs, {}, gain);
  if (gain(most) < 1.05)
    return {};
  const auto time = [&](std::uint64_t work) {
    return human(work, measured.run().work, measured.hz_of_work());
  };
  return {{"reused_lock_address",
           fmt::format("the {} is on a stack or on the heap, where its address may have been that "
                       "of several locks: predicted times, what-ifs and bounds of it are as if it "
                       "was one ({}: {}; without any locks {})",
                       longest->phrase(), human_cpus(most.procs), time(most.time),
                       time(most.without_locks)),
           false}};
}

std::vector<Warning> dense_locks(const Measured& measured, const Locks& locks) {
  constexpr std::uint64_t kDenseNs = 500;
  const LockRow* densest = nullptr;
  for (const LockRow& row : locks.rows)
    if (row.totals.contended > 0 &&
        (!densest || row.totals.acquisitions > densest->totals.acquisitions))
      densest = &row;
  if (!densest || measured.is_virtual() ||
      Wide{measured.work()} > Wide{work_of_ns(measured, kDenseNs)} * densest->totals.acquisitions)
    return {};
  return {
      {"dense_lock",
       fmt::format("the {} is acquired once in {} of work, by threads that wait for each other: "
                   "what that costs them, and to record it, is part of the work, which one CPU "
                   "would not have, so predicted times are too long",
                   densest->phrase(),
                   human(measured.work() / densest->totals.acquisitions, measured.run().work,
                         measured.hz_of_work())),
       false}};
}

std::vector<Warning> lock_warnings(const Locks& locks) {
  if (!locks.observed)
    return {{"locks_not_observed",
             "locks were not observed: bounds and predictions are as if there were none (tp-run "
             "--locks=auto records them)",
             false}};
  std::vector<Warning> warnings;
  if (!locks.c_observed)
    warnings.push_back(
        {"c_locks_not_observed",
         std::string("locks of the C library (std::mutex) were not observed, only "
                     "those of oneTBB: ") +
             (locks.c_left_out ? "the program has its own malloc, operator new or unwinder, which "
                                 "may acquire them"
                               : "tp-run records both"),
         false});
  if (!locks.unseen.locks.empty()) {
    std::string places;
    const std::vector<UnseenLock>& unseen = locks.unseen.locks;
    for (std::size_t i = 0; i < std::min(unseen.size(), kMostUnseen); ++i)
      places += (i == 0 ? "" : ", ") + unseen[i].kind +
                (unseen[i].place.empty() ? "" : " (" + unseen[i].place + ")");
    if (unseen.size() > kMostUnseen)
      places += fmt::format(" and {} more", unseen.size() - kMostUnseen);
    warnings.push_back(
        {"header_locks_not_observed",
         fmt::format("not observed: {}. Waiting there counts as work, and bounds and predictions "
                     "leave it out, because the program was compiled without Taskpath's headers: "
                     "tp-c++ compiles it with them",
                     places),
         false});
  }
  // Without tp-run none of these is observed, which is said above.
  if (const std::vector<std::string>& past = locks.unseen.past; locks.c_observed && !past.empty())
    warnings.push_back(
        {"locks_past_tp_run",
         fmt::format("locks of the C library were not observed in {}{}, which calls it past tp-run "
                     "(RTLD_DEEPBIND does that): bounds and predictions leave them out",
                     past.front(),
                     past.size() == 1 ? "" : fmt::format(" and {} more", past.size() - 1)),
         false});
  if (!locks.ends_known)
    warnings.push_back({"lock_ends",
                        "the recording is too large to know what comes before and after "
                        "the sections of locks: their bounds leave it out"});
  return warnings;
}

} // namespace tp::analysis
