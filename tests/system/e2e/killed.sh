# SPDX-License-Identifier: Apache-2.0
# SIGKILL in the middle of a busy program: all but the last moment is recorded, and the profile is
# marked `incomplete`.
. "$(dirname "$0")/common.inc"
build_stock busy <<'EOF'
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
#include <cstdio>
int main() {
  for (int turn = 0;; ++turn) {
    tbb::parallel_for(0, 100, [](int) { tp::spend(1); }, tbb::simple_partitioner());
    if (turn == 100) std::puts("warm"), std::fflush(stdout);
  }
}
EOF
for turn in 1 2 3 4 5; do
  export TP_DATA=data.$turn; rm -f out
  LD_LIBRARY_PATH=$TP_PREFIX/lib ./busy >out 2>err &
  victim=$!
  while ! grep -q warm out && kill -0 $victim; do sleep 0.05; done
  sleep 0.0$turn
  kill -9 $victim
  wait $victim
  analyze data.$turn
  is 'not p["complete"] and p["work"] > 10000 and p["span"] <= p["work"]'
  is 'p["conservation"]["exclusive_work_equals_work"] and p["conservation"]["critical_work_equals_span"]'
done
finish
