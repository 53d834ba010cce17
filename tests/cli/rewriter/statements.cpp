// flags: -std=c++17
// Inside every kind of statement.
#include <tbb/tbb.h>
#include <vector>

int spawn(int n) { return (tbb::parallel_for(0, n, [](int) {}), n); }

int main(int argc, char**) {
  tbb::task_group g;
  auto nothing = [] {};
  for (int x : (g.run(nothing), std::vector<int>{1, 2})) g.run([x] { (void)x; });
  if (g.run(nothing); argc > 1) g.run(nothing); else g.run_and_wait(nothing);
  argc > 1 ? g.run(nothing) : tbb::parallel_invoke(nothing, nothing);
  switch (int n = (g.run(nothing), argc)) {
    case 1: g.run(nothing); break;
    default: do g.run(nothing); while (--n > 0);
  }
  if constexpr (sizeof(int) > 100) tbb::parallel_for(0, 3, [](int) {});
  try { g.run(nothing); } catch (...) { g.run(nothing); }
label: g.run(nothing);
  return g.run_and_wait(nothing) == tbb::detail::d1::complete ? spawn(0) : 1;
}
