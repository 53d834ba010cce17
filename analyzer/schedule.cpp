// A figure is said to be of this run where what is not known could change it by a hundredth: no path has
// more of a site than its work.
#include "schedule.h"

#include "passes/scalability.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace tp::analysis {
namespace {

// Loops whose body calls only recompiled code tells.
constexpr std::array<std::string_view, 5> kLoops = {"parallel_for", "parallel_reduce",
                                                    "parallel_deterministic_reduce",
                                                    "parallel_for_each", "parallel_sort"};

template <typename Names>
bool is_one_of(const SiteInfo& site, const Names& names) {
  return std::any_of(site.constructs.begin(), site.constructs.end(), [&](const auto& construct) {
    return std::find(names.begin(), names.end(), construct) != names.end();
  });
}

bool was_recompiled(const SiteInfo& site) {
  return std::all_of(site.found_by.begin(), site.found_by.end(),
                     [](const std::string& by) { return by == "explicit" || by == "header"; });
}

bool matters(Wide work, const Profile& profile) {
  return work * 100 >= profile.divisible_span;
}

} // namespace

void tell_divisible(Profile& profile, const Analysis::Results& results) {
  std::set<Row> with_bodies;
  for (const StepClass& each : results.classes)
    if (each.opened.kind == BoundaryKind::BodyBegin)
      with_bodies.insert(each.row);
  Wide unseen = 0; // work of loops
  bool any_unseen = false;
  for (const SiteRow& site : profile.sites)
    if (is_one_of(site.info, kLoops) && !was_recompiled(site.info) &&
        !with_bodies.contains(site.row)) {
      unseen += site.work;
      any_unseen = true;
    }
  if (any_unseen && matters(unseen, profile))
    profile.divisible = Divisible::NotRecompiled;
}

} // namespace tp::analysis
