// From classes of steps to names and scenarios, and back to points.
#include "profile/what_if_candidates.h"

#include "model/speedup_bounds.h"
#include "profile/advice.h"
#include "profile/target_search.h"
#include "report/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace tp::analysis {
namespace {

// A trace with more records than this is not read again unasked.
constexpr std::uint64_t kMostRecords = 100'000'000;

// Three factors say what the curve is like: the smallest, one near 8, the largest.
std::vector<std::uint64_t> few_factors(std::vector<std::uint64_t> factors) {
  std::sort(factors.begin(), factors.end());
  const auto above = std::upper_bound(factors.begin(), factors.end(), std::uint64_t{8});
  const std::uint64_t middle = above == factors.begin() ? factors.front() : *(above - 1);
  const std::set<std::uint64_t> few{factors.front(), middle, factors.back()};
  return {few.begin(), few.end()};
}

// Where a stretch of code stands: its own row matters only if its ends do not tell.
using Stretch = std::tuple<BoundaryKind, Row, BoundaryKind, Row, Row>;

bool names_row(const Boundary& boundary) {
  return boundary.kind == BoundaryKind::Spawn || boundary.kind == BoundaryKind::Wait;
}

Stretch stretch_of(const StepClass& of) {
  const bool own = !names_row(of.opened) || !names_row(of.closed);
  return {of.opened.kind, of.opened.row, of.closed.kind, of.closed.row, own ? of.row : kMainRow};
}

class Explorer {
public:
  Explorer(Profile& profile, const SiteTable& table, const Analysis::Results& first)
      : profile_(profile), table_(table), first_(first) {}

  void add_sites(const std::vector<std::uint64_t>& factors);
  void add_stretches(const std::vector<std::uint64_t>& factors);
  void add_waits();
  void evaluate(const Readings& readings, const ProfileOptions& options);

private:
  // Counts what does not, if it is anything at all.
  bool matters(const WhatIfTarget& target) {
    const bool much = target.critical_work > 0 &&
                      target.critical_work >= first_.span / (100 / kLeastExploredPercent);
    profile_.explored_left_out += !much && target.work > 0;
    return much;
  }
  void add(WhatIfTarget target, StepSet set, const std::vector<std::uint64_t>& factors);
  void count(WhatIfTarget& target, StepSet& set, StepClassId id) const;

  Profile& profile_;
  const SiteTable& table_;
  const Analysis::Results& first_;
  WhatIfPlan plan_;
  std::vector<WhatIfTarget> targets_; // in the order of the plan's sets
};

// What came before a first use tells where that is; what begins with it need not say so.
std::pair<std::string, std::string> ends_of(const StepClass& of, const SiteTable& table) {
  const SiteInfo& own = table.rows[of.row];
  return {boundary_name(of.opened, own, names_row(of.opened) ? table.rows[of.opened.row] : own),
          boundary_name(of.closed, own, table.rows[of.closed.row])};
}

SourcePlace place_of(const SiteInfo& info) {
  return {info.file, info.line};
}

// Of a spawn or wait that of its site, of a first use that of the first spawn, else that of the task.
SourcePlace place_of(const Boundary& boundary, const StepClass& of, const SiteTable& table) {
  const bool has_row = names_row(boundary) || boundary.kind == BoundaryKind::FirstUse;
  return place_of(table.rows[has_row ? boundary.row : of.row]);
}

std::string stretch_name(const StepClass& of, const SiteTable& table) {
  if (of.opened.kind == BoundaryKind::BodyBegin && of.closed.kind == BoundaryKind::BodyEnd)
    return "the loop bodies of " + table.rows[of.row].name;
  const auto [from, to] = ends_of(of, table);
  return fmt::format("from {} to {}", from, to);
}

// Where the ends do not tell whose task it is, its site stands before.
std::string class_name(const StepClass& of, const SiteTable& table) {
  const bool says_all = !names_row(of.opened) || !names_row(of.closed);
  return (says_all ? "" : table.rows[of.row].name + ", ") + stretch_name(of, table);
}

void Explorer::add(WhatIfTarget target, StepSet set, const std::vector<std::uint64_t>& factors) {
  plan_.add(std::move(set), factors);
  targets_.push_back(std::move(target));
}

void Explorer::count(WhatIfTarget& target, StepSet& set, StepClassId id) const {
  target.work += first_.class_totals[id].work;
  target.critical_work += first_.class_totals[id].critical_work;
  set.classes.push_back(id);
}

void Explorer::add_sites(const std::vector<std::uint64_t>& factors) {
  std::map<Row, std::pair<WhatIfTarget, StepSet>> rows;
  for (StepClassId id = 0; id < first_.classes.size(); ++id) {
    auto& [target, set] = rows[first_.classes[id].row];
    count(target, set, id);
  }
  for (auto& [row, found] : rows) {
    auto& [target, set] = found;
    if (!matters(target))
      continue;
    target.kind = TargetKind::Site;
    target.name = table_.rows[row].name;
    target.place = place_of(table_.rows[row]);
    add(std::move(target), std::move(set), factors);
  }
}

void Explorer::add_stretches(const std::vector<std::uint64_t>& factors) {
  std::map<Stretch, std::pair<WhatIfTarget, StepSet>> stretches;
  std::map<Row, std::set<Stretch>> of_row;
  for (StepClassId id = 0; id < first_.classes.size(); ++id) {
    const Stretch stretch = stretch_of(first_.classes[id]);
    of_row[first_.classes[id].row].insert(stretch);
    auto& [target, set] = stretches[stretch];
    count(target, set, id);
  }
  for (auto& [stretch, found] : stretches) {
    auto& [target, set] = found;
    const StepClass& one = first_.classes[set.classes.front()];
    // The whole of a site is among the sites already.
    const bool whole_site = set.classes.size() == 1 && of_row[one.row].size() == 1;
    if (whole_site || !matters(target))
      continue;
    target.kind = TargetKind::Stretch;
    std::tie(target.from, target.to) = ends_of(one, table_);
    target.place = place_of(one.opened, one, table_);
    target.end = place_of(one.closed, one, table_);
    target.of_main = one.row == kMainRow;
    target.name = stretch_name(one, table_);
    add(std::move(target), std::move(set), factors);
  }
}

void Explorer::add_waits() {
  std::set<Row> rows; // waits that the critical path passes
  for (StepClassId id = 0; id < first_.classes.size(); ++id)
    if (first_.class_totals[id].critical_work > 0)
      for (const Boundary& boundary : {first_.classes[id].opened, first_.classes[id].closed})
        if (boundary.kind == BoundaryKind::Wait)
          rows.insert(boundary.row);
  for (const Row row : rows) {
    WhatIfTarget target{.kind = TargetKind::Wait};
    target.name = "the wait after " + table_.rows[row].name;
    target.place = place_of(table_.rows[row]);
    add(std::move(target), {}, {1});
    plan_.scenarios.back().removed_wait = row;
  }
}

void Explorer::evaluate(const Readings& readings, const ProfileOptions& options) {
  const auto lengths = readings.evaluate(plan_);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const Scenario& scenario = plan_.scenarios[i];
    WhatIfPoint point{scenario.factor, {lengths[i].work, lengths[i].span}, {}};
    for (const std::uint64_t procs : options.procs)
      point.speedups.push_back(predicted_speedup(profile_.work, point, procs));
    targets_[scenario.set].points.push_back(std::move(point));
  }
  for (WhatIfTarget& target : targets_)
    target.quoted = *point_near_8(target.points);
  std::stable_sort(targets_.begin(), targets_.end(),
                   [](const WhatIfTarget& a, const WhatIfTarget& b) {
                     return a.quoted.parallelism.value() > b.quoted.parallelism.value();
                   });
  profile_.explored = std::move(targets_);
}

// The trace, asked by the search. What there is with nothing improved was found by the first reading.
class TraceProgram final : public ImprovedProgram {
public:
  TraceProgram(const Readings& readings, const Analysis::Results& first, std::uint64_t factor)
      : readings_(readings), first_(first), factor_(factor) {}
  std::vector<WhatIfLength> lengths(const std::vector<StepSet>& sets) override {
    if (sets == std::vector<StepSet>{{}})
      return {{first_.span * factor_, first_.work * factor_}};
    WhatIfPlan plan;
    for (const StepSet& set : sets)
      plan.add(set, {factor_});
    return readings_.evaluate(plan);
  }
  std::vector<OnPath> critical_path(const StepSet& set) override {
    if (set == StepSet{})
      return path_of(first_);
    readings_.begin_phase(fmt::format("search step {}", ++steps_));
    WhatIfPlan plan;
    plan.add(set, {factor_});
    plan.followed = 0;
    return path_of(readings_.read(plan, {.composition = true}).analysis);
  }

private:
  static std::vector<OnPath> path_of(const Analysis::Results& found) {
    std::vector<OnPath> path;
    for (StepClassId id = 0; id < found.class_totals.size(); ++id)
      if (found.class_totals[id].critical_work > 0)
        path.push_back({id, found.class_totals[id].critical_work});
    std::stable_sort(path.begin(), path.end(),
                     [](const OnPath& a, const OnPath& b) { return a.work > b.work; });
    return path;
  }

  const Readings& readings_;
  const Analysis::Results& first_;
  const std::uint64_t factor_;
  unsigned steps_ = 0;
};

SearchOptions search_options(const Analysis::Results& first, const ProfileOptions& options,
                             const std::vector<std::uint8_t>& chosen) {
  SearchOptions search{.target = *options.target,
                       .factor = *options.target,
                       .regions = {},
                       .site_of = {},
                       .mode = options.mode};
  for (std::uint32_t region = 0; region < chosen.size(); ++region)
    if (chosen[region])
      search.regions.push_back(region);
  for (const StepClass& of : first.classes)
    search.site_of.push_back(of.row);
  return search;
}

std::string piece_name(const FoundRegions::Choice& choice, const SiteTable& table,
                       const std::vector<StepClass>& classes) {
  switch (choice.kind) {
  case PieceKind::Stretch:
    return class_name(classes[choice.id], table);
  case PieceKind::Site:
    return table.rows[choice.id].name + ", all of its own code";
  case PieceKind::Region:
    break;
  }
  return "region " + region_name(table.regions[choice.id]);
}

std::string pieces_text(std::size_t count) {
  return count == 1 ? "1 piece of code" : fmt::format("{} pieces of code", count);
}

std::string outcome_text(const TargetSearch& search) {
  const std::size_t count = search.steps.size();
  const std::string fast = fmt::format("each {} times as fast", search.factor);
  const std::string not_reached = fmt::format("Parallelism {} is not reached", search.target);
  if (search.reached && count == 0)
    return fmt::format("Parallelism {} is reached already.", search.target);
  if (search.reached)
    return fmt::format("Parallelism {} is reached by {}, {}{}.", search.target, pieces_text(count),
                       fast, search.minimal ? "; no fewer are enough" : "");
  if (search.with_all_code)
    return fmt::format("{}: the {} that gain most, {}, make it {}, all code {}.", not_reached,
                       pieces_text(count), fast, decimal2(search.steps.back().after),
                       decimal2(*search.with_all_code));
  if (count == 0)
    return fmt::format("{}: no piece of code gains anything, {}.", not_reached, fast);
  return fmt::format("{}: no more than {} is found, with {}, {}.", not_reached,
                     decimal2(search.steps.back().after), pieces_text(count), fast);
}

} // namespace

void explore(Profile& profile, const Readings& readings, const SiteTable& table,
             const Analysis::Results& first, const ProfileOptions& options) {
  if (options.explore == Explore::Never ||
      (options.explore == Explore::Auto && profile.read.records > kMostRecords)) {
    profile.not_explored = options.explore == Explore::Never
                               ? "--explore never"
                               : "the trace is large: --explore always";
    return;
  }
  const auto factors = few_factors(options.factors);
  if (profile.work > ~std::uint64_t{0} / factors.back())
    profile.not_explored = "the work is too large for these factors: smaller --factors";
  if (profile.span == 0 || !profile.not_explored.empty())
    return;
  Explorer explorer(profile, table, first);
  explorer.add_sites(factors);
  explorer.add_stretches(factors);
  explorer.add_waits();
  explorer.evaluate(readings, options);
}

void search_target(Profile& profile, const Readings& readings, const SiteTable& table,
                   const Analysis::Results& first, const ProfileOptions& options,
                   const std::vector<std::uint8_t>& chosen) {
  if (!options.target || profile.work == 0)
    return;
  TargetSearch& result = profile.search.emplace();
  result.target = result.factor = *options.target;
  if (profile.work > ~std::uint64_t{0} / result.factor) {
    result.not_made = "the work is too large for it: a smaller --target";
    return;
  }
  TraceProgram program(readings, first, result.factor);
  const SearchOptions search = search_options(first, options, chosen);
  const FoundRegions found = search_regions(program, search);
  result.reached = found.outcome == FoundRegions::Outcome::Reached;
  result.minimal = found.minimal;
  for (std::size_t i = 0; i < found.choices.size(); ++i)
    result.steps.push_back({found.choices[i].kind,
                            piece_name(found.choices[i], table, first.classes),
                            {found.alone[i].work, found.alone[i].span},
                            {found.after[i].work, found.after[i].span}});
  if (found.outcome == FoundRegions::Outcome::TooMany)
    result.with_all_code = Ratio{found.all.work, found.all.span};
  result.outcome = outcome_text(result);
  if (found.after.empty())
    return;
  const WhatIfPoint all{result.factor, {found.after.back().work, found.after.back().span}, {}};
  for (const std::uint64_t procs : options.procs)
    result.speedups.push_back(predicted_speedup(profile.work, all, procs));
}

} // namespace tp::analysis
