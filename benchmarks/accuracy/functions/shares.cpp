// SPDX-License-Identifier: Apache-2.0
// Eight functions whose CPU time the program measures itself, and prints as JSON in ns: in tasks and in main; inlined, a
// template, recursive; one that calls the C library. In each task all of them, so that no code segment has one only.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
double sink[256];
static std::uint64_t now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000ull + t.tv_nsec;
}
std::atomic<std::uint64_t> spent[8];
template <typename F>
inline void timed(int which, F f) {
  const auto begin = now();
  f();
  spent[which] += now() - begin;
}
#define SPIN(n, slot, op)                                                                          \
  for (int i = 0; i < (n); ++i)                                                                    \
  sink[slot] = op(sink[slot] + i)
[[gnu::noinline]] void alpha(int n, int s) {
  SPIN(n, s, std::sqrt);
}
[[gnu::noinline]] void beta(int n, int s) {
  SPIN(n, s, std::cbrt);
}
[[gnu::always_inline]] inline void gamma_in(int n, int s) {
  double x = sink[s];
  for (int i = 0; i < n; ++i)
    x = std::sqrt(x + i) * 1.5;
  sink[s] = x;
}
template <typename T>
[[gnu::noinline]] T delta(T n, int s) {
  SPIN(n, s, std::fabs);
  return n;
}
[[gnu::noinline]] int rec(int depth, int n, int s) {
  if (depth == 0) {
    SPIN(n, s, std::sqrt);
    return 1;
  }
  const int a = rec(depth - 1, n / 2, s), b = rec(depth - 1, n / 2, s);
  return a + b;
}
[[gnu::noinline]] void serial_one(int n) {
  SPIN(n, 0, std::sqrt);
}
[[gnu::noinline]] void serial_two(int n) {
  SPIN(n, 0, std::cbrt);
}
[[gnu::noinline]] void serial_three(int n) {
  SPIN(n, 0, std::log1p);
}
int main(int argc, char** argv) {
  const int scale = argc > 1 ? std::atoi(argv[1]) : 1000;
  tbb::parallel_for(0, 2, [](int) {});
  for (int round = 0; round < 3; ++round) {
    timed(5, [&] { serial_one(20 * scale); });
    timed(6, [&] { serial_two(8 * scale); });
    timed(7, [&] { serial_three(5 * scale); });
    tbb::parallel_for(
        tbb::blocked_range<int>(0, 100, 1),
        [=](const tbb::blocked_range<int>& r) {
          for (int i = r.begin(); i < r.end(); ++i) {
            timed(0, [=] { alpha(2 * scale, i); });
            timed(1, [=] { beta(scale / 3, i); });
            timed(2, [=] { gamma_in(scale, i); });
            timed(3, [=] { delta(scale * 2, i); });
            timed(4, [=] { rec(5, scale / 2, i); });
          }
        },
        tbb::simple_partitioner());
  }
  const char* names[] = {"alpha", "beta",       "gamma_in",   "delta",
                         "rec",   "serial_one", "serial_two", "serial_three"};
  std::printf("{");
  for (int i = 0; i < 8; ++i)
    std::printf("%s\"%s\":%llu", i ? "," : "", names[i], (unsigned long long)spent[i]);
  std::printf("}\n");
}
