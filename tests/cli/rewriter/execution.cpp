// flags: -D_GLIBCXX_USE_TBB_PAR_BACKEND=0
// Algorithms with a parallel policy are wrapped, those with another one and others of the name are not.
#include <algorithm>
#include <execution>
#include <numeric>
#include <vector>

namespace other {
template <typename Policy>
int reduce(Policy&&, int n) { return n; }
}
template <typename C>
void visit(C& c) {
  std::for_each(std::execution::par, c.begin(), c.end(), [](int& i) { ++i; });
  std::sort(std::execution::seq, c.begin(), c.end());
}

int main() {
  using namespace std::execution;
  std::vector<int> v{3, 1, 2};
  visit(v);
  std::sort(par, v.begin(), v.end());
  std::sort(v.begin(), v.end());
  const auto policy = par_unseq;
  const int sum = std::transform_reduce(policy, v.begin(), v.end(), 0, std::plus<>(),
                                        [](int i) { return i; });
  if (std::any_of(par, v.begin(), v.end(), [](int i) { return i == 7; }))
    return 1;
  return sum + std::reduce(par, v.begin(), v.end()) + other::reduce(par, 2) - 20;
}
