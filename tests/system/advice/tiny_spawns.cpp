// SPDX-License-Identifier: Apache-2.0
// Tasks that do less than they cost, spawned one by one: nearly all of the critical path is main,
// between two of these spawns. The clock of this case is one of time.
#include <oneapi/tbb/task_group.h>

#include <vector>

int main() {
  std::vector<float> values(300000, 1.f);
  tbb::task_group group;
  for (float& value : values)
    group.run([&value] { value = value * 0.5f + 2; });
  group.wait();
  return values.back() == 2.5f ? 0 : 1;
}
