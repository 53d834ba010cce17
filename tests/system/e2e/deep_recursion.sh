# SPDX-License-Identifier: Apache-2.0
# Tasks nested as deep as the stack allows.
. "$(dirname "$0")/common.inc"
ulimit -s unlimited 2>/dev/null || ulimit -s 1000000 2>/dev/null || skip "cannot raise the stack limit"
build_stock deep <<'EOF'
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
#include <cstdio>
static void go(int depth) {
  tp::spend(1);
  if (depth == 0) return;
  tbb::task_group group;
  group.run_and_wait([=] { go(depth - 1); });
}
int main() {
  tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  go(100000);
  std::puts("done");
}
EOF
./deep >/dev/null || skip "too deep for the distribution's libtbb here"
as_stock ./deep
is_empty err
analyze tp-data
is 'p["complete"] and p["work"] == 100001 and p["span"] == 100001'
finish
