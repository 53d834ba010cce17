# SPDX-License-Identifier: Apache-2.0
# A program that closes descriptors it never opened, as daemons do, and then opens files of its own:
# these get the numbers that were ours, and nothing of ours may be written to them.
. "$(dirname "$0")/common.inc"
build_stock daemon <<'EOF'
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
#include <tp/causal.h>
#include <tp/virtual_clock.h>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <unistd.h>
static void loop(int turns) {
  for (int turn = 0; turn < turns; ++turn)
    tbb::parallel_for(0, 1000, [](int) { tp::spend(1); }, tbb::simple_partitioner());
}
int main(int argc, char**) {
  if (argc > 1) close(0), close(1), close(2);
  loop(2);
  for (int fd = 3; fd < 64; ++fd) close(fd);
  for (int i = 0; i < 20; ++i) {
    const int fd = open(("file" + std::to_string(i)).c_str(), O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (write(fd, "mine\n", 5) != 5) return 1;
  }
  causal_begin("a new region"); causal_end("a new region");
  loop(200);
  tbb::task_group group;  // a new site
  group.run([] { tp::spend(1); });
  group.wait();
  return 6;
}
EOF
for argument in "" stdio; do
  as_stock ./daemon $argument
  for file in file*; do same "$file" mine "$(cat "$file")"; done
  is_empty err
  analyze tp-data
  is 'p["complete"] and p["work"] == 202001'
done
finish
