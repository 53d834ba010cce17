# SPDX-License-Identifier: Apache-2.0
# A program that has used up its descriptors when its threads start: these threads cannot be
# recorded, all others are, and the profile reports it.
. "$(dirname "$0")/common.inc"

build_stock program <<'EOF'
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
#include <cstdio>
#include <thread>
#include <unistd.h>
#include <vector>
static void work() {
  tbb::task_group group;
  for (int i = 0; i < 10; ++i)
    group.run([] { tp::spend(10); });
  group.wait();
}
int main() {
  // A worker thread might start late, too, and take main's tasks.
  tbb::global_control alone(tbb::global_control::max_allowed_parallelism, 1);
  work();
  std::vector<int> taken;
  for (int fd = dup(0); fd >= 0; fd = dup(0))
    taken.push_back(fd);
  for (int i = 0; i < 4; ++i)
    std::thread(work).join();
  for (int fd : taken)
    close(fd);
  work();
  std::puts("done");
}
EOF
ulimit -n 64
as_stock ./program
in_file out "done"
same "lines of warning" 1 "$(grep -c 'tp: warning' err)"
analyze tp-data
is 'not p["complete"]'
is 'p["work"] >= 200'
finish
