// SPDX-License-Identifier: Apache-2.0
// Which clock the process uses; the order is in work_clock.h. Once per process. Cold. No table of
// machines or kernels: the sources are opened in turn, and the first that works is taken.
#include "base/messages.h"
#include "clock/work_clock.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace tp::rt {

constinit ClockConfig clock_config;

namespace {

constexpr const char* kDevices = "/sys/bus/event_source/devices";
// Shortest interval that gives the tick rate with an error of 0.01 %.
constexpr std::uint64_t kCalibrationNs = 2'000'000;
constexpr int kCalibrationPairs = 200;

double measure_ticks_per_ns(TimePair start) {
  while (read_posix(CLOCK_MONOTONIC) - start.mono_ns < kCalibrationNs) {
  }
  const TimePair now = read_time_pair();
  const double measured =
      static_cast<double>(now.time - start.time) / static_cast<double>(now.mono_ns - start.mono_ns);
  // The number from the firmware may be wrong.
  const double nominal = static_cast<double>(nominal_time_hz()) / 1e9;
  return std::abs(nominal - measured) < 0.001 * measured ? nominal : measured;
}

std::string text_of(const Problem& problem) {
  return problem.command.empty() ? problem.cause : problem.cause + "; " + problem.command;
}

void add_reason(const Problem& problem) {
  const std::size_t used = std::strlen(clock_config.reason);
  snprintf(clock_config.reason + used, sizeof clock_config.reason - used, "%s%s",
           used > 0 ? "; " : "", text_of(problem).c_str());
}

// Opens an event to see if that works. Software events count in the kernel as well, where that is
// permitted; those that only happen in the kernel need it.
int open_alone(CountedEvent& event) {
  EventGroups groups;
  event.exclude_kernel = event.is_hardware();
  int error = perf::open_groups(&event, 1, false, groups, nullptr);
  const bool also_in_user_space =
      event.is_task_clock() || std::strstr(event.name, "faults") != nullptr;
  if ((error == EACCES || error == EPERM) && also_in_user_space) {
    event.exclude_kernel = true;
    error = perf::open_groups(&event, 1, false, groups, nullptr);
  }
  perf::close_groups(groups);
  return error;
}

// Shown by `auto` and tp-doctor, also where the kernel is too old to count on each kind of core.
Problem why_not_open(int error, const CountedEvent& event) {
  Problem problem = perf::explain(error, event);
  if (const unsigned kinds = clock_config.core_kinds.count; kinds > 0 && event.is_generic())
    problem.cause += " on one of the " + std::to_string(kinds) + " kinds of cores";
  return problem;
}

bool is_hardware(const CountedEvent& event) {
  return event.is_hardware();
}

// Makes the events the process's, if all can be opened, each alone and then together.
bool use_events(const CountedEvent* events, unsigned count, unsigned extra, bool user_read,
                Problem& problem) {
  ClockConfig& config = clock_config;
  config.event_count = config.extra_count = 0;
  config.core_kinds = find_core_kinds(kDevices);
  std::copy_n(events, count, config.events);
  for (unsigned i = 0; i < count; ++i)
    if (const int error = open_alone(config.events[i]); error != 0) {
      problem = why_not_open(error, config.events[i]);
      return false;
    }
  EventGroups groups;
  unsigned failed = 0;
  const int error = perf::open_groups(config.events, count, user_read, groups, &failed);
  std::uint64_t values[kMaxEvents];
  const bool readable =
      error == 0 && (!user_read || perf::read_groups_in_user_space(groups, values));
  perf::close_groups(groups);
  if (error != 0)
    problem = why_not_open(error, config.events[failed]);
  else if (!readable && !std::all_of(events, events + count, is_hardware))
    problem = {std::string(events[0].name) + ": software events are read by the kernel only", ""};
  else if (!readable)
    problem = {std::string(events[0].name) + ": the kernel does not let user space read counters",
               "as root: "
#if defined(__aarch64__)
               "sysctl kernel.perf_user_access=1"
#else
               "echo 2 >/sys/bus/event_source/devices/cpu/rdpmc"
#endif
    };
  if (!readable)
    return false;
  config.event_count = count;
  config.extra_count = extra;
  return true;
}

// In user space, else by read().
bool use_counted_work(const EventList& list) {
  Problem in_user_space, by_read;
  if (use_counted_work(list, true, in_user_space))
    return true;
  const bool works = use_counted_work(list, false, by_read);
  add_reason(works ? in_user_space : by_read);
  return works;
}

bool use_tsc() {
  Problem problem;
  if (use_tsc_by_rseq(problem))
    return true;
  add_reason(problem);
  if (use_tsc_by_perf_page(problem))
    return true;
  add_reason(problem);
  return false;
}

// Never inlined, so that a pair of calls costs as much as the end of one hook and the beginning of
// the next.
[[gnu::noinline]] Reading read_as_hook(ThreadClock& clock) {
  return read_clock(clock);
}

std::uint64_t median(std::uint64_t* values, int count) {
  std::nth_element(values, values + count / 2, values + count);
  return values[count / 2];
}

} // namespace

bool use_counted_work(const EventList& list, bool user_read, Problem& problem) {
  CountedEvent events[kMaxEvents];
  events[0] = list.counted;
  std::copy_n(list.extra, list.extra_count, events + 1);
  if (!use_events(events, 1 + list.extra_count, list.extra_count, user_read, problem))
    return false;
  ClockConfig& config = clock_config;
  const bool is_time = config.events[0].is_task_clock();
  config.kind = user_read ? ClockKind::PerfUser : ClockKind::PerfRead;
  config.name = user_read ? "perf-user" : "perf-read";
  config.event = config.events[0].name;
  config.unit = is_time ? "ns" : config.event;
  config.unit_hz = is_time ? 1'000'000'000 : 0;
  // CPU time is the same whatever part of it is excluded.
  config.kernel_included = is_time || !config.events[0].exclude_kernel;
  config.same_as_time = false;
  return true;
}

bool use_extra_events(const EventList& list, Problem& problem) {
  return use_events(list.extra, list.extra_count, list.extra_count, false, problem);
}

bool choose_counting_clock(std::string_view text) {
  clock_config = ClockConfig{};
  EventList list;
  std::string ignored;
  if (!parse_events(text, list, ignored))
    return false;
  if (list.work == EventList::Work::Auto)
    find_event("instructions", list.counted);
  else if (list.work != EventList::Work::Counted)
    return false;
  return use_counted_work(list);
}

void choose_other_clock(std::string_view text, TimePair start) {
  clock_config.ticks_per_ns = measure_ticks_per_ns(start);
  if (clock_config.counts_events())
    return;
  EventList list;
  std::string ignored;
  parse_events(text, list, ignored);
  const bool is_cpu_time = list.work == EventList::Work::Counted && list.counted.is_task_clock();
  if (list.work == EventList::Work::Virtual)
    use_virtual_clock();
  else if (is_cpu_time || !use_tsc())
    use_thread_cpu_time();
  if (list.work == EventList::Work::Counted && !is_cpu_time)
    warn("TP_EVENT", "'" + std::string(list.counted.name) +
                         "' cannot be counted, another clock is used: " + clock_config.reason);
  Problem problem;
  if (list.extra_count > 0 && !use_extra_events(list, problem)) {
    add_reason({"no extra events: " + problem.cause, problem.command});
    warn("TP_EVENT", "no extra events are counted: " + text_of(problem));
  }
}

bool probe_events(std::string_view text, Problem& problem) {
  clock_config = ClockConfig{};
  EventList list;
  if (!parse_events(text, list, problem.cause))
    return false;
  // Called in a process that profiles nothing, so the process's clock may be tried out here.
  if (list.work == EventList::Work::Counted && !list.counted.is_task_clock())
    return use_counted_work(list, false, problem);
  if (list.work == EventList::Work::Tsc && !use_tsc()) {
    problem.cause = clock_config.reason;
    return false;
  }
  return list.extra_count == 0 || use_extra_events(list, problem);
}

void use_virtual_clock() {
  clock_config.kind = ClockKind::Virtual;
  clock_config.name = "virtual";
  clock_config.event = "tp_spend";
  clock_config.unit = "units";
  clock_config.unit_hz = 0;
  clock_config.kernel_included = false;
  clock_config.same_as_time = false;
}

void calibrate_step_cost(ThreadClock& clock) {
  std::uint64_t work[kCalibrationPairs], time[kCalibrationPairs], gap[kCalibrationPairs];
  for (int i = 0; i < kCalibrationPairs; ++i) {
    const Reading opened = read_as_hook(clock);
    const Reading closed = read_as_hook(clock);
    work[i] = closed.work - opened.work;
    time[i] = closed.time - opened.time;
    if (clock_config.extra_count != 0) { // at the end of a step and at the beginning of the next
      read_extra_events(clock);
      read_extra_events(clock);
    }
    gap[i] = elapsed_since(closed.time, read_as_hook(clock).time);
  }
  clock_config.step_cost = median(work, kCalibrationPairs);
  const auto ticks = static_cast<double>(median(time, kCalibrationPairs));
  clock_config.step_cost_ns = static_cast<std::uint64_t>(ticks / clock_config.ticks_per_ns + 0.5);
  const auto between = static_cast<double>(median(gap, kCalibrationPairs));
  clock_config.gap_cost_ns = static_cast<std::uint64_t>(between / clock_config.ticks_per_ns + 0.5);
}

} // namespace tp::rt
