// SPDX-License-Identifier: Apache-2.0
// Quicksort with a serial partition: its first partitions are the span, so its parallelism is low
// (Cilkprof, SPAA 2015, section 2). Size: number of elements.
#include "numbers.h"

namespace {

using Iterator = bench::Numbers::iterator;

constexpr std::ptrdiff_t kSerialSort = 2048;

void sort(Iterator begin, Iterator end) {
  if (end - begin <= kSerialSort) {
    std::sort(begin, end);
    return;
  }
  const std::uint64_t first = *begin, middle = begin[(end - begin) / 2], last = end[-1];
  const std::uint64_t pivot =
      std::max(std::min(first, middle), std::min(std::max(first, middle), last));
  const Iterator low_end = std::partition(begin, end, [=](std::uint64_t x) { return x < pivot; });
  const Iterator high = std::partition(low_end, end, [=](std::uint64_t x) { return x == pivot; });
  tbb::parallel_invoke([=] { sort(begin, low_end); }, [=] { sort(high, end); });
}

} // namespace

int main(int argc, char** argv) {
  bench::Benchmark benchmark(argc, argv, {25'000'000, 20'000});
  bench::Numbers numbers = bench::unsorted(benchmark.size());
  benchmark.measured([&] { sort(numbers.begin(), numbers.end()); });
  return benchmark.verdict(bench::is_sorted_version(numbers));
}
