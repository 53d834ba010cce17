// parallel_scan in both forms, with each partitioner, and in a template.
#include <tbb/tbb.h>

using Range = tbb::blocked_range<int>;
struct Sum {
  int value = 0;
  template <typename Tag>
  void operator()(const Range& range, Tag) { value += range.end() - range.begin(); }
};
template <typename T>
T total(T n) {
  return tbb::parallel_scan(
      tbb::blocked_range<T>(0, n), T(0),
      [](const tbb::blocked_range<T>& range, T sum, bool) { return sum + range.end(); },
      [](T a, T b) { return a + b; });
}

int main() {
  const Range range(0, 3);
  Sum body;
  tbb::parallel_scan(range, body);
  tbb::parallel_scan(range, body, tbb::auto_partitioner());
  tbb::parallel_scan(range, body, tbb::simple_partitioner());
  const auto scan = [](const Range& part, int sum, bool is_final) { return is_final ? sum + part.end() : sum; };
  const auto join = [](int a, int b) { return a + b; };
  int sum = tbb::parallel_scan(range, 0, scan, join);
  sum += tbb::parallel_scan(range, 0, scan, join, tbb::simple_partitioner());
  return body.value == 9 && sum + total(4L) == 10 ? 0 : 1;
}
