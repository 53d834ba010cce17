// SPDX-License-Identifier: Apache-2.0
// What limits scaling, in the form in which compilers report to editors and CI systems.
#include "report/lines.h"
#include "report/numbers.h"

namespace tp::analysis {
namespace {

// Improving less than a tenth of the critical path gains little.
bool limits(std::uint64_t critical_work, const Profile& profile) {
  return critical_work > 0 && critical_work >= profile.span / 10;
}

std::string line(const Profile& profile, const SourcePlace& place, std::uint64_t critical_work,
                 const std::string& what) {
  return fmt::format(
      "{}:{}: warning: critical path: {} % is {}; parallelism is {}{}{} [-Wspan]\n",
      printable(place.file), place.line, percent2(critical_work, profile.span), printable(what),
      profile.divisible_is_known() && !profile.divisible_is_measured() ? "at least " : "",
      fixed2(profile.limit()),
      profile.divisible_is_known() ? " if loops were split to their grain size" : " in this run");
}

} // namespace

std::string write_warnings(const Profile& profile) {
  std::string text;
  if (profile.has_ample_parallelism())
    return text;
  for (const SiteRow& site : profile.sites)
    if (site.info.line > 0 && limits(site.critical_work, profile))
      text += line(profile, {site.info.file, site.info.line}, site.critical_work,
                   std::string("in the tasks that are spawned here") +
                       (site.too_short ? " (unreliable: their steps are too short)" : ""));
  for (const LockRow& lock : profile.locks.rows)
    if (lock.bound.length() > profile.span && !lock.is_of_schedule() &&
        lock.places.front().info.line > 0)
      text += fmt::format(
          "{}:{}: warning: lock: the sections of the {} take longer than the critical path; "
          "parallelism is {} {}{} [-Wlock]\n",
          printable(lock.places.front().info.file), lock.places.front().info.line,
          printable(lock.phrase()),
          lock.bound_kind == LockBoundKind::Estimate ? "about" : "at most",
          fixed2({profile.work, lock.bound.length()}),
          lock.bound_kind == LockBoundKind::IfOneObject ? " if it is one object" : "");
  // Code of main has no site: the spawns and waits around it identify it.
  for (const WhatIfCandidate& target : profile.explored)
    if (target.kind == CandidateKind::CodeSegment && target.of_main &&
        limits(target.critical_work, profile) && target.place.line + target.end.line > 0)
      text += line(profile, target.place.line > 0 ? target.place : target.end, target.critical_work,
                   target.name);
  for (const RegionInfo& region : profile.regions)
    if (region.line > 0 && limits(region.critical_work, profile))
      text += line(profile, {region.file, region.line}, region.critical_work,
                   "in the marked region" +
                       (region.names.empty() ? "" : " \"" + region.names.front() + "\""));
  return text;
}

} // namespace tp::analysis
