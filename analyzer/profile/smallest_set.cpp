// SPDX-License-Identifier: Apache-2.0
// The steps of the search (smallest_set.h).
#include "profile/smallest_set.h"
#include "base/wide.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

namespace tp::analysis {
namespace {

using Choice = FoundRegions::Choice;
using Choices = std::vector<Choice>;
using Outcome = FoundRegions::Outcome;

// As many as fit into one reading (TraceReadings::kScenariosPerReading). If more candidates are on
// the path, the steps that need not try all of them skip those with less critical work.
constexpr std::size_t kSetsPerReading = 128;
constexpr std::size_t kAll = ~std::size_t{0};

bool gives_more(const WhatIfLength& a, const WhatIfLength& b) {
  return Wide{a.work} * b.span > Wide{b.work} * a.span;
}

std::ptrdiff_t best_of(const std::vector<WhatIfLength>& lengths) {
  return std::min_element(lengths.begin(), lengths.end(), gives_more) - lengths.begin();
}

Choices with(Choices choices, const Choice& one_more) {
  choices.push_back(one_more);
  return choices;
}

Choices without(Choices choices, std::size_t at) {
  choices.erase(choices.begin() + static_cast<std::ptrdiff_t>(at));
  return choices;
}

Choices first_of(const Choices& choices, std::size_t count) {
  return {choices.begin(), choices.begin() + static_cast<std::ptrdiff_t>(count)};
}

class Search {
public:
  Search(ImprovedProgram& program, const SearchOptions& options);
  FoundRegions run();

private:
  bool reaches(const WhatIfLength& length) const {
    return Wide{length.span} * options_.target <= length.work;
  }
  bool is_one_class(Row site) const { return classes_of_[site].size() == 1; }
  bool tries_classes_of(Row site) const {
    return !may_be_whole(site) || options_.mode == WhatIfMode::Optimize;
  }
  bool may_be_whole(Row site) const {
    return !is_one_class(site) && site != options_.only_in_parts;
  }
  Improvements set_of(const Choices& choices) const;
  // Of the work of classes on the path, the part in each function; 0: not on the path.
  std::vector<std::uint64_t> function_work(const std::vector<ImprovedProgram::OnPath>& path,
                                           const StepSet& improved) const;
  bool is_chosen(const Choices& chosen, std::size_t function) const {
    return std::ranges::find(chosen, Choice::of_function(function)) != chosen.end();
  }
  bool is_whole_lock(std::uint32_t lock) const {
    return lock < options_.whole_locks.size() && options_.whole_locks[lock];
  }
  static bool makes_room(const Choice& choice) {
    return choice.kind == ChoiceKind::LockSplit || choice.kind == ChoiceKind::Threads;
  }
  static bool contains(const Choices& chosen, const Choice& of) {
    return std::ranges::any_of(
        chosen, [&](const Choice& each) { return each.kind == of.kind && each.id == of.id; });
  }
  // Of all locks, into as many as the factor of the search; and limits, with the most threads.
  Choices other_choices() const;
  std::vector<WhatIfLength> lengths_of(const std::vector<Choices>& sets);
  // What may shorten the span after `chosen` is improved, in descending order of critical work: at
  // most `most`, and the regions.
  Choices candidates(const Choices& chosen, std::size_t most);
  // All candidates that are not in `some`.
  Choices rest_of(Choices some) const;
  std::vector<WhatIfLength> lengths_with(const Choices& chosen, const Choices& one_more);
  void add_greedily();
  void eliminate();
  std::vector<Choices> all_sets(std::size_t size);
  bool find_smaller(Choices& chosen, std::size_t more);
  bool find_any(std::size_t size, Choices& found);
  void prove();
  void narrow();
  void narrow_to_functions();
  void narrow_to_room();
  void find_least_room();
  void order_by_gain();
  void give_back_losses();
  void conclude_unreached(FoundRegions& found);

  ImprovedProgram& program_;
  const SearchOptions& options_;
  IdVector<Row, std::vector<StepClassId>> classes_of_; // of each site
  std::map<Improvements, WhatIfLength> known_;         // what was evaluated before
  Choices chosen_;
  bool reached_ = false, minimal_ = false;
  std::size_t readings_ = 0;
};

Search::Search(ImprovedProgram& program, const SearchOptions& options)
    : program_(program), options_(options) {
  for (const StepClassId id : ids_below(options.site_of.end_id()))
    classes_of_.grown_to(options.site_of[id]).push_back(id);
}

// Each class, region, and code once, in order, so overlaps count once.
Improvements Search::set_of(const Choices& choices) const {
  Improvements improved;
  StepSet& set = improved.code;
  std::vector<CodeId> code;
  for (const Choice& choice : choices)
    if (choice.kind == ChoiceKind::Site)
      std::ranges::copy(classes_of_[choice.site()], std::back_inserter(set.classes));
    else if (choice.kind == ChoiceKind::Function)
      std::ranges::copy(options_.functions[choice.function()].code, std::back_inserter(code));
    else if (choice.kind == ChoiceKind::Region)
      set.regions.push_back(choice.region());
    else if (is_of_lock(choice.kind))
      improved.locks.push_back(
          {choice.lock(),
           choice.kind == ChoiceKind::LockSplit ? LockChange::Split : LockChange::Shorter,
           choice.factor});
    else if (choice.kind == ChoiceKind::Threads)
      improved.limits.push_back({choice.limit(), choice.factor});
    else
      set.classes.push_back(choice.segment());
  const auto sort_once = [](auto& ids) {
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  };
  sort_once(set.regions);
  sort_once(set.classes);
  sort_once(code);
  sort_once(improved.locks);
  sort_once(improved.limits);
  if (!code.empty())
    add_code(set, *options_.weights, code);
  return improved;
}

// Several locks before shorter sections: of two that gain as much the first is taken.
Choices Search::other_choices() const {
  Choices found;
  for (std::uint32_t limit = 0; limit < options_.threads.size(); ++limit)
    found.push_back(Choice::of_limit(limit, options_.threads[limit]));
  for (const ChoiceKind kind : {ChoiceKind::LockSplit, ChoiceKind::LockShorter})
    for (std::uint32_t lock = 0; lock < options_.locks; ++lock)
      if (kind != ChoiceKind::LockSplit || !is_whole_lock(lock))
        found.push_back(Choice::of_lock(kind, lock, options_.factor));
  return found;
}

std::vector<std::uint64_t> Search::function_work(const std::vector<ImprovedProgram::OnPath>& path,
                                                 const StepSet& improved) const {
  std::map<StepClassId, std::uint64_t> works;
  for (const auto& [of, work] : path)
    if (!std::binary_search(improved.classes.begin(), improved.classes.end(), of))
      works[of] = work;
  std::vector<std::uint64_t> found;
  for (const SearchedFunction& function : options_.functions) {
    std::uint64_t sum = 0;
    for (const CodeId id : function.code) {
      const SampleWeights::Code& each = options_.weights->codes()[id];
      if (const auto work = works.find(each.of); work != works.end())
        sum += static_cast<std::uint64_t>(Wide{work->second} * each.periods /
                                          options_.weights->periods_of(each.of));
    }
    found.push_back(sum);
  }
  return found;
}

std::vector<WhatIfLength> Search::lengths_of(const std::vector<Choices>& sets) {
  std::vector<Improvements> asked, unknown;
  for (const Choices& choices : sets) {
    asked.push_back(set_of(choices));
    if (known_.try_emplace(asked.back()).second)
      unknown.push_back(asked.back());
  }
  if (!unknown.empty()) {
    readings_ += (unknown.size() + kSetsPerReading - 1) / kSetsPerReading;
    const auto found = program_.lengths(unknown);
    for (std::size_t i = 0; i < unknown.size(); ++i)
      known_[unknown[i]] = found[i];
  }
  std::vector<WhatIfLength> lengths;
  for (const Improvements& set : asked)
    lengths.push_back(known_[set]);
  return lengths;
}

Choices Search::candidates(const Choices& chosen, std::size_t most) {
  ++readings_;
  const Improvements all = set_of(chosen);
  const StepSet& improved = all.code;
  std::vector<std::pair<Choice, std::uint64_t>> on_path;
  std::map<Row, std::uint64_t> sites;
  const std::vector<ImprovedProgram::OnPath> path = program_.critical_path(all);
  for (const auto& [of, work] : path) {
    if (std::binary_search(improved.classes.begin(), improved.classes.end(), of))
      continue;
    const Row site = options_.site_of[of];
    if (tries_classes_of(site))
      on_path.emplace_back(of, work);
    if (may_be_whole(site))
      sites[site] += work;
  }
  for (const auto& [site, work] : sites)
    on_path.emplace_back(site, work);
  const std::vector<std::uint64_t> functions = function_work(path, improved);
  for (std::size_t i = 0; i < functions.size(); ++i)
    if (functions[i] > 0 && !is_chosen(chosen, i))
      on_path.emplace_back(Choice::of_function(i), functions[i]);
  std::stable_sort(on_path.begin(), on_path.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  on_path.resize(std::min(on_path.size(), most));
  Choices found;
  for (const auto& [choice, work] : on_path)
    found.push_back(choice);
  for (const Choice& choice : other_choices())
    if (std::ranges::find(chosen, choice) == chosen.end())
      found.push_back(choice);
  for (const RegionId region : options_.regions)
    if (!std::binary_search(improved.regions.begin(), improved.regions.end(), region))
      found.emplace_back(region);
  if (options_.locks > 0 || !options_.threads.empty()) {
    Choices known = found;
    known.insert(known.end(), chosen.begin(), chosen.end());
    std::ranges::copy(rest_of(std::move(known)), std::back_inserter(found));
    if (most != kAll)
      found.resize(std::min(found.size(), most));
  }
  return found;
}

Choices Search::rest_of(Choices some) const {
  std::sort(some.begin(), some.end());
  Choices rest;
  const auto add = [&](const Choice& choice) {
    if (!std::binary_search(some.begin(), some.end(), choice))
      rest.push_back(choice);
  };
  for (const Row site : ids_below(classes_of_.end_id())) {
    if (may_be_whole(site))
      add(Choice(site));
    if (tries_classes_of(site))
      for (const StepClassId of : classes_of_[site])
        add(Choice(of));
  }
  for (const RegionId region : options_.regions)
    add(Choice(region));
  for (std::size_t i = 0; i < options_.functions.size(); ++i)
    add(Choice::of_function(i));
  for (const Choice& choice : other_choices())
    add(choice);
  return rest;
}

std::vector<WhatIfLength> Search::lengths_with(const Choices& chosen, const Choices& one_more) {
  std::vector<Choices> sets;
  for (const Choice& choice : one_more)
    sets.push_back(with(chosen, choice));
  return lengths_of(sets);
}

// Candidates are in descending order of critical work, so of two with the same gain (or with none,
// if two paths are equally long) the one with more critical work is taken. A candidate that loses,
// because less work is less parallel, may be half of a pair that gains.
void Search::add_greedily() {
  while (!reached_ && chosen_.size() < options_.most_pieces) {
    const Choices more = candidates(chosen_, kSetsPerReading);
    if (more.empty())
      return;
    const auto lengths = lengths_with(chosen_, more);
    const std::ptrdiff_t best = best_of(lengths);
    chosen_.push_back(more[static_cast<std::size_t>(best)]);
    reached_ = reaches(lengths[static_cast<std::size_t>(best)]);
  }
}

void Search::eliminate() {
  for (bool removed = true; removed && chosen_.size() > 1;) {
    std::vector<Choices> sets;
    for (std::size_t i = 0; i < chosen_.size(); ++i)
      sets.push_back(without(chosen_, i));
    const auto lengths = lengths_of(sets);
    const auto needless = std::find_if(lengths.begin(), lengths.end(),
                                       [this](const WhatIfLength& l) { return reaches(l); });
    removed = needless != lengths.end();
    if (removed)
      chosen_.erase(chosen_.begin() + (needless - lengths.begin()));
  }
}

// All sets with a candidate on the critical path, in one question; empty if they are too many.
std::vector<Choices> Search::all_sets(std::size_t size) {
  Choices all = candidates({}, kAll);
  const std::size_t on_path = all.size();
  const Choices others = rest_of(all);
  all.insert(all.end(), others.begin(), others.end());
  std::vector<Choices> sets;
  std::vector<std::size_t> at(size); // ascending: the first is on the path
  std::iota(at.begin(), at.end(), 0);
  while (size <= all.size() && at[0] < on_path) {
    if (sets.size() == options_.most_sets)
      return {};
    Choices& set = sets.emplace_back();
    for (const std::size_t each : at)
      set.push_back(all[each]);
    std::size_t turn = size; // the last index that can be incremented
    while (turn > 0 && at[turn - 1] == all.size() - size + turn - 1)
      --turn;
    if (turn == 0)
      break;
    std::iota(at.begin() + static_cast<std::ptrdiff_t>(turn - 1), at.end(), at[turn - 1] + 1);
  }
  return sets;
}

// Whether `chosen` and at most `more` others reach the target; if so, adds them to `chosen`.
bool Search::find_smaller(Choices& chosen, std::size_t more) {
  if (readings_ > options_.most_readings)
    return false;
  const Choices next = candidates(chosen, kAll);
  if (next.size() > options_.most_readings * kSetsPerReading) {
    readings_ = options_.most_readings + 1;
    return false;
  }
  const auto lengths = lengths_with(chosen, next);
  for (std::size_t i = 0; i < next.size(); ++i)
    if (reaches(lengths[i])) {
      chosen.push_back(next[i]);
      return true;
    }
  for (const Choice& choice : next) {
    if (more <= 1 || readings_ > options_.most_readings)
      return false;
    chosen.push_back(choice);
    if (find_smaller(chosen, more - 1))
      return true;
    chosen.pop_back();
  }
  return false;
}

// A set of `size` that reaches the target, given that no smaller one does.
bool Search::find_any(std::size_t size, Choices& found) {
  const std::vector<Choices> sets = all_sets(size);
  if (sets.empty())
    return find_smaller(found, size);
  const auto lengths = lengths_of(sets);
  const auto best = static_cast<std::size_t>(best_of(lengths));
  if (reaches(lengths[best]))
    found = sets[best];
  return !found.empty();
}

void Search::prove() {
  readings_ = 0;
  for (std::size_t size = 1; size < chosen_.size(); ++size) {
    Choices smaller;
    if (find_any(size, smaller)) {
      chosen_ = smaller;
      break;
    }
    if (readings_ > options_.most_readings)
      return;
  }
  minimal_ = true;
}

// Only a class that is on the path without the site can replace the site.
void Search::narrow() {
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    const Choice site = chosen_[i];
    if (site.kind != ChoiceKind::Site)
      continue;
    Choices classes;
    std::vector<Choices> sets;
    const Choices others = without(chosen_, i);
    for (const auto& [of, work] : program_.critical_path(set_of(others)))
      if (options_.site_of[of] == site.site() && sets.size() < kSetsPerReading) {
        classes.emplace_back(of);
        sets.push_back(with(others, classes.back()));
      }
    const auto lengths = lengths_of(sets);
    const auto best = static_cast<std::size_t>(best_of(lengths));
    if (best < lengths.size() && reaches(lengths[best]))
      chosen_[i] = classes[best];
  }
}

// What a function is called, its author knows.
void Search::narrow_to_functions() {
  if (options_.functions.empty())
    return;
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    if (chosen_[i].kind != ChoiceKind::Site && chosen_[i].kind != ChoiceKind::CodeSegment)
      continue;
    const Choices others = without(chosen_, i);
    const Improvements improved = set_of(others);
    const std::vector<std::uint64_t> works =
        function_work(program_.critical_path(improved), improved.code);
    Choices functions;
    for (std::size_t number = 0; number < works.size(); ++number)
      if (works[number] > 0 && !is_chosen(chosen_, number) && functions.size() < kSetsPerReading)
        functions.push_back(Choice::of_function(number));
    const auto lengths = lengths_with(others, functions);
    const Choice* best = nullptr;
    for (std::size_t k = 0; k < functions.size(); ++k)
      if (reaches(lengths[k]) &&
          (!best || works[functions[k].function()] < works[best->function()]))
        best = &functions[k];
    if (best)
      chosen_[i] = *best;
  }
}

// More locks and threads need no faster code.
void Search::narrow_to_room() {
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    if (makes_room(chosen_[i]))
      continue;
    Choices others;
    for (const Choice& choice : other_choices())
      if (makes_room(choice) && !contains(chosen_, choice))
        others.push_back(choice);
    const auto lengths = lengths_with(without(chosen_, i), others);
    const auto best = static_cast<std::size_t>(best_of(lengths));
    if (best < lengths.size() && reaches(lengths[best]))
      chosen_[i] = others[best];
  }
}

// As few locks, and threads, as are enough.
void Search::find_least_room() {
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    if (!makes_room(chosen_[i]))
      continue;
    // With more of them no length grows.
    std::uint64_t least = 2, most = chosen_[i].factor;
    while (least < most) {
      const std::uint64_t middle = least + (most - least) / 2;
      Choices fewer = chosen_;
      fewer[i].factor = middle;
      if (reaches(lengths_of({fewer}).front()))
        most = middle;
      else
        least = middle + 1;
    }
    chosen_[i].factor = most;
  }
}

// Orders the choices: next is always the remaining one that gains most.
void Search::order_by_gain() {
  Choices rest = chosen_;
  chosen_.clear();
  while (!rest.empty()) {
    const auto at = rest.begin() + best_of(lengths_with(chosen_, rest));
    chosen_.push_back(*at);
    rest.erase(at);
  }
}

// Removes unsuccessful attempts: everything after the best state that was found.
void Search::give_back_losses() {
  std::vector<Choices> sets;
  for (std::size_t i = 0; i <= chosen_.size(); ++i)
    sets.push_back(first_of(chosen_, i));
  chosen_.resize(static_cast<std::size_t>(best_of(lengths_of(sets))));
}

void Search::conclude_unreached(FoundRegions& found) {
  // In the other mode, all code together would reach the target: it divides the span by the target.
  if (options_.mode == WhatIfMode::Optimize)
    give_back_losses();
  if (chosen_.size() < options_.most_pieces) {
    found.outcome = Outcome::NothingGains;
    return;
  }
  found.outcome = Outcome::TooMany;
  found.all = lengths_of({rest_of({})}).front();
}

FoundRegions Search::run() {
  FoundRegions found;
  reached_ = reaches(lengths_of({{}}).front());
  found.minimal = reached_;
  if (reached_)
    return found;
  add_greedily();
  if (reached_) {
    eliminate();
    prove();
    narrow();
    narrow_to_functions();
    narrow_to_room();
    find_least_room();
    order_by_gain();
  } else {
    conclude_unreached(found);
  }
  found.minimal = minimal_;
  found.choices = chosen_;
  std::vector<Choices> sets;
  for (const Choice& choice : chosen_)
    sets.push_back({choice});
  for (std::size_t i = 1; i <= chosen_.size(); ++i)
    sets.push_back(first_of(chosen_, i));
  const auto lengths = lengths_of(sets);
  const auto half = lengths.begin() + static_cast<std::ptrdiff_t>(chosen_.size());
  found.alone.assign(lengths.begin(), half);
  found.after.assign(half, lengths.end());
  return found;
}

} // namespace

FoundRegions find_smallest_set(ImprovedProgram& program, const SearchOptions& options) {
  return Search(program, options).run();
}

} // namespace tp::analysis
