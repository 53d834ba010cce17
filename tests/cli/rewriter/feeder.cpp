// Items given to a feeder, by value and by reference; other functions of the name `add` are left alone.
#include <tbb/tbb.h>

int calls = 0;
struct Other {
  void add(int) {}
};
struct Body {
  void operator()(int level, tbb::feeder<int>& more) const {
    ++calls;
    if (level < 2)
      more.add(level + 1);
  }
};
struct Once {
  template <typename Feeder>
  void operator()(int level, Feeder& more) const {
    ++calls;
    if (level == 0)
      more.add(5);
  }
};
using More = tbb::feeder<int>;
void seven(More& f) { const int n = 7; f.add(n); }

int main() {
  const int items[] = {1, 2};
  Other().add(1);
  tbb::parallel_for_each(items, items + 1, [](int n, tbb::feeder<int>& f) {
    ++calls;
    if (n < 3)
      f.add(n + 1), n == 1 ? seven(f) : f.add(9);
  });
  const int zero = 0;
  tbb::parallel_for_each(&zero, &zero + 1, Once());
  tbb::parallel_for_each(&zero, &zero + 1, Body());
  return calls == 10 ? 0 : 1;
}
