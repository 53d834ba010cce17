// SPDX-License-Identifier: Apache-2.0
// Alignment of all pairs of some protein-like sequences: a loop of independent iterations of uneven
// size. The score is that of Smith and Waterman (1981), with a cost per gap element. Size: number
// of sequences.
#include "benchmark.h"

#include <algorithm>
#include <string>
#include <vector>

namespace {

constexpr int kMatch = 3, kMismatch = -2, kGap = -1;

int similarity(char a, char b) {
  return a == b ? kMatch : kMismatch;
}

// The score of the best alignment; keeps one row of the matrix at a time.
int score(const std::string& a, const std::string& b) {
  bench::spend(a.size() * b.size());
  std::vector<int> row(b.size() + 1);
  int best = 0;
  for (const char letter : a) {
    int diagonal = 0;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int up = row[j];
      row[j] = std::max({0, diagonal + similarity(letter, b[j - 1]), up + kGap, row[j - 1] + kGap});
      diagonal = up;
      best = std::max(best, row[j]);
    }
  }
  return best;
}

std::vector<std::string> make_sequences(std::size_t count) {
  std::vector<std::string> sequences(count);
  for (std::size_t i = 0; i < count; ++i) {
    sequences[i].resize(100 + bench::random_number(i) % 400);
    for (std::size_t j = 0; j < sequences[i].size(); ++j)
      sequences[i][j] = static_cast<char>('A' + bench::random_number(i << 20 | j) % 20);
  }
  return sequences;
}

// The same score, from the whole matrix and the other end: reversed sequences have the same score.
int score_backwards(const std::string& a, const std::string& b) {
  std::vector<std::vector<int>> matrix(a.size() + 1, std::vector<int>(b.size() + 1));
  int best = 0;
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;) {
      const int here = std::max({0, matrix[i + 1][j + 1] + similarity(a[i], b[j]),
                                 matrix[i + 1][j] + kGap, matrix[i][j + 1] + kGap});
      matrix[i][j] = here;
      best = std::max(best, here);
    }
  return best;
}

} // namespace

int main(int argc, char** argv) {
  bench::Benchmark benchmark(argc, argv, {180, 8});
  const std::vector<std::string> sequences =
      make_sequences(static_cast<std::size_t>(benchmark.size()));
  const std::size_t n = sequences.size();
  std::vector<int> scores(n * n);
  benchmark.measured([&] {
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic)
    for (std::size_t pair = 0; pair < n * n; ++pair)
      if (pair / n <= pair % n)
        scores[pair] = score(sequences[pair / n], sequences[pair % n]);
#else
    using Range = tbb::blocked_range<std::size_t>;
    const auto body = [&](const Range& range) {
      for (std::size_t pair = range.begin(); pair < range.end(); ++pair)
        if (pair / n <= pair % n)
          scores[pair] = score(sequences[pair / n], sequences[pair % n]);
    };
#ifdef BENCH_COMPARED // with OpenMP's chunks of one iteration
    tbb::parallel_for(Range(0, n * n, 1), body, tbb::simple_partitioner{});
#else
    tbb::parallel_for(Range(0, n * n), body);
#endif
#endif
  });
  bool is_right = true;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t j = i + bench::random_number(i) % (n - i);
    is_right &= scores[i * n + i] == kMatch * static_cast<int>(sequences[i].size()) &&
                scores[i * n + j] == score_backwards(sequences[i], sequences[j]);
  }
  return benchmark.verdict(is_right);
}
