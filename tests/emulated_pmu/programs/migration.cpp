// SPDX-License-Identifier: Apache-2.0
// A thread that moves between two CPUs before each tree, while oneTBB's worker threads help it.
//   migration ROUNDS DEPTH SCALE
#include "known_work.h"

#include <cstdio>
#include <cstdlib>

int main(int, char** arguments) {
  scale = std::strtoul(arguments[3], nullptr, 10);
  for (int round = std::atoi(arguments[1]); round > 0; --round) {
    cpu_set_t cpu;
    CPU_ZERO(&cpu);
    CPU_SET(round % 2, &cpu);
    if (sched_setaffinity(0, sizeof cpu, &cpu) != 0)
      std::perror("sched_setaffinity");
    run_node(std::atoi(arguments[2]), 1);
  }
  std::puts("done");
}
