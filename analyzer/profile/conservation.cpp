// SPDX-License-Identifier: Apache-2.0
// The checks of the sums, and the likely causes if they do not hold.
#include "profile/conservation.h"
#include "base/wide.h"

#include "base/rounding.h"
#include "report/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace tp::analysis {

namespace {

// What reading the clock adds to the steps, in percent of the work.
constexpr std::uint64_t kMuch = 10;
std::uint64_t reading_share(const Measured& measured) {
  const Wide readings = Wide{measured.read.steps} * measured.run().step_cost;
  const Wide work = std::max<Wide>(measured.work(), 1);
  return static_cast<std::uint64_t>(std::min<Wide>(readings * 100 / work, 100));
}

// Tasks that are larger cost something else.
bool has_tiny_tasks(const Measured& measured) {
  constexpr std::uint64_t kTinyNs = 100'000;
  const ReadSummary& read = measured.read;
  return reading_share(measured) < kMuch && read.overhead - read.lock_calls > read.step_time / 10 &&
         to_ns(read.step_time, read.time_hz) <= Wide{read.begun} * kTinyNs;
}

std::string time_between_steps(const std::string& kind) {
  if (kind == "events")
    return "tasking overhead";
  if (kind == "outside_of_tasks")
    return "worker threads that look for work";
  if (kind == "lock_waits")
    return "waits for locks";
  if (kind == "omp_barrier")
    return "waits in barriers";
  if (kind == "omp_parallel" || kind == "omp_parallel_gcc")
    return "waits at the end of parallel regions";
  if (kind == "omp_teams" || kind == "omp_teams_gcc")
    return "waits at the end of leagues of teams";
  if (kind == "omp_task")
    return "waits for tasks";
  return "waits in " + kind;
}

// The CPU time that the threads took between their steps; empty if that is less than half of what is missing.
std::string known_causes(const Attribution& a, const Measured& measured, std::uint64_t missing) {
  std::map<std::string, std::uint64_t> parts;
  std::uint64_t sum = 0;
  for (const auto& [kind, ns] : a.between_steps_ns) {
    parts[time_between_steps(kind)] += ns;
    sum += ns;
  }
  if (const auto events = parts.find("tasking overhead"); events != parts.end()) {
    const std::uint64_t calls =
        std::min(to_ns(measured.read.lock_calls, measured.read.time_hz), events->second);
    events->second -= calls;
    parts["calls that release locks for which others wait"] = calls;
  }
  if (sum < missing / 2)
    return "";
  std::vector<std::pair<std::string, std::uint64_t>> largest(parts.begin(), parts.end());
  std::stable_sort(largest.begin(), largest.end(),
                   [](const auto& one, const auto& other) { return one.second > other.second; });
  std::string causes;
  for (const auto& [name, ns] : largest) {
    if (ns < missing / 10)
      break;
    causes += fmt::format("{}{}: {}", causes.empty() ? "" : "; ", name, human_ns(ns));
    if (name == "tasking overhead" && has_tiny_tasks(measured))
      causes += " (tasks are too small: use a larger grain size)";
  }
  return causes;
}

// What of a task is in its first step, or has not ended, when recording ends, is in no stream.
bool has_unended_tasks(const ReadSummary& read) {
  return read.unfinished + read.never_begun > 0;
}

constexpr std::string_view kUnknownThreads = "threads that were not recorded";

// Why CPU time of the process is in no step; empty if nothing that is known explains it. Only the
// work that was dropped and the time of unknown threads are CPU time. Overhead and idle time are
// elapsed time, in which the thread may have had no CPU, so they say "up to".
std::string cause_of_missing_time(const Attribution& a, const Measured& measured) {
  const ReadSummary& read = measured.read;
  if (!read.complete)
    return "the recording is incomplete: " + read.incomplete_reasons.front();
  const std::uint64_t missing = a.total - a.attributed;
  if (measured.info.end && measured.info.end->has_pauses())
    return fmt::format("steps that were in progress when recording was resumed, or had not ended, "
                       "and {}: {}",
                       kUnknownThreads, human_ns(missing));
  const std::uint64_t rest = missing - std::min(missing, a.unknown_threads_ns + a.paused_ns);
  if (const std::uint64_t most = std::max(a.unknown_threads_ns, a.paused_ns); most >= rest)
    return fmt::format("{}{}: {}",
                       most != a.paused_ns && has_unended_tasks(read)
                           ? "tasks that had not ended when recording ended, or "
                           : "",
                       most == a.paused_ns ? "recording was paused" : kUnknownThreads,
                       human_ns(std::min(most, missing)));
  if (!a.between_steps_ns.empty())
    if (const std::string known = known_causes(a, measured, rest); !known.empty())
      return known;
  const std::uint64_t overhead = std::min(rest, a.overhead_ns), idle = std::min(rest, a.idle_ns);
  if (overhead + idle < rest / 2)
    return "";
  // Its cost is known, so no grain size is blamed for it.
  const RunInfo& run = measured.run();
  if (const std::uint64_t reading = std::min(rest, read.steps * run.gap_cost_ns);
      reading >= rest / 2)
    return fmt::format("the reading of clock and events between steps, {} each: up to {}",
                       human_ns(run.gap_cost_ns), human_ns(reading));
  if (overhead < rest / 10)
    return fmt::format("worker threads that look for work: up to {}", human_ns(idle));
  std::string cause = idle < rest / 10 ? "tasking overhead"
                                       : "tasking overhead, and worker threads that look for work";
  cause += fmt::format(": up to {}", human_ns(std::min(rest, overhead + idle)));
  if (has_tiny_tasks(measured))
    cause += " (tasks are too small: use a larger grain size)";
  return cause;
}

// Sets the likely cause if much is missing or there is too much.
std::vector<Warning> explain_attribution(Attribution& a, const Measured& measured) {
  std::vector<Warning> warnings;
  if (a.basis == AttributionBasis::None || a.total == 0)
    return warnings;
  const Wide attributed = Wide{a.attributed} * 100;
  if (attributed > Wide{a.total} * 105 && a.basis == AttributionBasis::Time) {
    a.likely_cause = "a hypervisor or interrupts took the CPU while steps were timed";
    warnings.push_back(
        {"attribution", fmt::format("{} % of the process's CPU time is attributed to steps; likely "
                                    "cause: {}; times are too high by that much",
                                    percent2(a.attributed, a.total), a.likely_cause)});
  }
  if (attributed >= Wide{a.total} * 95)
    return warnings;
  a.likely_cause =
      a.basis == AttributionBasis::Virtual && has_unended_tasks(measured.read)
          ? "tasks had not ended when recording ended"
      : a.basis == AttributionBasis::Virtual
          ? fmt::format("tp_spend was called by {}, or while recording was paused", kUnknownThreads)
          : cause_of_missing_time(a, measured);
  warnings.push_back(
      {"attribution",
       fmt::format("only {} % of {} is attributed to steps{}{}", percent2(a.attributed, a.total),
                   a.basis == AttributionBasis::Virtual ? "the virtual work"
                                                        : "the process's CPU time",
                   a.likely_cause.empty() ? "" : "; likely cause: ", a.likely_cause)});
  return warnings;
}

Attribution attribution_of(const Measured& measured) {
  Attribution a;
  const RunInfo& run = measured.run();
  const auto& end = measured.info.end;
  const double time_hz = measured.read.time_hz;
  a.overhead_ns = to_ns(measured.read.overhead, time_hz);
  a.idle_ns = to_ns(measured.read.idle, time_hz);
  if (run.work.hz > 0)
    a.paused_ns = to_ns(measured.read.threads.paused_work, static_cast<double>(run.work.hz));
  if (!end)
    return a;
  const std::uint64_t cpu_ns = end->cpu_ns;
  if (run.work.name == "virtual") {
    a.basis = AttributionBasis::Virtual;
    a.attributed = measured.work() + measured.read.left_out_work;
    const std::uint64_t paused = measured.read.threads.paused_work;
    a.total = end->virtual_work - std::min(end->virtual_work, paused);
    return a;
  }
  const bool has_pauses = end->has_pauses();
  a.total = has_pauses ? end->recorded_cpu_ns : cpu_ns;
  if (run.work.hz > 0) {
    a.basis = AttributionBasis::Time;
    a.attributed = to_ns(measured.work() + measured.read.left_out_work, measured.hz_of_work());
  } else {
    a.basis = AttributionBasis::StepTime;
    a.attributed = to_ns(measured.read.step_time, time_hz);
  }
  if (!has_pauses && end->between_steps_ns)
    a.between_steps_ns = *end->between_steps_ns;
  // A thread's CPU time counts from its creation, the process's from the start of the profiler.
  const std::uint64_t known =
      measured.read.threads.cpu_ns - std::min(measured.read.threads.cpu_ns, run.cpu_ns_at_start);
  // tp-run, which ended this recording, does not know the threads.
  if (end->end != "window")
    a.unknown_threads_ns = cpu_ns > known ? cpu_ns - known : 0;
  if (has_pauses) // it may have been in the pauses
    a.unknown_threads_ns =
        std::min(a.unknown_threads_ns, a.total - std::min(a.total, a.attributed));
  return a;
}

} // namespace

CheckedAttribution check_attribution(const Measured& measured) {
  CheckedAttribution result{attribution_of(measured), {}};
  if (const std::uint64_t share = reading_share(measured); share > kMuch)
    result.warnings.push_back(
        {"recording",
         fmt::format("reading the clock adds {} to each step: {} % of the work, so work, span and "
                     "parallelism are those of the recording; predicted times leave it out",
                     human_ns(measured.run().step_cost_ns), share)});
  for (Warning& warning : explain_attribution(result.attribution, measured))
    result.warnings.push_back(std::move(warning));
  return result;
}

CheckedBalance check_balance(const Measured& measured) {
  CheckedBalance result;
  const ReadSummary& read = measured.read;
  const RunInfo& run = measured.run();
  TimeBalance& balance = result.balance;
  balance.threads = read.streams;
  balance.elapsed = read.last_time - std::min(read.first_time, read.last_time);
  balance.steps = read.step_time;
  balance.overhead = read.overhead;
  if (run.work.hz > 0) {
    const double ticks =
        static_cast<double>(measured.work() - read.prior_work + read.left_out_in_steps) /
        measured.hz_of_work() * read.time_hz;
    balance.descheduled = balance.steps - std::min(balance.steps, rounded(ticks));
    if (run.same_as_time) // sleep is in the unit of work
      balance.asleep = std::min(read.asleep, balance.descheduled);
    balance.lock_waits = std::min(read.lock_waits, balance.descheduled - balance.asleep);
    if (measured.info.end && measured.info.end->run_delay_ns) {
      balance.run_delay_ns = *measured.info.end->run_delay_ns;
      balance.voluntary_switches = measured.info.end->voluntary_switches;
      balance.cpu_ns = read.threads.cpu_ns;
    }
  }
  balance.lock_calls = read.lock_calls;
  balance.recording =
      std::min(read.overhead, rounded(static_cast<double>(read.steps) *
                                      static_cast<double>(run.gap_cost_ns) * read.time_hz / 1e9));
  balance.idle = read.idle;
  std::uint64_t whole = 0;
  if (__builtin_mul_overflow(balance.threads, balance.elapsed, &whole))
    return result;
  balance.absent =
      whole - std::min(whole, read.thread_time - std::min(read.thread_time, read.paused_time));
  const std::uint64_t explained = balance.steps + balance.overhead + balance.idle + balance.absent;
  balance.unexplained = std::max(whole, explained) - std::min(whole, explained);
  // The times are sums of rounded differences.
  if (balance.unexplained > whole / 50)
    result.warnings.push_back(
        {"conservation",
         fmt::format("{} % of the threads' time is neither steps nor overhead nor idle time",
                     percent2(balance.unexplained, whole))});
  return result;
}

std::vector<Warning> check_sums(const Measured& measured, const SiteRows& sites) {
  std::vector<Warning> warnings;
  if (sites.exclusive_sum != measured.work())
    warnings.push_back({"conservation", fmt::format("local work of all sites is {}, T1 is {}",
                                                    sites.exclusive_sum, measured.work())});
  if (sites.critical_sum != measured.span())
    warnings.push_back(
        {"conservation",
         fmt::format("local span of all sites on the critical path is {}, Tinf is {}",
                     sites.critical_sum, measured.span())});
  return warnings;
}

} // namespace tp::analysis
