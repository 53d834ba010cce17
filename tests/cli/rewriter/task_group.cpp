// A derived group counts, one with its own run does not; the isolated group has its own run, which counts.
#include <tbb/task_group.h>

struct Group : tbb::task_group {
  void start() { run([] {}); }
};
struct Other : tbb::task_group {
  template <typename F>
  void run(F f) { f(); }
};

int main() {
  Group group;
  group.start();
  group.run([] {});
  (&group)->run_and_wait([] {});
  static_cast<tbb::task_group&>(group)
      .run([] {});
  Other other;
  other.run([] {});
  other.tbb::task_group::run([] {});
  tbb::isolated_task_group isolated;
  isolated.run([] {});
  isolated.run_and_wait([] {});
}
