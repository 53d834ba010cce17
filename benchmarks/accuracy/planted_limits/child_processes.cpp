// SPDX-License-Identifier: Apache-2.0
// A task runs child processes, one after the other, and waits for each.
#include "work.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
#include <sys/wait.h>

int main() {
  tbb::parallel_for(0, 256, [](int) { planted::compute(1); });
  tbb::task_group children;
  children.run([] { // planted
    for (int i = 0; i < 4; ++i)
      planted::require(std::system("i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done") == 0,
                       "system");
  });
  children.wait();
  tbb::parallel_for(0, 256, [](int) { planted::compute(1); });
}
