# 300 threads that use oneTBB one by one and ten at a time: streams are taken over, nothing is lost.
. "$(dirname "$0")/common.inc"
build_stock threads <<'EOF'
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
#include <cstdio>
#include <thread>
#include <vector>
int main() {
  for (int round = 0; round < 30; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 10; ++i)
      threads.emplace_back([] { tbb::parallel_for(0, 10, [](int) { tp::spend(3); }, tbb::simple_partitioner()); });
    for (std::thread& thread : threads) thread.join();
  }
  std::puts("done");
}
EOF
for turn in 1 2 3; do
  as_stock ./threads
  is_empty err
  analyze tp-data
  is 'p["complete"] and p["work"] == 300 * 30 and p["span"] == 3 and p["trace"]["inconsistencies"] == {}'
  [ "$(find tp-data -name '*.tps' | wc -l)" -le 40 ] || fail "too many streams: $(ls tp-data | wc -l)"
done
finish
