// Where there is no statement: member initializers, default arguments, variables, constructors.
#include <tbb/tbb.h>

namespace {
int each(int n = (tbb::parallel_for(0, 2, [](int) {}), 2)) { return n; }
int global = (tbb::parallel_for(0, each(), [](int) {}), 1);
}

struct Job {
  int size = (tbb::parallel_for(0, 4, [](int) {}), 4);
  int more{(group.run([] {}), 1)};
  static tbb::task_group group;
  Job() : more((tbb::parallel_for(0, 5, [](int) {}), 5)) { group.run([] {}); }
  Job(int) {}
  ~Job() { group.run([] {}); }
  operator int() { return (group.run([] {}), 1); }
};
tbb::task_group Job::group;

int main() {
  struct Local {
    int x = (tbb::parallel_for(0, 6, [](int) {}), 6);
  } local;
  return Job() + Job(1) + local.x + global > 0 ? 0 : 1;
}
