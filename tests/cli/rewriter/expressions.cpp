// Arguments of every kind: init-captures, move-only functors, structured bindings, bit-fields, braces.
#include <tbb/tbb.h>
#include <memory>
#include <utility>
#include <vector>

struct Bits {
  int n : 5;
};
struct MoveOnly {
  std::unique_ptr<int> count{new int(0)};
  void operator()() const { ++*count; }
};
int calls = 0;
void body(int) { ++calls; }
void body(double) { --calls; }

int main() {
  Bits bits{3};
  tbb::parallel_for(0, +bits.n, static_cast<void (*)(int)>(body));
  tbb::parallel_for<int>(0, bits.n, static_cast<void (&)(int)>(body));
  auto [first, last] = std::pair(0, 2);
  tbb::parallel_for(first, last, [p = std::make_unique<int>(1)](int) { calls += *p; });
  tbb::task_group g;
  g.run(MoveOnly{});
  g.run([m = MoveOnly()] { m(); ++calls; });
  tbb::parallel_for(tbb::blocked_range<int>{0, 4}, [](const auto& range) { calls += range.end(); });
  std::vector<int> v{3, 1, 2};
  tbb::parallel_sort(v.begin(), v.end(), [](int a, int b) -> bool { return a > b; });
  const int sum = tbb::parallel_reduce(tbb::blocked_range<int>(0, 5), 7,
      [](const tbb::blocked_range<int>& r, int x) { return x + r.end(); }, [](int a, int b) { return a + b; }) +
      (tbb::parallel_for(0, 1, [](int) { ++calls; }), 0);
  return calls == 3 + 3 + 2 + 1 + 4 + 1 && sum == 12 && v[0] == 3 ? 0 : calls;
}
