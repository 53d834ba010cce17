// Speed of the analyzer on four shapes of trees: items are records. `decode` only walks the bytes: the difference to
// `analyze` is the tree, the passes and the figures.
#include "fake_scheduler.h"
#include "profile.h"
#include "recording.h"

#include <benchmark/benchmark.h>

#include <functional>

using namespace tp::test;

namespace {

constexpr int kTasks = 1 << 20; // about; one shape has up to twice as many

constexpr unsigned kTaskGroup = 8 | 64;
constexpr unsigned kParallelFor = 1 | 64;

// fib without cut-off: two spawns and a wait per inner task.
void fib(int n) {
  if (n < 2)
    return;
  FakeTask left, right;
  FakeContext group{0, kTaskGroup};
  spawn(left, group);
  spawn(right, group);
  wait(group, [&] {
    run(right, group, [n] { fib(n - 2); });
    run(left, group, [n] { fib(n - 1); });
  });
  tp_on_context_end(&group.word);
}

// One loop of many tasks, all spawned by the same frame.
void flat_loop(int tasks) {
  FakeContext loop{0, kParallelFor};
  std::vector<FakeTask> all(static_cast<std::size_t>(tasks));
  for (FakeTask& task : all)
    spawn(task, loop);
  wait(loop, [&] {
    for (FakeTask& task : all)
      run(task, loop, [] {
        tp_on_loop_begin();
        tp_on_loop_end(16, 1);
      });
  });
  tp_on_context_end(&loop.word);
}

// Each task spawns the next and waits for it: as many frames are open as the chain is long.
void chain(int length) {
  if (length == 0)
    return;
  FakeTask next;
  FakeContext group{0, kTaskGroup};
  spawn(next, group);
  wait(group, [&] { run(next, group, [length] { chain(length - 1); }); });
  tp_on_context_end(&group.word);
}

// Loops in loops: many short-lived contexts.
void nested_loops(int outer) {
  for (int i = 0; i < outer; ++i)
    flat_loop(64);
}

struct Shape {
  const char* name;
  std::function<void()> program;
};
const Shape kShapes[] = {
    {"fib", [] { fib(28); }},
    {"flat_loop", [] { flat_loop(kTasks); }},
    {"deep_chain",
     [] {
       for (int i = 0; i < kTasks / 10000; ++i)
         chain(10000);
     }},
    {"nested_loops", [] { nested_loops(kTasks / 64); }},
};

std::string recording_of(const Shape& shape) {
  return tp::bench::record([&] {
    start();
    shape.program();
  });
}

void report(benchmark::State& state, const tp::bench::Amount& amount) {
  state.SetItemsProcessed(static_cast<std::int64_t>(amount.records) * state.iterations());
  state.SetBytesProcessed(static_cast<std::int64_t>(amount.bytes) * state.iterations());
}

void decode(benchmark::State& state) {
  const std::string data = recording_of(kShapes[state.range(0)]);
  state.SetLabel(kShapes[state.range(0)].name);
  tp::bench::Amount amount;
  for (auto _ : state)
    amount = tp::bench::amount_in(data);
  report(state, amount);
}
BENCHMARK(decode)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);

void analyze(benchmark::State& state) {
  const std::string data = recording_of(kShapes[state.range(0)]);
  state.SetLabel(kShapes[state.range(0)].name);
  for (auto _ : state) {
    const auto source = tp::analysis::open_directory(data);
    benchmark::DoNotOptimize(tp::analysis::make_profile(source, {}).work);
  }
  report(state, tp::bench::amount_in(data));
}
BENCHMARK(analyze)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);

} // namespace
