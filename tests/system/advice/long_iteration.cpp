// SPDX-License-Identifier: Apache-2.0
// One iteration of a loop is much longer than the others. The tasks that lead to it only split the range.
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <tp/virtual_clock.h>

int main() {
  tbb::parallel_for(
      0, 1024, [](int i) { tp::spend(i == 700 ? 10000 : 1); }, tbb::simple_partitioner());
}
