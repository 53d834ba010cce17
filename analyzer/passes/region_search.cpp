// See region_search.h.
#include "passes/region_search.h"

#include <algorithm>

namespace tp::analysis {
namespace {

using Choice = FoundRegions::Choice;
__extension__ using Wide = unsigned __int128;

class Search {
public:
  Search(ImprovedProgram& program, const SearchOptions& options)
      : program_(program), options_(options) {}
  FoundRegions run();

private:
  bool reaches(const WhatIfLength& length) const {
    return Wide{length.span} * options_.target <= length.work;
  }
  static StepSet set_of(const std::vector<Choice>& choices);
  // What may shorten the span once `chosen` is improved.
  std::vector<Choice> candidates(const std::vector<Choice>& chosen);
  std::vector<WhatIfLength> lengths_with(const std::vector<Choice>& chosen,
                                         const std::vector<Choice>& one_more);
  void add_greedily();
  void eliminate();
  bool find_smaller(std::vector<Choice>& chosen, std::size_t more);
  void prove();
  void order_by_gain();

  ImprovedProgram& program_;
  const SearchOptions& options_;
  std::vector<Choice> chosen_;
  bool reached_ = false, minimal_ = false;
  std::size_t readings_ = 0;
};

StepSet Search::set_of(const std::vector<Choice>& choices) {
  StepSet set;
  for (const Choice& choice : choices)
    (choice.annotated ? set.regions : set.classes).push_back(choice.id);
  return set;
}

std::vector<Choice> Search::candidates(const std::vector<Choice>& chosen) {
  std::vector<Choice> found;
  const auto add = [&](const Choice& choice) {
    if (std::find(chosen.begin(), chosen.end(), choice) == chosen.end())
      found.push_back(choice);
  };
  ++readings_;
  for (const ImprovedProgram::OnPath& each : program_.critical_path(set_of(chosen)))
    add({false, each.of});
  for (const std::uint32_t region : options_.regions)
    add({true, region});
  return found;
}

std::vector<WhatIfLength> Search::lengths_with(const std::vector<Choice>& chosen,
                                               const std::vector<Choice>& one_more) {
  std::vector<StepSet> sets;
  for (const Choice& choice : one_more) {
    std::vector<Choice> with = chosen;
    with.push_back(choice);
    sets.push_back(set_of(with));
  }
  ++readings_;
  return program_.lengths(sets);
}

// The candidates come with most critical work first, so where two gain the same (also nothing: two
// paths of equal length) the one with more of it is taken.
void Search::add_greedily() {
  while (!reached_ && chosen_.size() < options_.most_regions) {
    const std::vector<Choice> more = candidates(chosen_);
    if (more.empty())
      return;
    const auto lengths = lengths_with(chosen_, more);
    const auto best = std::min_element(lengths.begin(), lengths.end(),
                                       [](const WhatIfLength& a, const WhatIfLength& b) {
                                         return Wide{a.span} * b.work < Wide{b.span} * a.work;
                                       });
    chosen_.push_back(more[static_cast<std::size_t>(best - lengths.begin())]);
    reached_ = reaches(*best);
  }
}

void Search::eliminate() {
  for (bool removed = true; removed && chosen_.size() > 1;) {
    std::vector<StepSet> sets;
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      std::vector<Choice> without = chosen_;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
      sets.push_back(set_of(without));
    }
    const auto lengths = program_.lengths(sets);
    const auto needless = std::find_if(lengths.begin(), lengths.end(),
                                       [this](const WhatIfLength& l) { return reaches(l); });
    removed = needless != lengths.end();
    if (removed)
      chosen_.erase(chosen_.begin() + (needless - lengths.begin()));
  }
}

// Whether `chosen` and at most `more` others reach the target; adds them.
bool Search::find_smaller(std::vector<Choice>& chosen, std::size_t more) {
  if (readings_ > options_.most_readings)
    return false;
  const std::vector<Choice> next = candidates(chosen);
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

void Search::prove() {
  readings_ = 0;
  for (std::size_t size = 1; size < chosen_.size(); ++size) {
    std::vector<Choice> smaller;
    if (find_smaller(smaller, size)) {
      chosen_ = smaller;
      break;
    }
    if (readings_ > options_.most_readings)
      return;
  }
  minimal_ = true;
}

// Of what is left, always that next which gains most.
void Search::order_by_gain() {
  std::vector<Choice> rest = chosen_;
  chosen_.clear();
  while (!rest.empty()) {
    const auto lengths = lengths_with(chosen_, rest);
    const auto best = std::min_element(
        lengths.begin(), lengths.end(),
        [](const WhatIfLength& a, const WhatIfLength& b) { return a.span < b.span; });
    const auto at = rest.begin() + (best - lengths.begin());
    chosen_.push_back(*at);
    rest.erase(at);
  }
}

FoundRegions Search::run() {
  FoundRegions found;
  reached_ = reaches(program_.lengths({StepSet{}}).front());
  found.minimal = found.reached = reached_;
  if (reached_)
    return found;
  add_greedily();
  if (reached_) {
    eliminate();
    prove();
    order_by_gain();
  }
  found.reached = reached_;
  found.minimal = minimal_;
  found.choices = chosen_;
  std::vector<StepSet> sets;
  for (const Choice& choice : chosen_)
    sets.push_back(set_of({choice}));
  for (std::size_t i = 1; i <= chosen_.size(); ++i)
    sets.push_back(set_of({chosen_.begin(), chosen_.begin() + static_cast<std::ptrdiff_t>(i)}));
  const auto lengths = program_.lengths(sets);
  const auto half = lengths.begin() + static_cast<std::ptrdiff_t>(chosen_.size());
  found.alone.assign(lengths.begin(), half);
  found.after.assign(half, lengths.end());
  return found;
}

} // namespace

FoundRegions search_regions(ImprovedProgram& program, const SearchOptions& options) {
  return Search(program, options).run();
}

} // namespace tp::analysis
