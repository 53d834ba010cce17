// SPDX-License-Identifier: Apache-2.0
// Most of the work is in an arena with one thread.
#include "work.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

int main() {
  tbb::parallel_for(0, 256, [](int) { planted::compute(1); });
  tbb::task_arena arena(1, 1);
  const auto body = [](int) { planted::compute(1); };
  arena.execute([&] {
    tbb::parallel_for(0, 600, body, tbb::simple_partitioner()); // planted
  });
  tbb::parallel_for(0, 256, [](int) { planted::compute(1); });
}
