// SPDX-License-Identifier: Apache-2.0
// A process that has counted forks; parent and child continue with the same tree.
//   forks DEPTH SCALE
#include "known_work.h"

#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

int main(int, char** arguments) {
  const int depth = std::atoi(arguments[1]);
  scale = std::strtoul(arguments[2], nullptr, 10);
  run_node(depth, 1);
  const pid_t child = fork();
  run_node(depth, 1);
  if (child == 0)
    return 0;
  int status = -1;
  waitpid(child, &status, 0);
  std::printf("child ended with %d\n", status);
}
