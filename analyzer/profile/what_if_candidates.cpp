// SPDX-License-Identifier: Apache-2.0
// From step classes to names and scenarios, and from results back to rows of the report.
#include "profile/what_if_candidates.h"

#include "model/speedup_bounds.h"
#include "profile/code_names.h"
#include "report/phrases.h"
#include "sites/callers.h"
#include "sites/constructs.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace tp::analysis {
namespace {

// A trace with more records than this is read again only on request.
constexpr std::uint64_t kMostRecords = 100'000'000;

// What identifies a code segment: its own row matters only if its ends do not imply it.
using Segment = std::tuple<BoundaryKind, Row, BoundaryKind, Row, Row>;

Segment segment_of(const StepClass& of) {
  const bool own = !names_row(of.opened) || !names_row(of.closed);
  return {of.opened.kind, of.opened.row, of.closed.kind, of.closed.row, own ? of.row : kMainRow};
}

// Whether the program waits by a call of its own: algorithms wait inside theirs, and so may wrappers
// of libraries; of a context of the user's it is not known who waits.
bool is_written_wait(const SiteInfo& info) {
  if (const auto& [file, line] = info.wrapper;
      !file.empty() && (line == 0 || is_in_system_folder(file)))
    return false;
  if (noun_of(info) == kNode)
    return true;
  const std::string_view group = name_of(trace::Construct::TaskGroup);
  const std::string construct = info.constructs.empty() ? "" : info.constructs.front();
  return construct == group || construct.starts_with(std::string(group) + "::") ||
         construct.starts_with("isolated_task_group");
}

class Explorer {
public:
  explicit Explorer(const Measured& measured)
      : measured_(measured), table_(measured.table), first_(measured.fold) {}

  void add_sites(const std::vector<std::uint64_t>& factors);
  void add_segments(const std::vector<std::uint64_t>& factors);
  void add_waits();
  Exploration evaluate(const TraceReadings& readings, const ProfileOptions& options);

private:
  // Whether the candidate matters. Counts those that do not, except those without work.
  bool matters(const WhatIfCandidate& target) {
    const bool much = target.critical_work > 0 &&
                      target.critical_work >= first_.span / (100 / kLeastExploredPercent);
    left_out_ += !much && target.work > 0;
    return much;
  }
  void add(WhatIfCandidate target, StepSet set, const std::vector<std::uint64_t>& factors);
  void count(WhatIfCandidate& target, StepSet& set, StepClassId id) const;
  bool has_one_row(const StepSet& set) const {
    return std::ranges::all_of(set.classes, [&](StepClassId id) {
      return first_.classes[id].row == first_.classes[set.classes.front()].row;
    });
  }

  const Measured& measured_;
  const SiteTable& table_;
  const DagFold::Results& first_;
  WhatIfPlan plan_;
  std::uint64_t left_out_ = 0;
  std::vector<WhatIfCandidate> targets_; // in the order of the plan's sets
};

// The place of a spawn or wait is that of its site, of a first use that of the first spawn,
// otherwise that of the task.
SourcePlace place_of(const Boundary& boundary, const StepClass& of, const SiteTable& table) {
  const bool has_row = names_row(boundary) || boundary.kind == BoundaryKind::FirstUse;
  return table.rows[has_row ? boundary.row : of.row].place();
}

void Explorer::add(WhatIfCandidate target, StepSet set, const std::vector<std::uint64_t>& factors) {
  target.classes = set.classes;
  plan_.add(std::move(set), factors);
  targets_.push_back(std::move(target));
}

void Explorer::count(WhatIfCandidate& target, StepSet& set, StepClassId id) const {
  target.work += first_.class_totals[id].work;
  target.critical_work += first_.class_totals[id].critical_work;
  set.classes.push_back(id);
}

void Explorer::add_sites(const std::vector<std::uint64_t>& factors) {
  std::map<Row, std::pair<WhatIfCandidate, StepSet>> rows;
  for (const StepClassId id : ids_below(first_.classes.end_id())) {
    auto& [target, set] = rows[first_.classes[id].row];
    count(target, set, id);
  }
  for (auto& [row, found] : rows) {
    auto& [target, set] = found;
    if (!matters(target))
      continue;
    target.kind = CandidateKind::Site;
    target.name = code_of_row(row, table_);
    target.place = table_.rows[row].place();
    add(std::move(target), std::move(set), factors);
  }
}

void Explorer::add_segments(const std::vector<std::uint64_t>& factors) {
  std::map<Segment, std::pair<WhatIfCandidate, StepSet>> segments;
  std::map<Row, std::set<Segment>> of_row;
  for (const StepClassId id : ids_below(first_.classes.end_id())) {
    const Segment segment = segment_of(first_.classes[id]);
    of_row[first_.classes[id].row].insert(segment);
    auto& [target, set] = segments[segment];
    count(target, set, id);
  }
  for (auto& [segment, found] : segments) {
    auto& [target, set] = found;
    const StepClass& one = first_.classes[set.classes.front()];
    // The whole site is one of the sites already.
    const bool whole_site = set.classes.size() == 1 && of_row[one.row].size() == 1;
    if (whole_site || !matters(target))
      continue;
    target.kind = CandidateKind::CodeSegment;
    std::tie(target.from, target.to) = ends_of(one, table_);
    target.place = place_of(one.opened, one, table_);
    target.end = place_of(one.closed, one, table_);
    target.of_main = one.row == kMainRow;
    target.name = segment_name(one, table_, has_one_row(set));
    add(std::move(target), std::move(set), factors);
  }
}

void Explorer::add_waits() {
  std::set<Row> rows; // waits on the critical path
  for (const StepClassId id : ids_below(first_.classes.end_id()))
    if (first_.class_totals[id].critical_work > 0)
      for (const Boundary& boundary : {first_.classes[id].opened, first_.classes[id].closed})
        if (boundary.kind == BoundaryKind::Wait)
          rows.insert(boundary.row);
  for (const Row row : rows) {
    WhatIfCandidate target{.kind = CandidateKind::Wait};
    target.name = "the wait after " + table_.rows[row].name;
    target.place = table_.rows[row].place();
    target.is_removable = is_written_wait(table_.rows[row]);
    add(std::move(target), {}, {1});
    plan_.scenarios.back().removed_wait = row;
  }
}

Exploration Explorer::evaluate(const TraceReadings& readings, const ProfileOptions& options) {
  const auto lengths = readings.evaluate(plan_);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const Scenario& scenario = plan_.scenarios[i];
    targets_[scenario.set].points.push_back(
        with_speedups(measured_.work(), {scenario.factor, {lengths[i].work, lengths[i].span}, {}},
                      options.procs));
  }
  for (WhatIfCandidate& target : targets_)
    target.quoted = *headline_point(target.points);
  std::stable_sort(targets_.begin(), targets_.end(),
                   [](const WhatIfCandidate& a, const WhatIfCandidate& b) {
                     return a.quoted.parallelism.value() > b.quoted.parallelism.value();
                   });
  return {std::move(targets_), {}, left_out_};
}

} // namespace

std::vector<std::uint64_t> few_factors(std::vector<std::uint64_t> factors) {
  std::sort(factors.begin(), factors.end());
  const auto above = std::upper_bound(factors.begin(), factors.end(), std::uint64_t{8});
  const std::uint64_t middle = above == factors.begin() ? factors.front() : *(above - 1);
  const std::set<std::uint64_t> few{factors.front(), middle, factors.back()};
  return {few.begin(), few.end()};
}

Exploration explore(const Measured& measured, const TraceReadings& readings,
                    const ProfileOptions& options) {
  if (options.explore == Ask::Never)
    return {{}, "--explore never", 0};
  if (options.explore == Ask::Auto && measured.read.records > kMostRecords)
    return {{}, "the trace is large: --explore always", 0};
  const auto factors = few_factors(options.factors);
  if (measured.work() > ~std::uint64_t{0} / factors.back())
    return {{}, "the work is too large for these factors: use smaller --factors", 0};
  if (measured.span() == 0)
    return {};
  Explorer explorer(measured);
  explorer.add_sites(factors);
  explorer.add_segments(factors);
  explorer.add_waits();
  return explorer.evaluate(readings, options);
}

} // namespace tp::analysis
