// SPDX-License-Identifier: Apache-2.0
// The table of edges in a fork()ed child: empty, never locked, and cleared without touching its
// memory.
#include "builder/edge_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tp::rt;

namespace {

// Exit status of `check` in a child process; -1 if the child did not exit by itself.
template <typename Check>
int in_child(Check check) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60); // a child that hangs is killed
    _exit(check());
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

long minor_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

TEST(EdgeTable, AChildStartsEmptyAndTouchesNothing) {
  std::vector<char> keys(20'000);
  for (const char& key : keys)
    put_edge(&key, 7);
  const auto check = [&] {
    const long before = minor_faults();
    clear_edges();
    if (minor_faults() - before > 8)
      return 1;
    for (const char& key : keys)
      if (take_edge(&key) != 0)
        return 2;
    put_edge(&keys[0], 8);
    if (peek_edge(&keys[0]) != 8 || take_edge(&keys[0]) != 8 || take_edge(&keys[0]) != 0)
      return 3;
    return in_child([&] { // and in a child of the child
      put_edge(&keys[0], 9);
      clear_edges();
      return take_edge(&keys[0]) == 0 ? 0 : 4;
    });
  };
  EXPECT_EQ(in_child(check), 0)
      << "1: page faults, 2: the parent's edges, 3: own edges, 4: grandchild";
  for (const char& key : keys)
    ASSERT_EQ(take_edge(&key), 7u);
}

TEST(EdgeTable, AChildMeetsNoLockOfThreadsThatAreNotThere) {
  char key = 0;
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) {
      put_edge(&key, 1);
      take_edge(&key);
    }
  });
  int wrong = 0;
  for (int fork = 0; fork < 200; ++fork)
    wrong += in_child([&] {
               clear_edges();
               put_edge(&key, 2);
               return take_edge(&key) == 2 ? 0 : 1;
             }) != 0;
  stop = true;
  other.join();
  EXPECT_EQ(wrong, 0);
}

} // namespace
