// SPDX-License-Identifier: Apache-2.0
// Every number of CPUs in a headline is from the simulation, or said to be from bounds. A prediction
// is too high if an order or a lock was not seen, which the headline says, and too low if
// loops could be split further than for the CPUs of this run.
#include "profile/verdict.h"

#include "base/rounding.h"
#include "profile/advice.h"
#include "profile/code_names.h"
#include "profile/failed_tries.h"
#include "profile/locks.h"
#include "profile/prediction.h"
#include "profile/semaphores.h"
#include "report/missing_openmp.h"
#include "report/numbers.h"
#include "report/phrases.h"
#include "sites/constructs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tp::analysis {
namespace {

// On two CPUs, an efficiency of a half gains nothing.
constexpr double kHardly = 1.5;

// The largest power of two at which Brent's bound guarantees the efficiency.
std::uint64_t worth_by_bounds(const Profile& profile) {
  std::uint64_t worth = 1;
  const Ratio limit = profile.speedup_limit();
  while (worth < kMostVerdictProcs &&
         Wide{2 * worth} * limit.denominator * kWorthEfficiencyPercent <=
             Wide{limit.numerator} * (100 - kWorthEfficiencyPercent))
    worth *= 2;
  return worth;
}

// More threads would split loops further than this run did; how far is not known.
bool splits_further(const Profile& profile) {
  return (profile.divisible == Divisible::NotRecompiled ||
          profile.divisible == Divisible::HiddenLoops) &&
         !profile.limiting_lock() && !profile.binding_limit();
}

// More CPUs would split loops further than this run did, and that gains a half.
bool gains_by_splitting(const Profile& profile) {
  return !profile.limiting_lock() && !profile.binding_limit() && profile.divisible_is_known() &&
         profile.divisible_at_least().value() >= 1.5 * profile.parallelism().value();
}

// The least time by a lock.
std::uint64_t bound_of(const Profile& profile, const LockRow& lock) {
  return profile.latency ? lock.with_latency : lock.bound.length();
}

// Code of a parallel region outside of loops and tasks, of which more threads may do smaller parts: by its number of
// threads, for example; or a region or loop that had fewer threads than it asked for. Null: there is none that matters.
const Finding* divided_by_threads(const Profile& profile) {
  const auto found = std::ranges::find_if(profile.findings, [&](const Finding& each) {
    return each.missing_threads > 0 ||
           (each.shape == Shape::Imbalance && each.body_calls == 0 && each.divided_for.most > 1);
  });
  return found == profile.findings.end() ? nullptr : &*found;
}

// What a bound that is not proven says.
std::string_view about_if(const LockRow& lock) {
  return lock.bound_kind == LockBoundKind::Estimate ? "about"
                                                    : "(if what was at its address was one lock)";
}

// The sections of a lock, if they take longer than every path.
std::string lock_detail(const Profile& profile, const LockRow& lock) {
  const auto amount = [&](std::uint64_t work) {
    return human(work, profile.run.work, hz_of_work(profile));
  };
  const std::uint64_t ends = lock.bound.before + lock.bound.after;
  const std::string length =
      profile.counts_sleep_of(lock)
          ? fmt::format("{}, asleep for {} of it", amount(lock.sections_with_latency),
                        amount(lock.asleep))
          : fmt::format("{} of {} of work{}", amount(lock.bound.sections), amount(profile.work),
                        Wide{ends} * 20 >= lock.bound.length()
                            ? fmt::format(", with {} before and after them", amount(ends))
                            : "");
  return fmt::format(
      "The sections of the {} run one after the other{}: {}{}{}.", lock.phrase(),
      lock.bound_kind == LockBoundKind::IfOneObject ? ", if what was at its address was one lock"
                                                    : "",
      lock.bound_kind == LockBoundKind::Estimate ? "about " : "", length,
      lock.library.is_known() ? fmt::format("; {}", remedy_in_library(lock.library)) : "");
}

// Whose sections take longest: what comes before and after them can be in other tasks, if loops are split.
const LockRow* longest_lock(const Profile& profile) {
  const auto length = [](const LockRow& row) {
    return row.is_of_schedule() ? 0 : row.bound.sections;
  };
  const auto found = std::ranges::max_element(profile.locks.rows, {}, length);
  return found == profile.locks.rows.end() || length(*found) == 0 ? nullptr : &*found;
}

// Where an attempt fails, a program may do something else instead: more CPUs then have fewer sections than this run.
std::string_view unless_tries_fail(const LockRow& lock) {
  const std::uint64_t tries = lock.totals.failed_tries;
  return tries > 0 && Wide{tries} * 20 >= lock.totals.acquisitions
             ? ", unless tasks do without it where try_lock fails"
             : "";
}

// "speedup at most 2.47", with what finer loops would give.
std::string limit_of_paths(const Profile& profile) {
  // A simulation deals chunks of loops out, which another schedule may do better.
  const bool is_simulated = profile.speedup_limit().denominator < profile.least_time();
  std::string text = fmt::format("speedup {} {}", is_simulated ? "about" : "at most",
                                 three_digits(profile.speedup_limit()));
  if (profile.binding_limit())
    return text + " on any number of them";
  const LockRow* const lock = profile.limiting_lock();
  if (lock && lock->bound_kind == LockBoundKind::Proven)
    return text + fmt::format(" on any number of them, by the {}{}", lock->phrase(),
                              unless_tries_fail(*lock));
  if (lock)
    return text + fmt::format(", and {} {} by the {}", about_if(*lock),
                              three_digits(Ratio{profile.speedup_limit().numerator,
                                                 bound_of(profile, *lock)}),
                              lock->phrase());
  const auto as_here = [&](std::string_view what) {
    return fmt::format(" with {} split as in this run ({})", what,
                       threads_phrase(profile.divided_for));
  };
  // Of some loops it is not known how far they can be divided.
  const bool is_unsized =
      std::ranges::find(profile.warnings, "unsized", &Warning::name) != profile.warnings.end();
  const Finding* const by_threads = divided_by_threads(profile);
  // With more threads there are other tasks.
  if (!profile.divisible_is_known())
    return text + as_here(profile.divisible == Divisible::OfThisSchedule ? "scans" : "loops");
  // Loops can be split, but what runs under a limit still does.
  const std::uint64_t limited = least_time_under_limits(profile.limits);
  const auto split_into = [&](std::uint64_t span) {
    return Ratio{profile.work, std::max(span, limited)};
  };
  if (split_into(profile.divisible_span).value() < 1.05 * profile.parallelism().value())
    return text + (is_unsized ? as_here("loops")
                   : by_threads
                       ? fmt::format(" with as many {} as in this run ({})",
                                     by_threads->divided_for.are_teams ? "teams" : "threads",
                                     threads_phrase(by_threads->divided_for))
                       : " on any number of them");
  // Loops can be split, sections of a lock cannot.
  const LockRow* const longest = longest_lock(profile);
  const std::uint64_t in_lock = longest ? longest->bound.sections : 0;
  if (longest && in_lock >= std::max(profile.divisible_span_at_most, limited))
    return text + fmt::format(", or {}{} with loops split to their grain size, by the {}",
                              longest->bound_kind == LockBoundKind::Proven
                                  ? ""
                                  : std::string(about_if(*longest)) + " ",
                              three_digits(Ratio{profile.work, in_lock}), longest->phrase());
  const std::string low = three_digits(split_into(profile.divisible_span_at_most));
  const bool is_proven = longest && longest->bound_kind == LockBoundKind::Proven;
  const std::string high =
      three_digits(split_into(std::max(profile.divisible_span, is_proven ? in_lock : 0)));
  return text +
         fmt::format(", or {} with loops split to their grain size",
                     profile.divisible_is_measured() || low == high ? high : low + " to " + high);
}

std::string limit_of(const Profile& profile) {
  return limit_of_paths(profile) +
         (may_sleep_for_less(profile) ? ", if it sleeps as long then" : "");
}

// Bounds count tasks as if they cost nothing: said is what they do cost, if it is a tenth of the time.
std::string by_bounds(const Profile& profile) {
  std::uint64_t overhead = 0;
  for (const SiteRow& site : profile.sites)
    overhead += site.overhead.cost;
  const std::uint64_t all = profile.work + overhead;
  return Wide{overhead} * 10 < all
             ? ", by bounds without overhead"
             : fmt::format(", by bounds without overhead, which is {} % of the time of its tasks",
                           percent(overhead, all));
}

// For a twentieth of the work, or more: locks in a library (stdio, malloc) among others, for which more threads would
// wait longer. Pipes and sockets may have their other end in a thread of the program's own. What main sleeps before there
// is any other thread is not for one.
bool sleeps_for_what_is_not_known(const Profile& profile) {
  constexpr SleepKind kOfThreads[] = {SleepKind::ReadPipe, SleepKind::WritePipe,
                                      SleepKind::ReadSocket, SleepKind::WriteSocket};
  const ThreadTotals& threads = profile.read.threads;
  std::uint64_t unknown = 0, at_start = 0;
  if (profile.run.threads_seen && threads.created + threads.others == 0)
    at_start = profile.latency_at_start -
               std::min(profile.slept_in_at_start.known(), profile.latency_at_start);
  for (const SiteRow& site : profile.sites) {
    unknown += site.latency - std::min(site.slept_in.known(), site.latency);
    for (const SleepKind kind : kOfThreads)
      unknown += threads.created + threads.others > 0
                     ? site.slept_in.of[static_cast<std::size_t>(kind)]
                     : 0;
  }
  unknown -= std::min(at_start, unknown);
  return Wide{unknown} * 20 >= profile.work && unknown > 0;
}

// A twentieth of the work, or more, in which threads waited until others had done something, as in std::call_once, or with
// a condition variable for what one task has at a time. Not waits for locks. Main may wait for what it has begun. A thread of
// the program's own may wait for work: no more of that counts than it worked.
bool threads_wait_for_each_other(const Profile& profile) {
  std::uint64_t waited = 0;
  for (const SiteRow& site : profile.sites) {
    const std::uint64_t of_site = site.asleep - std::min(site.latency, site.asleep);
    if (&site != &profile.sites.front())
      waited += is_thread(site.info) ? std::min(of_site, site.exclusive_work) : of_site;
  }
  return Wide{waited} * 20 >= profile.work && waited > 0;
}

// That many CPUs have no efficiency of a half if tasks need a lock that only one thread acquired on other threads, too: no
// prediction has such locks.
bool one_thread_may_hide_a_lock(const Profile& profile, std::uint64_t procs) {
  return Wide{procs} * profile.locks.greatest_of_schedule >
         2 * (Wide{profile.work} + profile.latency.value_or(0));
}

// In percent of the time that is predicted for one CPU, if the run is a tenth faster on two. Empty: it is not.
std::string percent_of_overhead(const Profile& profile) {
  const auto& scaling = profile.prediction.scaling;
  const auto one = std::ranges::find(scaling, 1u, &PredictedRun::procs);
  const auto two = std::ranges::find(scaling, 2u, &PredictedRun::procs);
  if (one == scaling.end() || two == scaling.end() || Wide{two->time} * 11 > Wide{one->time} * 10)
    return "";
  const std::uint64_t work = profile.work + profile.latency.value_or(0);
  return one->time > work ? percent(one->time - work, one->time) : "";
}

std::string headline_of(const Profile& profile, const Verdict& verdict) {
  const bool order_unseen = !profile.unseen_order.empty();
  const bool sleeps_with_lock =
      std::ranges::find(profile.warnings, kSleepWithLock, &Warning::name) != profile.warnings.end();
  const Locks& locks = profile.locks;
  const bool locks_unrecorded =
      (!locks.observed && (locks.unseen.refers_to_hooks || locks.unseen.refers_to_c_locks)) ||
      (!locks.c_observed && locks.unseen.refers_to_c_locks);
  const bool ends_unseen =
      std::ranges::any_of(locks.rows, [](const LockRow& row) { return row.unmatched > 0; });
  const bool sleep_unseen = sleeps_for_what_is_not_known(profile);
  const bool waits_in_loops = profile.functions && profile.functions->waiting.matters;
  const bool tries = tries_matter(locks, profile.work);
  // libomp's chunks of g++'s ordered loops may run one after the other where those of libgomp do not.
  const bool chunks_differ =
      std::ranges::find(profile.warnings, kOrderedOfGcc, &Warning::name) != profile.warnings.end();
  const bool semaphores = semaphores_matter(locks, profile.work);
  const bool one_thread = one_thread_may_hide_a_lock(profile, verdict.worth_procs);
  const bool threads_wait = threads_wait_for_each_other(profile);
  const bool locks_unseen = locks.unseen.are_any() || sleeps_with_lock || locks_unrecorded ||
                            ends_unseen || waits_in_loops || tries || semaphores || sleep_unseen ||
                            threads_wait || one_thread;
  const std::string_view unseen =
      sleeps_with_lock   ? "steps that hold a lock slept, and others may wait for that"
      : chunks_differ    ? "libgomp may run ordered loops in other chunks than libomp did"
      : !locks_unseen    ? "not all order was seen"
      : locks_unrecorded ? locks.observed ? "locks of the C library were not recorded"
                                          : "its locks were not recorded"
      : ends_unseen      ? "not all ends of locks' sections were seen"
      : !locks.unseen.are_any() && waits_in_loops ? "threads waited in loops, which counts as work"
      : !locks.unseen.are_any() && tries
          ? "threads may have waited between failed attempts to acquire locks, which counts as work"
      : !locks.unseen.are_any() && semaphores
          ? "how many tasks its semaphores let run at a time is not known"
      : !locks.unseen.are_any() && one_thread
          ? "tasks of only one thread acquired a lock that others may need, too"
      : !locks.unseen.are_any() && threads_wait && profile.latency
          ? "threads waited for each other, which no bound contains"
      : !locks.unseen.are_any() ? "threads slept, and it is not known whether for each other"
      : order_unseen            ? "not all order and not all locks were seen"
                                : "not all locks were seen";
  // Predictions take what was at one address for one lock, also where other objects may have been there.
  const LockRow* const lock = profile.limiting_lock();
  const bool is_conditional = lock && lock->bound_kind == LockBoundKind::IfOneObject;
  const std::string_view hardly = is_conditional || chunks_differ
                                      ? "May be hardly faster on more CPUs"
                                      : "Hardly faster on more CPUs";
  const bool splits = gains_by_splitting(profile);
  const bool is_unsure = locks_unseen || chunks_differ || (order_unseen && !splits);
  const std::string but = is_unsure ? fmt::format(" ({})", unseen) : "";
  const std::string how = verdict.is_simulated ? "" : by_bounds(profile);
  // At an efficiency of a half, two CPUs are as fast as one.
  if (verdict.is_simulated && verdict.worth_procs > 1 &&
      profile.speedup_limit().value() >= kHardly) {
    const auto best =
        std::ranges::max_element(profile.prediction.scaling, {},
                                 [](const PredictedRun& run) { return run.speedup.value(); });
    if (best->speedup.value() < kHardly && best->procs == 1)
      return fmt::format("{}{}; {}.", hardly, but, limit_of(profile));
    if (best->speedup.value() < kHardly)
      return fmt::format("{}, {} times on {}{}; {}.", hardly, three_digits(best->speedup),
                         best->procs, but, limit_of(profile));
  }
  // What hardly scales anyway promises nothing.
  if (verdict.is_disproved && verdict.worth_procs > 1 && profile.speedup_limit().value() >= kHardly)
    return fmt::format(
        "Not as fast as predicted: its tasks would scale to {} CPUs{}{}, but this run took {} "
        "times "
        "as long as predicted for {}.",
        verdict.worth_procs, verdict.worth_procs >= kMostVerdictProcs ? " and beyond" : "", but,
        three_digits({profile.run_check.on_cpus_ns(), profile.run_check.predicted_ns}),
        profile.run_check.procs);
  if (verdict.is_ample() && (order_unseen || locks_unseen))
    return fmt::format("May scale to {} CPUs{}: {}.", verdict.worth_procs, how, unseen);
  if (verdict.is_ample() && profile.limit().value() >= 2.0 * kMostVerdictProcs &&
      !one_thread_may_hide_a_lock(profile, 4 * kMostVerdictProcs) &&
      !(profile.binding_limit() && profile.speedup_limit().value() < 2.0 * kMostVerdictProcs))
    return fmt::format("Scales to {} CPUs and beyond{}.", verdict.worth_procs, how);
  if (verdict.is_ample())
    return fmt::format("Scales to {} CPUs at an efficiency of at least 50 %{}.",
                       verdict.worth_procs, how);
  const bool more_threads_may = divided_by_threads(profile) && !profile.binding_limit() && !lock;
  const std::string more =
      splits || splits_further(profile) || more_threads_may || is_conditional ? " or more" : "";
  if (profile.speedup_limit().value() < kHardly)
    return fmt::format("{}{}{}: {}.", chunks_differ ? hardly : "Hardly faster on more CPUs", how,
                       but, limit_of(profile));
  if (verdict.worth_procs > 1)
    return fmt::format("{} to {} CPUs{} at an efficiency of at least 50 %{}{}; {}.",
                       is_unsure ? "May scale" : "Scales", verdict.worth_procs, more, but, how,
                       limit_of(profile));
  // An efficiency below a half is one over the work alone.
  if (const std::string overhead = percent_of_overhead(profile);
      verdict.is_simulated && !overhead.empty())
    return fmt::format(
        "Tasks cost more than 2 CPUs gain{}: overhead is {} % of the time on one; {}.", but,
        overhead, limit_of(profile));
  return fmt::format("{} faster on 2 CPUs than on one{}{}; {}.",
                     is_conditional || chunks_differ ? "May be no" : "No", how, but,
                     limit_of(profile));
}

// One kind if all sleep of others, and of none that is known, would be less than a tenth of it.
std::string how_path_slept(const Profile& profile, std::uint64_t path) {
  for (std::size_t kind = 1; kind < kSleepKinds; ++kind)
    if (const std::uint64_t others =
            *profile.latency - std::min(profile.slept_in.of[kind], *profile.latency);
        profile.slept_in.of[kind] > 0 && Wide{others} * 10 <= path)
      return kSleepPhrases[kind];
  if (Wide{profile.slept_in.known()} * 10 <= Wide{*profile.latency} * 9)
    return "in input or output, by the clock, until child processes have ended, stopped by a "
           "signal, "
           "or until others have left code of a library (which is not seen)";
  return "in input or output, by the clock, or until child processes have ended";
}

// The thread whose sleep it is: no finding has it, since threads sleep for many reasons. Likewise: all
// others sleep less than a tenth of it.
std::string who_slept(const Profile& profile, std::uint64_t path) {
  for (const SiteRow& site : profile.sites)
    if (is_thread(site.info) &&
        Wide{*profile.latency - std::min(site.latency, *profile.latency)} * 10 <= path)
      return fmt::format(" of the thread {} {}", site.info.line > 0 ? "at" : "in",
                         site.info.place_name());
  return "";
}

// Sleep on the longest path, if it is most of the path.
std::string sleep_on_path(const Profile& profile) {
  const std::uint64_t whole = profile.span_with_latency.value_or(profile.span);
  if (Wide{whole - profile.span} * 2 < whole || whole == 0)
    return "";
  return fmt::format(
      "{} % of the least time is sleep{}: {}{}.", percent(whole - profile.span, whole),
      who_slept(profile, whole - profile.span), how_path_slept(profile, whole - profile.span),
      may_sleep_for_less(profile)
          ? " (if it does so until others are done, it sleeps for less where they are faster)"
          : "");
}

// Serial code at the ends, if it is most of the critical path.
std::string serial_ends(const Profile& profile) {
  const Phases& phases = profile.phases;
  const std::uint64_t serial = phases.before + phases.after;
  if (Wide{serial} * 2 < profile.span || phases.span == 0)
    return "";
  const auto part = [&](std::uint64_t of, std::string_view where) {
    return Wide{of} * 100 < profile.span
               ? std::string()
               : fmt::format("{} % of the critical path is serial code {}",
                             percent(of, profile.span), where);
  };
  std::string text = part(phases.before, "before the first task");
  if (std::string after =
          part(phases.after, text.empty() ? "after the last task" : "after the last one");
      !after.empty())
    text = text.empty() ? after
                        : text + fmt::format(", {} % after the last one",
                                             percent(phases.after, profile.span));
  // Limits may leave less; how much of what is under them is of that phase is not known.
  return least_time_under_limits(profile.limits) > phases.limit().denominator
             ? text + "."
             : text + fmt::format("; with tasks, parallelism is {}.", three_digits(phases.limit()));
}

// The code that has most of the critical path. Null: none was found.
const Finding* longest(const Profile& profile) {
  const Finding* found = nullptr;
  for (const Finding& each : profile.findings)
    if (each.shape != Shape::OffCpu && each.shape != Shape::TinyTasks &&
        each.shape != Shape::Lock && each.shape != Shape::FewThreads &&
        (!found || each.critical_work > found->critical_work))
      found = &each;
  return found;
}

// Null: none is on the critical path.
const RegionInfo* largest(const IdVector<RegionId, RegionInfo>& regions) {
  const RegionInfo* found = nullptr;
  for (const RegionInfo& each : regions)
    if (each.critical_work > (found ? found->critical_work : 0))
      found = &each;
  return found;
}

} // namespace

// What to do about a run that shows nothing about scaling.
std::string why_meaningless(const Profile& profile) {
  const bool was_paused = profile.read.threads.paused_work > 0 || profile.read.paused_time > 0;
  if (profile.work == 0 && profile.run.work.name == "virtual" && profile.read.ran() > 0)
    return "No work was recorded: work is what tp::spend() is given (TP_EVENT=virtual), and no "
           "task called it. "
           "Unset TP_EVENT to measure time.";
  if (profile.work == 0 && !was_paused)
    return "No work was recorded: check that the program ran long enough and used oneTBB or "
           "OpenMP.";
  if (profile.sites[0].exclusive_work == profile.work && was_paused)
    return "No work of a task was recorded, and recording was paused for a part of the run: if "
           "tasks ran there, call tp::resume() before the part to profile, or run without "
           "--paused or --delay.";
  if (profile.read.ran() == 0)
    return "No task of oneTBB or OpenMP was recorded, so this run shows nothing about scaling: "
           "check that the program ran to its end, and that it uses oneTBB or OpenMP for this "
           "input.";
  // A program that dies early, as of a symbol that is missing, has not shown what it does.
  constexpr double kLeastSeconds = 1e-3;
  const double hz = hz_of_work(profile);
  if (!profile.read.complete && hz > 0 && double(profile.work) / hz < kLeastSeconds)
    return fmt::format("The recording is incomplete, and has only {} of work: check that the "
                       "program ran as it should, by its messages and exit status.",
                       human(profile.work, profile.run.work, hz));
  return "";
}

Verdict judge(const Profile& profile) {
  Verdict verdict{.limit = profile.speedup_limit()};
  if (openmp_is_missing(profile)) {
    verdict.headline = "It is not known how it scales: OpenMP ran and was not recorded.";
    return verdict;
  }
  if (std::string text = why_meaningless(profile); !text.empty()) {
    verdict.headline = std::move(text);
    return verdict;
  }
  verdict.is_simulated = !profile.prediction.scaling.empty();
  verdict.worth_procs =
      verdict.is_simulated ? worth_procs(profile.prediction) : worth_by_bounds(profile);
  verdict.is_disproved = profile.run_check.disproves();
  verdict.headline = headline_of(profile, verdict);
  if (verdict.is_ample())
    return verdict;
  const Finding* const most = longest(profile);
  const RegionInfo* const region = largest(profile.regions);
  if (const ConcurrencyLimit* const limit = profile.binding_limit()) {
    verdict.detail = limit_in_words(*limit) + ".";
    for (const Finding& each : profile.findings)
      if (each.limit && &profile.limits[*each.limit] == limit)
        verdict.finding = &each - profile.findings.data();
    verdict.file = limit->place.file;
    verdict.line = limit->place.line;
    return verdict;
  }
  if (const LockRow* const lock = profile.limiting_lock()) {
    verdict.detail = lock_detail(profile, *lock);
    verdict.file = lock->places.front().info.file;
    verdict.line = lock->places.front().info.line;
    const auto about = std::ranges::find_if(profile.findings, [&](const Finding& finding) {
      return finding.lock && &profile.locks.rows[*finding.lock] == lock;
    });
    if (about != profile.findings.end())
      verdict.finding = about - profile.findings.begin();
    return verdict;
  }
  verdict.detail = sleep_on_path(profile);
  if (verdict.detail.empty()) {
    verdict.detail = serial_ends(profile);
    verdict.is_of_ends = !verdict.detail.empty();
  }
  const auto is_of_path = [&](std::uint64_t critical_work, const std::string& code) {
    if (verdict.detail.empty())
      verdict.detail = fmt::format("{} % of the critical path is {}.",
                                   percent(critical_work, profile.span), code);
  };
  // Names that the program gives itself are better.
  if (region && Wide{region->critical_work} * 10 >= Wide{most ? most->critical_work : 0} * 9) {
    is_of_path(region->critical_work, "the marked region " + region_name(*region));
    verdict.file = region->file;
    verdict.line = region->line;
  } else if (most) {
    if (verdict.detail.empty())
      verdict.finding = most - profile.findings.data();
    is_of_path(most->critical_work, most->mostly.is_known()
                                        ? most->code + ", mostly " + most->mostly.phrase()
                                        : most->code);
    verdict.file = most->place.file;
    verdict.line = most->place.line;
  }
  return verdict;
}

} // namespace tp::analysis
