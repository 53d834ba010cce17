// Calls in generic lambdas depend on a template parameter, and are still certain when qualified.
#include <tbb/tbb.h>

int main() {
  auto twice = [](auto n) {
    tbb::parallel_for(0, n, [&](auto i) { tbb::parallel_for(0, i, [](auto) {}); });
  };
  twice(3);
  tbb::task_group group;
  auto spawn = [&group](auto f) { group.run(f); };
  spawn([] {});
}
