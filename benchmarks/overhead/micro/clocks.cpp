// SPDX-License-Identifier: Apache-2.0
// The cost of one reading of each work clock, and of its parts. A clock that does not work on this
// machine is skipped with the reason.
#include "clock/work_clock.h"

#include <benchmark/benchmark.h>

using namespace tp::rt;

namespace {

bool use(const char* event, bool user_read, Problem& problem) {
  EventList list;
  find_event(event, list.counted);
  return use_counted_work(list, user_read, problem);
}

bool use_with_extra(const char* events, Problem& problem) {
  EventList list;
  return parse_events(events, list, problem.cause) && use_counted_work(list, false, problem);
}

// Benchmarks readings of the process's clock, which `choose` sets up.
template <typename Choose>
void read_each(benchmark::State& state, Choose choose) {
  const TimePair start = read_time_pair();
  choose_other_clock("tsc", start); // the tick rate
  const double ticks_per_ns = clock_config.ticks_per_ns;
  clock_config = ClockConfig{};
  clock_config.ticks_per_ns = ticks_per_ns;
  Problem problem;
  if (!choose(problem))
    return state.SkipWithError(problem.cause.c_str());
  ThreadClock clock;
  open_clock(clock);
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(read_clock(clock));
  close_clock(clock);
}

void perf_user_instructions(benchmark::State& state) {
  read_each(state, [](Problem& problem) { return use("instructions", true, problem); });
}
void perf_read_instructions(benchmark::State& state) {
  read_each(state, [](Problem& problem) { return use("instructions", false, problem); });
}
void tsc_rseq(benchmark::State& state) {
  read_each(state, use_tsc_by_rseq);
}
void tsc_perf_page(benchmark::State& state) {
  read_each(state, use_tsc_by_perf_page);
}
void perf_read_task_clock(benchmark::State& state) {
  read_each(state, [](Problem& problem) { return use("task-clock", false, problem); });
}
void perf_read_group_of_five(benchmark::State& state) {
  read_each(state, [](Problem& problem) {
    return use_with_extra("task-clock,page-faults,context-switches,cpu-migrations,minor-faults",
                          problem);
  });
}
void thread_cpu(benchmark::State& state) {
  read_each(state, [](Problem&) {
    use_thread_cpu_time();
    return true;
  });
}

// The raw time stamp counter, for comparison.
void raw_time_stamp(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(read_time());
}
void clock_monotonic(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(read_posix(CLOCK_MONOTONIC));
}
// Opens and closes an event for each step, as TaskProf does.
void open_and_close_event(benchmark::State& state) {
  CountedEvent event;
  find_event("task-clock", event);
  for ([[maybe_unused]] auto _ : state) {
    EventGroups groups;
    if (perf::open_groups(&event, 1, false, groups, nullptr) != 0)
      return state.SkipWithError("cannot be opened");
    perf::close_groups(groups);
  }
}

BENCHMARK(perf_user_instructions);
BENCHMARK(perf_read_instructions);
BENCHMARK(tsc_rseq);
BENCHMARK(tsc_perf_page);
BENCHMARK(perf_read_task_clock);
BENCHMARK(perf_read_group_of_five);
BENCHMARK(thread_cpu);
BENCHMARK(raw_time_stamp);
BENCHMARK(clock_monotonic);
BENCHMARK(open_and_close_event);

} // namespace
