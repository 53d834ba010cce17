// Spawns in the arguments of spawns, three deep.
#include <tbb/tbb.h>

int sum(int n) {
  tbb::blocked_range<int> r(0, n);
  auto body = [](const tbb::blocked_range<int>&, int x) { return x; };
  auto join = [](int a, int b) { return a + b; };
  return tbb::parallel_reduce(r, tbb::parallel_reduce(r, tbb::parallel_reduce(r, 0, body, join), body, join), body, join);
}

int main() {
  tbb::parallel_for(0, sum(2), [](int i) {
    tbb::parallel_for(0, i, [=](int j) {
      tbb::parallel_invoke([=] { tbb::parallel_for(i, j, [](int) {}); },
                           [] { tbb::task_group g; g.run([&g] { g.run([] {}); }); });
    });
  });
}
