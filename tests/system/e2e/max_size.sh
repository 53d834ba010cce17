# SPDX-License-Identifier: Apache-2.0
# TP_MAX_SIZE stops the recording, not the program; threads that end return the space that they did
# not use.
. "$(dirname "$0")/common.inc"
build_stock busy <<'EOF'
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
#include <cstdio>
#include <cstdlib>
#include <thread>
int main(int, char** argv) {
  for (int turn = 0; turn < std::atoi(argv[1]); ++turn)
    tbb::parallel_for(0, 1000, [](int) { tp::spend(1); }, tbb::simple_partitioner());
  for (int turn = 0; turn < std::atoi(argv[2]); ++turn)
    std::thread([] { tbb::parallel_for(0, 4, [](int) { tp::spend(1); }, tbb::simple_partitioner()); }).join();
  std::puts("done");
}
EOF
TP_MAX_SIZE=1M as_stock ./busy 500 0
in_file err TP_MAX_SIZE
same "lines on stderr" 1 "$(wc -l <err)"
[ "$(du -sk tp-data | cut -f1)" -le 1100 ] || fail "more than 1M: $(du -sk tp-data)"
analyze tp-data
is 'not p["complete"] and any("size limit" in reason for reason in p["incomplete_reasons"])'
# 300 short threads, one after the other, need little space.
TP_MAX_SIZE=4M as_stock ./busy 1 300
is_empty err
analyze tp-data
is 'p["complete"] and p["work"] == 1000 + 300 * 4'
finish
