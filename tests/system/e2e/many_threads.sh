# SPDX-License-Identifier: Apache-2.0
# 300 threads that use oneTBB one by one and ten at a time: streams are reused, nothing is lost.
# Then 1000 at once.
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
for _ in 1 2 3; do
  as_stock ./threads
  is_empty err
  analyze tp-data
  is 'p["complete"] and p["work"] == 300 * 30 and p["span"] == 3 and p["trace"]["inconsistencies"] == {}'
  [ "$(find tp-data -name '*.tps' | wc -l)" -le $((38 + $(nproc))) ] || fail "too many streams: $(ls tp-data | wc -l)"
done
build_stock thousand <<'EOF'
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>
int main() {
  int missing = 1000;
  std::mutex mutex;
  std::condition_variable all_here;
  std::vector<std::thread> threads;
  for (int i = 0; i < 1000; ++i)
    threads.emplace_back([&] {
      tbb::task_group group;
      group.run_and_wait([] { tp::spend(3); });
      {
        std::unique_lock<std::mutex> lock(mutex);
        if (--missing == 0) all_here.notify_all();
        all_here.wait(lock, [&] { return missing == 0; });
      }
      group.run_and_wait([] { tp::spend(4); });
    });
  for (std::thread& thread : threads) thread.join();
  std::puts("done");
}
EOF
as_stock ./thousand
is_empty err
analyze tp-data
is 'p["complete"] and p["work"] == 7000 and p["span"] == 7 and p["trace"]["inconsistencies"] == {}'
finish
