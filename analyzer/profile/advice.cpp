// SPDX-License-Identifier: Apache-2.0
// The advice on a profile, in plain words.
#include "profile/advice.h"

#include "base/rounding.h"
#include "profile/code_names.h"
#include "profile/failed_tries.h"
#include "profile/findings.h"
#include "profile/verdict.h"
#include "profile/waiting_loops.h"
#include "report/missing_openmp.h"
#include "report/numbers.h"
#include "report/phrases.h"
#include "sites/constructs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tp::analysis {
namespace {

// The marked region, or without marks the candidate, that by itself raises the parallelism most at
// the largest factor up to 8.
struct Best {
  std::string name;
  std::uint64_t factor = 0;
  Ratio parallelism;
  void consider(const std::string& candidate, const std::vector<WhatIfPoint>& points) {
    const WhatIfPoint* const point = headline_point(points);
    if (!point || (!name.empty() && point->parallelism.value() <= parallelism.value()))
      return;
    name = candidate;
    factor = point->factor;
    parallelism = point->parallelism;
  }
};

Best best_region(const Profile& profile) {
  Best best;
  for (const WhatIfCurve& curve : profile.what_if)
    if (curve.regions.size() == 1)
      best.consider("region " + region_name(profile.regions[curve.regions[0]]), curve.points);
  return best;
}

// Worth mentioning if it gains a tenth.
bool gains(const Best& best, const Profile& profile) {
  return !best.name.empty() && best.parallelism.value() >= 1.1 * profile.parallelism_now().value();
}

std::string worth(const std::string& what, const Best& best, const Profile& profile) {
  return fmt::format("{} would raise parallelism from {} to {}.",
                     profile.what_if_mode == "optimize"
                         ? fmt::format("Making {} {}x faster", what, best.factor)
                         : fmt::format("Dividing {} among {} CPUs", what, best.factor),
                     three_digits(profile.parallelism_now()), three_digits(best.parallelism));
}

// A loop that loses much to tasking overhead, or that a smaller grain size would make more
// parallel.
std::string grain_advice(const Profile& profile, const WhatIfCandidate& grain) {
  const auto share = [](const Ratio& ratio) {
    return short_percent(ratio.numerator, ratio.denominator);
  };
  std::string text = fmt::format("With {} tasking overhead would go from {} % to {} %", grain.name,
                                 share(grain.loop->overhead_now), share(grain.loop->overhead));
  const double now = profile.divisible_parallelism().value();
  if (profile.divisible_is_known())
    text += fmt::format(", and parallelism would {} {}",
                        grain.quoted.parallelism.value() > 1.1 * now ? "rise to" : "still be",
                        three_digits(grain.quoted.parallelism));
  return text + ".";
}

std::string capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string amount(const Profile& profile, std::uint64_t work) {
  return human(work, profile.run.work, hz_of_work(profile));
}

// Null: there is none for this site.
const WhatIfCandidate* advised_grain(const Profile& profile, const Finding& finding) {
  for (const WhatIfCandidate& each : profile.advised_grains)
    if (each.place.file == finding.place.file && each.place.line == finding.place.line)
      return &each;
  return nullptr;
}

// Whether the tasks are parts of a range, whose size the program can give.
bool is_split_by_grain(const SiteInfo& info) {
  return std::ranges::any_of(info.constructs, [](const std::string& construct) {
    return construct == name_of(trace::Construct::ParallelFor) ||
           std::ranges::find(kReductions, construct) != kReductions.end();
  });
}

const SiteRow& site_of(const Profile& profile, const Finding& finding) {
  return *std::ranges::find(profile.sites, finding.row, &SiteRow::row);
}
const SiteInfo& info_of(const Profile& profile, const Finding& finding) {
  return site_of(profile, finding).info;
}

// Of an OpenMP loop: whether a thread that runs it has no more than one of its chunks.
bool has_one_chunk(const Profile& profile, const Finding& finding) {
  const auto parts = profile.read.loop_parts.find(finding.row);
  return parts != profile.read.loop_parts.end() && finding.body_calls <= parts->second.all;
}

std::string tiny_tasks(const Profile& profile, const Finding& finding) {
  if (finding.runs > 0)
    return capitalized(fmt::format("{} is run {} times, for {} of work each, which is little to "
                                   "share: run a loop around it in parallel instead, or do more in "
                                   "each run.",
                                   finding.code, human_count(finding.runs),
                                   amount(profile, finding.work / finding.runs)));
  if (const WhatIfCandidate* const grain = advised_grain(profile, finding))
    return grain_advice(profile, *grain);
  const auto site = std::ranges::find(profile.sites, finding.row, &SiteRow::row);
  const Ratio& share = site->overhead.share;
  const auto is = [&](trace::Construct construct) {
    return std::ranges::find(site->info.constructs, name_of(construct)) !=
           site->info.constructs.end();
  };
  std::string of =
      finding.code.starts_with("the tasks of ") ? finding.code : "the tasks of " + finding.code;
  std::uint64_t count = finding.tasks;
  std::string remedy = "give each of them more work";
  if (is(trace::Construct::OmpFor) && finding.body_calls > 0) {
    of = (is(trace::Construct::OmpParallel) ? "the chunks of the loop in " : "the chunks of ") +
         finding.code;
    count = finding.body_calls;
    remedy = site->loops.ordered_iterations > 0
                 ? "do more in each iteration (larger chunks wait for each other longer)"
             : !has_one_chunk(profile, finding)
                 ? "make them larger, by the second argument of the schedule clause"
             : is(trace::Construct::OmpParallel)
                 ? "a thread has one of them each time: do more in each region, as by one around "
                   "several loops, or let one thread run short ones, by an if clause"
                 : "a thread has one of them each time: run a loop around it in parallel instead, "
                   "or make one loop of several";
  } else if (is_taskloop(site->info)) {
    remedy += ", by a larger grainsize or fewer num_tasks";
  } else if (is(trace::Construct::OmpParallel)) {
    of = "the implicit tasks of " + finding.code;
    remedy +=
        ", as by one region around several, or let one thread run small ones, by an if clause";
  } else if (is_of_openmp(site->info)) {
    remedy += ", and call functions without tasks for small parts";
  } else if (is_split_by_grain(site->info)) {
    remedy += ", by a larger grain size";
  }
  return capitalized(fmt::format("{} take {} each, and {} % of their time is tasking overhead: {}.",
                                 of,
                                 amount(profile, finding.work / std::max<std::uint64_t>(count, 1)),
                                 percent(share.numerator, share.denominator), remedy));
}

constexpr std::string_view kSections = "the sections in ";

// "one of the 64 tasks of a.cpp:12", "3 of the 10 calls of the body of node a.cpp:12". The tasks that
// split a range are on the path as well, but not what its work is: "at least 2 of the 1,024 calls".
std::string tasks_on_path(const Profile& profile, const Finding& finding) {
  const std::string_view tasks_of = "the tasks of ";
  const bool is_body = finding.code.starts_with("the body of ");
  if (finding.code.starts_with(kSections))
    return finding.code;
  const std::string rest =
      finding.code.starts_with(tasks_of) ? finding.code.substr(tasks_of.size()) : finding.code;
  const std::uint64_t all = is_body && finding.body_calls > 0 ? finding.body_calls : finding.tasks;
  if (all <= 1)
    return finding.code.starts_with(tasks_of) ? "the task of " + rest : finding.code;
  // On one line with other constructs: tasks of these are in the number as well.
  const bool has_others = site_of(profile, finding).info.constructs.size() > 1;
  if (has_others && (rest.starts_with("the parallel region ") ||
                     rest.starts_with("the league of teams ") || rest.starts_with("the loop in ")))
    return finding.code;
  constexpr std::string_view kThread = "the thread ";
  std::string of = rest.starts_with(kThread)
                       ? fmt::format("the {} threads{} {}", human_count(all),
                                     has_others ? " and tasks" : "", rest.substr(kThread.size()))
                       : fmt::format("the {} {} of {}", human_count(all),
                                     is_body                                    ? "calls"
                                     : rest.starts_with("the parallel region ") ? "implicit tasks"
                                     : rest.starts_with("the league of teams ") ? "initial tasks"
                                                                                : "tasks",
                                     rest);
  const std::uint64_t least = finding.critical_steps_at_least;
  // A task calls the body more than once.
  const bool has_more_calls = is_body && finding.critical_tasks == 1 && least > 1;
  // Of tasks with more steps than one, such as those that run the chunks of a loop, the steps are not the number.
  const bool counts = is_body || least <= finding.critical_tasks;
  if (((finding.shape == Shape::LongTask && finding.critical_tasks > 1) || has_more_calls) &&
      counts && least < all)
    return fmt::format("at least {} of {}", least <= 1 ? "one" : human_count(least), of);
  // A region's thread comes onto the path once for each barrier.
  if (finding.critical_tasks >= finding.tasks)
    return of;
  return fmt::format("{} of {}",
                     finding.critical_tasks == 1 ? "one" : human_count(finding.critical_tasks), of);
}

// Where it slept, as far as the recording shows that.
std::string how_asleep(const Profile& profile, const Finding& finding) {
  if (!finding.waited_ticks)
    return "in a lock, in input or output, or until another thread had done something";
  // What a thread waits for a lock that is observed is not part of its sleep.
  const std::string_view in_lock = profile.locks.c_observed ? "" : "in a lock, ";
  if (Wide{*finding.waited_ticks} * 10 >= Wide{*finding.asleep_ticks} * 9)
    return fmt::format("{}until another thread had done something",
                       in_lock.empty() ? "" : "in a lock, or ");
  if (Wide{*finding.waited_ticks} * 10 <= *finding.asleep_ticks) {
    const std::uint64_t latency = *finding.asleep_ticks - *finding.waited_ticks;
    std::string known = sleep_in_words(finding.slept_in, latency, profile.read.time_hz);
    if (known.empty() && Wide{finding.slept_in.known()} * 10 <= Wide{latency} * 9)
      return "in input or output, by the clock, until a child process had ended, stopped by a "
             "signal, or until another thread had left code of a library (which is not seen)";
    return !known.empty() ? known
                          : "in input or output, by the clock, or until a child process had ended";
  }
  return fmt::format("in input or output, by the clock, {}or until another thread or process had "
                     "done something",
                     in_lock);
}

// Why code had to wait for a CPU, by the path of the run.
std::string who_had_the_cpus(const Profile& profile) {
  const RunPathPart& path = profile.elapsed.path;
  const std::uint64_t taken = path.taken + path.delay_taken();
  if (path.crowded == taken)
    return "more threads wanted to run than there were CPUs";
  return path.crowded > taken
             ? fmt::format("more threads of the program wanted to run than there are CPUs ({})",
                           profile.run.cpus)
         : profile.elapsed.is_queued_rather() ? "no other program had them: threads waited behind "
                                                "each other, or at a limit of CPU time"
                                              : "others had them (other programs, a hypervisor)";
}

// Of the path of the run, what others took: the program is not why.
std::uint64_t taken_by_others(const Profile& profile) {
  const RunPathPart& path = profile.elapsed.path;
  const std::uint64_t taken = path.taken + path.delay_taken();
  if (profile.elapsed.is_queued_rather())
    return 0;
  return taken > path.crowded ? std::min(taken, path.length()) : 0;
}

// Of the time without a CPU, what the program is the cause of: where others had the CPUs, its sleep.
std::uint64_t off_cpu_of_program(const Profile& profile, const Finding& finding) {
  return finding.asleep_ticks && taken_by_others(profile) > 0
             ? std::min(*finding.asleep_ticks, finding.off_cpu_ticks)
             : finding.off_cpu_ticks;
}

// It slept at least as long as it computed, however long others kept it from either.
bool sleeps_more_than_it_works(const Finding& finding) {
  return finding.asleep_ticks && *finding.asleep_ticks > 0 &&
         *finding.asleep_ticks >= finding.ticks - finding.off_cpu_ticks;
}

// Whether it is a loop of OpenMP's whose chunks have one iteration each: nothing is left to divide.
bool is_divided(const Profile& profile, const Finding& finding) {
  const SiteRow& site = site_of(profile, finding);
  return is_of_openmp(site.info) && site.loops.body_calls > 0 &&
         site.loops.iterations == site.loops.body_calls &&
         site.loops.body_calls >= 2 * site.invocations;
}
constexpr const char* kDivided =
    "its chunks have one iteration each: divide the longest iterations, or, where one thread ran "
    "most chunks of a region, give each region more work, or put several in one";

// Of a region's tasks, or a loop in it, no two parts of which could run at the same time.
bool had_one_thread(const Finding& finding) {
  return finding.divided_for.most == 1;
}
constexpr const char* kMoreThreads =
    "each of its teams had one thread: let it have more, by the if clause, num_threads, "
    "OMP_NUM_THREADS, or OMP_MAX_ACTIVE_LEVELS if it is inside another region";
constexpr const char* kMoreThreadsInTeams =
    "each of its teams had one thread: let it have more, by thread_limit, OMP_TEAMS_THREAD_LIMIT, "
    "or KMP_TEAMS_THREAD_LIMIT for all teams together; let teams be more by num_teams or "
    "OMP_NUM_TEAMS";
constexpr const char* kMoreTeams =
    "it had one team: let teams be more by num_teams or OMP_NUM_TEAMS";
constexpr const char* kAllowThreads =
    "let nested regions be active (OMP_MAX_ACTIVE_LEVELS), or allow more threads "
    "(OMP_THREAD_LIMIT, OMP_DYNAMIC)";
constexpr const char* kAllowTeams = "allow more threads (KMP_TEAMS_THREAD_LIMIT, OMP_THREAD_LIMIT)";
const char* more_threads(const Finding& finding) {
  if (finding.missing_threads > 0)
    return finding.in_league ? kAllowTeams : kAllowThreads;
  return finding.divided_for.are_teams ? kMoreTeams
         : finding.in_league           ? kMoreThreadsInTeams
                                       : kMoreThreads;
}

// How the program gets as many threads as there are CPUs.
std::string a_thread_per_cpu(const Finding& finding) {
  const std::string teams = fmt::format("OMP_NUM_TEAMS={0} or num_teams({0})", finding.procs);
  return finding.divided_for.are_teams ? teams
         : finding.in_league           ? "OMP_TEAMS_THREAD_LIMIT or thread_limit, or " + teams + ","
         : finding.asks_for_threads
             ? fmt::format("num_threads({0}) or omp_set_num_threads({0})", finding.procs)
             : fmt::format("OMP_NUM_THREADS={0} or num_threads({0})", finding.procs);
}

// Nothing is left to divide.
std::string has_equal_parts(const Finding& finding) {
  return fmt::format("its {} have equal parts, enough for {} CPUs",
                     threads_phrase(finding.divided_for), finding.procs);
}

// Of a loop whose chunks have one iteration each.
std::string remedy_of_single(const Finding& finding) {
  if (finding.finer == Finer::Even)
    return has_equal_parts(finding);
  return finding.tasks > finding.critical_tasks && is_even(finding)
             ? fmt::format("its threads have shared its chunks evenly: more threads share them "
                           "further; {} shows how far",
                           a_thread_per_cpu(finding))
             : kDivided;
}

// How chunks that threads take while they run the loop become smaller.
std::string smaller_chunks(const Finding& finding, const std::string& more_cpus) {
  return "a smaller chunk size in its schedule clause" +
         (finding.may_be_guided
              ? "; of schedule(guided) also by more threads: " + more_cpus + " shows how far"
              : std::string());
}

// What helps there.
std::string_view remedy_of_sleep(const Profile& profile, const Finding& finding) {
  if (!finding.waited_ticks)
    return "";
  if (Wide{*finding.waited_ticks} * 10 >= Wide{*finding.asleep_ticks} * 9)
    return profile.locks.c_observed
               ? ""
               : " Hold the lock for a shorter time, or divide what it protects.";
  if (Wide{*finding.waited_ticks} * 10 <= *finding.asleep_ticks && finding.row != kMainRow)
    return is_of_openmp(info_of(profile, finding))
               ? " Let a thread of the program's own do that, for a task with detach, so that this "
                 "one can run tasks."
               : " Let other threads do that (async_node, task::suspend), so that this one can run "
                 "tasks.";
  return "";
}

// Its sleep is a quarter of the time of the run's path, less what others took of it, where it is on the path or keeps the threads
// that should run the path's tasks; or it is code outside tasks, and its latency a quarter of the least
// time of the program.
bool sleeps_on_path(const Profile& profile, const Finding& finding) {
  if (!finding.asleep_ticks)
    return false;
  const auto site = std::ranges::find(profile.sites, finding.row, &SiteRow::row);
  const std::uint64_t on_path =
      std::min(site->on_run_path.latency + site->on_run_path.waited + site->on_run_path.in_locks() +
                   profile.elapsed.path.blocked(),
               *finding.asleep_ticks);
  if (on_path > 0 && Wide{on_path} * 4 >= profile.elapsed.path.length() - taken_by_others(profile))
    return true;
  return finding.row == kMainRow && finding.waited_ticks && profile.span_with_latency &&
         (Wide{*finding.asleep_ticks} - *finding.waited_ticks) * 4 >= *profile.span_with_latency;
}

std::string off_cpu(const Profile& profile, const Finding& finding) {
  const auto time = [&](std::uint64_t ticks) {
    return human_ns(to_ns(ticks, profile.read.time_hz));
  };
  const std::uint64_t off = finding.off_cpu_ticks;
  const std::string of_all = fmt::format("of {} in this run", time(finding.ticks));
  const auto share = [&](std::uint64_t ticks) { return percent(ticks, finding.ticks); };
  const std::string code = capitalized(finding.code);
  if (!finding.asleep_ticks)
    return fmt::format("{} had no CPU for {} {} ({} %): asleep (in a lock, in input or output), or "
                       "while other programs ran; the recording does not say which.",
                       code, time(off), of_all, share(off));
  const std::uint64_t asleep = *finding.asleep_ticks;
  const std::string where = how_asleep(profile, finding);
  if (Wide{asleep} * 4 >= Wide{off} * 3 ||
      (taken_by_others(profile) > 0 && sleeps_more_than_it_works(finding)))
    return fmt::format("{} slept for {} {} ({} %): {}.{}", code, time(asleep), of_all,
                       share(asleep), where, remedy_of_sleep(profile, finding));
  if (Wide{asleep} * 4 <= off && !sleeps_on_path(profile, finding))
    return fmt::format("{} had to wait for a free CPU for {} {} ({} %): {}.", code,
                       time(off - asleep), of_all, share(off - asleep), who_had_the_cpus(profile));
  return fmt::format(
      "{} had no CPU for {} {}: it slept for {} ({}), and had to wait for a free CPU for "
      "{}.{}",
      code, time(off), of_all, time(asleep), where, time(off - asleep),
      remedy_of_sleep(profile, finding));
}

// Tasks that exclude each other (depend(mutexinoutset: ...)) hold nothing for which another one would wait.
bool is_set_of_tasks(const LockRow& lock) {
  return lock.kind == "omp_mutexinoutset";
}

std::string_view remedy_of_long_waits(const LockRow& lock) {
  return lock.library.is_known() ? remedy_in_library(lock.library)
         : lock.is_of_node()     ? "put more into each message"
         : lock.is_of_operations()
             ? "put more into each element, or split it"
             : "acquire it less often, hold it for a shorter time, or split it";
}

std::string_view remedy_of_long_sections(const LockRow& lock) {
  return is_set_of_tasks(lock) ? "move work out of its tasks"
         : lock.is_of_node()
             ? "put more into each message, and send large messages by std::shared_ptr or pointer"
         : lock.is_of_operations() ? "make comparisons, copies and moves of its elements faster"
                                   : "hold it for a shorter time";
}

// What a lock that limits the run adds up to, and what would help.
std::string lock_advice(const Profile& profile, const LockRow& lock) {
  // Its sections are not longer than the longest path: to wait, and to wake those that do, is what takes long.
  if (is_set_of_tasks(lock) &&
      lock.with_latency <= profile.span_with_latency.value_or(profile.span))
    return fmt::format("On more CPUs, tasks of the {} would begin late: move work out of them, or "
                       "divide what their depend clauses name.",
                       lock.phrase());
  if (lock.with_latency <= profile.span_with_latency.value_or(profile.span))
    return fmt::format("{} wait long for the {}: {}.",
                       Wide{lock.totals.waited} * 10 >= profile.read.step_time
                           ? "Tasks"
                           : "On more CPUs, tasks would",
                       lock.phrase(), remedy_of_long_waits(lock));
  // Bounds of a change are those of work.
  const bool sleeps = profile.counts_sleep_of(lock);
  std::string text = fmt::format(
      "The {} of {}the {} run one after the other, for {}{}",
      lock.is_of_operations() ? "operations" : "sections", lock.objects > 1 ? "one object of " : "",
      lock.phrase(), lock.bound_kind == LockBoundKind::Estimate ? "about " : "",
      amount(profile, sleeps ? lock.sections_with_latency : lock.bound.sections));
  const bool awaits = lock.awaits_tasks && !is_set_of_tasks(lock) && !lock.is_of_operations();
  if (awaits)
    text += " or longer";
  if (sleeps)
    text += fmt::format(", asleep for {} of it", amount(profile, lock.asleep));
  if (lock.bound_kind == LockBoundKind::IfOneObject)
    text += " (if what was at its address was one lock)";
  if (awaits)
    text += ", since threads that wait for it run none of the tasks that are waited for in them";
  if (lock.library.is_known())
    return text + fmt::format(": {}.", remedy_in_library(lock.library));
  const auto limit = [&](const char* before, LockChange change, std::uint64_t factor) {
    const LockWhatIf* const found = sleeps ? nullptr : lock.what_if_of(change, factor);
    return found ? fmt::format(" ({}: parallelism {} {})", before,
                               lock.bound_kind == LockBoundKind::Estimate ? "about" : "at most",
                               three_digits(found->parallelism))
                 : std::string();
  };
  text += fmt::format(": {}{}", awaits ? "release it before such waits, " : "",
                      sleeps ? "sleep outside of them" : remedy_of_long_sections(lock));
  text += limit(lock.is_of_operations() ? "half as long" : "its own code half as long",
                LockChange::Shorter, 2);
  text += is_set_of_tasks(lock) ? ", or divide what their depend clauses name"
          : lock.is_of_node()   ? ", or divide them among several nodes"
                                : ", or split it";
  text += limit("into 4", LockChange::Split, 4);
  if (is_set_of_tasks(lock) || lock.is_of_operations())
    return text + ".";
  if (lock.kind == "omp_critical")
    text += ", or use a reduction or atomic operations instead";
  else if (lock.totals.shared == 0 && !lock.kind.starts_with("omp_"))
    text += ", or let readers share it";
  else if (lock.totals.shared > 0 && lock.totals.shared < lock.totals.acquisitions)
    text += ", or let more of those that hold it share it";
  return text + ".";
}

// "a.cpp:12 runs in an arena of 1 thread, with at most 2 threads at a time (98 % of the work): ..."
std::string few_threads(const Profile& profile, const ConcurrencyLimit& limit) {
  return fmt::format(
      "{} ({} % of the work): a speedup of at most {} on any number of CPUs. {}",
      limit_in_words(limit), percent(limit.work, profile.work),
      three_digits({profile.work + profile.latency.value_or(0), limit.least_time()}),
      limit.is_of_openmp
          ? "Let the region have more threads (num_threads, omp_set_num_threads, the "
            "if clause), or ask for no number."
      : limit.is_arena ? "Give the arena more threads, or no limit."
                       : "Allow more threads.");
}

// ", mostly function f (a.cpp:3)"
std::string mostly(const Finding& finding, std::string_view after) {
  return finding.mostly.is_known() ? fmt::format(", mostly {}{}", finding.mostly.phrase(), after)
                                   : "";
}

std::string of_path(const Profile& profile, const Finding& finding, const std::string& code,
                    std::string_view remedy) {
  return fmt::format("{} % of the critical path is {}{}: {}.",
                     percent(finding.critical_work, profile.span), code, mostly(finding, ""),
                     remedy);
}

// One thread of a region of g++'s may have had most of a static loop, one team most of what was distributed.
std::string of_hidden_loop(const Finding& finding) {
  if (!finding.may_hide_loops || finding.tasks <= finding.critical_tasks || had_one_thread(finding))
    return "";
  return finding.divided_for.are_teams
             ? "; if of a loop that distribute deals out, by smaller chunks (dist_schedule)"
             : "; if of a static loop, by schedule(dynamic) or smaller chunks";
}

// Parts of a loop, or the implicit tasks of a parallel region, that are too large.
struct LargeParts {
  bool is_openmp = false;
  bool is_of_tasks = false; // of a taskloop
  bool is_loop = false;
  std::uint64_t mean = 0; // iterations of a part
  // Of OpenMP's teams: threads that were asked for and did not come; one thread; and each of several has
  // several chunks, so that it is not their size that keeps more threads from helping.
  bool lack_threads = false, had_one_thread = false, are_shared = false;
};
LargeParts large_parts(const Profile& profile, const Finding& finding) {
  const SiteInfo& info = info_of(profile, finding);
  LargeParts parts{.is_openmp = is_of_openmp(info),
                   .is_of_tasks = is_taskloop(info),
                   .is_loop = finding.body_calls > 0,
                   .mean = finding.iterations / std::max<std::uint64_t>(finding.body_calls, 1)};
  if (!parts.is_openmp || parts.is_of_tasks)
    return parts;
  const std::uint64_t shared_by = finding.shared_parts > 0 ? finding.shared_parts : finding.tasks;
  parts.lack_threads = finding.missing_threads > 0;
  parts.had_one_thread = had_one_thread(finding);
  parts.are_shared = finding.finer == Finer::MoreThreads &&
                     Wide{finding.body_calls} * finding.divided_for.least >=
                         Wide{finding.procs} * std::max<std::uint64_t>(shared_by, 1);
  return parts;
}

// Of each of so many parts: "1 iteration", "1.45 iterations", "62 iterations".
std::string iterations_of(std::uint64_t all, std::uint64_t parts) {
  if (all == parts)
    return "1 iteration";
  return fmt::format("{} iterations",
                     all < 10 * Wide{parts} ? decimal2({all, parts}) : human_count(all / parts));
}

// ", whose 8 chunks are too large (12 iterations on average)"
std::string what_is_large(const Finding& finding, const LargeParts& parts) {
  if (parts.lack_threads)
    return fmt::format(", whose {} got {} {} fewer than they asked for",
                       finding.divided_for.are_teams ? "leagues"
                       : parts.is_loop               ? "regions"
                                                     : "teams",
                       human_count(finding.missing_threads),
                       finding.missing_threads == 1 ? "thread" : "threads");
  if (parts.had_one_thread || finding.finer == Finer::Even)
    return "";
  if (!parts.is_loop)
    return finding.finer == Finer::MoreThreads || finding.runs_at_once ? ""
           : finding.has_barriers                                      ? ", the longest each time"
                                  : ", the longest of each run of it";
  if (parts.are_shared)
    return fmt::format(", whose {} chunks {} {} shared", human_count(finding.body_calls),
                       threads_phrase(finding.divided_for),
                       finding.divided_for.most == 1 ? "has" : "have");
  // Of calls that a task runs one after the other, it is the task that is too large: a call may be one iteration.
  const bool is_task = !parts.is_openmp && finding.body_calls > finding.tasks && finding.tasks > 0;
  const std::uint64_t count = is_task ? finding.tasks : finding.body_calls;
  const std::string part = is_task || parts.is_of_tasks ? "task"
                           : parts.is_openmp            ? "chunk"
                                                        : "call";
  return fmt::format(
      ", whose {} too large{} ({} on average{})",
      count == 1 ? fmt::format("one {} is", part)
                 : fmt::format("{} {}s are", human_count(count), part),
      finding.finer == Finer::MoreThreads ? fmt::format(" for {} CPUs", finding.procs) : "",
      iterations_of(finding.iterations, count), is_task ? ", in calls one after the other" : "");
}

constexpr std::string_view kMoreFinely = "divide the loop more finely, by ";

std::string remedy_in_openmp(const Profile& profile, const Finding& finding,
                             const LargeParts& parts) {
  const std::string more_cpus = a_thread_per_cpu(finding);
  const std::string_view threads = finding.divided_for.are_teams ? "teams" : "threads";
  if (parts.lack_threads || parts.had_one_thread)
    return more_threads(finding);
  if (parts.are_shared)
    return fmt::format("more threads share them further; {} shows how far", more_cpus);
  if (finding.finer == Finer::MoreThreads && !parts.is_loop && !finding.may_hide_loops)
    return fmt::format("its {0} do equal parts outside of loops and tasks; {1} shows what "
                       "more {0} do",
                       threads, more_cpus);
  if (finding.finer == Finer::MoreThreads)
    return fmt::format("for {} of more than {} OpenMP divides {} further; {} shows how far",
                       finding.divided_for.are_teams ? "leagues" : "teams",
                       threads_phrase({finding.divided_for.most, finding.divided_for.most,
                                       finding.divided_for.are_teams}),
                       parts.is_loop ? "the loop" : "loops", more_cpus);
  if (parts.is_of_tasks)
    return fmt::format("{}a smaller grainsize, or more num_tasks", kMoreFinely);
  if (parts.is_loop && is_sections(info_of(profile, finding)))
    return "divide the work of the longest into more sections";
  if (parts.is_loop && finding.shared_parts > 0)
    return fmt::format("{}{}", kMoreFinely, smaller_chunks(finding, more_cpus));
  if (parts.is_loop && finding.divided_for.are_teams)
    return "divide its work more evenly, by smaller chunks (dist_schedule) or a parallel loop in "
           "its teams";
  // Which of them is uneven, a run or what is run at once, is not known.
  const std::string_view at_once =
      finding.runs_at_once
          ? "; of runs at the same time, give the longest more threads, or less work"
          : "";
  if (parts.is_loop)
    return fmt::format("divide its work more evenly, by schedule(dynamic) or smaller chunks{}",
                       at_once);
  if (finding.may_hide_loops && finding.divided_for.are_teams)
    return "divide its work more evenly; that of distribute by smaller chunks (dist_schedule)";
  if (finding.may_hide_loops)
    return fmt::format("divide its work more evenly; that of a static loop by schedule(dynamic) "
                       "or smaller chunks{}",
                       at_once);
  return fmt::format("divide its code outside of loops and tasks more evenly among the {}{}",
                     threads, at_once);
}

std::string remedy_in_onetbb(const Profile& profile, const Finding& finding,
                             const LargeParts& parts) {
  if (finding.finer == Finer::MoreThreads)
    return fmt::format("for more threads than the {} of this run oneTBB divides {} further; "
                       "tp-run --as-if-cores {} shows how far",
                       finding.divided_for.most, parts.is_loop ? "the loop" : "loops",
                       finding.procs);
  const WhatIfCandidate* const grain = advised_grain(profile, finding);
  std::string by = "simple_partitioner";
  if (grain && grain->grain < parts.mean)
    by = grain->name;
  else if (finding.finer == Finer::SmallerGrain)
    by = "a smaller grain size";
  else if (finding.finer == Finer::NotStatic)
    by = "auto_partitioner in place of static_partitioner, or by simple_partitioner";
  return fmt::format("{}{}", kMoreFinely, by);
}

// Teams that work for a few microseconds, or for a few times of what it takes until another thread of them begins: more threads
// take longer to start, and have less to do.
std::optional<std::uint64_t> length_of_short_runs(const Profile& profile, const Finding& finding,
                                                  const LargeParts& parts) {
  constexpr std::uint64_t kShortNs = 5'000, kStarts = 20, kFewRuns = 100;
  const double hz = hz_of_work(profile);
  if (finding.finer != Finer::MoreThreads || finding.runs < kFewRuns || parts.lack_threads ||
      parts.had_one_thread || hz <= 0)
    return {};
  const std::uint64_t each = finding.critical_work / finding.runs;
  const std::uint64_t start =
      profile.prediction.steal.origin == BurdenOrigin::Measured ? profile.prediction.steal.ns : 0;
  return to_ns(each, hz) <= std::max(kShortNs, start * kStarts) ? std::optional(each)
                                                                : std::nullopt;
}

std::string imbalance(const Profile& profile, const Finding& finding) {
  const LargeParts parts = large_parts(profile, finding);
  if (const auto each = length_of_short_runs(profile, finding, parts))
    return of_path(profile, finding,
                   fmt::format("{}, run {} times for {} each", finding.code,
                               human_count(finding.runs), amount(profile, *each)),
                   "run a loop around it in parallel instead, or do more in each region: more "
                   "threads take longer to start");
  if (finding.finer == Finer::Even)
    return of_path(profile, finding, parts.is_loop ? finding.code : tasks_on_path(profile, finding),
                   has_equal_parts(finding));
  return of_path(profile, finding,
                 (parts.is_loop ? finding.code : tasks_on_path(profile, finding)) +
                     what_is_large(finding, parts),
                 parts.is_openmp ? remedy_in_openmp(profile, finding, parts)
                                 : remedy_in_onetbb(profile, finding, parts));
}

// Iterations of an ordered loop, or of a doacross: more threads, or smaller parts, leave their order as it is.
constexpr const char* kChain =
    "parts of the loop's iterations come after those of others: move what need not wait out of "
    "these parts, before the ordered block or depend(sink: ...), or behind it or depend(source)";

std::string sentence(const Profile& profile, const Finding& finding) {
  const auto is_on_path = [&](const std::string& code, std::string_view remedy) {
    return of_path(profile, finding, code, remedy);
  };
  if (finding.waits_for_iterations &&
      (finding.shape == Shape::LongTask || finding.shape == Shape::SerialTasks ||
       finding.shape == Shape::Imbalance) &&
      !had_one_thread(finding))
    return is_on_path(tasks_on_path(profile, finding),
                      std::string(kChain) +
                          (finding.may_be_nonmonotonic
                               ? "; by schedule(monotonic: dynamic, ...) threads take them in "
                                 "their order, which clang++'s schedule(dynamic) does not promise"
                               : ""));
  switch (finding.shape) {
  case Shape::SerialStart:
    return is_on_path(finding.code, "make it parallel or shorter, or leave it out of the profile "
                                    "(--from first-use)");
  case Shape::SerialCode:
    return is_on_path(finding.code, "make it parallel or shorter");
  case Shape::LongTask:
    return is_on_path(tasks_on_path(profile, finding),
                      had_one_thread(finding)               ? more_threads(finding)
                      : is_divided(profile, finding)        ? remedy_of_single(finding)
                      : finding.code.starts_with(kSections) ? "split the longest of them"
                      : finding.critical_tasks > 1 && finding.critical_steps_at_least > 1
                          ? "split them"
                          : "split it" + of_hidden_loop(finding));
  case Shape::SerialTasks:
    return is_on_path(
        tasks_on_path(profile, finding) + ", one after the other",
        (had_one_thread(finding)        ? more_threads(finding)
         : is_divided(profile, finding) ? remedy_of_single(finding)
         : is_region(info_of(profile, finding))
             ? (finding.divided_for.are_teams ? "divide their work among the teams"
                                              : "divide their work among the threads of its team")
             : "let them run in parallel, or split them") +
            of_hidden_loop(finding));
  case Shape::FewTokens:
    return is_on_path(
        tasks_on_path(profile, finding) + ", one after the other",
        (finding.tokens == 1
             ? std::string("the pipeline has one token, and so one item inside at a time")
             : fmt::format("the pipeline has {0} tokens, and so at most {0} items inside "
                           "at a time",
                           human_count(finding.tokens))) +
            "; give it more, or split the calls");
  case Shape::SerialFilter:
    return is_on_path(finding.code + ", one item after the other",
                      "move work out of it, into a parallel filter");
  case Shape::SerialNode:
    return is_on_path(finding.code + ", one message after the other",
                      finding.code.starts_with("the body of ")
                          ? "give the node more concurrency, or move work out of it"
                          : "give its nodes more concurrency, or move work out of them");
  case Shape::Imbalance:
    return imbalance(profile, finding);
  case Shape::TinyTasks:
    return tiny_tasks(profile, finding);
  case Shape::Lock:
    return lock_advice(profile, profile.locks.rows[*finding.lock]);
  case Shape::FewThreads:
    return few_threads(profile, profile.limits[*finding.limit]);
  case Shape::OffCpu:
    break;
  }
  return off_cpu(profile, finding);
}

// What the remedy saves; empty if that is not known.
std::string saving(const Profile& profile, const Finding& finding) {
  if (finding.saves_at_most() == 0 || finding.shape == Shape::OffCpu ||
      finding.finer == Finer::Even ||
      (finding.shape == Shape::Imbalance && finding.finer == Finer::MoreThreads) ||
      (finding.shape == Shape::TinyTasks && finding.runs > 0))
    return "";
  const std::string saved = amount(profile, finding.saves_at_most());
  const std::string time = amount(profile, finding.time);
  // What creating tasks takes of their own steps counts as work.
  if (finding.shape == Shape::TinyTasks)
    return fmt::format(" On {} less overhead alone saves about {} of {}.",
                       human_cpus(finding.procs), saved, time);
  std::string without;
  if (finding.time_without)
    without = amount(profile, finding.time - std::min(*finding.time_without, finding.time));
  const std::string with_sections =
      finding.time_with_sections
          ? fmt::format(
                " ({} if the sections of its locks stay as long)",
                amount(profile, finding.time - std::min(*finding.time_with_sections, finding.time)))
          : "";
  return fmt::format(" On {} that saves at most {} of {}{}.", human_cpus(finding.procs), saved,
                     time,
                     without.empty() || without == saved
                         ? with_sections
                         : fmt::format(" in parallel{}, {} if it is gone", with_sections, without));
}

// Worth advising if it saves a tenth of the time.
bool is_worth_it(const Finding& finding) {
  return Wide{finding.saves_at_most()} * 10 >= finding.time && finding.saves_at_most() > 0;
}

// Null: there is none. Sleep on the path comes first: no change of what tasks do helps as long as it is there.
const Finding* longest_off_cpu(const Profile& profile) {
  const Finding* longest = nullptr;
  const auto rank = [&](const Finding& finding) {
    return std::pair(sleeps_on_path(profile, finding), finding.off_cpu_ticks);
  };
  for (const Finding& each : profile.findings)
    if (each.shape == Shape::OffCpu && (!longest || rank(each) > rank(*longest)))
      longest = &each;
  return longest;
}

// Whether the program is why it had no CPU: it slept, or more of its own threads wanted to run than there are
// CPUs. That others had the CPUs says nothing about the program; the run check has it.
bool is_of_program(const Profile& profile, const Finding& off_cpu) {
  return !off_cpu.asleep_ticks || taken_by_others(profile) == 0 ||
         sleeps_more_than_it_works(off_cpu) ||
         Wide{*off_cpu.asleep_ticks} * 2 >= off_cpu.off_cpu_ticks;
}

// Code at one end of the critical path, whose share the verdict has.
bool is_in_verdict(const Profile& profile, const Finding& finding) {
  return profile.verdict.is_of_ends &&
         (finding.shape == Shape::SerialStart ||
          (finding.shape == Shape::SerialCode && finding.row == kMainRow &&
           (finding.critical_work == profile.phases.before ||
            finding.critical_work == profile.phases.after)));
}

std::string remedy_of_end(const Finding& finding) {
  return fmt::format("Make {}{} parallel or shorter{}.", finding.code, mostly(finding, ","),
                     finding.shape == Shape::SerialStart
                         ? ", or leave it out of the profile (--from first-use)"
                         : "");
}

// "A (30 %), B (12 %) and C (9 %)"
std::string longest_stretches(const Profile& profile) {
  std::vector<const Finding*> longest;
  for (const Finding& each : profile.findings)
    if (each.shape != Shape::OffCpu && each.shape != Shape::TinyTasks &&
        each.shape != Shape::Lock && each.shape != Shape::FewThreads)
      longest.push_back(&each);
  std::ranges::stable_sort(longest, std::ranges::greater(), &Finding::critical_work);
  longest.resize(std::min<std::size_t>(longest.size(), 3));
  std::string text;
  for (std::size_t i = 0; i < longest.size(); ++i)
    text += fmt::format("{}{} ({} %)",
                        i == 0                    ? ""
                        : i + 1 == longest.size() ? " and "
                                                  : ", ",
                        longest[i]->code, percent(longest[i]->critical_work, profile.span));
  return text;
}

// Blocks of an ordered loop of OpenMP that are most of the critical path, and more than what else there is advice about.
std::string ordered_blocks(const Profile& profile, std::uint64_t other) {
  for (const LockRow& lock : profile.locks.rows)
    if (lock.kind == "omp_ordered" && Wide{lock.bound.sections} * 2 >= profile.span &&
        lock.bound.sections > other)
      return fmt::format("The ordered blocks at {} run one after the other: {} of {} on the "
                         "critical path. Move work out of them.",
                         lock.places.front().info.name, amount(profile, lock.bound.sections),
                         amount(profile, profile.span));
  return "";
}

// Of the site whose tasks waited longest until others had done something, which is in no path and no prediction. Empty: for
// less than a twentieth of the work.
std::string advice_on_waits(const Profile& profile) {
  if (!profile.latency)
    return "";
  const SiteRow* longest = nullptr;
  std::uint64_t waited = 0;
  for (const SiteRow& site : profile.sites)
    if (const std::uint64_t of_site = site.asleep - std::min(site.latency, site.asleep);
        of_site > waited && site.row != kMainRow && !is_thread(site.info)) {
      longest = &site;
      waited = of_site;
    }
  if (!longest || Wide{waited} * 20 < profile.work)
    return "";
  return fmt::format(
      "Tasks of {} waited for {} until other threads had done something (in a semaphore, a "
      "condition variable, std::call_once), which no predicted time contains: wait less, or "
      "announce what one thread at a time may have as a lock (<tp/lock.h>).",
      longest->info.name, amount(profile, waited));
}

// Of the code that slept longest so.
std::string advice_on_sleep(const Profile& profile) {
  if (!may_sleep_for_less(profile))
    return "";
  const SiteRow& longest = *std::ranges::max_element(
      profile.sites, {}, [](const SiteRow& site) { return site.slept_in.perhaps_for_others(); });
  const auto most = std::ranges::max_element(longest.slept_in.of);
  return fmt::format(
      "All predicted times contain what {} slept {} ({}): where that is until other threads of the "
      "program have done something, wait for them with a condition variable, as by wait_for: what "
      "threads wait there is in no path.",
      longest.row == kMainRow
          ? std::string("main")
          : fmt::format("{} of {}", is_thread(longest.info) ? "threads" : "tasks",
                        longest.info.name),
      kSleepPhrases[most - longest.slept_in.of.begin()], amount(profile, *most));
}

} // namespace

bool may_sleep_for_less(const Profile& profile) {
  if (!profile.span_with_latency ||
      *profile.span_with_latency < profile.speedup_limit().denominator)
    return false;
  const std::uint64_t on_path = *profile.span_with_latency - profile.span;
  return Wide{std::min(on_path, profile.slept_in.perhaps_for_others())} * 10 >=
         *profile.span_with_latency;
}

std::string_view remedy_in_library(const LibraryLock& lock) {
  return lock.holds_copies
             ? "oneTBB holds it while it copies a message for each successor: send large "
               "messages by std::shared_ptr or pointer"
         : lock.is_of_nodes ? "oneTBB acquires it for each message: put more into each message"
                            : "oneTBB acquires it: call less often what does so";
}

void describe_findings(Profile& profile) {
  for (Finding& finding : profile.findings)
    finding.text = sentence(profile, finding) + saving(profile, finding);
}

Advice advise(const Profile& profile) {
  const auto about = [&](const Finding& finding, const std::string& before = "") {
    return Advice{before + (is_in_verdict(profile, finding)
                                ? remedy_of_end(finding) + saving(profile, finding)
                                : finding.text),
                  static_cast<std::size_t>(&finding - profile.findings.data())};
  };
  if (openmp_is_missing(profile))
    return {"Run it so that OpenMP is recorded as well: by tp-run without --no-openmp, and linked "
            "with -fopenmp "
            "-Wl,--no-as-needed.",
            {}};
  if (!why_meaningless(profile).empty())
    return {};
  if (const auto& search = profile.search;
      search && search->skipped_because.empty() && (search->steps.empty() || !search->reached))
    return {search->outcome, {}};
  const Finding* const first = profile.findings.empty() || !is_worth_it(profile.findings.front())
                                   ? nullptr
                                   : &profile.findings.front();
  // Threads that wait for a lock have no CPU: what limits them is the lock.
  if (first && first->shape == Shape::Lock)
    return about(*first);
  if (std::string waiting = remedy_of_waiting(profile); !waiting.empty())
    return {std::move(waiting), {}};
  if (std::string tries = remedy_of_tries(profile); !tries.empty())
    return {std::move(tries), {}};
  const auto tiny_with = [&](std::uint64_t least_cost) -> const Finding* {
    const auto found = std::ranges::find_if(profile.findings, [&](const Finding& finding) {
      return finding.shape == Shape::TinyTasks && finding.runs == 0 &&
             std::ranges::find(profile.sites, finding.row, &SiteRow::row)->overhead.cost >=
                 least_cost;
    });
    return found == profile.findings.end() ? nullptr : &*found;
  };
  const Finding* const off_cpu = longest_off_cpu(profile);
  if (off_cpu && sleeps_on_path(profile, *off_cpu)) {
    // Without its sleep a program is faster by that at most; less overhead may save more.
    const Finding* const tiny = tiny_with(profile.work / 10);
    return about(tiny && tiny->saves_at_most() > *off_cpu->asleep_ticks ? *tiny : *off_cpu);
  }
  // Overhead that another grain size would remove comes next if it is a tenth of the work, other
  // overhead if it is as much as the work: then no figure of parallelism says much. So does time
  // without a CPU if it is a quarter of all threads' time: no other figure shows it, unless others had the CPUs.
  const WhatIfCandidate* const grain =
      profile.advised_grains.empty() ? nullptr : &profile.advised_grains.front();
  if (grain && grain->loop->cost_now >= profile.work / 10)
    return {grain_advice(profile, *grain), {}};
  if (const Finding* const tiny = tiny_with(profile.work))
    return about(*tiny);
  // What the prediction does not contain, and a run shows.
  const auto short_loop = std::ranges::find_if(profile.findings, [](const Finding& finding) {
    return finding.shape == Shape::TinyTasks && finding.runs > 0;
  });
  if (short_loop != profile.findings.end() &&
      (profile.run_check.disproves() || !profile.verdict.is_simulated))
    return about(*short_loop);
  if (off_cpu && is_of_program(profile, *off_cpu) &&
      Wide{off_cpu_of_program(profile, *off_cpu)} * 4 >=
          Wide{profile.balance.threads} *
              (profile.balance.elapsed -
               std::min(taken_by_others(profile), profile.balance.elapsed)))
    return about(*off_cpu);
  if (const Finding* const tiny = tiny_with(profile.work / 10);
      tiny && (profile.verdict.is_ample() || !first))
    return about(*tiny);
  if (profile.verdict.is_ample())
    return {};
  const Best region = best_region(profile);
  if (gains(region, profile))
    return {worth(region.name, region, profile), {}};
  const std::string elsewhere = region.name.empty() ? "" : "The marked regions would gain little. ";
  if (const std::string ordered = ordered_blocks(profile, first ? first->critical_work : 0);
      !ordered.empty())
    return {elsewhere + ordered, {}};
  if (first)
    return about(*first, elsewhere);
  if (grain)
    return {grain_advice(profile, *grain), {}};
  for (const std::string& text : {advice_on_waits(profile), advice_on_sleep(profile)})
    if (!text.empty())
      return {elsewhere + text, {}};
  const std::string longest = longest_stretches(profile);
  const auto timed = std::ranges::find_if(profile.findings, [](const Finding& finding) {
    return finding.procs > 0; // not what had no CPU
  });
  if (timed == profile.findings.end() || longest.empty())
    return {elsewhere + "No single change would save a tenth of the time.", {}};
  return {elsewhere + fmt::format("No single change saves a tenth of the time on {}. Most of "
                                  "the critical path is {}.",
                                  human_cpus(timed->procs), longest),
          {}};
}

} // namespace tp::analysis
