// SPDX-License-Identifier: Apache-2.0
// Threads are tasks of who creates them where tp-run sees that (way 1), else roots of their own; arenas
// and isolation change who runs what, not the DAG.
#include "specification.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

using namespace spec;

CASE(external_threads) {
  // Thread i: 10 i of its own, then a loop of 20 x 3.
  spend(5);
  std::vector<std::thread> external;
  for (Units i = 1; i <= 6; ++i)
    external.emplace_back([i] {
      spend(10 * i);
      tbb::parallel_for(0, 20, [](int) { spend(3); }, tbb::simple_partitioner());
    });
  for (std::thread& thread : external)
    thread.join();
  spend(2);
  expect({7 + 210 + 6 * 60, threads_are_seen() ? 5u + 63 + 2 : 63});
}
CASE(one_group_from_many_threads) {
  if (!has_threads(2))
    return; // their tasks are in other arenas, where only worker threads can run them
  tbb::task_group group;
  std::vector<std::thread> external;
  for (Units i = 1; i <= 6; ++i)
    external.emplace_back([&] { group.run([] { spend(8); }); });
  for (std::thread& thread : external)
    thread.join();
  spend(3);
  group.wait();
  spend(4);
  // Main waits for all: 8 + 4.
  expect({6 * 8 + 7, 12});
}
CASE(threads_one_after_the_other) {
  for (Units i = 1; i <= 30; ++i)
    std::thread([i] {
      tbb::task_group group;
      group.run([i] { spend(i); });
      group.wait();
    }).join();
  expect({30 * 31 / 2, threads_are_seen() ? 30u * 31 / 2 : 30u});
}
CASE(thread_without_tbb) {
  std::thread([] { spend(40); }).join();
  spend(3);
  expect({43, threads_are_seen() ? 43u : 40u});
}
CASE(arena_execute) {
  spend(1);
  tbb::task_arena arena(2);
  arena.execute([] {
    spend(2);
    tbb::parallel_for(0, 16, [](int) { spend(5); }, tbb::simple_partitioner());
    spend(3);
  });
  spend(4);
  expect({10 + 80, 15});
}
CASE(arenas_nested) {
  tbb::task_arena outer(2), inner(2);
  outer.execute([&] {
    tbb::parallel_for(
        0, 8,
        [&](int) {
          inner.execute([] { spend(5); });
          spend(1);
        },
        tbb::simple_partitioner());
  });
  expect({48, 6});
}
CASE(arena_group_by_steps) {
  tbb::task_arena arena(2);
  tbb::task_group group;
  arena.execute([&] { group.run([] { spend(20); }); });
  spend(7);
  arena.execute([&] { group.wait(); });
  spend(1);
  expect({28, 21});
}
CASE(isolate) {
  tbb::this_task_arena::isolate([] {
    spend(2);
    tbb::task_group group;
    group.run([] { spend(10); });
    group.wait();
  });
  expect({12, 12});
}
CASE(enqueue_and_wait) {
  tbb::task_arena arena(2);
  tbb::task_group group;
  tbb::task_handle handle = group.defer([] { spend(9); });
  arena.enqueue(std::move(handle));
  spend(2);
  arena.execute([&] { group.wait(); });
  spend(3);
  expect({14, 12});
}
CASE(enqueue) {
  tbb::task_arena arena(2);
  std::atomic<int> left{10};
  for (int i = 0; i < 10; ++i)
    arena.enqueue([&] {
      spend(4);
      --left;
    });
  while (left > 0)
    std::this_thread::yield();
  expect({40, 4});
}
CASE(enqueue_to_arenas_of_two_priorities) {
  using Arena = tbb::task_arena;
  Arena low(2, 1, Arena::priority::low), high(2, 1, Arena::priority::high);
  tbb::task_group group;
  for (int turn = 0; turn < 4; ++turn) {
    low.enqueue(group.defer([] { spend(9); }));
    spend(1);
    high.enqueue(group.defer([] { spend(6); }));
    spend(1);
  }
  low.execute([&] { group.wait(); });
  spend(3);
  // The last task of low priority starts at 6, the last of high priority at 7.
  expect({4 * 17 + 3, 6 + 9 + 3});
}
CASE(handle_run_by_another_thread) {
  if (!has_threads(2))
    return; // as above: only a worker thread can run it
  tbb::task_group group;
  tbb::task_handle handle = group.defer([] { spend(20); });
  spend(7);
  std::thread([&] {
    spend(5);
    group.run(std::move(handle));
    spend(1);
  }).join();
  spend(3);
  group.wait();
  spend(4);
  // The task comes after its run(), not after its defer(): 5 + 20 + 4, and what is before the thread.
  expect({40, threads_are_seen() ? 36u : 29u});
}
CASE(loop_in_each_thread_of_a_loop) {
  tbb::parallel_for(
      0, 4,
      [](int) {
        std::thread([] {
          spend(50);
          tbb::parallel_for(0, 4, [](int) { spend(2); }, tbb::simple_partitioner());
        }).join();
        spend(1);
      },
      tbb::simple_partitioner());
  expect({4 * 59, threads_are_seen() ? 53u : 52u});
}
