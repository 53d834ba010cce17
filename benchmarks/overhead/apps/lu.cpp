// SPDX-License-Identifier: Apache-2.0
// Dense LU factorization by blocks, without pivoting: after the diagonal block, its row and its
// column in parallel, then the rest of the matrix. Size: order of the matrix.
#include "matrix.h"

namespace {

using bench::Matrix;

constexpr std::size_t kBlock = 32;

struct Rows {
  std::size_t begin, end;
};

Rows block(const Matrix& a, std::size_t number) {
  return {number * kBlock, std::min(a.n, (number + 1) * kBlock)};
}

void factor_diagonal(Matrix& a, Rows d) {
  for (std::size_t k = d.begin; k < d.end; ++k)
    for (std::size_t i = k + 1; i < d.end; ++i) {
      a(i, k) /= a(k, k);
      for (std::size_t j = k + 1; j < d.end; ++j)
        a(i, j) -= a(i, k) * a(k, j);
    }
}

// Right of the diagonal block: L^-1 A.
void solve_row(Matrix& a, Rows d, Rows columns) {
  for (std::size_t k = d.begin; k < d.end; ++k)
    for (std::size_t i = k + 1; i < d.end; ++i)
      for (std::size_t j = columns.begin; j < columns.end; ++j)
        a(i, j) -= a(i, k) * a(k, j);
}

// Below the diagonal block: A U^-1.
void solve_column(Matrix& a, Rows d, Rows rows) {
  for (std::size_t i = rows.begin; i < rows.end; ++i)
    for (std::size_t k = d.begin; k < d.end; ++k) {
      a(i, k) /= a(k, k);
      for (std::size_t j = k + 1; j < d.end; ++j)
        a(i, j) -= a(i, k) * a(k, j);
    }
}

void subtract_product(Matrix& a, Rows d, Rows rows, Rows columns) {
  for (std::size_t i = rows.begin; i < rows.end; ++i)
    for (std::size_t k = d.begin; k < d.end; ++k)
      for (std::size_t j = columns.begin; j < columns.end; ++j)
        a(i, j) -= a(i, k) * a(k, j);
}

void factor(Matrix& a) {
  using Range = tbb::blocked_range<std::size_t>;
  using Range2d = tbb::blocked_range2d<std::size_t>;
  const std::size_t blocks = (a.n + kBlock - 1) / kBlock;
  for (std::size_t k = 0; k < blocks; ++k) {
    const Rows d = block(a, k);
    factor_diagonal(a, d);
    tbb::parallel_for(Range(k + 1, blocks), [&](const Range& range) {
      for (std::size_t i = range.begin(); i < range.end(); ++i) {
        solve_row(a, d, block(a, i));
        solve_column(a, d, block(a, i));
      }
    });
    tbb::parallel_for(Range2d(k + 1, blocks, 1, k + 1, blocks, 1), [&](const Range2d& range) {
      for (std::size_t i = range.rows().begin(); i < range.rows().end(); ++i)
        for (std::size_t j = range.cols().begin(); j < range.cols().end(); ++j)
          subtract_product(a, d, block(a, i), block(a, j));
    });
  }
}

} // namespace

int main(int argc, char** argv) {
  bench::Benchmark benchmark(argc, argv, {2200, 150});
  Matrix a = bench::whole_numbers(static_cast<std::size_t>(benchmark.size()), 1);
  for (std::size_t i = 0; i < a.n; ++i)
    a(i, i) = 4 * static_cast<double>(a.n); // diagonally dominant: needs no pivoting
  const bench::Vector x = bench::signs(a.n), ax = bench::product(a, x);
  benchmark.measured([&] { factor(a); });
  return benchmark.verdict(bench::is_close(bench::product_of_factors(a, x), ax));
}
