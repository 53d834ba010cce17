// Compiled against the headers of a stock oneTBB: its spawn sites are found by return addresses and debug information.
// Recorded for tests/golden/v1 (README.md).
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
#include <tp/causal.h>

#include <atomic>

static std::atomic<int> result;

static void spin(int turns) {
  for (int i = 0; i < turns; ++i)
    result.fetch_add(i, std::memory_order_relaxed);
}

static void tree(int depth) {
  spin(100000);
  if (depth == 0)
    return;
  tbb::task_group group;
  group.run([=] { tree(depth - 1); });
  tree(depth - 1);
  group.wait();
}

int main() {
  tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 2);
  {
    tp::CausalRegion region{"serial part"};
    spin(400000);
  }
  tree(3);
  tbb::parallel_for(0, 16, [](int) { spin(60000); });
}
