// SPDX-License-Identifier: Apache-2.0
// Programs of known shapes, run on the hooks alone, to measure the speed of the analyzer. Each has
// one thread and about the requested number of steps.
#pragma once

#include "fake_scheduler.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tp::bench {

struct Shape {
  const char* name;
  void (*program)(std::uint64_t steps);
};

namespace shapes {
using namespace tp::test;

inline constexpr unsigned kTaskGroup = 8 | 64;
inline constexpr unsigned kParallelFor = 1 | 64;

// fib without a cut-off: two spawns and a wait per inner task.
template <typename Leaf>
void fib_of(int n, const Leaf& leaf) {
  if (n < 2) {
    tp_spend(1); // without work there is nothing to predict
    leaf();
    return;
  }
  FakeTask left, right;
  FakeContext group{0, kTaskGroup};
  spawn(left, group);
  spawn(right, group);
  wait(group, [&] {
    run(right, group, [n, &leaf] { fib_of(n - 2, leaf); });
    run(left, group, [n, &leaf] { fib_of(n - 1, leaf); });
  });
  tp_on_context_end(&group.word);
}

// The argument of fib for about `steps` steps: an inner task has four steps and a leaf one; fib(n)
// has fib(n + 1) leaves, and one inner task fewer.
inline int fib_argument(std::uint64_t steps) {
  int n = 2;
  for (std::uint64_t leaves = 2, before = 1; 5 * leaves < steps; ++n) {
    const std::uint64_t next = leaves + before;
    before = leaves;
    leaves = next;
  }
  return n;
}
inline void fib(std::uint64_t steps) {
  fib_of(fib_argument(steps), [] {});
}

// fib with each leaf in one of eight regions, in turn: with eight factors what-if has 64 scenarios
// of one region and 8 of all regions.
inline void regions(std::uint64_t steps) {
  std::array<tp_region, 8> regions{};
  unsigned line = 0;
  for (tp_region& region : regions)
    region = {"", "fib.cpp", ++line, 0, 0};
  std::size_t next = 0;
  fib_of(fib_argument(steps), [&] {
    tp_region& region = regions[next++ % regions.size()];
    tp_region_begin(&region);
    tp_region_end(&region);
  });
}

// One loop of many tasks, all spawned by the same frame: four steps each.
inline void loop_of(std::uint64_t tasks) {
  FakeContext loop{0, kParallelFor};
  std::vector<FakeTask> all(tasks);
  for (FakeTask& task : all)
    spawn(task, loop);
  wait(loop, [&] {
    for (FakeTask& task : all)
      run(task, loop, [] {
        tp_on_loop_begin();
        tp_spend(16);
        tp_on_loop_end(16, 1);
      });
  });
  tp_on_context_end(&loop.word);
}
inline void flat_loop(std::uint64_t steps) {
  loop_of(steps / 4);
}

// Consecutive loops: many short-lived contexts.
inline void nested_loops(std::uint64_t steps) {
  constexpr std::uint64_t kTasks = 64;
  for (std::uint64_t done = 0; done < steps; done += 4 * kTasks + 1)
    loop_of(kTasks);
}

// Each task spawns the next and waits for it: as many frames are open as the chain is long.
inline void chain_of(std::uint64_t length) {
  if (length == 0)
    return;
  FakeTask next;
  FakeContext group{0, kTaskGroup};
  spawn(next, group);
  wait(group, [&] { run(next, group, [length] { chain_of(length - 1); }); });
  tp_on_context_end(&group.word);
}
inline void deep_chain(std::uint64_t steps) {
  constexpr std::uint64_t kLength = 10'000;
  for (std::uint64_t done = 0; done < steps; done += 3 * kLength)
    chain_of(kLength);
}

} // namespace shapes

inline constexpr Shape kShapes[] = {{"fib", shapes::fib},
                                    {"flat_loop", shapes::flat_loop},
                                    {"deep_chain", shapes::deep_chain},
                                    {"nested_loops", shapes::nested_loops},
                                    {"regions", shapes::regions}};

} // namespace tp::bench
