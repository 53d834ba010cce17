// SPDX-License-Identifier: Apache-2.0
// Order without a spawn or wait: resumed tasks, a full arena, collaborative_call_once.
#define TBB_PREVIEW_RESUMABLE_TASKS 1
#include "full_arena.h"
#include "specification.h"

#include <oneapi/tbb/collaborative_call_once.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <new>
#include <stdexcept>

using namespace spec;

// The sanitizers do not follow threads onto the stacks of suspended tasks.
#if !defined(TP_SANITIZED)
CASE(resumed_by_a_task) {
  tbb::task_group group, resumers;
  group.run([&] {
    spend(5);
    tbb::task::suspend([&](tbb::task::suspend_point point) {
      resumers.run([point] {
        spend(40);
        tbb::task::resume(point);
        spend(100);
      });
    });
    spend(7);
  });
  group.wait();
  spend(2);
  resumers.wait();
  spend(1);
  // The suspended task continues after resume(), not after the task that calls it.
  expect({155, 5 + 140 + 1});
}
CASE(resumed_by_a_chain) {
  if (!has_threads(2))
    return;
  // Each task is resumed by the next, which was spawned later and works longer.
  constexpr int kTasks = 8;
  std::atomic<tbb::task::suspend_point> points[kTasks] = {};
  tbb::task_group group;
  for (int i = 0; i < kTasks; ++i)
    group.run([&, i] {
      spend(1);
      tbb::task::suspend([&](tbb::task::suspend_point point) { points[i] = point; });
      spend(10);
    });
  tbb::task_group resumer;
  resumer.run([&] {
    for (auto& point : points) {
      while (point == nullptr)
        std::this_thread::yield();
      spend(3);
      tbb::task::resume(point);
    }
  });
  resumer.wait();
  group.wait();
  expect({kTasks * (1 + 10 + 3), kTasks * 3 + 10});
}
CASE(resumed_by_another_thread) {
  // Unless what created the other thread is known, its path begins at 0.
  std::thread other;
  tbb::task_group group;
  spend(10);
  group.run([&] {
    spend(5);
    tbb::task::suspend([&](tbb::task::suspend_point point) {
      other = std::thread([point] {
        spend(70);
        tbb::task::resume(point);
      });
    });
    spend(7);
  });
  group.wait();
  spend(1);
  other.join();
  expect({93, threads_are_seen() ? 93u : 78u});
}
CASE(resumed_in_the_callback) {
  // The callback is part of the task, on its stack: all of it comes before the task continues.
  tbb::task_group group;
  group.run([] {
    spend(5);
    tbb::task::suspend([](tbb::task::suspend_point point) {
      spend(3);
      tbb::task::resume(point);
      spend(2);
    });
    spend(7);
  });
  group.wait();
  spend(1);
  expect({18, 18});
}
#endif
CASE(full_arena) {
  // A thread that calls execute() waits for a slot, or a thread that has one runs the call.
  tbb::task_arena arena(2, 2);
  FullArena full(arena);
  spend(5);
  full.leave_soon();
  arena.execute([] { spend(30); });
  spend(7);
  expect({42, 42});
}
CASE(full_arena_many) {
  if (!has_threads(2))
    return;
  // Delegated to a worker thread inside, or run here when there is room: the same DAG.
  tbb::task_arena arena(1, 0);
  spend(4);
  tbb::parallel_for(
      0, 8,
      [&](int) {
        spend(1);
        arena.execute(
            [] { tbb::parallel_for(0, 4, [](int) { spend(3); }, tbb::simple_partitioner()); });
        spend(2);
      },
      tbb::simple_partitioner());
  expect({4 + 8 * 15, 4 + 6});
}
CASE(full_arena_site_and_region) {
  // A call belongs to its caller even if another thread runs it: to main, and to main's region.
  tbb::task_arena arena(2, 2);
  FullArena full(arena, [] { tbb::task_group().wait(); });
  full.leave_soon();
  {
    const tp::CausalRegion region("delegated");
    arena.execute([] { spend(800); });
  }
  expect_what_if([](Units, Units faster) { return step(800 * faster); });
  expect_site(0, {800, 800}, 800);
}
CASE(full_arena_exception) {
  if (!has_threads(2))
    return;
  tbb::task_arena arena(1, 0);
  spend(4);
  try {
    arena.execute([] {
      spend(10);
      throw std::runtime_error("as planned");
    });
  } catch (const std::runtime_error&) {
    spend(5);
  }
  expect({19, 19});
}
CASE(call_once) {
  // The others wait for the function on any thread, but not for what follows on its own thread.
  tbb::collaborative_once_flag flag;
  std::atomic<int> at_flag{0}, calls{0};
  const int callers = std::min(threads(), 4);
  tbb::parallel_for(
      0, callers,
      [&](int) {
        ++at_flag;
        bool caller = false;
        tbb::collaborative_call_once(flag, [&] {
          ++calls;
          caller = true;
          while (at_flag < callers)
            std::this_thread::yield();
          std::this_thread::sleep_for(std::chrono::milliseconds(200)); // let them begin to wait
          spend(10);
          tbb::parallel_for(0, 4, [](int) { spend(20); }, tbb::simple_partitioner());
        });
        spend(caller ? 6 : 50);
      },
      tbb::simple_partitioner());
  if (calls != 1)
    std::puts("expect one call");
  expect_work(10 + 80 + 6 + 50 * Units(callers - 1));
  expect_span_with_headers(10 + 20 + (callers > 1 ? 50 : 6));
}
CASE(call_once_again) {
  // A thread that comes after the end of the function comes after the function as well.
  if (!has_threads(2))
    return;
  tbb::collaborative_once_flag flag, another;
  std::atomic<bool> done{false};
  const auto call = [&] {
    tbb::collaborative_call_once(flag, [] { spend(100); });
    tbb::collaborative_call_once(another, [] { spend(10); });
  };
  tbb::task_group group;
  group.run([&] {
    call();
    spend(5);
    done = true;
    spend(300);
  });
  group.run([&] {
    while (!done)
      std::this_thread::yield();
    for (int i = 0; i < 100; ++i)
      call();
    spend(400);
  });
  group.wait();
  expect_work(110 + 5 + 300 + 400);
  expect_span_with_headers(110 + 400);
}
CASE(call_once_in_tasks) {
  tbb::collaborative_once_flag flag;
  tbb::parallel_for(
      0, 20,
      [&](int) {
        tbb::collaborative_call_once(flag, [] { spend(30); });
        spend(5);
      },
      tbb::simple_partitioner());
  expect_work(30 + 20 * 5);
  expect_span_with_headers(35);
  expect_divisible_span(35);
}
CASE(call_once_by_another_flag) {
  // At the address of a flag that was destroyed.
  if (!has_threads(2))
    return;
  using Flag = tbb::collaborative_once_flag;
  alignas(Flag) unsigned char place[sizeof(Flag)];
  const auto call = [&](Units cost) {
    tbb::collaborative_call_once(*reinterpret_cast<Flag*>(place), [cost] { spend(cost); });
  };
  std::atomic<bool> done{false};
  tbb::task_group group;
  new (place) Flag;
  group.run([&] {
    call(100);
    done = true;
  });
  while (!done)
    std::this_thread::yield();
  new (place) Flag;
  call(5);
  call(5);
  spend(250);
  group.wait();
  expect_work(355);
  expect_span_with_headers(255);
}
