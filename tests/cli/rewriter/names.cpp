// The enclosing function as records name it.
#include <tbb/tbb.h>

namespace a { inline namespace b { namespace {
template <typename T>
struct S {
  template <typename U>
  static void f(U u) { tbb::parallel_for(0, 1, u); }
  S& operator<<(int) { tbb::parallel_for(0, 1, [](int) { tbb::parallel_for(0, 1, [](int) {}); }); return *this; }
};
}}}
extern "C" int c(void) {
  struct Local { void f() { tbb::parallel_for(0, 1, [](int) {}); } };
  Local().f();
  return 0;
}
auto lambda = [] { tbb::parallel_for(0, 1, [](int) {}); };

int main() {
  a::S<int>::f([](int) {});
  a::S<int>() << 1;
  lambda();
  return c();
}
