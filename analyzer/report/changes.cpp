// SPDX-License-Identifier: Apache-2.0
// From curves and candidates to one list.
#include "report/changes.h"

#include "report/missing_openmp.h"
#include "report/phrases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tp::analysis {
namespace {

bool is_near(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

bool repeats(const Change& change, const Change& other) {
  // What samples estimate is the same if it is nearly so.
  const double inexact = change.kind == ChangeKind::Function ? 2.5 : 1;
  const auto is_of_code = [](ChangeKind kind) {
    return kind != ChangeKind::Lock && kind != ChangeKind::Threads;
  };
  if (!is_of_code(change.kind) || !is_of_code(other.kind))
    return false;
  const auto& points = *change.points;
  const auto& others = *other.points;
  if ((points.size() == 1) != (others.size() == 1) ||
      !is_near(static_cast<double>(change.critical_work), static_cast<double>(other.critical_work),
               0.02 * inexact))
    return false;
  bool any = false;
  for (const WhatIfPoint& point : points) {
    const auto same = std::ranges::find(others, point.factor, &WhatIfPoint::factor);
    if (same == others.end())
      continue;
    any = true;
    if (!is_near(point.parallelism.value(), same->parallelism.value(), 0.015 * inexact))
      return false;
  }
  return any;
}

bool is_main(const WhatIfCandidate& target) {
  return target.kind == CandidateKind::Site && target.place.line == 0 &&
         target.place.file == "main";
}

class Changes {
public:
  explicit Changes(const Profile& profile) : profile_(profile) {}

  void add(ChangeKind kind, std::size_t index, std::string name,
           const std::vector<WhatIfPoint>& points, std::uint64_t critical_work) {
    if (points.empty())
      return;
    Change change{.kind = kind,
                  .index = static_cast<std::uint32_t>(index),
                  .name = std::move(name),
                  .points = &points,
                  .most = profile_.parallelism_now(),
                  .critical_work = critical_work};
    for (const WhatIfPoint& point : points)
      if (point.parallelism.value() > change.most.value())
        change.most = point.parallelism;
    if (std::ranges::none_of(all_, [&](const Change& each) { return repeats(change, each); }))
      all_.push_back(std::move(change));
  }
  void add_lock(std::size_t index, LockChange kind, const std::string& name);
  void add_locks();
  void add_limits();
  void add_regions();
  void add_explored(CandidateKind kind, bool of_main);
  void add_functions();
  std::vector<Change> take() {
    const auto is_region = [](const Change& change) {
      return change.kind <= ChangeKind::AllRegions;
    };
    std::ranges::stable_sort(all_, [&](const Change& a, const Change& b) {
      return is_region(a) != is_region(b)       ? is_region(a)
             : is_region(a) && a.kind != b.kind ? a.kind < b.kind
                                                : a.most.value() > b.most.value();
    });
    // Of several code segments with one name (the body of a node, between messages) the best.
    std::vector<Change> named;
    for (Change& change : all_)
      if (std::ranges::none_of(named, [&](const Change& each) { return each.name == change.name; }))
        named.push_back(std::move(change));
    return named;
  }

private:
  const Profile& profile_;
  std::vector<Change> all_;
};

void Changes::add_regions() {
  for (std::size_t i = 0; i < profile_.what_if.size(); ++i) {
    const WhatIfCurve& curve = profile_.what_if[i];
    if (curve.regions.size() == 1 && (i > 0 || profile_.what_if.size() == 1)) {
      const RegionInfo& region = profile_.regions[curve.regions[0]];
      add(ChangeKind::Region, i, region.names.empty() ? region.place : region.names.front(),
          curve.points, region.critical_work);
    } else if (curve.regions.size() > 1) {
      add(ChangeKind::AllRegions, i, fmt::format("all {} marked regions", curve.regions.size()),
          curve.points, 0);
    }
  }
}

// Sections that are shorter, or more locks: by how much, or how many. Without the lock: no factor.
void Changes::add_lock(std::size_t index, LockChange kind, const std::string& name) {
  auto points = std::make_shared<std::vector<WhatIfPoint>>();
  for (const LockWhatIf& each : profile_.locks.rows[index].what_if)
    if (each.change == kind)
      points->push_back({each.factor, each.parallelism, {}});
  const std::size_t before = all_.size();
  add(ChangeKind::Lock, index, name, *points, 0);
  if (all_.size() == before)
    return;
  all_.back().of_lock = std::move(points);
  all_.back().lock_change = kind;
}

void Changes::add_locks() {
  for (std::size_t i = 0; i < profile_.locks.rows.size(); ++i) {
    const LockRow& lock = profile_.locks.rows[i];
    add_lock(i, LockChange::Shorter, "the sections of the " + lock.phrase());
    if (lock.library.is_known())
      continue; // the others are oneTBB's to make
    add_lock(i, LockChange::Split, "as many locks in place of the " + lock.phrase());
    add_lock(i, LockChange::Gone,
             "without the " + lock.phrase() +
                 (lock.what_if_of(LockChange::Shared, 1) ? ", or all of its sections shared" : ""));
  }
}

// So many times the threads.
void Changes::add_limits() {
  for (std::size_t i = 0; i < profile_.limits.size(); ++i) {
    const ConcurrencyLimit& limit = profile_.limits[i];
    add(ChangeKind::Threads, i,
        limit.is_arena ? "the threads of " + arena_in_words(limit)
                       : "the threads that global_control allows",
        limit.wider, 0);
  }
}

// Those of the program. Of several that call each other and have the same figures, the outermost.
void Changes::add_functions() {
  if (!profile_.functions)
    return;
  const auto& rows = profile_.functions->functions;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].is_remedy())
      add(ChangeKind::Function, i, "function " + rows[i].short_name, rows[i].points,
          rows[i].critical_work.work);
}

void Changes::add_explored(CandidateKind kind, bool of_main) {
  static constexpr ChangeKind kKinds[] = {ChangeKind::Site, ChangeKind::CodeSegment,
                                          ChangeKind::Wait, ChangeKind::Grain};
  for (std::size_t i = 0; i < profile_.explored.size(); ++i) {
    const WhatIfCandidate& target = profile_.explored[i];
    if (target.kind != kind || is_main(target) != of_main ||
        (kind == CandidateKind::Wait && !target.is_removable))
      continue;
    add(kKinds[static_cast<std::size_t>(kind)], i,
        of_main ? "all code outside tasks"
        : target.mostly.is_known()
            ? fmt::format("{}, mostly {}", target.name, target.mostly.names())
            : target.name,
        target.points, target.critical_work);
  }
}

} // namespace

std::vector<Change> changes_of(const Profile& profile) {
  if (openmp_is_missing(profile))
    return {};
  Changes changes(profile);
  // What is plainer comes first.
  changes.add_regions();
  changes.add_limits();
  changes.add_locks();
  changes.add_explored(CandidateKind::Site, false);
  changes.add_explored(CandidateKind::CodeSegment, false);
  // Parts of main say more than all of it.
  if (std::ranges::none_of(profile.explored, [](const WhatIfCandidate& target) {
        return target.kind == CandidateKind::CodeSegment && target.of_main;
      }))
    changes.add_explored(CandidateKind::Site, true);
  changes.add_functions();
  changes.add_explored(CandidateKind::Wait, false);
  for (std::size_t i = 0; i < profile.grains.size(); ++i)
    changes.add(ChangeKind::Grain, i, profile.grains[i].name, profile.grains[i].points, 0);
  return changes.take();
}

} // namespace tp::analysis
