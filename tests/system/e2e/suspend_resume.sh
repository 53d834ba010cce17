# SPDX-License-Identifier: Apache-2.0
# task::suspend and resume: the program behaves as without us, the trace is readable, no work is
# lost.
. "$(dirname "$0")/common.inc"
build_stock resumes <<'EOF'
#define TBB_PREVIEW_RESUMABLE_TASKS 1
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
#include <cstdio>
#include <thread>
#include <vector>
int main() {
  tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 4);
  std::vector<std::thread> resumers(20);
  tbb::task_group group;
  for (int i = 0; i < 20; ++i)
    group.run([&, i] {
      tp::spend(5);
      tbb::task::suspend([&, i](tbb::task::suspend_point point) {
        resumers[i] = std::thread([point] {
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
          tbb::task::resume(point);
        });
      });
      tp::spend(7);
      tbb::parallel_for(0, 8, [](int) { tp::spend(1); }, tbb::simple_partitioner());
    });
  group.wait();
  for (std::thread& thread : resumers) thread.join();
  std::puts("done");
}
EOF
for _ in 1 2 3; do
  as_stock ./resumes
  is_empty err
  analyze tp-data
  is 'p["complete"] and p["work"] == 20 * 20 and p["span"] >= 13'
  # Only stacks to which a thread returns are recorded as suspended, except perhaps those of the
  # three worker threads at the end of the process: not the stacks that the library keeps for reuse
  # or destroys.
  "$tp_analyze" --dump -d tp-data > dump
  left=$(($(grep -c stack_out dump) - $(grep -c stack_in dump)))
  [ "$left" -ge 0 ] && [ "$left" -le 3 ] || fail "$left stacks are never taken back"
  same 'ends of edges' "$(grep -c ' Release ' dump)" "$(grep -c -e ' Acquire ' -e ' edge_uses .* change=-1' dump)"
done
# If some threads could not record, other threads resume stacks whose suspension was not recorded.
for limit in 64K 96K 128K; do
  TP_MAX_SIZE=$limit as_stock ./resumes
  analyze tp-data
  is 'not p["complete"]'
done
finish
