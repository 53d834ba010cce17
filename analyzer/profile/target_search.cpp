// SPDX-License-Identifier: Apache-2.0
// Presents the trace as the program that find_smallest_set() asks about, and its answer in words.
#include "profile/target_search.h"

#include "base/wide.h"
#include "model/speedup_bounds.h"
#include "profile/code_names.h"
#include "profile/smallest_set.h"
#include "report/numbers.h"
#include "report/phrases.h"

#include <fmt/format.h>

#include <algorithm>

namespace tp::analysis {
namespace {

// The trace as the search sees it. The first reading provides the lengths with nothing improved.
class TraceProgram final : public ImprovedProgram {
public:
  TraceProgram(const TraceReadings& readings, const DagFold::Results& first, std::uint64_t factor,
               std::vector<const LockRow*> locks, std::vector<std::size_t> limits)
      : readings_(readings), first_(first), factor_(factor), locks_(std::move(locks)),
        limits_(std::move(limits)) {
    for (std::uint32_t i = 0; i < locks_.size(); ++i)
      for (const LockObjectId id : locks_[i]->object_ids)
        lock_of_.grown_to(id) = i + 1;
  }
  std::vector<WhatIfLength> lengths(const std::vector<Improvements>& sets) override {
    if (sets == std::vector<Improvements>{{}})
      return {{least_time() * factor_, first_.work * factor_}};
    WhatIfPlan plan;
    for (const Improvements& set : sets)
      plan.add(set.code, {factor_});
    TraceReadings::WorkUnderLimits under;
    std::vector<WhatIfLength> lengths = readings_.evaluate_paths(plan, &under);
    if (locks_.empty() && limits_.empty()) {
      readings_.limit_by_law(plan, &under, lengths);
      readings_.limit_by_threads(under, lengths);
    } else {
      limit_by_law(sets, under, lengths);
    }
    return lengths;
  }
  std::vector<OnPath> critical_path(const Improvements& set) override {
    if (set.code == StepSet{})
      return path_of(first_);
    readings_.begin_phase(fmt::format("search step {}", ++steps_));
    WhatIfPlan plan;
    plan.add(set.code, {factor_});
    plan.followed = 0;
    return path_of(readings_.read(plan, {.composition = true}).fold);
  }

private:
  static std::vector<OnPath> path_of(const DagFold::Results& found) {
    std::vector<OnPath> path;
    for (const StepClassId id : ids_below(found.class_totals.end_id()))
      if (found.class_totals[id].critical_work > 0)
        path.push_back({id, found.class_totals[id].critical_work});
    std::stable_sort(path.begin(), path.end(),
                     [](const OnPath& a, const OnPath& b) { return a.work > b.work; });
    return path;
  }

  LockScenario scenario_of(const Improvements& set) const {
    LockScenario scenario{.code = set.code, .factor = factor_};
    for (const LockImprovement& each : set.locks)
      if (each.change == LockChange::Shorter)
        for (const LockPlaceId place : locks_[each.lock]->place_ids)
          scenario.places.grown_to(place) = 1;
    return scenario;
  }

  // With nothing improved.
  std::uint64_t least_time() const {
    return std::max(
        {first_.span, readings_.greatest_lock(), least_time_of_limits(readings_.limits())});
  }

  // The bounds of all limits, also of those that are no candidates. `less`: work that shorter sections leave out, which
  // may all have been under one limit.
  void limit_by_threads(const Improvements& set, const LockLaw::Results& found, std::size_t measure,
                        const std::vector<std::uint64_t>& under, std::uint64_t less,
                        WhatIfLength& length) const {
    std::vector<std::uint64_t> threads(under.size(), 1);
    for (const LimitImprovement& each : set.limits)
      threads[limits_[each.limit]] = each.threads;
    for (std::size_t i = 0; i < under.size(); ++i)
      if (const ConcurrencyLimit& limit = readings_.limits()[i]; !limit.like_machine) {
        const std::uint64_t ends =
            i < found.limit_ends.size() ? found.limit_ends[i][measure].length() : 0;
        length.span = std::max(
            length.span, ends + limit.time_of(under[i] - std::min(under[i], less), threads[i]));
      }
  }

  // The bounds of all objects by the law of locks (passes/lock_law.h): no schedule of the sections of a lock that is split
  // leaves less than its share to the one of its parts that has most.
  void limit_by_law(const std::vector<Improvements>& sets,
                    const TraceReadings::WorkUnderLimits& under,
                    std::vector<WhatIfLength>& lengths) const {
    std::vector<LockScenario> scenarios;
    for (const Improvements& set : sets)
      scenarios.push_back(scenario_of(set));
    readings_.read_law(scenarios, TraceReadings::Ends::With,
                       [&](const LockLaw::Results& found, std::size_t begin, std::size_t end) {
                         for (std::size_t i = begin; i < end; ++i) {
                           const std::size_t measure = LockLaw::kFirstScenario + i - begin;
                           std::vector<std::uint64_t> parts(locks_.size() + 1, 1);
                           bool shorter = false;
                           std::uint64_t less = 0;
                           for (const LockImprovement& each : sets[i].locks)
                             if (each.change == LockChange::Split)
                               parts[each.lock + 1] = each.factor;
                             else
                               shorter = true;
                           if (shorter) {
                             lengths[i].span = found.span[measure];
                             if (readings_.mode() == WhatIfMode::Optimize) {
                               less = lengths[i].work - found.work[measure];
                               lengths[i].work = found.work[measure];
                             }
                           }
                           for (const LockObjectId id : ids_below(found.objects.end_id())) {
                             const std::uint64_t of =
                                 parts[lock_of_.contains(id) ? lock_of_[id] : 0];
                             if (!std::ranges::binary_search(readings_.no_limits(), id))
                               lengths[i].span = std::max(
                                   lengths[i].span, found.objects[id].least_time(measure, of));
                           }
                           limit_by_threads(sets[i], found, measure, under[i], less, lengths[i]);
                         }
                       });
  }

  const TraceReadings& readings_;
  const DagFold::Results& first_;
  const std::uint64_t factor_;
  const std::vector<const LockRow*> locks_;       // that may be chosen
  const std::vector<std::size_t> limits_;         // likewise: indices into those of the readings
  IdVector<LockObjectId, std::uint32_t> lock_of_; // 1 + index into locks_; 0: none of them
  unsigned steps_ = 0;
};

// Of the program, with a hundredth of the work or of the critical path: rows of FoundFunctions.
std::vector<std::size_t> searched_functions(const Measured& measured,
                                            const FoundFunctions* functions) {
  constexpr std::size_t kMost = 40;
  std::vector<std::size_t> rows;
  if (!functions)
    return rows;
  const auto& all = functions->functions.functions;
  for (std::size_t i = 0; i < all.size() && rows.size() < kMost; ++i)
    if (all[i].is_remedy() && (all[i].critical_work.work >= measured.span() / 100 ||
                               all[i].work.work >= measured.work() / 100))
      rows.push_back(i);
  return rows;
}

SearchOptions search_options(const DagFold::Results& first, const ProfileOptions& options,
                             const IdVector<RegionId, std::uint8_t>& chosen) {
  SearchOptions search{.target = *options.target,
                       .factor = *options.target,
                       .regions = {},
                       .site_of = {},
                       .mode = options.mode,
                       .only_in_parts = kMainRow};
  for (const RegionId region : ids_below(chosen.end_id()))
    if (chosen[region])
      search.regions.push_back(region);
  for (const StepClass& of : first.classes)
    search.site_of.push_back(of.row);
  return search;
}

bool reaches(const Ratio& parallelism, std::uint64_t target) {
  return parallelism.numerator >= Wide{parallelism.denominator} * target;
}

// Of all but functions, locks and limits.
std::string part_name(const FoundRegions::Choice& choice, const SiteTable& table,
                      const IdVector<StepClassId, StepClass>& classes) {
  switch (choice.kind) {
  case ChoiceKind::CodeSegment:
    return segment_name(classes[choice.segment()], table);
  case ChoiceKind::Site:
    return code_of_row(choice.site(), table) + ", all of it";
  case ChoiceKind::Region:
  case ChoiceKind::Function:
  case ChoiceKind::LockSplit:
  case ChoiceKind::LockShorter:
  case ChoiceKind::Threads:
    break;
  }
  return "region " + region_name(table.regions[choice.region()]);
}

std::string name_of_lock_choice(const FoundRegions::Choice& choice, const LockRow& lock) {
  return choice.kind == ChoiceKind::LockSplit
             ? fmt::format("split the {} into {}", lock.phrase(), choice.factor)
         : lock.is_of_operations() ? fmt::format("make the operations of the {} {}x as short",
                                                 lock.phrase(), choice.factor)
         : lock.library.holds_copies
             ? fmt::format("copy messages {}x as fast (by pointer) under the {}", choice.factor,
                           lock.phrase())
             : fmt::format("hold the {} for a time {}x as short", lock.phrase(), choice.factor);
}

std::string name_of_limit_choice(std::uint64_t threads, const ConcurrencyLimit& limit) {
  const std::string at_a_time = limit.width == limit.asked ? "" : " at a time";
  if (!limit.is_arena)
    return fmt::format("let oneTBB have at least {} threads{} (global_control)", threads,
                       at_a_time);
  return fmt::format("give {} at least {} threads{}", arena_in_words(limit), threads,
                     limit.is_of_openmp ? " in all" : at_a_time);
}

// So many threads leave room for the target, if what comes before and after what runs under the limit does; as what-ifs
// count. Else, and if they are very many, some.
std::uint64_t threads_for(const ConcurrencyLimit& limit, std::uint64_t work, std::uint64_t target) {
  constexpr std::uint64_t kMostTimes = 16; // the target
  const Wide ends = Wide{limit.ends.length()} * target;
  if (ends >= work)
    return target;
  const Wide room = work - ends; // times the target, as the work under it
  const Wide threads = (Wide{limit.work} * target + room - 1) / room;
  return std::max(target, static_cast<std::uint64_t>(std::min(threads, Wide{target} * kMostTimes)));
}

// Limits that leave no room for the target: indices. Those that need most time, so that there are not too many.
std::vector<std::size_t> limiting_limits(const std::vector<ConcurrencyLimit>& limits,
                                         std::uint64_t work, std::uint64_t target) {
  constexpr std::size_t kMost = 8;
  std::vector<std::size_t> limiting;
  for (std::size_t i = 0; i < limits.size() && limiting.size() < kMost; ++i)
    if (const std::uint64_t time = limits[i].least_time_of_work();
        !limits[i].like_machine && limits[i].width < threads_for(limits[i], work, target) &&
        time > 0 && !reaches({work, time}, target))
      limiting.push_back(i);
  return limiting;
}

// What leaves no room for the target. Those that are held longest, so that there are not too many.
std::vector<const LockRow*> limiting_locks(const Locks& locks, std::uint64_t work,
                                           std::uint64_t target) {
  constexpr std::size_t kMost = 8;
  std::vector<const LockRow*> limiting;
  for (const LockRow& lock : locks.rows)
    if (lock.bound.length() > 0 && !lock.is_of_schedule() &&
        !reaches({work, lock.bound.length()}, target))
      limiting.push_back(&lock);
  std::ranges::stable_sort(limiting, std::ranges::greater(),
                           [](const LockRow* lock) { return lock->bound.length(); });
  limiting.resize(std::min(limiting.size(), kMost));
  return limiting;
}

std::string outcome_text(const TargetSearch& search) {
  const std::size_t count = search.steps.size();
  if (search.reached && count == 0)
    return fmt::format("Parallelism {} is already reached.", search.target);
  if (search.reached) {
    std::string text = search_heading(search);
    if (text.front() >= 'a' && text.front() <= 'z') // else "2 changes ..."
      text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text + ".";
  }
  const std::string out_of_reach = fmt::format("Parallelism {} is out of reach", search.target);
  if (search.with_all_code)
    return fmt::format("{}: {} that gain most {} {}, all code {}.", out_of_reach,
                       search.has_others() ? fmt::format("the {} changes", count)
                                           : faster_code(search, "the " + parts_text(count)),
                       search.has_others() ? "give" : "gives", fixed2(search.steps.back().after),
                       fixed2(*search.with_all_code));
  if (count == 0)
    return fmt::format("{}: no part of the code gains anything if it is {}.", out_of_reach,
                       improved_by(search.factor, search.optimizes));
  return fmt::format("{}: the best found is {}, by {}.", out_of_reach,
                     fixed2(search.steps.back().after), what_is_changed(search));
}

// What would make room for the target where a lock does not: as few locks in its place as are enough,
// or sections as long as may be.
std::string remedy_of(const LockRow& lock, std::uint64_t target) {
  std::string remedies;
  for (const LockChange change : {LockChange::Split, LockChange::Shorter}) {
    const auto enough = std::ranges::find_if(lock.what_if, [&](const LockWhatIf& each) {
      return each.change == change && reaches(each.parallelism, target);
    });
    if (enough == lock.what_if.end() || (change == LockChange::Split && lock.library.is_known()))
      continue;
    remedies +=
        fmt::format("{}{} (parallelism at most {})", remedies.empty() ? "" : ", or ",
                    change == LockChange::Split ? fmt::format("split it into {}", enough->factor)
                    : lock.is_of_operations()
                        ? fmt::format("make its operations {} times as short", enough->factor)
                        : fmt::format("hold it {} times as short", enough->factor),
                    fixed2(enough->parallelism));
  }
  return remedies;
}

// Empty: no lock is in the way.
std::string locks_text(const Locks& locks, std::uint64_t work, const TargetSearch& search) {
  const std::vector<const LockRow*> limiting = limiting_locks(locks, work, search.target);
  if (limiting.empty() || search.reached)
    return "";
  const LockRow& first = *limiting.front();
  const std::string remedy = remedy_of(first, search.target);
  std::string text =
      fmt::format(" As it is, the {} leaves {} {}{}.", first.phrase(),
                  first.bound_kind == LockBoundKind::Estimate ? "about" : "at most",
                  fixed2({work, first.bound.length()}), remedy.empty() ? "" : ": " + remedy);
  if (const std::size_t more = limiting.size() - 1; more > 0)
    text += fmt::format(" {} more {} too little room as well.", more,
                        more == 1 ? "lock leaves" : "locks leave");
  return text;
}

// The search is about work. Empty: sleep leaves room for the target.
std::string sleep_text(const Measured& measured, const Locks& locks,
                       const std::vector<ConcurrencyLimit>& limits, std::uint64_t target) {
  if (!measured.knows_latency())
    return "";
  const DagFold::Results& fold = measured.fold;
  const std::uint64_t all = measured.work() + fold.latency;
  const auto text = [&](const std::string& what, std::uint64_t time) {
    return fmt::format(
        " That is without sleep: with it, {} leaves a speedup of at most {} as it is.", what,
        three_digits({all, time}));
  };
  const auto longest = std::ranges::max_element(
      locks.rows, {}, [](const LockRow& lock) { return lock.sleeps() ? lock.with_latency : 0; });
  if (longest != locks.rows.end() && longest->sleeps() &&
      longest->bound_kind == LockBoundKind::Proven &&
      longest->with_latency > fold.span_with_latency && // else it is no more than that path
      !reaches({all, longest->with_latency}, target))
    return text("the " + longest->phrase(), longest->with_latency);
  if (!limits.empty() && !limits.front().like_machine && limits.front().latency > 0 &&
      limits.front().least_time() > fold.span_with_latency &&
      !reaches({all, limits.front().least_time()}, target))
    return text(limits.front().is_arena ? arena_in_words(limits.front()) : "global_control",
                limits.front().least_time());
  const std::uint64_t asleep =
      fold.span_with_latency - std::min(measured.span(), fold.span_with_latency);
  return Wide{asleep} * 20 >= fold.span_with_latency &&
                 !reaches({all, fold.span_with_latency}, target)
             ? text("the critical path", fold.span_with_latency)
             : "";
}

} // namespace

std::optional<TargetSearch> search_target(const Measured& measured, const TraceReadings& readings,
                                          const ProfileOptions& options,
                                          const IdVector<RegionId, std::uint8_t>& chosen,
                                          const Locks& locks, const FoundFunctions* functions) {
  if (!options.target || measured.work() == 0)
    return {};
  TargetSearch result;
  result.target = result.factor = *options.target;
  result.optimizes = options.mode == WhatIfMode::Optimize;
  if (measured.work() > ~std::uint64_t{0} / result.factor) {
    result.skipped_because = "the work is too large for this target: use a smaller --target";
    return result;
  }
  const DagFold::Results& first = measured.fold;
  const std::vector<const LockRow*> limiting =
      limiting_locks(locks, measured.work(), result.target);
  const std::vector<std::size_t> limits =
      limiting_limits(readings.limits(), measured.work(), result.target);
  TraceProgram program(readings, first, result.factor, limiting, limits);
  SearchOptions search = search_options(first, options, chosen);
  const std::vector<std::size_t> rows = searched_functions(measured, functions);
  for (const std::size_t row : rows)
    search.functions.push_back({functions->stacks[row]});
  search.weights = readings.weights();
  search.locks = static_cast<std::uint32_t>(limiting.size());
  for (const LockRow* const lock : limiting)
    search.whole_locks.push_back(lock->library.is_known());
  for (const std::size_t limit : limits)
    search.threads.push_back(threads_for(readings.limits()[limit], measured.work(), result.target));
  FoundRegions found = find_smallest_set(program, search);
  // "All of main" is an answer only where its parts are too many to name.
  constexpr std::size_t kMostPieces = 5;
  if (found.outcome != FoundRegions::Outcome::Reached || found.choices.size() > kMostPieces) {
    search.only_in_parts = {};
    found = find_smallest_set(program, search);
  }
  result.reached = found.outcome == FoundRegions::Outcome::Reached;
  result.minimal = found.minimal;
  for (std::size_t i = 0; i < found.choices.size(); ++i) {
    const FoundRegions::Choice& choice = found.choices[i];
    result.steps.push_back(
        {.kind = choice.kind,
         .name =
             choice.kind == ChoiceKind::Function
                 ? function_phrase(functions->functions.functions[rows[choice.function()]])
             : is_of_lock(choice.kind) ? name_of_lock_choice(choice, *limiting[choice.lock()])
             : choice.kind == ChoiceKind::Threads
                 ? name_of_limit_choice(choice.factor, readings.limits()[limits[choice.limit()]])
                 : part_name(choice, measured.table, first.classes),
         .alone = {found.alone[i].work, found.alone[i].span},
         .after = {found.after[i].work, found.after[i].span},
         .lock = is_of_lock(choice.kind)
                     ? static_cast<std::size_t>(limiting[choice.lock()] - locks.rows.data())
                     : 0,
         .limit = choice.kind == ChoiceKind::Threads ? limits[choice.limit()] : 0,
         .factor = choice.factor});
  }
  if (found.outcome == FoundRegions::Outcome::TooMany)
    result.with_all_code = Ratio{found.all.work, found.all.span};
  result.outcome = outcome_text(result) + locks_text(locks, measured.work(), result);
  result.outcome += sleep_text(measured, locks, readings.limits(), result.target);
  if (found.after.empty())
    return result;
  result.speedups =
      with_speedups(measured.work(),
                    {result.factor, {found.after.back().work, found.after.back().span}, {}},
                    options.procs)
          .speedups;
  return result;
}

} // namespace tp::analysis
