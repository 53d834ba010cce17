// SPDX-License-Identifier: Apache-2.0
// All placements of n queens on a board of n times n: a task per placement in the first third of
// the rows. Size: n, at most 16.
#include "benchmark.h"

#include <numeric>
#include <vector>

namespace {

// Bit c of `columns`, `left` and `right`: column c of the next row is attacked, straight or along a
// diagonal.
struct Board {
  unsigned all, columns, left, right;
  int rows_left;

  unsigned free() const { return all & ~(columns | left | right); }
  Board with(unsigned queen) const {
    return {all, columns | queen, (left | queen) << 1, (right | queen) >> 1, rows_left - 1};
  }
};

long count_serially(const Board& board) {
  if (board.rows_left == 0)
    return 1;
  bench::spend(1);
  long count = 0;
  for (unsigned free = board.free(); free != 0; free &= free - 1)
    count += count_serially(board.with(free & -free));
  return count;
}

long count(const Board& board, int rows_with_tasks) {
  if (rows_with_tasks == 0)
    return count_serially(board);
  std::vector<long> counts(32);
#ifdef _OPENMP
  std::size_t i = 0;
  for (unsigned free = board.free(); free != 0; free &= free - 1, ++i) {
    const Board next = board.with(free & -free);
#pragma omp task shared(counts) firstprivate(i, next, rows_with_tasks)
    counts[i] = count(next, rows_with_tasks - 1);
  }
#pragma omp taskwait
#else
  tbb::task_group group;
  int i = 0;
  for (unsigned free = board.free(); free != 0; free &= free - 1, ++i)
    group.run([&counts, i, rows_with_tasks, next = board.with(free & -free)] {
      counts[static_cast<std::size_t>(i)] = count(next, rows_with_tasks - 1);
    });
  group.wait();
#endif
  return std::accumulate(counts.begin(), counts.end(), 0L);
}

// The numbers of solutions, OEIS A000170.
constexpr long kSolutions[] = {1,   1,   0,    0,     2,     10,     4,       40,      92,
                               352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};

} // namespace

int main(int argc, char** argv) {
  bench::Benchmark benchmark(argc, argv, {15, 9, 1, 16});
  const int n = static_cast<int>(benchmark.size());
  long result = 0;
  benchmark.measured([&] {
#ifdef _OPENMP
#pragma omp parallel
#pragma omp single
#endif
    result = count({(1u << n) - 1, 0, 0, 0, n}, n / 3);
  });
  return benchmark.verdict(result == kSolutions[n]);
}
