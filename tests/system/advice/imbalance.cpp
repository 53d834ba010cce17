// SPDX-License-Identifier: Apache-2.0
// A loop with fewer body calls than there are CPUs.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <tp/virtual_clock.h>

int main() {
  const auto body = [](const tbb::blocked_range<int>& range) {
    for (int i = range.begin(); i < range.end(); ++i)
      tp::spend(10);
  };
  tbb::parallel_for(tbb::blocked_range<int>(0, 256, 100), body, tbb::simple_partitioner());
}
