// SPDX-License-Identifier: Apache-2.0
// A group of tasks that sleep, and then compute: `sleeping_tasks THREADS TASKS SLEEP_MS WORK_MS`.
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <thread>

static double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

int main(int count, char** arguments) {
  if (count != 5)
    return 2;
  const int threads = std::atoi(arguments[1]), tasks = std::atoi(arguments[2]),
            asleep = std::atoi(arguments[3]);
  const double work = std::atof(arguments[4]);
  const tbb::global_control most(tbb::global_control::max_allowed_parallelism,
                                 static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  arena.execute([&] {
    tbb::task_group group;
    for (int i = 0; i < tasks; ++i)
      group.run([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(asleep));
        for (const double end = cpu_ms() + work; cpu_ms() < end;)
          ;
      });
    group.wait();
  });
}
