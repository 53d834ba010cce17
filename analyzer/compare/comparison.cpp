// SPDX-License-Identifier: Apache-2.0
// Matching of sites, and changes of figures.
#include "compare/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace tp::analysis {
namespace {

// The location of a site without its line.
using Scope = std::tuple<std::string, std::vector<std::string>, std::vector<std::string>>;
using Sites = std::vector<const SiteFigures*>; // by line

std::map<Scope, std::pair<Sites, Sites>> by_scope(const Figures& base, const Figures& now) {
  std::map<Scope, std::pair<Sites, Sites>> scopes;
  for (const SiteFigures& site : base.sites)
    scopes[{site.file, site.functions, site.constructs}].first.push_back(&site);
  for (const SiteFigures& site : now.sites)
    scopes[{site.file, site.functions, site.constructs}].second.push_back(&site);
  const auto by_line = [](const SiteFigures* a, const SiteFigures* b) { return a->line < b->line; };
  for (auto& [scope, sites] : scopes) {
    std::sort(sites.first.begin(), sites.first.end(), by_line);
    std::sort(sites.second.begin(), sites.second.end(), by_line);
  }
  return scopes;
}

// Matches the remaining sites by file and line, whatever code is there now.
void match_lines(Sites& base, Sites& now, std::vector<SitePair>& pairs) {
  std::map<std::pair<std::string, std::uint32_t>, const SiteFigures*> places;
  for (const SiteFigures* const site : now)
    places[{site->file, site->line}] = site;
  for (const SiteFigures* const site : base) {
    const auto found = places.find({site->file, site->line});
    if (found == places.end()) {
      pairs.push_back({Match::Removed, site, nullptr});
      continue;
    }
    pairs.push_back({Match::SameLine, site, found->second});
    places.erase(found);
  }
  for (const auto& [place, site] : places)
    pairs.push_back({Match::Added, nullptr, site});
}

// A function with as many sites of the same construct as before has the same sites, in their order.
// If there are more or fewer, only the lines can identify the new ones.
std::vector<SitePair> match_sites(const Figures& base, const Figures& now) {
  std::vector<SitePair> pairs;
  Sites base_rest, now_rest;
  for (const auto& [scope, sites] : by_scope(base, now)) {
    const auto& [before, after] = sites;
    if (std::get<1>(scope).empty() || before.size() != after.size()) {
      base_rest.insert(base_rest.end(), before.begin(), before.end());
      now_rest.insert(now_rest.end(), after.begin(), after.end());
      continue;
    }
    for (std::size_t i = 0; i < before.size(); ++i)
      pairs.push_back({before[i]->line == after[i]->line ? Match::SameLine : Match::Moved,
                       before[i], after[i]});
  }
  match_lines(base_rest, now_rest, pairs);
  return pairs;
}

long double share(const SiteFigures* site, const Figures& figures) {
  return site ? Measured{{site->critical_work, figures.span}, true}.number() : 0;
}

} // namespace

Comparison compare_profiles(const Figures& base, const Figures& now) {
  Comparison comparison{&base, &now, base.unit == now.unit, match_sites(base, now)};
  const auto key = [&](const SitePair& pair) {
    const long double change = share(pair.now, now) - share(pair.base, base);
    return std::tuple(pair.either().line != 0, -std::abs(change), pair.either().file,
                      pair.either().line);
  };
  std::stable_sort(comparison.sites.begin(), comparison.sites.end(),
                   [&](const SitePair& a, const SitePair& b) { return key(a) < key(b); });
  return comparison;
}

bool is_amount(const Metric& metric) {
  for (const char* const name : {"work", "span", "divisible_span", "divisible_span_at_most",
                                 "longest_chain", "exclusive_work", "critical_work", "time"})
    if (metric.name == name)
      return true;
  return false;
}

Change change_of(const Metric& metric, const Comparison& comparison) {
  if (!comparison.same_unit && is_amount(metric))
    throw BadCheck("the same unit in both profiles for " + metric.name,
                   comparison.base->unit + " and " + comparison.now->unit);
  if (metric.site.empty())
    return {measure(metric, *comparison.base, nullptr), measure(metric, *comparison.now, nullptr)};
  const SiteFigures* const in_base = find_site(*comparison.base, metric.site);
  const SiteFigures* const in_now = find_site(*comparison.now, metric.site);
  for (const SitePair& pair : comparison.sites) {
    if (in_now ? pair.now != in_now : !in_base || pair.base != in_base)
      continue;
    static const SiteFigures kNone;
    return {measure(metric, *comparison.base, pair.base ? pair.base : &kNone),
            measure(metric, *comparison.now, pair.now ? pair.now : &kNone)};
  }
  throw BadCheck("the FILE:LINE of a site of a profile", "'" + metric.site + "'");
}

std::optional<long double> amount_of(const Change& change, bool percent) {
  if (!change.base || !change.now)
    return {};
  const long double before = change.base->number();
  const long double difference = change.now->number() - before;
  if (!percent || change.base->percent)
    return difference;
  if (before == 0)
    return difference == 0 ? 0 : std::numeric_limits<long double>::infinity();
  return 100 * difference / before;
}

} // namespace tp::analysis
