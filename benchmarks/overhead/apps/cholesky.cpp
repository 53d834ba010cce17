// SPDX-License-Identifier: Apache-2.0
// Cholesky factorization by recursion on halves (as in the Cilk distribution, but dense): factors
// the upper half, solves for the lower left, updates the lower right and factors that. Size: order
// of the matrix.
#include "matrix.h"

namespace {

using bench::Matrix;

constexpr std::size_t kSerial = 48;

struct Interval {
  std::size_t begin, end;

  std::size_t length() const { return end - begin; }
  bool is_small() const { return length() <= kSerial; }
  Interval lower() const { return {begin, begin + length() / 2}; }
  Interval upper() const { return {begin + length() / 2, end}; }
};

// A(rows, columns) -= A(rows, k) A(columns, k)^T
void update(Matrix& a, Interval rows, Interval columns, Interval k) {
  if (!rows.is_small() && rows.length() >= columns.length()) {
    tbb::parallel_invoke([&] { update(a, rows.lower(), columns, k); },
                         [&] { update(a, rows.upper(), columns, k); });
  } else if (!columns.is_small()) {
    tbb::parallel_invoke([&] { update(a, rows, columns.lower(), k); },
                         [&] { update(a, rows, columns.upper(), k); });
  } else {
    for (std::size_t i = rows.begin; i < rows.end; ++i)
      for (std::size_t j = columns.begin; j < columns.end; ++j)
        for (std::size_t inner = k.begin; inner < k.end; ++inner)
          a(i, j) -= a(i, inner) * a(j, inner);
  }
}

// A(rows, d) = A(rows, d) L(d, d)^-T
void solve(Matrix& a, Interval rows, Interval d) {
  if (!rows.is_small()) {
    tbb::parallel_invoke([&] { solve(a, rows.lower(), d); }, [&] { solve(a, rows.upper(), d); });
  } else if (!d.is_small()) {
    solve(a, rows, d.lower());
    update(a, rows, d.upper(), d.lower());
    solve(a, rows, d.upper());
  } else {
    for (std::size_t i = rows.begin; i < rows.end; ++i)
      for (std::size_t j = d.begin; j < d.end; ++j) {
        for (std::size_t k = d.begin; k < j; ++k)
          a(i, j) -= a(i, k) * a(j, k);
        a(i, j) /= a(j, j);
      }
  }
}

void factor(Matrix& a, Interval d) {
  if (!d.is_small()) {
    factor(a, d.lower());
    solve(a, d.upper(), d.lower());
    update(a, d.upper(), d.upper(), d.lower());
    factor(a, d.upper());
    return;
  }
  for (std::size_t j = d.begin; j < d.end; ++j) {
    for (std::size_t k = d.begin; k < j; ++k)
      a(j, j) -= a(j, k) * a(j, k);
    a(j, j) = std::sqrt(a(j, j));
    for (std::size_t i = j + 1; i < d.end; ++i) {
      for (std::size_t k = d.begin; k < j; ++k)
        a(i, j) -= a(i, k) * a(j, k);
      a(i, j) /= a(j, j);
    }
  }
}

Matrix symmetric(std::size_t n) {
  Matrix a = bench::whole_numbers(n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    a(i, i) = 4 * static_cast<double>(n); // dominant: positive definite
    for (std::size_t j = 0; j < i; ++j)
      a(j, i) = a(i, j);
  }
  return a;
}

bench::Vector product_of_factor(const Matrix& l, const bench::Vector& x) {
  bench::Vector y(l.n), result(l.n);
  for (std::size_t i = 0; i < l.n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      y[j] += l(i, j) * x[i];
  for (std::size_t i = 0; i < l.n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      result[i] += l(i, j) * y[j];
  return result;
}

} // namespace

int main(int argc, char** argv) {
  bench::Benchmark benchmark(argc, argv, {2200, 150});
  Matrix a = symmetric(static_cast<std::size_t>(benchmark.size()));
  const bench::Vector x = bench::signs(a.n), ax = bench::product(a, x);
  benchmark.measured([&] { factor(a, {0, a.n}); });
  return benchmark.verdict(bench::is_close(product_of_factor(a, x), ax));
}
