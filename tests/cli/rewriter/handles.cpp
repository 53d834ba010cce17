// Handles: a task belongs to the place where it is run, not to that where it is made; and the isolated group has its own run.
#include <tbb/task_group.h>
#include <utility>

int main() {
  int calls = 0;
  const auto call = [&calls] { ++calls; };
  tbb::task_group group;
  tbb::task_handle handle = group.defer(call);
  group.run(std::move(handle));
  group.run(group.defer(call));
  group.run_and_wait(group.defer(call));
  tbb::isolated_task_group isolated;
  isolated.run(isolated.defer(call));
  isolated.run(call);
  isolated.run_and_wait(call);
  isolated.wait();
  group.wait();
  return calls == 6 ? 0 : 1;
}
