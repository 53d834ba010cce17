// flags: -std=c++20
// Nothing is spawned where nothing is evaluated.
#include <tbb/tbb.h>
#include <typeinfo>

using Sum = decltype(tbb::parallel_reduce(0, 1, [](int, int) { return 1; }, 2));
template <typename F>
concept Runs = requires(tbb::task_group& g, F f) { g.run(f); };
template <typename F>
auto start(tbb::task_group& g, F f) noexcept(noexcept(g.run(f))) -> decltype(g.run(f)) { return g.run(f); }
template <typename F>
void only(F f) requires requires(tbb::task_group g) { g.run(f); } { tbb::parallel_for(0, 1, f); }

int main() {
  tbb::task_group g;
  static_assert(!noexcept(g.run([] {})));
  static_assert(sizeof(g.run_and_wait([] {})) == sizeof(int));
  static_assert(Runs<void (*)()>);
  __typeof__(tbb::parallel_reduce(0, 1, [](int, int) { return 1; }, 2)) n = 0;
  const auto& type = typeid(g.run([] {}));
  start(g, [] {});
  return type == typeid(void) ? static_cast<Sum>(n) : 1;
}
