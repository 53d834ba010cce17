// SPDX-License-Identifier: Apache-2.0
// openmp_pairs KIND PAIRS THREADS: as pairs.cpp, with the locks of OpenMP, in a team of THREADS.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <omp.h>

namespace {

long counter = 0;

template <typename Pair>
double run(long pairs, int threads, Pair pair) {
  const auto begin = std::chrono::steady_clock::now();
#pragma omp parallel num_threads(threads)
  for (long n = 0; n < pairs; ++n)
    pair();
  const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - begin;
  return passed.count() / static_cast<double>(pairs * threads);
}

double time_of(const char* kind, long pairs, int threads) {
  if (std::strcmp(kind, "omp_critical") == 0)
    return run(pairs, threads, [] {
#pragma omp critical
      ++counter;
    });
  if (std::strcmp(kind, "omp_lock") == 0) {
    static omp_lock_t lock;
    omp_init_lock(&lock);
    return run(pairs, threads, [] {
      omp_set_lock(&lock);
      ++counter;
      omp_unset_lock(&lock);
    });
  }
  std::fprintf(stderr, "openmp_pairs: error: %s: unknown kind of lock\n", kind);
  std::exit(2);
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 4)
    return std::fprintf(stderr, "usage: openmp_pairs KIND PAIRS THREADS\n"), 2;
  std::printf("%.2f\n", time_of(argv[1], std::atol(argv[2]), std::atoi(argv[3])));
}
