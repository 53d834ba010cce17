// Explicit template arguments and braces keep their meaning; a leading site would shift template arguments.
#include <tbb/tbb.h>
#include <vector>

void f(int) {}
void g() {}

int main() {
  tbb::parallel_for<int>(0, 3, f);
  tbb::parallel_for<tbb::blocked_range<int>, void (*)(tbb::blocked_range<int>)>({0, 3}, [](tbb::blocked_range<int>) {});
  tbb::parallel_for(tbb::blocked_range<int>{0, 3}, [](tbb::blocked_range<int>) {}, {});
  tbb::parallel_invoke<void (&)(), void (&)()>(g, g);
  tbb::parallel_sort(std::vector<int>{3, 2, 1});
  (tbb::parallel_for)(0, 3, f);
  tbb::parallel_invoke /* here */ ( // and there
      g, g);
  tbb::parallel_for(0, 3, f // the last
  );
  void (*pointer)(int, int, void (*const&)(int), tbb::detail::d1::simple_partitioner) = nullptr;
  return pointer ? 1 : 0;
}
