// SPDX-License-Identifier: Apache-2.0
// The surroundings of tasks, which must not change their figures: observers, limits, priorities of
// arenas, concurrent containers, tasks that a wait happens to run.
#define TBB_PREVIEW_ISOLATED_TASK_GROUP 1
#include "full_arena.h"
#include "specification.h"

#include <oneapi/tbb/combinable.h>
#include <oneapi/tbb/concurrent_hash_map.h>
#include <oneapi/tbb/concurrent_priority_queue.h>
#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/concurrent_vector.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>

using namespace spec;

namespace {

struct Counting : tbb::task_scheduler_observer {
  explicit Counting(tbb::task_arena& arena) : task_scheduler_observer(arena) { observe(true); }
  ~Counting() override { observe(false); }
  void on_scheduler_entry(bool) override { ++entries; }
  void on_scheduler_exit(bool) override { ++exits; }
  std::atomic<int> entries{0}, exits{0};
};

// What a worker thread does while entering or leaving an arena belongs to no task.
struct Spending : tbb::task_scheduler_observer {
  Spending() { observe(true); }
  explicit Spending(tbb::task_arena& arena) : task_scheduler_observer(arena) { observe(true); }
  void on_scheduler_entry(bool is_worker) override { spend_as(is_worker, 1000); }
  void on_scheduler_exit(bool is_worker) override { spend_as(is_worker, 100); }
  ~Spending() override {
    observe(false);
    expect_outside_of_steps(by_workers);
  }

private:
  void spend_as(bool is_worker, Units units) {
    if (!is_worker)
      return spend(units);
    by_workers += units;
    tp::spend(units);
  }
  std::atomic<Units> by_workers{0};
};

void loop(int n, Units units) {
  tbb::parallel_for(0, n, [units](int) { spend(units); }, tbb::simple_partitioner());
}

} // namespace

CASE(observer) {
  tbb::task_arena arena(4);
  {
    Counting observer(arena);
    arena.execute([] { loop(32, 5); });
    if (observer.entries == 0)
      std::puts("expect an observed thread");
  }
  spend(1);
  expect({161, 6});
}
CASE(observer_called_at_once) {
  spend(3);
  const Spending observer;
  loop(4, 5);
  expect({3 + 1000 + 20, 3 + 1000 + 5});
}
CASE(observed_execute) {
  // Entering and leaving are on the path of the caller.
  tbb::task_arena arena(4);
  const Spending observer(arena);
  for (int turn = 0; turn < 2; ++turn)
    arena.execute([] { loop(4, 5); });
  spend(1);
  expect({2 * 1120 + 1, 2 * 1105 + 1});
}
CASE(observed_execute_in_tasks) {
  tbb::task_arena arena(16);
  const Spending observer(arena);
  tbb::task_group group;
  for (int i = 0; i < 6; ++i)
    group.run([&] {
      spend(2);
      arena.execute([] { spend(7); });
    });
  group.wait();
  expect({6 * 1109, 1109});
}
CASE(observed_full_arena) {
  // A caller that waited for a slot enters, runs its call, which was queued before, and leaves.
  tbb::task_arena arena(2, 2);
  const Spending observer(arena);
  FullArena full(arena);
  spend(5);
  full.leave_soon();
  arena.execute([] { spend(2000); });
  spend(7);
  expect({2 * 1100 + 5 + 1000 + 2000 + 100 + 7, 5 + 2000 + 100 + 7});
}
CASE(limits) {
  // Fewer threads for a while: the same tasks.
  loop(16, 3);
  {
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    const tbb::global_control stack(tbb::global_control::thread_stack_size, 1 << 20);
    loop(16, 3);
  }
  loop(16, 3);
  expect({3 * 48, 9});
}
CASE(arenas_of_priorities) {
  using Arena = tbb::task_arena;
  Arena arenas[] = {Arena(2, 1, Arena::priority::low), Arena(2),
                    Arena(2, 1, Arena::priority::high)};
  tbb::task_group groups[3];
  for (const int i : {0, 1, 2, 0}) {
    arenas[i].execute([&] { groups[i].run([] { loop(8, 4); }); });
    spend(1);
  }
  for (int i = 0; i < 3; ++i)
    arenas[i].execute([&] { groups[i].wait(); });
  expect({4 * 33, 3 + 4});
}
CASE(enqueued_here) {
  tbb::task_group group;
  spend(1);
  tbb::this_task_arena::enqueue(group.defer([] { spend(20); }));
  spend(2);
  group.wait();
  expect({23, 21});
}
CASE(isolated_group) {
  tbb::isolated_task_group group;
  for (int i = 0; i < 4; ++i) {
    spend(1);
    group.run([] { loop(4, 6); });
  }
  group.wait();
  spend(2);
  expect({4 * 25 + 2, 4 + 6 + 2});
}
CASE(mailboxes) {
  // Both partitioners send tasks to threads: which thread takes them, and how, does not matter.
  tbb::affinity_partitioner affinity;
  using Range = tbb::blocked_range<int>;
  const auto body = [](const Range& range) {
    for (int i = range.begin(); i != range.end(); ++i)
      spend(2);
  };
  for (int turn = 0; turn < 8; ++turn) {
    tbb::parallel_for(Range(0, 60), body, affinity);
    tbb::parallel_for(Range(0, 60), body, tbb::static_partitioner());
  }
  expect_work(8 * 2 * 120);
  expect_divisible_span(8 * 2 * 2);
}
CASE(waits_run_unrelated_tasks) {
  // Each task waits for two of its own; meanwhile the thread may run any of the others.
  tbb::task_group group;
  for (int i = 0; i < 12; ++i)
    group.run([i] {
      tbb::task_group own;
      spend(3);
      own.run([i] { spend(Units(10 + i)); });
      own.run([] { loop(2, 4); });
      own.wait();
      spend(1);
    });
  group.wait();
  expect({12 * (3 + 10 + 8 + 1) + 66, 3 + 21 + 1});
}
CASE(containers) {
  tbb::concurrent_vector<int> vector;
  tbb::concurrent_hash_map<int, int> map;
  tbb::concurrent_queue<int> queue;
  tbb::concurrent_priority_queue<int> priorities;
  tbb::enumerable_thread_specific<int> mine(0);
  tbb::combinable<int> combined([] { return 0; });
  tbb::parallel_for(
      0, 64,
      [&](int i) {
        spend(2);
        vector.push_back(i);
        tbb::concurrent_hash_map<int, int>::accessor place;
        map.insert(place, i % 8);
        place->second += i;
        place.release();
        queue.push(i);
        priorities.push(i);
        ++mine.local();
        ++combined.local();
        spend(1);
      },
      tbb::simple_partitioner());
  const int counted = mine.combine(std::plus<>()) + combined.combine(std::plus<>());
  if (vector.size() != 64 || map.size() != 8 || queue.unsafe_size() != 64 || counted != 128)
    std::puts("expect all elements");
  tbb::parallel_for_each(vector.begin(), vector.end(), [](int) { spend(1); });
  expect_work(64 * 4);
  expect_span_between(3 + 1, 3 + 64);
}
CASE(bounded_queue) {
  // Consumers block inside the queue, where they run no tasks: what they wait for is not recorded.
  if (!has_threads(3))
    return;
  tbb::concurrent_bounded_queue<int> queue;
  queue.set_capacity(2);
  std::thread producer([&] {
    for (int i = 0; i < 20; ++i) {
      spend(2);
      queue.push(i);
    }
  });
  tbb::task_group group;
  for (int consumer = 0; consumer < 2; ++consumer)
    group.run([&] {
      for (int i = 0; i < 10; ++i) {
        int item = 0;
        queue.pop(item);
        spend(5);
      }
    });
  group.wait();
  producer.join();
  expect({20 * 7, 50});
}
