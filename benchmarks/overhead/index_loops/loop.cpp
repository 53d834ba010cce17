// SPDX-License-Identifier: Apache-2.0
// loop ITERATIONS STEPS: a loop over an index on one thread, of iterations with STEPS multiplications
// each. Prints the CPU time of the loop in seconds, and a sum that it depends on.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

int main(int argc, char** argv) {
  const int iterations = argc > 2 ? std::atoi(argv[1]) : 1000;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 10;
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  std::vector<double> result(static_cast<std::size_t>(iterations));
  const std::clock_t start = std::clock();
  tbb::parallel_for(0, iterations, [&](int i) {
    double x = i;
    for (int k = 0; k < steps; ++k)
      x = x * 1.0000001 + 1;
    result[static_cast<std::size_t>(i)] = x;
  });
  std::printf("%.6f %g\n", static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC,
              result[result.size() / 2]);
}
