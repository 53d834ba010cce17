// SPDX-License-Identifier: Apache-2.0
// Code in other places than functions of the program: lambdas, a shared library, a body that another thread steals
// while its spawner works, a function called through std::function. Their CPU time is measured here, and
// printed as JSON in ns, as in shares.cpp.
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>

extern "C" void from_library(int n);

namespace {

volatile double sink;
std::atomic<std::uint64_t> spent[5];
constexpr int kLambdaLine = __LINE__ + 23;

std::uint64_t now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(t.tv_nsec);
}

template <typename F>
void timed(int which, F f) {
  const std::uint64_t begin = now();
  f();
  spent[which] += now() - begin;
}

[[gnu::noinline]] void spin(int n) {
  double x = 1;
  for (int i = 0; i < n; ++i)
    x = std::sqrt(x + i);
  sink = x;
}

const auto in_lambda = [](int n) __attribute__((noinline)) {
  double x = 1;
  for (int i = 0; i < n; ++i)
    x = std::cbrt(x + i);
  sink = x;
};

[[gnu::noinline]] void stolen_body(int n) {
  spin(n);
  sink = sink + 1;
}

[[gnu::noinline]] void spawner_works(int n) {
  spin(n);
  sink = sink + 2;
}

[[gnu::noinline]] void through_function(int n) {
  spin(n);
  sink = sink + 3;
}

} // namespace

int main(int argc, char** argv) {
  const int scale = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::function<void(int)> function = through_function;
  for (int round = 0; round < 4; ++round) {
    tbb::parallel_for(0, 40, [&](int) {
      timed(0, [&] { from_library(3 * scale); });
      timed(1, [&] { in_lambda(scale / 2); });
      timed(2, [&] { function(scale); });
    });
    for (int i = 0; i < 10; ++i) {
      tbb::task_group group;
      group.run([&] { timed(3, [&] { stolen_body(5 * scale); }); });
      timed(4, [&] { spawner_works(8 * scale); });
      group.wait();
    }
  }
  std::printf(
      "{\"from_library\":%llu,\"lambda at elsewhere.cpp:%d\":%llu,\"through_function\":%llu,"
      "\"stolen_body\":%llu,\"spawner_works\":%llu}\n",
      static_cast<unsigned long long>(spent[0]), kLambdaLine,
      static_cast<unsigned long long>(spent[1]), static_cast<unsigned long long>(spent[2]),
      static_cast<unsigned long long>(spent[3]), static_cast<unsigned long long>(spent[4]));
}
