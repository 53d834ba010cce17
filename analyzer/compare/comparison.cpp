// SPDX-License-Identifier: Apache-2.0
// Matching of sites, and changes of figures.
#include "compare/comparison.h"

#include "base/wide.h"
#include "sites/cxx_names.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace tp::analysis {
namespace {

// The names of files in a profile depend on how it was made: debug information has absolute ones,
// tags those that the compiler was given. A file of one profile that the other lacks is the same
// as the one file there that the first lacks and whose name is the end of its name, or the reverse.
class FileNames {
public:
  FileNames(const Figures& base, const Figures& now) {
    const std::set<std::string> before = files_of(base), after = files_of(now);
    std::vector<std::string> gone, added;
    std::ranges::set_difference(before, after, std::back_inserter(gone));
    std::ranges::set_difference(after, before, std::back_inserter(added));
    for (const std::string& file : gone) {
      const auto is_same = [&](const std::string& other) {
        return ends_with_path(file, other) || ends_with_path(other, file);
      };
      if (std::ranges::count_if(added, is_same) == 1)
        same_[file] = *std::ranges::find_if(added, is_same);
    }
  }
  // The name in the new profile, if the file is there.
  const std::string& operator()(const std::string& file) const {
    const auto same = same_.find(file);
    return same == same_.end() ? file : same->second;
  }

private:
  static std::set<std::string> files_of(const Figures& figures) {
    std::set<std::string> files;
    for (const SiteFigures& site : figures.sites) {
      files.insert(site.file);
      files.insert(site.wrapper.file);
      for (const PipelineCall& call : site.pipelines) {
        files.insert(call.file);
        files.insert(call.wrapper.file);
      }
    }
    return files;
  }
  static bool ends_with_path(const std::string& path, const std::string& end) {
    return path.size() > end.size() && path.ends_with(end) &&
           path[path.size() - end.size() - 1] == '/';
  }
  std::map<std::string, std::string> same_;
};

// What identifies a site in all ways of profiling: its own place or, of a pipeline's filter, that of
// the pipeline's first call. Where a filter was made is known of recompiled code only.
struct Anchor {
  std::string file;
  std::uint32_t line;
  SourcePlace wrapper;
};
Anchor anchor_of(const SiteFigures& site) {
  if (site.pipelines.empty())
    return {site.file, site.line, site.wrapper};
  const PipelineCall& call = site.pipelines.front();
  return {call.file, call.line, call.wrapper};
}

bool is_same_line(const SiteFigures& base, const SiteFigures& now) {
  if (base.line == now.line)
    return true;
  // Where the filter was made may be known on one side only.
  const std::uint32_t line = anchor_of(base).line;
  return line == anchor_of(now).line && (line == base.line || line == now.line);
}

// As clang++ names it in debug information; g++ writes an unnamed namespace in another way.
std::string comparable_name(const std::string& function) {
  constexpr std::string_view kOfGcc = "{anonymous}";
  std::string name = plain_name(function);
  for (std::size_t at = 0; (at = name.find(kOfGcc, at)) != std::string::npos;)
    name.replace(at, kOfGcc.size(), "(anonymous namespace)");
  return name;
}

// Neither parameters nor members of constructs: one way of profiling knows them, another does not.
std::vector<std::string> plain_functions(const SiteFigures& site) {
  std::vector<std::string> names;
  for (const PipelineCall& call : site.pipelines)
    names.push_back(comparable_name(call.function));
  if (site.pipelines.empty())
    for (const std::string& function : site.functions)
      names.push_back(comparable_name(function));
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}
// Which rows may be the same ones: those of one construct; of oneTBB's and OpenMP's that do the same; or an algorithm of
// oneTBB and a region, if each is the only row of its function that is left: g++ does not say that there is a static loop in a
// region.
enum class Runtimes : std::uint8_t { Same, Different, AlgorithmAndRegion };
// Between runtimes, constructs of oneTBB and OpenMP that do the same have one name.
std::string plain_construct(const std::string& construct, Runtimes runtimes) {
  std::string name = construct.substr(0, construct.find("::"));
  if (runtimes == Runtimes::Same)
    return name;
  if (name == "omp_task")
    return "task_group";
  if (name == "omp_sections")
    return "parallel_invoke";
  const bool is_loop = name == "omp_for" || name == "omp_distribute" || name == "omp_taskloop";
  return is_loop ? "parallel_for" : name;
}
bool is_region(const std::string& construct) {
  return construct == "omp_parallel" || construct == "omp_parallel_gcc" ||
         construct == "omp_teams" || construct == "omp_teams_gcc";
}
std::vector<std::string> plain_constructs(const SiteFigures& site, Runtimes runtimes) {
  std::vector<std::string> names;
  if (runtimes == Runtimes::AlgorithmAndRegion)
    return names;
  // g++ makes a region and the loop in it one row.
  const bool leaves_out_regions =
      runtimes == Runtimes::Different && !std::ranges::all_of(site.constructs, is_region);
  for (const std::string& construct : site.constructs)
    if (!leaves_out_regions || !is_region(construct))
      names.push_back(plain_construct(construct, runtimes));
  std::ranges::sort(names);
  return names;
}

// The location of a site without its line: the file, that of the wrapper, functions, constructs; the
// number of a filter.
using Scope = std::tuple<std::string, std::string, std::vector<std::string>,
                         std::vector<std::string>, std::uint32_t>;
using Sites = std::vector<const SiteFigures*>; // by line

Scope scope_of(const SiteFigures& site, const FileNames& name, Runtimes runtimes) {
  const Anchor at = anchor_of(site);
  return {name(at.file), name(at.wrapper.file), plain_functions(site),
          plain_constructs(site, runtimes), site.filter};
}

std::map<Scope, std::pair<Sites, Sites>> by_scope(const Sites& base, const Sites& now,
                                                  const FileNames& name, Runtimes runtimes) {
  std::map<Scope, std::pair<Sites, Sites>> scopes;
  for (const SiteFigures* const site : base)
    scopes[scope_of(*site, name, runtimes)].first.push_back(site);
  for (const SiteFigures* const site : now)
    scopes[scope_of(*site, name, runtimes)].second.push_back(site);
  const auto by_line = [](const SiteFigures* a, const SiteFigures* b) {
    const Anchor at = anchor_of(*a), other = anchor_of(*b);
    return std::tuple(at.line, at.wrapper.line, a->line, a->wrapper.line) <
           std::tuple(other.line, other.wrapper.line, b->line, b->wrapper.line);
  };
  for (auto& [scope, sites] : scopes) {
    std::sort(sites.first.begin(), sites.first.end(), by_line);
    std::sort(sites.second.begin(), sites.second.end(), by_line);
  }
  return scopes;
}

// Matches the remaining sites by file and line, whatever code is there now.
void match_lines(Sites& base, Sites& now, const FileNames& name, std::vector<SitePair>& pairs) {
  using Place = std::tuple<std::string, std::uint32_t, std::string, std::uint32_t, std::uint32_t>;
  const auto place_of = [&](const SiteFigures& site) {
    const Anchor at = anchor_of(site);
    return Place{name(at.file), at.line, name(at.wrapper.file), at.wrapper.line, site.filter};
  };
  std::multimap<Place, const SiteFigures*> places;
  for (const SiteFigures* const site : now)
    places.emplace(place_of(*site), site);
  for (const SiteFigures* const site : base) {
    const auto found = places.find(place_of(*site));
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

bool has_only_regions(const SiteFigures& site) {
  return !site.constructs.empty() && std::ranges::all_of(site.constructs, is_region);
}
bool is_algorithm(const SiteFigures& site) {
  return !site.constructs.empty() &&
         std::ranges::all_of(site.constructs, [](const std::string& construct) {
           return construct.starts_with("parallel_");
         });
}

bool may_be_same(const Sites& before, const Sites& after, Runtimes runtimes) {
  if (runtimes == Runtimes::AlgorithmAndRegion)
    return before.size() == 1 && after.size() == 1 &&
           ((has_only_regions(*before[0]) && is_algorithm(*after[0])) ||
            (is_algorithm(*before[0]) && has_only_regions(*after[0])));
  return before.size() == after.size();
}

// A function with as many sites of the same construct as before has the same sites, in their order.
// If there are more or fewer, only the lines can identify the new ones.
// `base` and `now` keep the others.
void match_functions(Sites& base, Sites& now, const FileNames& name, Runtimes runtimes,
                     std::vector<SitePair>& pairs) {
  Sites base_rest, now_rest;
  for (const auto& [scope, sites] : by_scope(base, now, name, runtimes)) {
    const auto& [before, after] = sites;
    if (std::get<2>(scope).empty() || !may_be_same(before, after, runtimes)) {
      base_rest.insert(base_rest.end(), before.begin(), before.end());
      now_rest.insert(now_rest.end(), after.begin(), after.end());
      continue;
    }
    for (std::size_t i = 0; i < before.size(); ++i)
      pairs.push_back({is_same_line(*before[i], *after[i]) ? Match::SameLine : Match::Moved,
                       before[i], after[i]});
  }
  base = std::move(base_rest);
  now = std::move(now_rest);
}

std::vector<SitePair> match_sites(const Figures& base, const Figures& now) {
  const FileNames name(base, now);
  std::vector<SitePair> pairs;
  Sites base_rest, now_rest;
  for (const SiteFigures& site : base.sites)
    base_rest.push_back(&site);
  for (const SiteFigures& site : now.sites)
    now_rest.push_back(&site);
  match_functions(base_rest, now_rest, name, Runtimes::Same, pairs);
  match_functions(base_rest, now_rest, name, Runtimes::Different, pairs);
  match_functions(base_rest, now_rest, name, Runtimes::AlgorithmAndRegion, pairs);
  match_lines(base_rest, now_rest, name, pairs);
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

const SitePair* unlike_work(const Comparison& comparison) {
  const SitePair* most = nullptr;
  std::uint64_t most_excess = 0;
  if (!comparison.same_unit || comparison.base->clock.name == "virtual")
    return most;
  for (const SitePair& pair : comparison.sites) {
    if (!pair.base || !pair.now || pair.either().line == 0)
      continue;
    const SiteFigures &base = *pair.base, &now = *pair.now;
    const bool as_often = base.iterations > 0 ? base.iterations == now.iterations
                                              : now.iterations == 0 && base.tasks == now.tasks;
    const auto [less, more] = std::minmax(base.exclusive_work, now.exclusive_work);
    const std::uint64_t whole =
        base.exclusive_work < now.exclusive_work ? comparison.now->work : comparison.base->work;
    if (as_often && Wide{more} * 2 >= Wide{less} * 3 && Wide{more - less} * 10 >= whole &&
        more - less > most_excess) {
      most = &pair;
      most_excess = more - less;
    }
  }
  return most;
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
