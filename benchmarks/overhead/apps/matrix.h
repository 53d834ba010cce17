// SPDX-License-Identifier: Apache-2.0
// Square matrices for the linear algebra programs, and the verification of their results: by their
// products with vectors, in O(n^2).
#pragma once

#include "benchmark.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace bench {

using Vector = std::vector<double>;

// A square matrix, row-major.
struct Matrix {
  explicit Matrix(std::size_t order) : n(order), values(order * order) {}
  double& operator()(std::size_t i, std::size_t j) { return values[i * n + j]; }
  double operator()(std::size_t i, std::size_t j) const { return values[i * n + j]; }

  std::size_t n;
  Vector values;
};

// Small whole numbers: products and sums of products are exact.
inline Matrix whole_numbers(std::size_t n, std::uint64_t seed) {
  Matrix matrix(n);
  for (std::size_t i = 0; i < n * n; ++i)
    matrix.values[i] = static_cast<double>(random_number(seed + i) % 5) - 2;
  return matrix;
}

inline Vector signs(std::size_t n) {
  Vector vector(n);
  for (std::size_t i = 0; i < n; ++i)
    vector[i] = random_number(i + 12345) & 1 ? 1 : -1;
  return vector;
}

inline Vector product(const Matrix& matrix, const Vector& vector) {
  Vector result(matrix.n);
  for (std::size_t i = 0; i < matrix.n; ++i)
    for (std::size_t j = 0; j < matrix.n; ++j)
      result[i] += matrix(i, j) * vector[j];
  return result;
}

// Freivalds' check, exact: a wrong C fails for at least half of the vectors of signs.
inline bool is_product(const Matrix& c, const Matrix& a, const Matrix& b) {
  const Vector x = signs(c.n);
  return product(c, x) == product(a, product(b, x));
}

inline bool is_close(const Vector& a, const Vector& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::fabs(a[i] - b[i]) <= 1e-8 * (1 + std::fabs(b[i]))))
      return false;
  return true;
}

// L (U x), where `lu` contains L below the diagonal (with ones on it) and U above.
inline Vector product_of_factors(const Matrix& lu, const Vector& x) {
  Vector u(lu.n), result(lu.n);
  for (std::size_t i = 0; i < lu.n; ++i)
    for (std::size_t j = i; j < lu.n; ++j)
      u[i] += lu(i, j) * x[j];
  for (std::size_t i = 0; i < lu.n; ++i) {
    result[i] = u[i];
    for (std::size_t j = 0; j < i; ++j)
      result[i] += lu(i, j) * u[j];
  }
  return result;
}

} // namespace bench
