// SPDX-License-Identifier: Apache-2.0
// One tree of tasks, recorded from its root's first instruction to its last: run with TP_PAUSED=1.
//   tree THREADS DEPTH SCALE
#include "known_work.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <tp/causal.h>

#include <cstdlib>

int main(int, char** arguments) {
  const int threads = std::atoi(arguments[1]);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(threads); // more threads than CPUs
  arena.execute([&] {
    run_node(3, 1); // starts the threads
    scale = std::strtoul(arguments[3], nullptr, 10);
    tp::resume();
    run_node(std::atoi(arguments[2]), 1);
    tp::pause();
  });
}
