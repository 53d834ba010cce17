// SPDX-License-Identifier: Apache-2.0
// Phases of one code segment: in some the thread never gives its CPU away, in others each 150 us, so that it is sampled less
// often. Prints the CPU time of the function of either: {"plain": ..., "switching": ...}.
//     phases SEED
#include <oneapi/tbb/parallel_invoke.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

namespace {

std::uint64_t cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t spin(std::uint64_t ns) {
  const std::uint64_t begin = cpu_ns();
  std::uint64_t now = begin;
  while (now - begin < ns)
    now = cpu_ns();
  return now - begin;
}

} // namespace

__attribute__((noinline)) std::uint64_t plain(std::uint64_t ns) {
  const std::uint64_t spent = spin(ns);
  asm volatile("" ::: "memory"); // a frame of its own
  return spent;
}

__attribute__((noinline)) std::uint64_t switching(std::uint64_t ns) {
  const std::uint64_t spent = spin(ns);
  asm volatile("" ::: "memory");
  return spent;
}

int main(int argc, char** argv) {
  std::mt19937_64 random(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1);
  std::uniform_int_distribution<std::uint64_t> length(100'000'000, 500'000'000);
  std::uint64_t of_plain = 0, of_switching = 0;
  tbb::parallel_invoke([] {}, [] {});
  for (int phase = 0; phase < 4; ++phase) {
    of_plain += plain(length(random));
    const std::uint64_t end = of_switching + length(random) / 2;
    while (of_switching < end) {
      of_switching += switching(150'000);
      const timespec shortest{0, 1};
      nanosleep(&shortest, nullptr);
    }
  }
  std::printf("{\"plain\": %" PRIu64 ", \"switching\": %" PRIu64 "}\n", of_plain, of_switching);
}
