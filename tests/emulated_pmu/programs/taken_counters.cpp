// SPDX-License-Identifier: Apache-2.0
// Other users of the PMU: opens events on the whole CPU 0, then runs a command (if one is given),
// or a tree during which the events are opened.
//   taken_counters pinned|flexible COUNT PROGRAM [ARG...]
//   taken_counters pinned|flexible COUNT DEPTH SCALE
#include "known_work.h"

#include <linux/perf_event.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

static void take(bool pinned, int count) {
  for (int i = 0; i < count; ++i) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
    attributes.pinned = pinned;
    if (syscall(SYS_perf_event_open, &attributes, -1, 0, -1, 0) < 0)
      std::perror("perf_event_open");
  }
}

int main(int, char** arguments) {
  const bool pinned = std::strcmp(arguments[1], "pinned") == 0;
  const int count = std::atoi(arguments[2]);
  if (!std::isdigit(arguments[3][0])) {
    take(pinned, count);
    execvp(arguments[3], arguments + 3);
    return 127;
  }
  const int depth = std::atoi(arguments[3]);
  scale = std::strtoul(arguments[4], nullptr, 10);
  run_node(depth, 1);
  take(pinned, count);
  sched_yield();
  run_node(depth, 1);
  std::puts("done");
}
