// The user's own functions of these names, also found through argument-dependent lookup, are none of ours.
#include <tbb/tbb.h>

namespace mine {
struct Range {};
template <typename F>
void parallel_for(Range, F f) { f(); }
struct task_group {
  template <typename F>
  void run(F f) { f(); }
};
namespace detail { namespace d1 {
inline void parallel_for(int) {}
}}
}
namespace tbb {
inline void parallel_for(mine::Range) {}
}
void parallel_invoke(int, int) {}
void run(int) {}

int main() {
  using namespace tbb;
  parallel_for(mine::Range(), [] {});
  mine::parallel_for(mine::Range(), [] {});
  mine::detail::d1::parallel_for(0);
  tbb::parallel_for(mine::Range());
  mine::task_group().run([] {});
  ::parallel_invoke(0, 0);
  run(0);
}
