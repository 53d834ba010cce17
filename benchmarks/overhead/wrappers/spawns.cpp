// SPDX-License-Identifier: Apache-2.0
// Spawns of tasks that do nothing, by a call of task_group::run in the loop, and through wrappers;
// compiled with the distribution's headers, as an unmodified program. The kinds of spawns take
// turns, so that a machine that slows down does not count for one of them.
//
//   spawns ROUNDS       prints `kind ns` for each round: CPU time of the thread per spawn, without
//                       the tasks and the wait
//   spawns ROUNDS KIND  only that kind, for callgrind, which counts inside `spawn_all`
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>

constexpr int kSpawns = 2000;
#define END asm volatile("") // keeps the call above from becoming a jump

static void nothing() {}

// A function that takes a std::function, and one more around it.
[[gnu::noinline]] static void add(tbb::task_group& group, const std::function<void()>& body) {
  group.run([&body] { body(); });
  END;
}
[[gnu::noinline]] static void add_by_two(tbb::task_group& group,
                                         const std::function<void()>& body) {
  add(group, body);
  END;
}

static const std::function<void()> body = nothing;

template <int Kind>
[[gnu::noinline]] static void spawn_all(tbb::task_group& group) {
  const std::function<void()>& same = body;
  for (int i = 0; i < kSpawns; ++i)
    if (Kind == 0)
      group.run([&same] { same(); });
    else if (Kind == 1)
      add(group, body);
    else if (Kind == 2)
      add_by_two(group, body);
    else if (i % 4 == 0) // four callers, so that the path changes with each spawn
      add(group, body);
    else if (i % 4 == 1)
      add(group, body);
    else if (i % 4 == 2)
      add(group, body);
    else
      add(group, body);
}

static double cpu_ns() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * double(now.tv_sec) + double(now.tv_nsec);
}

int main(int argc, char** argv) {
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const struct {
    const char* name;
    void (*spawn)(tbb::task_group&);
  } kinds[] = {{"direct", spawn_all<0>},
               {"wrapper", spawn_all<1>},
               {"two_wrappers", spawn_all<2>},
               {"four_callers", spawn_all<3>}};
  tbb::task_group group;
  for (int round = -2; round < (argc > 1 ? std::atoi(argv[1]) : 10); ++round)
    for (const auto& kind : kinds) {
      if (argc > 2 && std::strcmp(argv[2], kind.name) != 0)
        continue;
      const double before = cpu_ns();
      kind.spawn(group);
      const double after = cpu_ns();
      group.wait();
      if (round >= 0)
        std::printf("%s %.1f\n", kind.name, (after - before) / kSpawns);
    }
}
