# SPDX-License-Identifier: Apache-2.0
# oneTBB gets NUMA nodes and kinds of cores from libtbbbind, which it searches in its own folder:
# ours contains none, so the system's has to be found.
. "$(dirname "$0")/common.inc"
build_stock topology -DTBB_PREVIEW_TASK_ARENA_CONSTRAINTS_EXTENSION=1 <<'EOF'
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>
#include <cstdio>
int main() {
  for (int node : tbb::info::numa_nodes()) std::printf("node %d: %d\n", node, tbb::info::default_concurrency(node));
  for (int type : tbb::info::core_types()) std::printf("type of cores %d\n", type);
  tbb::task_arena::constraints constraints;
  constraints.set_max_threads_per_core(1);
  std::printf("one thread per core: %d\n", tbb::info::default_concurrency(constraints));
}
EOF
TP_DISABLE=1 as_stock ./topology
as_stock ./topology

# The CPUs are those that the process may use, as they are for oneTBB.
any_program | build_stock any
usable=$(nproc)
ours ./any
same "cpus" "$usable" "$(grep -o '"cpus":[0-9]*' tp-data/run.json | cut -d: -f2)"
one=$(taskset -cp $$ | sed 's/.*[: ]\([0-9]*\).*/\1/') # the first of them
ours taskset -c "$one" ./any
same "cpus under taskset" 1 "$(grep -o '"cpus":[0-9]*' tp-data/run.json | cut -d: -f2)"
finish
