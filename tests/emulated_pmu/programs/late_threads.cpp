// SPDX-License-Identifier: Apache-2.0
// Threads that start late, all at the same time; each runs the same tree.
//   late_threads COUNT DEPTH SCALE
#include "known_work.h"

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

int main(int, char** arguments) {
  const int depth = std::atoi(arguments[2]);
  scale = std::strtoul(arguments[3], nullptr, 10);
  run_node(depth, 1);
  std::vector<std::thread> threads;
  for (int i = std::atoi(arguments[1]); i > 0; --i)
    threads.emplace_back([depth] { run_node(depth, 1); });
  for (std::thread& thread : threads)
    thread.join();
  std::puts("done");
}
