// SPDX-License-Identifier: Apache-2.0
// Three functions, each of which only the tasks of one loop run, in steps of some 400, 40 and 4 us: a sample of one of
// them under another loop is in a wrong step.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <cmath>

double sink[64];
#define SPIN(n, slot)                                                                              \
  for (int i = 0; i < (n); ++i)                                                                    \
  sink[slot] = std::sqrt(sink[slot] + i)
[[gnu::noinline]] void long_steps(int s) {
  SPIN(80000, s);
}
[[gnu::noinline]] void middle_steps(int s) {
  SPIN(8000, s);
}
[[gnu::noinline]] void short_steps(int s) {
  SPIN(800, s);
}

template <typename Body>
void loop(int count, Body body) {
  tbb::parallel_for(
      tbb::blocked_range<int>(0, count, 1),
      [=](const tbb::blocked_range<int>& r) {
        for (int i = r.begin(); i < r.end(); ++i)
          body(i % 8 * 8);
      },
      tbb::simple_partitioner());
}

int main() {
  for (int round = 0; round < 60; ++round) {
    loop(100, [](int s) { long_steps(s); });
    loop(1000, [](int s) { middle_steps(s); });
    loop(10000, [](int s) { short_steps(s); });
  }
}
