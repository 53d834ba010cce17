// Sums that have to come out, and what it means when they do not.
#include "profile/conservation.h"

#include "base/rounding.h"
#include "report/numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace tp::analysis {

namespace {

void explain_attribution(Profile& profile) {
  Attribution& a = profile.attribution;
  if (a.basis == AttributionBasis::None || a.total == 0)
    return;
  __extension__ using Wide = unsigned __int128;
  const Wide attributed = Wide{a.attributed} * 100;
  if (attributed > Wide{a.total} * 105 && a.basis == AttributionBasis::Time) {
    a.likely_cause = "a hypervisor or interrupts took the cpu while steps were timed";
    profile.warnings.push_back(
        {"attribution", fmt::format("{} % of the process's CPU time is attributed to steps; likely "
                                    "cause: {}; times are that much too high",
                                    percent2(a.attributed, a.total), a.likely_cause)});
  }
  if (attributed >= Wide{a.total} * 95)
    return;
  if (a.basis == AttributionBasis::Virtual) {
    a.likely_cause =
        "tp_spend was called by threads that never called oneTBB, or while recording was paused";
  } else {
    // The largest of what is known to be missing.
    const std::uint64_t most =
        std::max({a.unknown_threads_ns, a.overhead_ns, a.idle_ns, a.paused_ns});
    // Of overhead and of idle time a part may have been spent off the cpu.
    const std::string missing = human_ns(std::min(most, a.total - std::min(a.attributed, a.total)));
    if (most == a.paused_ns && most > 0)
      a.likely_cause = fmt::format("recording was paused: {}", missing);
    else if (most == a.unknown_threads_ns && most > 0)
      a.likely_cause = fmt::format("threads that never called oneTBB: {}", missing);
    else if (most == a.overhead_ns && most > 0)
      a.likely_cause = fmt::format(
          "tasking overhead: {} (tasks are too small: use a larger grain size)", missing);
    else
      a.likely_cause = fmt::format("workers looking for work: {}", missing);
  }
  profile.warnings.push_back(
      {"attribution", fmt::format("only {} % of {} is attributed to steps; likely cause: {}",
                                  percent2(a.attributed, a.total),
                                  a.basis == AttributionBasis::Virtual ? "the virtual work"
                                                                       : "the process's CPU time",
                                  a.likely_cause)});
}

void attribute(Profile& profile) {
  Attribution& a = profile.attribution;
  const double time_hz = profile.read.time_hz;
  a.overhead_ns = to_ns(profile.read.overhead, time_hz);
  a.idle_ns = to_ns(profile.read.idle, time_hz);
  if (profile.run.work.hz > 0)
    a.paused_ns = to_ns(profile.read.threads.paused_work, static_cast<double>(profile.run.work.hz));
  if (!profile.end)
    return;
  const std::uint64_t cpu_ns = profile.end->cpu_ns;
  if (profile.run.work.name == "virtual") {
    a.basis = AttributionBasis::Virtual;
    a.attributed = profile.work;
    const std::uint64_t paused = profile.read.threads.paused_work;
    a.total = profile.end->virtual_work - std::min(profile.end->virtual_work, paused);
    return;
  }
  a.total = cpu_ns;
  if (profile.run.work.hz > 0) {
    a.basis = AttributionBasis::Time;
    a.attributed =
        to_ns(profile.work,
              profile.run.same_as_time ? time_hz : static_cast<double>(profile.run.work.hz));
  } else {
    a.basis = AttributionBasis::StepTime;
    a.attributed = to_ns(profile.read.step_time, time_hz);
  }
  // Threads tell their CPU time since they were created, the process since the profiler started.
  const std::uint64_t known = profile.read.threads.cpu_ns -
                              std::min(profile.read.threads.cpu_ns, profile.run.cpu_ns_at_start);
  a.unknown_threads_ns = cpu_ns > known ? cpu_ns - known : 0;
}

} // namespace

void add_attribution(Profile& profile) {
  attribute(profile);
  explain_attribution(profile);
}

void add_balance(Profile& profile) {
  const ReadSummary& read = profile.read;
  TimeBalance& balance = profile.balance;
  balance.threads = read.streams;
  balance.elapsed = read.last_time - std::min(read.first_time, read.last_time);
  balance.steps = read.step_time;
  balance.overhead = read.overhead;
  if (profile.run.work.hz > 0) {
    const double hz =
        profile.run.same_as_time ? read.time_hz : static_cast<double>(profile.run.work.hz);
    const double ticks = static_cast<double>(profile.work - read.prior_work) / hz * read.time_hz;
    balance.descheduled = balance.steps - std::min(balance.steps, rounded(ticks));
  }
  balance.idle = read.idle;
  std::uint64_t whole = 0;
  if (__builtin_mul_overflow(balance.threads, balance.elapsed, &whole))
    return;
  balance.absent = whole - std::min(whole, read.thread_time);
  const std::uint64_t explained = balance.steps + balance.overhead + balance.idle + balance.absent;
  balance.unexplained = std::max(whole, explained) - std::min(whole, explained);
  // Times are sums of rounded differences.
  if (balance.unexplained > whole / 50)
    profile.warnings.push_back(
        {"Conservation",
         fmt::format("{} % of the threads' time is neither steps nor overhead nor idle time",
                     percent2(balance.unexplained, whole))});
}

void check_sums(Profile& profile) {
  if (profile.exclusive_sum != profile.work)
    profile.warnings.push_back(
        {"Conservation", fmt::format("local work of all sites is {}, T1 is {}",
                                     profile.exclusive_sum, profile.work)});
  if (profile.critical_sum != profile.span)
    profile.warnings.push_back(
        {"Conservation",
         fmt::format("local span of all sites on the critical path is {}, Tinf is {}",
                     profile.critical_sum, profile.span)});
}

} // namespace tp::analysis
