// The same functions under other names.
#include <oneapi/tbb.h>

namespace t = tbb;
namespace again = t;
namespace o = oneapi::tbb;
using Group = tbb::task_group;
typedef Group Groups;
namespace app {
using tbb::parallel_for;
void f() { parallel_for(0, 3, [](int) {}); }
}

int main() {
  t::parallel_for(0, 3, [](int) {});
  o::parallel_for(0, 3, [](int) {});
  ::tbb::v1::parallel_for(0, 3, [](int) {});
  tbb::detail::d1::parallel_for(0, 3, [](int) {});
  using namespace oneapi;
  tbb::parallel_for(0, 3, [](int) {});
  using tbb::parallel_invoke;
  parallel_invoke([] {}, [] {});
  Group().run([] {});
  Groups().run([] {});
  again::parallel_for(0, 3, [](int) {});
  app::parallel_for(tbb::blocked_range<int>(0, 1), [](const tbb::blocked_range<int>&) {});
}
