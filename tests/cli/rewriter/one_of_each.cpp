// One call of every construct.
#include <tbb/tbb.h>
#include <vector>

int main() {
  std::vector<int> v{3, 1, 2};
  tbb::blocked_range<int> range(0, 3);
  auto body = [](const tbb::blocked_range<int>&) {};
  tbb::parallel_for(0, 3, [](int) {});
  tbb::parallel_for(0, 3, 2, [](int) {});
  tbb::parallel_for(range, body);
  tbb::parallel_for(range, body, tbb::simple_partitioner());
  tbb::parallel_reduce(range, body);
  auto sum = [](const tbb::blocked_range<int>&, int x) { return x; };
  int total = tbb::parallel_reduce(range, 0, sum, [](int a, int b) { return a + b; });
  total += tbb::parallel_deterministic_reduce(
      range, 0, sum,
      [](int a, int b) {
        return a + b;
      });
  tbb::parallel_sort(v);
  tbb::parallel_sort(v.begin(), v.end());
  tbb::parallel_invoke([] {}, [] {});
  tbb::task_group group;
  group.run([] {});
  group.run_and_wait([] {});
  group.wait();
  return total;
}
