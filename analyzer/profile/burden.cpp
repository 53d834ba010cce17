// SPDX-License-Identifier: Apache-2.0
// From nanoseconds to the unit of work.
#include "profile/burden.h"

#include "base/rounding.h"
#include "profile/conservation.h"
#include "report/numbers.h"

#include <fmt/format.h>

namespace tp::analysis {
namespace {

constexpr std::uint64_t kDefaultBurdenNs = 6250; // Cilkview's 15,000 cycles at 2.4 GHz
constexpr std::uint64_t kFewSteals = 20;         // with fewer, nothing is measured

std::uint64_t at_rate(std::uint64_t ns, double hz) {
  return rounded(static_cast<double>(ns) * hz / 1e9);
}

// Uses the work that this run did per nanosecond of its steps.
std::uint64_t at_rate_of_run(std::uint64_t ns, const Measured& measured) {
  const std::uint64_t steps_ns = to_ns(measured.read.step_time, measured.read.time_hz);
  return steps_ns == 0 ? 0
                       : rounded(static_cast<double>(ns) * static_cast<double>(measured.work()) /
                                 static_cast<double>(steps_ns));
}

// Empty if the answer needs figures of the whole trace.
std::optional<std::uint64_t> burden_in_work(std::uint64_t ns, const RunInfo& run) {
  if (run.work.name == "virtual")
    return ns; // the user defines its units
  if (run.work.hz == 0)
    return {};
  return at_rate(ns, static_cast<double>(run.work.hz));
}

// How long tasks waited for a thread that had nothing to do: those that were stolen or, where hardly any were, those of the other
// threads of OpenMP's teams, which are no thieves, but begin as late.
const LogHistogram& delays(const ReadSummary& read) {
  return read.steal_delay.total() < kFewSteals && read.team_delay.total() >= kFewSteals
             ? read.team_delay
             : read.steal_delay;
}

void take_from(const LogHistogram& delays, Burden& burden, const ReadSummary& read) {
  burden.origin = BurdenOrigin::Measured;
  burden.ns = to_ns(delays.median(), read.time_hz);
}

} // namespace

std::uint64_t work_of_ns(const Measured& measured, std::uint64_t ns) {
  const RunInfo& run = measured.run();
  if (measured.is_virtual())
    return 0;
  if (run.same_as_time)
    return at_rate(ns, measured.read.time_hz);
  if (run.work.hz > 0)
    return at_rate(ns, static_cast<double>(run.work.hz));
  return at_rate_of_run(ns, measured);
}

Burden burden_before_reading(const ProfileOptions& options, const RunInfo& run) {
  Burden burden;
  if (options.burden_ns)
    burden = {.origin = BurdenOrigin::Given, .ns = *options.burden_ns};
  else if (run.work.name !=
           "virtual") // a run on the virtual clock has no time that a migration could take
    burden.ns = kDefaultBurdenNs;
  burden.work = burden_in_work(burden.ns, run).value_or(0);
  return burden;
}

RefinedBurden refined_burden(const Burden& before, const Measured& measured,
                             const ProfileOptions& options) {
  RefinedBurden refined{before, {}};
  Burden& burden = refined.burden;
  const LogHistogram& found = delays(measured.read);
  burden.steals = found.total();
  if (options.measure_burden && burden.steals >= kFewSteals)
    take_from(found, burden, measured.read);
  else if (options.measure_burden)
    refined.warning = {
        "burden", fmt::format("--burden auto: {} steals were recorded, too few to measure what "
                              "one costs: {} is assumed",
                              burden.steals, human_ns(burden.ns))};
  if (const auto work = burden_in_work(burden.ns, measured.run()))
    burden.work = *work;
  else if (to_ns(measured.read.step_time, measured.read.time_hz) > 0)
    burden.work = at_rate_of_run(burden.ns, measured);
  return refined;
}

Burden steal_burden(const Burden& burden, const Measured& measured) {
  Burden steal = burden;
  if (steal.origin != BurdenOrigin::Default || measured.is_virtual())
    return steal;
  const LogHistogram& found = delays(measured.read);
  steal.steals = found.total();
  if (steal.steals < kFewSteals)
    return steal;
  // On a machine that others used, a thief waited for a CPU, too: the CPUs that times are predicted for
  // are the program's own.
  if (check_balance(measured).balance.machine_was_shared() &&
      to_ns(found.median(), measured.read.time_hz) > steal.ns)
    return steal;
  take_from(found, steal, measured.read);
  steal.work = work_of_ns(measured, steal.ns);
  return steal;
}

} // namespace tp::analysis
