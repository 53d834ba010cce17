// SPDX-License-Identifier: Apache-2.0
// Fibonacci numbers by recursion without a cut-off: tasks without work, the worst case for any
// profiler. Size: n.
#include "benchmark.h"

namespace {

long fib(long n) {
  bench::spend(1);
  if (n < 2)
    return n;
  long x = 0, y = 0;
#ifdef _OPENMP
#pragma omp task shared(x)
  x = fib(n - 1);
#pragma omp task shared(y)
  y = fib(n - 2);
#pragma omp taskwait
#else
  tbb::task_group group;
  group.run([&x, n] { x = fib(n - 1); });
  group.run([&y, n] { y = fib(n - 2); });
  group.wait();
#endif
  return x + y;
}

long fib_by_loop(long n) {
  long x = 0, y = 1;
  for (; n > 0; --n) {
    const long next = x + y;
    x = y;
    y = next;
  }
  return x;
}

} // namespace

int main(int argc, char** argv) {
  bench::Benchmark benchmark(argc, argv, {33, 18, 0, 90});
  long result = 0;
  benchmark.measured([&] {
#ifdef _OPENMP
#pragma omp parallel
#pragma omp single
#endif
    result = fib(benchmark.size());
  });
  return benchmark.verdict(result == fib_by_loop(benchmark.size()));
}
