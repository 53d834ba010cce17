// SPDX-License-Identifier: Apache-2.0
// Strassen's matrix product: seven products of halves, each a task. Size: order of the matrices,
// rounded up so that halving leaves blocks of at most 64.
#include "matrix.h"

namespace {

using bench::Matrix;

constexpr std::size_t kSerial = 64;

// A copy of a quarter of a matrix.
Matrix quarter(const Matrix& matrix, std::size_t row, std::size_t column) {
  const std::size_t n = matrix.n / 2;
  Matrix result(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      result(i, j) = matrix(row * n + i, column * n + j);
  return result;
}

Matrix sum(const Matrix& a, const Matrix& b, double factor = 1) {
  Matrix result(a.n);
  for (std::size_t i = 0; i < a.values.size(); ++i)
    result.values[i] = a.values[i] + factor * b.values[i];
  return result;
}
Matrix difference(const Matrix& a, const Matrix& b) {
  return sum(a, b, -1);
}

Matrix serial_product(const Matrix& a, const Matrix& b) {
  bench::spend(a.n * a.n * a.n);
  Matrix c(a.n);
  for (std::size_t i = 0; i < a.n; ++i)
    for (std::size_t k = 0; k < a.n; ++k)
      for (std::size_t j = 0; j < a.n; ++j)
        c(i, j) += a(i, k) * b(k, j);
  return c;
}

Matrix product(const Matrix& a, const Matrix& b) {
  if (a.n <= kSerial)
    return serial_product(a, b);
  const Matrix a11 = quarter(a, 0, 0), a12 = quarter(a, 0, 1), a21 = quarter(a, 1, 0),
               a22 = quarter(a, 1, 1);
  const Matrix b11 = quarter(b, 0, 0), b12 = quarter(b, 0, 1), b21 = quarter(b, 1, 0),
               b22 = quarter(b, 1, 1);
  bench::spend(2 * a.n * a.n);
  std::vector<Matrix> m(8, Matrix(0)); // numbered as in Strassen's paper: 1 to 7
#ifdef _OPENMP
#pragma omp task shared(m, a11, a22, b11, b22)
  m[1] = product(sum(a11, a22), sum(b11, b22));
#pragma omp task shared(m, a21, a22, b11)
  m[2] = product(sum(a21, a22), b11);
#pragma omp task shared(m, a11, b12, b22)
  m[3] = product(a11, difference(b12, b22));
#pragma omp task shared(m, a22, b21, b11)
  m[4] = product(a22, difference(b21, b11));
#pragma omp task shared(m, a11, a12, b22)
  m[5] = product(sum(a11, a12), b22);
#pragma omp task shared(m, a21, a11, b11, b12)
  m[6] = product(difference(a21, a11), sum(b11, b12));
#pragma omp task shared(m, a12, a22, b21, b22)
  m[7] = product(difference(a12, a22), sum(b21, b22));
#pragma omp taskwait
#else
  tbb::task_group group;
  group.run([&] { m[1] = product(sum(a11, a22), sum(b11, b22)); });
  group.run([&] { m[2] = product(sum(a21, a22), b11); });
  group.run([&] { m[3] = product(a11, difference(b12, b22)); });
  group.run([&] { m[4] = product(a22, difference(b21, b11)); });
  group.run([&] { m[5] = product(sum(a11, a12), b22); });
  group.run([&] { m[6] = product(difference(a21, a11), sum(b11, b12)); });
  group.run([&] { m[7] = product(difference(a12, a22), sum(b21, b22)); });
  group.wait();
#endif
  bench::spend(a.n * a.n);
  const std::size_t n = a.n / 2;
  Matrix c(a.n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      c(i, j) = m[1](i, j) + m[4](i, j) - m[5](i, j) + m[7](i, j);
      c(i, n + j) = m[3](i, j) + m[5](i, j);
      c(n + i, j) = m[2](i, j) + m[4](i, j);
      c(n + i, n + j) = m[1](i, j) - m[2](i, j) + m[3](i, j) + m[6](i, j);
    }
  }
  return c;
}

std::size_t even_down_to_blocks(std::size_t n) {
  return n <= kSerial ? n : 2 * even_down_to_blocks((n + 1) / 2);
}

} // namespace

int main(int argc, char** argv) {
  bench::Benchmark benchmark(argc, argv, {1800, 150});
  const std::size_t n = even_down_to_blocks(static_cast<std::size_t>(benchmark.size()));
  const Matrix a = bench::whole_numbers(n, 1), b = bench::whole_numbers(n, 1u << 30);
  Matrix c(0);
  benchmark.measured([&] {
#ifdef _OPENMP
#pragma omp parallel
#pragma omp single
#endif
    c = product(a, b);
  });
  return benchmark.verdict(bench::is_product(c, a, b));
}
