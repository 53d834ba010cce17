// SPDX-License-Identifier: Apache-2.0
// The elapsed time is that of the process, from the moment when the runtime was loaded, since predicted
// times contain the work before the first oneTBB call, too.
#include "profile/run_check.h"

#include "base/rounding.h"
#include "base/wide.h"
#include "profile/code_names.h"
#include "profile/prediction.h"
#include "profile/simulated_locks.h"
#include "report/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

namespace tp::analysis {
namespace {

std::string reason_to_skip(const RunCheckInput& input) {
  const RunInfo& run = input.measured.run();
  if (run.work.hz == 0 || input.measured.read.time_hz <= 0)
    return "the unit of work is not time";
  if (!input.prediction.skipped_because.empty())
    return input.prediction.skipped_because;
  if (!input.elapsed.skipped_because.empty())
    return input.elapsed.skipped_because;
  if (!input.measured.read.complete)
    return "the recording is incomplete";
  if (!input.prediction.own)
    return "no time is predicted for the CPUs of this run";
  return "";
}

class Checker {
public:
  explicit Checker(const RunCheckInput& input) : in_(input) {}
  RunCheck check();

private:
  std::uint64_t ns(std::uint64_t ticks) const { return to_ns(ticks, in_.measured.read.time_hz); }
  std::uint64_t work_ns(std::uint64_t work) const {
    const RunInfo& run = in_.measured.run();
    return run.same_as_time ? ns(work) : to_ns(work, static_cast<double>(run.work.hz));
  }
  void measure_times();
  void add_causes();
  CauseOfTime waited() const;
  CauseOfTime at_locks(std::uint64_t waking) const;
  std::uint64_t wake_calls() const;
  std::string sentence_of(const CauseOfTime& cause) const;
  std::string why_shorter() const;
  std::string text() const;

  const RunCheckInput& in_;
  RunCheck check_;
};

void Checker::measure_times() {
  const auto& end = in_.measured.info.end;
  const ReadSummary& read = in_.measured.read;
  check_.elapsed_ns = ns(in_.balance.elapsed);
  check_.without_cpu_ns = in_.elapsed.taken_by_others_ns.value_or(0);
  if (end && end->wall_ns > check_.elapsed_ns && !in_.from_first_use) {
    // Before the first record. What main's thread did not work or sleep there, it had no CPU.
    const std::uint64_t before = end->wall_ns - check_.elapsed_ns;
    const std::uint64_t known = work_ns(read.main_prior_work) + work_ns(read.main_prior_asleep);
    if (read.main_prior_work > 0)
      check_.without_cpu_ns += before - std::min(before, known);
    check_.elapsed_ns = end->wall_ns;
  }
  check_.without_cpu_ns = std::min(check_.without_cpu_ns, check_.elapsed_ns);
  const std::uint64_t own = in_.prediction.own->time;
  check_.predicted_ns = work_ns(in_.prediction.own_sampled.value_or(own));
  check_.sampling_ns = check_.predicted_ns - std::min(check_.predicted_ns, work_ns(own));
}

CauseOfTime Checker::waited() const {
  CauseOfTime cause{.cause = RunCause::Waited, .ns = ns(in_.elapsed.path.waited)};
  const auto most = std::ranges::max_element(
      in_.sites, {}, [](const SiteRow& site) { return site.on_run_path.waited; });
  if (most != in_.sites.end()) {
    cause.code = code_of_row(most->row, in_.measured.table);
    if (most->row != kMainRow)
      cause.place = {most->info.file, most->info.line};
  }
  return cause;
}

// Ticks in calls that wake threads which wait for locks, of all threads. They lie between steps.
std::uint64_t Checker::wake_calls() const {
  Wide all = 0;
  for (const LockHandOvers::Times& times : in_.measured.fold.hand_overs.kinds) {
    Wide kept = 0;
    for (const std::uint64_t call : times.calls)
      kept += call;
    all += times.calls.empty() ? 0 : kept * times.seen_calls / times.calls.size();
  }
  return static_cast<std::uint64_t>(all);
}

// The simulation has waits for locks, and calls that wake threads, too. `waking`: ticks of such calls on the path.
CauseOfTime Checker::at_locks(std::uint64_t waking) const {
  const RunPathPart& path = in_.elapsed.path;
  const std::uint64_t waited = ns(path.in_locks() + path.blocked_at_locks() + waking);
  CauseOfTime cause{.cause = RunCause::Locks,
                    .ns = waited - std::min(waited, work_ns(in_.prediction.own->lock_waits))};
  const auto most = std::ranges::max_element(
      in_.locks, {}, [](const LockRow& lock) { return lock.totals.waited; });
  if (most != in_.locks.end() && most->totals.waited > 0) {
    cause.code = most->phrase();
    if (!most->places.empty())
      cause.place = {most->places.front().info.file, most->places.front().info.line};
  }
  return cause;
}

void Checker::add_causes() {
  const RunPathPart& path = in_.elapsed.path;
  const std::uint64_t difference = check_.elapsed_ns - check_.predicted_ns;
  const std::uint64_t late = path.scheduler() - path.blocked() - path.delay_taken();
  const std::uint64_t readings =
      std::min(late, in_.balance.recording / std::max<std::uint64_t>(in_.balance.threads, 1));
  const std::uint64_t waking =
      std::min(late - readings, wake_calls() / std::max<std::uint64_t>(in_.balance.threads, 1));
  // What a limit of concurrency keeps threads from beginning is in the prediction.
  std::uint64_t late_ns = ns(late - readings - waking);
  for (const ConcurrencyLimit& limit : in_.limits)
    if (!limit.like_machine && limit.width < check_.procs)
      late_ns -= std::min(late_ns, work_ns(limit.time_under()));
  const auto& end = in_.measured.info.end;
  const std::uint64_t others = end && end->others_cpu_ns ? *end->others_cpu_ns : 0;
  check_.perhaps_without_cpu_ns =
      std::min(late_ns, others - std::min(others, check_.without_cpu_ns));
  // The prediction contains what latency keeps worker threads from doing, but no waits.
  const std::uint64_t blocked = path.waited > 0 ? path.blocked() - path.blocked_at_locks() : 0;
  check_.causes = {{RunCause::NoCpu, check_.without_cpu_ns, {}, {}},
                   waited(),
                   at_locks(waking),
                   {RunCause::Blocked, ns(blocked), {}, {}},
                   {RunCause::Late, late_ns, {}, {}},
                   {RunCause::Readings, ns(readings), {}, {}},
                   {RunCause::Queued, in_.elapsed.queued_ns, {}, {}}};
  if (in_.balance.threads < check_.procs)
    check_.causes.push_back({RunCause::FewThreads, ns(path.busy()), {}, {}});
  std::erase_if(check_.causes, [&](const CauseOfTime& cause) {
    return cause.ns == 0 || Wide{cause.ns} * 10 < difference;
  });
  std::ranges::stable_sort(check_.causes, std::ranges::greater(), &CauseOfTime::ns);
}

std::string Checker::sentence_of(const CauseOfTime& cause) const {
  const std::string time = human_ns(cause.ns);
  switch (cause.cause) {
  case RunCause::NoCpu:
    return fmt::format("for about {} others had its CPUs (other programs, a hypervisor{})", time,
                       in_.unknown_threads_ns >= cause.ns / 10 ? ", threads that were not recorded"
                                                               : "");
  case RunCause::Waited:
    if (!in_.measured.knows_latency())
      return fmt::format("{} slept for {} (tp-run records for what)", cause.code, time);
    return fmt::format("{} waited {} for other threads (locks, condition variables, events)",
                       cause.code, time);
  case RunCause::Blocked:
    return fmt::format("work was ready for {} while the threads that run tasks slept in others",
                       time);
  case RunCause::Locks:
    return fmt::format(
        "threads waited for locks, and woke others that did, for {} longer than predicted{}{}",
        time, cause.code.empty() ? "" : ", most of all for the " + cause.code,
        is_crowded(in_.measured)
            ? fmt::format(", since {} threads had {}, and who has a lock, or gets it next, may "
                          "be without one",
                          in_.balance.threads, human_cpus(check_.procs))
            : "");
  case RunCause::Late:
    return fmt::format("work was ready for {} before a thread that had nothing to do began it{}",
                       time,
                       Wide{check_.perhaps_without_cpu_ns} * 2 >= cause.ns
                           ? " (other programs may have had its CPU)"
                           : "");
  case RunCause::Readings:
    return fmt::format("the profiler read clock and events for {}", time);
  case RunCause::Queued:
    return fmt::format("for about {} threads waited for CPUs that no other program had (behind "
                       "others of this one, or at a limit of CPU time)",
                       time);
  case RunCause::FewThreads:
    break;
  }
  return fmt::format("only {} {} ran tasks", in_.balance.threads,
                     in_.balance.threads == 1 ? "thread" : "threads");
}

// Predicted are as many threads as CPUs. With more, sleep that these would have one after the other
// passes at once: at most all of it.
std::string Checker::why_shorter() const {
  const std::uint64_t threads = in_.balance.threads;
  const std::uint64_t latency =
      in_.measured.knows_latency() ? work_ns(in_.measured.fold.latency) : 0;
  if (threads <= check_.procs || latency < check_.predicted_ns - check_.elapsed_ns)
    return "predicted times are too long here";
  return fmt::format("it had {} threads, which can sleep at the same time, and predicted is one "
                     "thread per CPU (-P {}: for {} threads that have a CPU each)",
                     threads, threads, threads);
}

std::string Checker::text() const {
  const std::string elapsed = human_ns(check_.elapsed_ns),
                    predicted = human_ns(check_.predicted_ns) +
                                (check_.sampling_ns * 50 < check_.predicted_ns
                                     ? ""
                                     : fmt::format(" (with {} for threads that wake up more slowly "
                                                   "because they are sampled)",
                                                   human_ns(check_.sampling_ns)));
  const std::string cpus = human_cpus(check_.procs);
  if (check_.elapsed_ns < check_.predicted_ns)
    return fmt::format("This run took {} on {}, less than the {} that are predicted for it: {}.",
                       elapsed, cpus, predicted, why_shorter());
  std::string causes;
  std::uint64_t known = 0;
  for (const CauseOfTime& cause : check_.causes) {
    causes += (causes.empty() ? "" : "; ") + sentence_of(cause);
    known += cause.ns;
  }
  const std::uint64_t difference = check_.elapsed_ns - check_.predicted_ns;
  const std::string with_waits =
      check_.with_waits_ns ? fmt::format(" With what they {} as in this run, {} are predicted.",
                                         in_.measured.knows_latency() ? "waited" : "slept",
                                         human_ns(*check_.with_waits_ns))
                           : "";
  const std::string_view more =
      in_.measured.run().waits_seen ? "" : " (tp-run records waits and threads)";
  if (causes.empty())
    causes = fmt::format("the recording does not show why{}", more);
  else if (known < difference / 2)
    causes += fmt::format("; of the other {} the recording does not show why{}",
                          human_ns(difference - known), more);
  return fmt::format("This run took {} on {}, and {} are predicted for it: {}.{}", elapsed, cpus,
                     predicted, causes, with_waits);
}

RunCheck Checker::check() {
  check_.skipped_because = reason_to_skip(in_);
  if (!check_.skipped_because.empty())
    return check_;
  check_.procs = in_.prediction.own->procs;
  measure_times();
  if (!check_.differs())
    return check_;
  if (check_.elapsed_ns > check_.predicted_ns) {
    add_causes();
    if (std::ranges::find(check_.causes, RunCause::Waited, &CauseOfTime::cause) !=
        check_.causes.end())
      if (const auto time = predict_own_with_waits(in_.measured, in_.prediction, in_.readings))
        check_.with_waits_ns = work_ns(*time);
  }
  check_.text = text();
  return check_;
}

} // namespace

RunCheck check_run(const RunCheckInput& input) {
  return Checker(input).check();
}

} // namespace tp::analysis
