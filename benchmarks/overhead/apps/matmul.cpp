// SPDX-License-Identifier: Apache-2.0
// Matrix product by halving the longest of the three dimensions; the two halves of the inner
// dimension run one after the other. Size: order of the matrices.
#include "matrix.h"

namespace {

using bench::Matrix;

struct Interval {
  std::size_t begin, end;

  std::size_t length() const { return end - begin; }
  Interval lower() const { return {begin, begin + length() / 2}; }
  Interval upper() const { return {begin + length() / 2, end}; }
};

constexpr std::size_t kSerial = 64;

void add_product(Matrix& c, const Matrix& a, const Matrix& b, Interval i, Interval j, Interval k) {
  if (std::max({i.length(), j.length(), k.length()}) <= kSerial) {
    for (std::size_t row = i.begin; row < i.end; ++row)
      for (std::size_t inner = k.begin; inner < k.end; ++inner)
        for (std::size_t column = j.begin; column < j.end; ++column)
          c(row, column) += a(row, inner) * b(inner, column);
  } else if (k.length() >= std::max(i.length(), j.length())) {
    add_product(c, a, b, i, j, k.lower());
    add_product(c, a, b, i, j, k.upper());
  } else if (i.length() >= j.length()) {
    tbb::parallel_invoke([&] { add_product(c, a, b, i.lower(), j, k); },
                         [&] { add_product(c, a, b, i.upper(), j, k); });
  } else {
    tbb::parallel_invoke([&] { add_product(c, a, b, i, j.lower(), k); },
                         [&] { add_product(c, a, b, i, j.upper(), k); });
  }
}

} // namespace

int main(int argc, char** argv) {
  bench::Benchmark benchmark(argc, argv, {1536, 150});
  const auto n = static_cast<std::size_t>(benchmark.size());
  const Matrix a = bench::whole_numbers(n, 1), b = bench::whole_numbers(n, 1u << 30);
  Matrix c(n);
  benchmark.measured([&] { add_product(c, a, b, {0, n}, {0, n}, {0, n}); });
  return benchmark.verdict(bench::is_product(c, a, b));
}
