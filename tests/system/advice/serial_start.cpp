// SPDX-License-Identifier: Apache-2.0
// Most of the time passes before the first task.
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <tp/virtual_clock.h>

int main() {
  tp::spend(9000);
  tbb::parallel_for(0, 64, [](int) { tp::spend(100); }, tbb::simple_partitioner());
}
