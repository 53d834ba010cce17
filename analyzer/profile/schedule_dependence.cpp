// SPDX-License-Identifier: Apache-2.0
// A figure is said to be of this run if what is unknown could change it by a hundredth: no path
// contains more of a site than the site's work.
#include "profile/schedule_dependence.h"

#include "model/speedup_bounds.h"
#include "profile/code_names.h"
#include "sites/constructs.h"
#include "tp/trace/trace_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

namespace tp::analysis {
namespace {

template <typename Names>
bool is_one_of(const SiteInfo& site, const Names& names) {
  return std::any_of(site.constructs.begin(), site.constructs.end(), [&](const auto& construct) {
    return std::find(names.begin(), names.end(), construct) != names.end();
  });
}

// By the construct that the site names, or by one that the contexts of its tasks name: a site that
// only our headers record (way 2) has no construct of its own, and an algorithm of the standard
// library uses one of oneTBB (std::inclusive_scan: parallel_scan).
template <typename Names>
bool spawns_in_one_of(const SiteRow& site, const ReadSummary& read, const Names& names) {
  if (is_one_of(site.info, names))
    return true;
  for (std::size_t i = 0; i < std::size(trace::kConstructNames); ++i)
    if (read.constructs[site.row] >> i & 1 &&
        std::find(names.begin(), names.end(), trace::kConstructNames[i]) != names.end())
      return true;
  return false;
}

bool is_tag(const std::string& found_by) {
  return found_by == "explicit" || found_by == "header";
}
bool was_recompiled(const SiteInfo& site) {
  return std::all_of(site.found_by.begin(), site.found_by.end(), is_tag);
}
bool has_tag(const SiteInfo& site) {
  return std::any_of(site.found_by.begin(), site.found_by.end(), is_tag);
}

std::set<Row> rows_with_bodies(const Measured& measured) {
  std::set<Row> rows;
  for (const StepClass& each : measured.fold.classes)
    if (each.opened.kind == BoundaryKind::BodyBegin)
      rows.insert(each.row);
  return rows;
}

// Sites, and their work.
struct Affected {
  std::vector<std::string> names;
  std::vector<Row> rows;
  Wide work = 0;
  bool are_of_openmp = true;
  Runtimes runtimes;
  bool orders_others = false; // how much it could change is not known from the work
  void add(const SiteRow& site) {
    for (const PipelineCall& call : site.info.pipelines)
      add_name(call.name);
    if (site.info.pipelines.empty())
      add_name(site.info.place_name());
    rows.push_back(site.row);
    work += site.work;
    runtimes.add(site.info);
    are_of_openmp &= is_of_openmp(site.info);
  }
  // The filters of a pipeline have one.
  void add_name(const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  }
  bool matters(const Measured& measured) const {
    return !names.empty() && (orders_others || work * 100 >= measured.fold.divisible_span);
  }
};

template <typename Names>
Affected sites_of(const Measured& measured, const std::vector<SiteRow>& sites,
                  const Names& constructs) {
  Affected affected;
  for (const SiteRow& site : sites)
    if (spawns_in_one_of(site, measured.read, constructs))
      affected.add(site);
  return affected;
}

std::string some_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 2); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  return text + (names.size() > 2 ? ", ..." : "");
}

// A coefficient of variation: half of the mean is more than caches and clocks explain.
constexpr double kUnequal = 0.5;

// The loops whose bodies are on the critical path: those that another split would change.
std::vector<Row> loops_on_path(const Measured& measured) {
  const DagFold::Results& fold = measured.fold;
  std::map<Row, std::uint64_t> work;
  for (const StepClassId id : ids_below(fold.classes.end_id()))
    if (fold.classes[id].opened.kind == BoundaryKind::BodyBegin &&
        fold.class_totals[id].critical_work > 0)
      work[fold.classes[id].row] += fold.class_totals[id].critical_work;
  std::vector<std::pair<std::uint64_t, Row>> loops;
  for (const auto& [row, critical] : work)
    loops.emplace_back(critical, row);
  std::sort(loops.rbegin(), loops.rend());
  std::vector<Row> rows;
  for (const auto& [critical, row] : loops)
    rows.push_back(row);
  return rows;
}

// Whether threads take chunks of the OpenMP loop while they run it.
bool has_shared_parts(const Measured& measured, Row row) {
  const auto found = measured.read.loop_parts.find(row);
  return found != measured.read.loop_parts.end() && found->second.shared > 0;
}

// What has decided how far these loops are split in this run.
std::string what_splits(const Measured& measured, const std::vector<Row>& loops) {
  bool by_threads = loops.empty(), by_chunks = false, by_num_tasks = false, by_grainsize = false;
  bool by_teams = false;
  for (const Row row : loops) {
    const SiteInfo& info = measured.table.rows[row];
    by_teams |= is_distributed(info);
    if (is_distributed(info) && !measured.read.loop_parts.contains(row))
      continue;
    if (!is_taskloop(info))
      (has_shared_parts(measured, row) ? by_chunks : by_threads) = true;
    else if (measured.fold.rows[row].loops.largest_grain > 1)
      by_grainsize = true;
    else // without a clause libomp creates so many tasks per thread
      by_threads = by_num_tasks = true;
  }
  std::string text = by_threads || by_chunks ? "its thread count" : "";
  text += by_teams ? std::string(text.empty() ? "" : " and ") + "its number of teams" : "";
  text += by_chunks ? " and the chunk size of a schedule clause" : "";
  text += by_num_tasks ? " or a num_tasks clause" : "";
  if (by_grainsize)
    text += std::string(text.empty() ? "" : ", and on ") +
            "a grainsize clause (its tasks may have up to twice as many iterations)";
  return text;
}

Affected unsized_loops(const std::vector<SiteRow>& sites) {
  Affected unsized;
  for (const SiteRow& site : sites)
    if (site.loops.unsized_calls > 0)
      unsized.add(site);
  return unsized;
}

// Why the two ends of the schedule-independent figures differ, where they do.
void append_unmeasured(std::vector<Warning>& warnings, const Measured& measured,
                       const std::vector<SiteRow>& sites) {
  const DagFold::Results& fold = measured.fold;
  if (fold.work == 0)
    return;
  const Affected unsized = unsized_loops(sites);
  Affected unequal, unjoined;
  for (const SiteRow& site : sites) {
    const LoopCounts& loops = site.loops;
    if (loops.divisible_parts > 0 && loops.cost_variation() > kUnequal)
      unequal.add(site);
    if (loops.unjoined_halvings > 0 && loops.joins == 0)
      unjoined.add(site);
  }
  if (unsized.matters(measured) && !unsized.are_of_openmp)
    warnings.push_back(
        {"unsized", fmt::format("ranges of {} can be divided further, how far is not known: "
                                "parallelism may be higher (to measure it: {})",
                                some_of(unsized.names), unsized.runtimes.measured_by())});
  else if (unsized.matters(measured)) // or that wait for others
    warnings.push_back(
        {"unsized",
         fmt::format(
             "chunks of {} that contain ordered blocks, or create tasks, or whose iterations were "
             "not reported, are undivided in all figures: smaller ones may have a higher "
             "parallelism",
             some_of(unsized.names))});
  const bool is_measured = Wide{fold.divisible_span_at_most} * 20 <= Wide{fold.divisible_span} * 21;
  if (!is_measured && unequal.matters(measured))
    warnings.push_back({"unequal_iterations",
                        fmt::format("iterations of {} do not cost the same: with loops split, the "
                                    "upper end is too high (to measure it: {})",
                                    some_of(unequal.names), unequal.runtimes.measured_by())});
  if (unjoined.matters(measured))
    warnings.push_back(
        {"unjoined", fmt::format("no results of {} were joined in this run: with loops split, "
                                 "what joins cost is missing (tp-run --divide measures it)",
                                 some_of(unjoined.names))});
}

// Debug information names places in recompiled code as well: algorithms of the standard library, and
// nodes that it constructs (std::make_unique). Calls of bodies are recorded there, and messages. Of
// graphs that are too small for a warning there, it is known that something was recompiled.
Affected unseen_order(const Measured& measured, const std::vector<SiteRow>& sites) {
  const std::set<Row> with_bodies = rows_with_bodies(measured);
  const auto is_seen = [&](const SiteRow& site) {
    if (was_recompiled(site.info))
      return true;
    const bool has_messages = spawns_in_one_of(site, measured.read, kMessages);
    const bool has_ranges = spawns_in_one_of(site, measured.read, kReductions);
    return !has_tag(site.info) && !spawns_in_one_of(site, measured.read, kScans) &&
           !is_one_of(site.info, kCallsOnce) &&
           (!has_messages || measured.read.after_messages[site.row]) &&
           (!has_ranges || with_bodies.contains(site.row));
  };
  const bool some_recompiled =
      std::ranges::any_of(sites, [](const SiteRow& site) { return has_tag(site.info); });
  Affected unseen;
  bool has_graph_tasks = false;
  for (const SiteRow& site : sites) {
    has_graph_tasks |= spawns_in_one_of(site, measured.read, kMessages);
    if (is_seen(site) || !spawns_in_one_of(site, measured.read, kOrderedInHeaders))
      continue;
    unseen.add(site);
    unseen.orders_others |=
        is_one_of(site.info, kCallsOnce) ||
        (!some_recompiled && spawns_in_one_of(site, measured.read, kOrderOthers));
  }
  // A graph may have no tasks, but calls of reserve_wait() and release_wait().
  if (measured.read.graph_waits > 0 && !has_graph_tasks && !some_recompiled &&
      measured.read.graph_waits_seen == 0) {
    unseen.add_name("wait_for_all");
    unseen.orders_others = true;
  }
  return unseen;
}

// Pipelines whose items may be in another order in another run: a filter takes them as they arrive, or the
// last one does not give back their tokens in order. Without the filters' modes: all.
Affected pipelines_by_arrival(const Measured& measured, const std::vector<SiteRow>& sites) {
  struct Known {
    std::uint32_t last = 0;
    bool last_in_order = false, by_arrival = false;
  };
  std::map<std::pair<std::string, std::uint32_t>, Known> calls;
  for (const SiteRow& site : sites)
    for (const PipelineCall& call : site.info.pipelines) {
      Known& known = calls[{call.file, call.line}];
      const auto& modes = site.info.filter_modes;
      const auto has = [&](std::string_view mode) {
        return std::ranges::find(modes, mode) != modes.end();
      };
      known.by_arrival |= modes.empty() || has("serial_out_of_order");
      if (site.info.filter >= known.last) {
        known.last = site.info.filter;
        known.last_in_order = !has("parallel");
      }
    }
  const auto in_order = [&](const std::string& file, std::uint32_t line) {
    const auto call = calls.find({file, line});
    return call != calls.end() && call->second.last_in_order && !call->second.by_arrival;
  };
  Affected affected;
  for (const SiteRow& site : sites)
    if (spawns_in_one_of(site, measured.read, kPipelines) &&
        !(site.info.pipelines.empty()
              ? in_order(site.info.file, site.info.line)
              : std::ranges::all_of(site.info.pipelines, [&](const PipelineCall& call) {
                  return in_order(call.file, call.line);
                })))
      affected.add(site);
  return affected;
}

// The work of the row's own steps, without body calls of loops.
std::uint64_t work_outside_of_bodies(const Measured& measured, Row row) {
  const DagFold::Results& fold = measured.fold;
  std::uint64_t work = 0;
  for (const StepClassId id : ids_below(fold.classes.end_id()))
    if (fold.classes[id].row == row)
      work += fold.class_totals[id].work - fold.class_totals[id].in_bodies;
  return work;
}

// Loops whose calls of bodies were not recorded.
Affected unseen_loops(const Measured& measured, const std::vector<SiteRow>& sites) {
  const std::set<Row> with_bodies = rows_with_bodies(measured);
  Affected unseen;
  for (const SiteRow& site : sites)
    if (is_one_of(site.info, kLoops) && !was_recompiled(site.info) &&
        !with_bodies.contains(site.row))
      unseen.add(site);
  return unseen;
}

// Regions that may contain loops without a trace.
Affected hidden_loops(const Measured& measured, const std::vector<SiteRow>& sites) {
  Affected hidden;
  for (const SiteRow& site : sites) {
    if (!may_hide_loops(measured, site))
      continue;
    SiteRow own = site;
    own.work = work_outside_of_bodies(measured, site.row);
    if (own.work > 0)
      hidden.add(own);
  }
  return hidden;
}

} // namespace

namespace {
bool has_construct(const Measured& measured, const std::vector<SiteRow>& sites,
                   trace::Construct construct) {
  return !sites_of(measured, sites, std::array{name_of(construct)}).rows.empty();
}

// What gives the teams of regions more threads. Those of regions in a league get as many as all three allow.
std::string more_threads_in(const Measured& measured, const std::vector<Row>& regions) {
  const auto in_league = std::ranges::count_if(regions, [&](Row row) {
    const SiteInfo& info = measured.table.rows[row];
    return is_region(info) && is_in_league(row, measured.table);
  });
  const std::string_view limits = "thread_limit(N) or OMP_TEAMS_THREAD_LIMIT=N, with "
                                  "KMP_TEAMS_THREAD_LIMIT as large as N for each team";
  const std::string_view threads = "OMP_NUM_THREADS=N or num_threads(N)";
  return in_league == 0 ? fmt::format("{} shows how far", threads)
                        : fmt::format("{}, {} {}, shows how far", threads,
                                      static_cast<std::size_t>(in_league) < regions.size()
                                          ? "inside of teams together with"
                                          : "together with",
                                      limits);
}

// How loops whose chunks are not reported would be divided further.
std::string hidden_split(const Measured& measured, const std::vector<SiteRow>& sites) {
  const bool has_teams = has_construct(measured, sites, trace::Construct::OmpTeamsGcc);
  const Affected hidden = hidden_loops(measured, sites);
  const std::string names = some_of(hidden.names);
  if (has_teams && !has_construct(measured, sites, trace::Construct::OmpParallelGcc))
    return fmt::format("what distribute deals out to teams in {} may be divided further by more of "
                       "them: num_teams(N) or OMP_NUM_TEAMS=N shows how far",
                       names);
  const std::uint64_t threads = threads_of_this_split(measured, sites, Divisible::HiddenLoops).most;
  return fmt::format(
      "static loops, if there are any in {} may be divided further by teams of more "
      "than {} {}: {}, or compile with clang++{}",
      names, threads, threads == 1 ? "thread" : "threads", more_threads_in(measured, hidden.rows),
      has_teams ? "; what distribute deals out, by more teams: OMP_NUM_TEAMS=N" : "");
}
} // namespace

bool may_hide_loops(const Measured& measured, const SiteRow& site) {
  return spawns_in_one_of(site, measured.read, kWithHiddenLoops);
}

namespace {
ThreadRange slots(const RunInfo& run) {
  const std::uint64_t count = run.as_if_cores > 0 ? run.as_if_cores : run.cpus;
  return {count, count};
}

// Of teams that have not ended only the size is known that they had at the end of the recording.
ThreadRange teams_of(const Measured& measured, const std::vector<Row>& rows) {
  ThreadRange threads;
  for (const Row row : rows)
    for (const Row region : regions_of(row, measured.table)) {
      // A row of teams may also be that of the regions in them.
      const bool are_teams = !measured.read.teams.contains(region);
      if (are_teams && region != row && is_region(measured.table.rows[row]))
        continue; // a region in a league has threads of its own
      const auto& all = are_teams ? measured.read.leagues : measured.read.teams;
      if (const auto found = all.find(region); found != all.end())
        threads.add({found->second.least, found->second.most, are_teams});
    }
  if (threads.most == 0)
    threads.most = measured.read.threads.threads;
  if (threads.least == 0)
    threads.least = threads.most;
  return threads;
}
} // namespace

ThreadRange divided_for(const Measured& measured, Row row) {
  return is_of_openmp(measured.table.rows[row]) ? teams_of(measured, {row}) : slots(measured.run());
}

ThreadRange threads_of_this_split(const Measured& measured, const std::vector<SiteRow>& sites,
                                  Divisible divisible) {
  if (divisible == Divisible::HiddenLoops)
    return teams_of(measured, hidden_loops(measured, sites).rows);
  const Affected unsized = unsized_loops(sites);
  return divisible == Divisible::Known && !unsized.rows.empty() && unsized.are_of_openmp
             ? teams_of(measured, unsized.rows)
             : slots(measured.run());
}

Divisible judge_divisible(const Measured& measured, const std::vector<SiteRow>& sites) {
  if (unseen_loops(measured, sites).matters(measured))
    return Divisible::NotRecompiled;
  if (hidden_loops(measured, sites).matters(measured))
    return Divisible::HiddenLoops;
  return sites_of(measured, sites, kScans).matters(measured) ? Divisible::OfThisSchedule
                                                             : Divisible::Known;
}

std::vector<std::string> sites_of_unseen_order(const Measured& measured,
                                               const std::vector<SiteRow>& sites) {
  return unseen_order(measured, sites).names;
}

std::vector<Warning> schedule_warnings(const Measured& measured, const std::vector<SiteRow>& sites,
                                       Divisible divisible) {
  std::vector<Warning> warnings;
  // What is measured is certain; what holds only if iterations cost the same is not.
  const auto differs = [&](std::uint64_t divisible_span) {
    const std::uint64_t less = std::min(measured.span(), divisible_span);
    const std::uint64_t more = std::max(measured.span(), divisible_span);
    return Wide{more} * 10 > Wide{less} * 12;
  };
  if (differs(measured.fold.divisible_span)) {
    const bool certain = differs(measured.fold.divisible_span_at_most);
    const std::vector<Row> loops = loops_on_path(measured);
    std::vector<std::string> names;
    for (const Row row : loops)
      names.push_back(measured.table.rows[row].name);
    warnings.push_back(
        {"divisible",
         fmt::format("parallelism of this run depends on {}{}{}{}", what_splits(measured, loops),
                     certain ? "" : " if iterations cost the same",
                     loops.empty() ? "" : " (loops of " + some_of(names) + ")",
                     divisible == Divisible::Known
                         ? ": compare it with that of loops split to their grain size"
                         : ""),
         certain});
  }
  append_unmeasured(warnings, measured, sites);
  if (const Affected unseen = unseen_order(measured, sites); unseen.matters(measured)) {
    const bool has_graphs = std::ranges::any_of(sites, [&](const SiteRow& site) {
      return spawns_in_one_of(site, measured.read, kMessages);
    });
    warnings.push_back(
        {"unseen_order",
         fmt::format("spans are lower bounds, and parallelism is an upper one{}: the "
                     "order inside {} is seen only if compiled with tp-c++",
                     has_graphs ? " (where no node of a graph has a priority or a limit above 1)"
                                : "",
                     some_of(unseen.names))});
  }
  if (divisible == Divisible::NotRecompiled || divisible == Divisible::HiddenLoops) {
    const std::uint64_t threads = threads_of_this_split(measured, sites, divisible).most;
    warnings.push_back(
        {"split_unknown",
         divisible == Divisible::HiddenLoops
             ? hidden_split(measured, sites)
             : fmt::format("loops of {} may be divided further by more threads than the {} of this "
                           "run: tp-run --as-if-cores N shows how far, or compile with tp-c++",
                           some_of(unseen_loops(measured, sites).names), threads),
         false});
  }
  if (const Affected scans = sites_of(measured, sites, kScans); scans.matters(measured))
    warnings.push_back({"schedule", fmt::format("all figures depend on the schedule of this run "
                                                "(parallel_scan of {})",
                                                some_of(scans.names))});
  if (const Affected pipelines = pipelines_by_arrival(measured, sites); pipelines.matters(measured))
    warnings.push_back(
        {"arrival",
         fmt::format("figures depend on the order of arrival in this run if a filter is "
                     "serial_out_of_order (parallel_pipeline of {})",
                     some_of(pipelines.names)),
         false});
  if (const Affected nodes = sites_of(measured, sites, kNodes); nodes.matters(measured))
    warnings.push_back(
        {"arrival",
         fmt::format("figures depend on the order of arrival in this run if the concurrency "
                     "of a node is limited (flow graph of {})",
                     some_of(nodes.names)),
         false});
  return warnings;
}

} // namespace tp::analysis
