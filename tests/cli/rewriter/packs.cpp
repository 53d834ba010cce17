// Folds, packs, constant expressions, and more functors than there are overloads.
#include <tbb/tbb.h>
#include <array>

int calls = 0;
template <typename... Fs>
void all(Fs... fs) {
  (tbb::parallel_for(0, 1, [&](int) { fs(); }), ...);
  tbb::parallel_invoke(fs..., [] { ++calls; });
}
template <int... Is>
void numbered() {
  int sums[] = {(tbb::parallel_for(0, Is, [](int) { ++calls; }), Is)...};
  calls += sums[0];
}
constexpr int size(bool spawns) {
  if (spawns)
    tbb::parallel_for(0, 1, [](int) { ++calls; });
  return 2;
}

int main() {
  auto f = [] { ++calls; };
  all(f, f);
  numbered<1, 2>();
  std::array<int, size(false)> two{};
  tbb::parallel_invoke(f, f, f, f, f, f, f, f, f, f, f, f);
  tbb::parallel_invoke(f, [n = size(true)] { calls += n; });
  return calls == 2 + 3 + 3 + 1 + 12 + 1 + 1 + 2 && two.size() == 2 ? 0 : calls;
}
