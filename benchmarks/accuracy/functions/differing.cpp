// SPDX-License-Identifier: Apache-2.0
// Of eight parts of a loop one is heavy: the critical path is in heavy() alone, which has two fifths of the loop's work.
// The argument divides its work: the edited program.
#include <cmath>
#include <cstdlib>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
double sink[64];
[[gnu::noinline]] void heavy(int n, int s) {
  for (int i = 0; i < n; ++i)
    sink[s] = std::sqrt(sink[s] + i);
}
[[gnu::noinline]] void light(int n, int s) {
  for (int i = 0; i < n; ++i)
    sink[s] = std::sqrt(sink[s] + i) + 1;
}
int main(int argc, char** argv) {
  const int k = argc > 1 ? std::atoi(argv[1]) : 1, unit = 300000;
  for (int round = 0; round < 40; ++round)
    tbb::parallel_for(
        tbb::blocked_range<int>(0, 8, 1),
        [=](const tbb::blocked_range<int>& r) {
          for (int i = r.begin(); i < r.end(); ++i)
            i == 3 ? heavy(10 * unit / k, 8 * i) : light(2 * unit, 8 * i);
        },
        tbb::simple_partitioner());
}
