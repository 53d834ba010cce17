// SPDX-License-Identifier: Apache-2.0
// The cost of one event to the profiled program, without oneTBB: each benchmark calls the hooks as
// libtbb does, around events with nothing between them. The counter `bytes` is the size of the
// event on disk. TP_EVENT chooses the work clock; with `virtual` only the time stamps of the
// timeline are read. Both clock readings of each step boundary are included; `time_stamp` is the
// cost of one.
#include "clock/work_clock.h"
#include "fake_scheduler.h"
#include "recording.h"

#include <benchmark/benchmark.h>

using namespace tp::test;

namespace {

constexpr unsigned kTaskGroup = 8 | 64; // traits of a task_group's context
constexpr int kBatch = 64;              // events per call of the functions below

// Spawns tasks, which run when the spawner waits, the newest first.
void tasks() {
  static FakeTask all[kBatch];
  FakeContext group{0, kTaskGroup};
  for (FakeTask& task : all)
    spawn(task, group);
  wait(group, [&] {
    for (int i = kBatch; i-- > 0;)
      run(all[i], group, [] {});
  });
  tp_on_context_end(&group.word);
}

// A recursion without a cut-off: each task spawns the next and waits for it.
void recursion(int depth) {
  if (depth == 0)
    return;
  FakeTask task;
  FakeContext group{0, kTaskGroup};
  spawn(task, group);
  wait(group, [&] { run(task, group, [depth] { recursion(depth - 1); }); });
  tp_on_context_end(&group.word);
}
void recursive_tasks() {
  recursion(kBatch);
}

template <typename Event>
void repeat(Event event) {
  for (int i = 0; i < kBatch; ++i)
    event();
}

void loop_bodies() {
  repeat([] {
    tp_on_loop_begin();
    tp_on_loop_end(64, 1);
  });
}

void call_sites() {
  static const struct {
    const char *file, *function;
    unsigned line, column;
  } site{"file.cpp", "main", 1, 1};
  repeat([] { tp_leave_site(tp_enter_site(&site)); });
}

void regions() {
  static tp_region region{"region", "file.cpp", 1, 0, 0};
  repeat([] {
    tp_region_begin(&region);
    tp_region_end(&region);
  });
}

double bytes_per_event(void (*batch)()) {
  constexpr int kBatches = 2000;
  const auto bytes_of = [batch](int batches) {
    return tp::bench::amount_in(tp::bench::record([=] {
             start();
             for (int i = 0; i < batches; ++i)
               batch();
           }))
        .bytes;
  };
  return static_cast<double>(bytes_of(kBatches + 1) - bytes_of(1)) / (kBatches * kBatch);
}

void event(benchmark::State& state, void (*batch)()) {
  start();
  while (state.KeepRunningBatch(kBatch))
    batch();
  state.counters["bytes"] = bytes_per_event(batch);
  state.SetLabel(tp::rt::clock_config.name);
}

BENCHMARK_CAPTURE(event, task, tasks);
BENCHMARK_CAPTURE(event, recursive_task, recursive_tasks);
BENCHMARK_CAPTURE(event, loop_body, loop_bodies);
BENCHMARK_CAPTURE(event, call_site, call_sites);
BENCHMARK_CAPTURE(event, region, regions);

void time_stamp(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(tp::rt::read_time());
}
BENCHMARK(time_stamp);

} // namespace
