// SPDX-License-Identifier: Apache-2.0
// One task is much longer than the others.
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>

int main() {
  tbb::task_group group;
  for (int i = 0; i < 64; ++i)
    group.run([i] { tp::spend(i == 40 ? 4000 : 10); });
  group.wait();
}
