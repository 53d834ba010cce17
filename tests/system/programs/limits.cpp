// SPDX-License-Identifier: Apache-2.0
// Limits of concurrency: arenas and global_control, their widths, and the least time that they leave.
// check.py runs these with --as-if-cores, so that no number of threads here is that of the machine.
//
// Around each case are an arena of T threads, which main enters, and a global_control of T: work that is
// in no other arena takes its T-th part at least, and so does all work of the case.
#include "specification.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

using namespace spec;

namespace {

Units threads_around() {
  return static_cast<Units>(threads());
}

// The least path to some of what runs under a limit, and from some of it to the end.
struct Ends {
  Units before = 0, after = 0;
};

// An arena or global_control: the number of threads that was asked for, how many run at a time, and
// the work under it.
void expect_limit(const char* kind, Units asked, Units width, Units work, Ends ends = {}) {
  std::printf("expect limit %s %llu %llu %llu %llu %llu\n", kind,
              static_cast<unsigned long long>(asked), static_cast<unsigned long long>(width),
              static_cast<unsigned long long>(work), static_cast<unsigned long long>(ends.before),
              static_cast<unsigned long long>(ends.after));
}

Units part(Units work, Units width) {
  return (work + width - 1) / width;
}

// `around`: the work in the arena around the case; `inside`: the least time of the case's own limits.
void expect_least_time(const Cost& cost, Units around, Units inside, Ends around_ends = {}) {
  const Units in_arena = around_ends.before + part(around, threads_around()) + around_ends.after;
  const Units in_all = part(cost.work, threads_around());
  std::printf("expect least_time %llu\n",
              static_cast<unsigned long long>(
                  std::max(std::max(cost.span, inside), std::max(in_arena, in_all))));
  expect_limit("global_control", threads_around(), threads_around(), cost.work);
  if (around > 0)
    expect_limit("arena", threads_around(), threads_around(), around, around_ends);
}

// The predicted time on so many CPUs, without any overhead.
void expect_predicted(unsigned cpus, Units low, Units high) {
  std::printf("expect predicted %u %llu %llu\n", cpus, static_cast<unsigned long long>(low),
              static_cast<unsigned long long>(high));
}

void loop(int tasks, Units each) {
  tbb::parallel_for(0, tasks, [each](int) { spend(each); }, tbb::simple_partitioner());
}

} // namespace

CASE(arena_of_one) {
  tbb::task_arena arena(1);
  spend(10);
  arena.execute([] {
    spend(4);
    loop(16, 5);
    spend(6);
  });
  spend(3);
  // Only main enters: no worker thread comes to an arena of one.
  const Cost cost = {13 + 90, 13 + 4 + 5 + 6};
  expect(cost);
  expect_limit("arena", 1, 1, 90, {10, 3});
  expect_least_time(cost, 13, 103);
  expect_predicted(4, 103, 103);
}
CASE(arena_of_one_with_enqueued_tasks) {
  tbb::task_arena arena(1);
  tbb::task_group group;
  arena.execute([&] {
    for (int i = 0; i < 8; ++i)
      arena.enqueue(group.defer([] { spend(5); }));
    group.wait();
  });
  spend(3);
  // A worker thread comes for them, and main has the other slot.
  const Cost cost = {43, 8};
  expect(cost);
  expect_limit("arena", 1, 2, 40, {0, 3});
  expect_least_time(cost, 3, 23, {5, 0});
}
CASE(arena_of_two) {
  tbb::task_arena arena(2);
  spend(10);
  arena.execute([] {
    spend(4);
    loop(16, 5);
    spend(6);
  });
  const Cost cost = {10 + 90, 10 + 4 + 5 + 6};
  expect(cost);
  expect_limit("arena", 2, 2, 90, {10, 0});
  expect_least_time(cost, 10, 55, {0, 4 + 5 + 6});
  if (threads() >= 2)
    expect_predicted(4, 60, 65); // 10 + 4 + 80 / 2 + 6
}
CASE(arena_of_three) {
  tbb::task_arena arena(3);
  arena.execute([] { loop(30, 6); });
  const Cost cost = {180, 6};
  expect(cost);
  expect_limit("arena", 3, 3, 180);
  expect_least_time(cost, 0, 60);
}
CASE(arena_for_external_threads_only) {
  tbb::task_arena arena(2, 2);
  arena.execute([] { loop(12, 5); });
  spend(1);
  const Cost cost = {61, 6};
  expect(cost);
  expect_limit("arena", 2, 1, 60, {0, 1});
  expect_least_time(cost, 1, 61, {5, 0});
  expect_predicted(4, 61, 61);
}
CASE(arena_that_tasks_enter) {
  tbb::task_arena arena(1);
  tbb::parallel_for(
      0, 8,
      [&](int) {
        arena.execute([] { spend(5); });
        spend(1);
      },
      tbb::simple_partitioner());
  // Two slots, and each task is a thread that can take one.
  const Cost cost = {48, 6};
  expect(cost);
  expect_limit("arena", 1, 2, 40, {0, 1});
  expect_least_time(cost, 8, 21, {5, 0});
}
CASE(arenas_nested) {
  tbb::task_arena outer(2), inner(3);
  outer.execute([&] {
    spend(2);
    inner.execute([] {
      spend(1);
      loop(9, 4);
    });
    loop(6, 2);
    spend(3);
  });
  const Cost cost = {2 + 1 + 36 + 12 + 3, 2 + 1 + 4 + 2 + 3};
  expect(cost);
  expect_limit("arena", 3, 3, 37, {2, 2 + 3});
  expect_limit("arena", 2, 2, 17);
  expect_least_time(cost, 0, 2 + 13 + 5);
}
CASE(arena_again_and_again) {
  tbb::task_arena arena(1);
  for (int i = 0; i < 5; ++i) {
    arena.execute([] { loop(3, 7); });
    spend(1);
  }
  const Cost cost = {110, 40};
  expect(cost);
  expect_limit("arena", 1, 1, 105, {0, 1});
  expect_least_time(cost, 5, 106, {7, 0});
}
CASE(arena_of_the_machine) {
  tbb::task_arena arena;
  arena.execute([] { loop(10, 4); });
  spend(2);
  const Cost cost = {42, 6};
  expect(cost);
  expect_least_time(cost, 2, 0, {4, 0});
}
CASE(fewer_threads_for_a_while) {
  if (!has_threads(2))
    return; // as many as around
  spend(3);
  {
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    spend(2);
    loop(16, 5);
  }
  spend(4);
  loop(16, 5);
  spend(1);
  const Cost cost = {3 + 82 + 4 + 80 + 1, 3 + 2 + 5 + 4 + 5 + 1};
  expect(cost);
  std::printf("expect least_time %llu\n",
              static_cast<unsigned long long>(std::max(std::max(cost.span, Units{3 + 82 + 10}),
                                                       part(cost.work, threads_around()))));
  expect_limit("global_control", 1, 1, 82, {3, 4 + 5 + 1});
  expect_limit("global_control", threads_around(), threads_around(), cost.work - 82);
  expect_limit("arena", threads_around(), threads_around(), cost.work);
}
