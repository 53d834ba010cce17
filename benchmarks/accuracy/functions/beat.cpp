// SPDX-License-Identifier: Apache-2.0
// Repeats itself at exact times, as programs with frames do: 60 % of each period in alpha(), the rest in beta(). The
// argument is the period in ns.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <oneapi/tbb/parallel_for.h>
static std::uint64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ull + t.tv_nsec;
}
volatile double sink;
[[gnu::noinline]] void alpha(std::uint64_t end) {
  while (now() < end)
    for (int i = 0; i < 200; ++i)
      sink = sink + i;
}
[[gnu::noinline]] void beta(std::uint64_t end) {
  while (now() < end)
    for (int i = 0; i < 200; ++i)
      sink = sink - i;
}
int main(int argc, char** argv) {
  const std::uint64_t period = argc > 1 ? std::atoi(argv[1]) : 1000000;
  tbb::parallel_for(0, 2, [](int) {});
  std::uint64_t at = now();
  for (int i = 0; i < 1500; ++i) {
    alpha(at + period * 6 / 10);
    at += period;
    beta(at);
  }
}
