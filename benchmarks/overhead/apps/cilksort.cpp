// SPDX-License-Identifier: Apache-2.0
// Merge sort with a parallel merge (Akl, Santoro 1987), as in the Cilk distribution. Size: number
// of elements.
#include "numbers.h"

namespace {

using Iterator = bench::Numbers::iterator;

constexpr std::ptrdiff_t kSerialSort = 2048, kSerialMerge = 4096;

// Merges two sorted ranges; the median of the longer one splits both.
void merge(Iterator a, Iterator a_end, Iterator b, Iterator b_end, Iterator to) {
  if (a_end - a < b_end - b) {
    std::swap(a, b);
    std::swap(a_end, b_end);
  }
  if (a_end - a <= kSerialMerge) {
    bench::spend(static_cast<std::uint64_t>(a_end - a + (b_end - b)));
    std::merge(a, a_end, b, b_end, to);
    return;
  }
  const Iterator a_middle = a + (a_end - a) / 2;
  const Iterator b_middle = std::lower_bound(b, b_end, *a_middle);
  const Iterator to_middle = to + (a_middle - a) + (b_middle - b);
#ifdef _OPENMP
#pragma omp task
  merge(a, a_middle, b, b_middle, to);
#pragma omp task
  merge(a_middle, a_end, b_middle, b_end, to_middle);
#pragma omp taskwait
#else
  tbb::parallel_invoke([=] { merge(a, a_middle, b, b_middle, to); },
                       [=] { merge(a_middle, a_end, b_middle, b_end, to_middle); });
#endif
}

// Sorts in place; `space` is a buffer of the same length.
void sort(Iterator begin, Iterator end, Iterator space) {
  const std::ptrdiff_t size = end - begin;
  if (size <= kSerialSort) {
    bench::spend(static_cast<std::uint64_t>(size) * 10);
    std::sort(begin, end);
    return;
  }
  const std::ptrdiff_t quarter = size / 4;
  const Iterator part[] = {begin, begin + quarter, begin + 2 * quarter, begin + 3 * quarter, end};
  const Iterator half = space + 2 * quarter;
#ifdef _OPENMP
#pragma omp task shared(part)
  sort(part[0], part[1], space);
#pragma omp task shared(part)
  sort(part[1], part[2], space + quarter);
#pragma omp task shared(part)
  sort(part[2], part[3], half);
#pragma omp task shared(part)
  sort(part[3], part[4], half + quarter);
#pragma omp taskwait
#pragma omp task shared(part)
  merge(part[0], part[1], part[1], part[2], space);
#pragma omp task shared(part)
  merge(part[2], part[3], part[3], part[4], half);
#pragma omp taskwait
#else
  tbb::parallel_invoke(
      [&] { sort(part[0], part[1], space); }, [&] { sort(part[1], part[2], space + quarter); },
      [&] { sort(part[2], part[3], half); }, [&] { sort(part[3], part[4], half + quarter); });
  tbb::parallel_invoke([&] { merge(part[0], part[1], part[1], part[2], space); },
                       [&] { merge(part[2], part[3], part[3], part[4], half); });
#endif
  merge(space, half, half, space + size, begin);
}

} // namespace

int main(int argc, char** argv) {
  bench::Benchmark benchmark(argc, argv, {30'000'000, 20'000});
  bench::Numbers numbers = bench::unsorted(benchmark.size());
  bench::Numbers space(numbers.size());
  benchmark.measured([&] {
#ifdef _OPENMP
#pragma omp parallel
#pragma omp single
#endif
    sort(numbers.begin(), numbers.end(), space.begin());
  });
  return benchmark.verdict(bench::is_sorted_version(numbers));
}
