// SPDX-License-Identifier: Apache-2.0
// LU factorization of a matrix of blocks, many of which are empty, after the program of that name
// in the Barcelona OpenMP Tasks Suite: one thread creates uneven numbers of tasks. Size: blocks per
// row.
#include "matrix.h"

#include <memory>

namespace {

constexpr std::size_t kBlock = 40;
constexpr std::uint64_t kCubed = kBlock * kBlock * kBlock;

using Block = bench::Matrix;
using BlockPointer = std::unique_ptr<Block>;

struct BlockMatrix {
  explicit BlockMatrix(std::size_t order) : n(order), blocks(order * order) {}
  BlockPointer& operator()(std::size_t i, std::size_t j) { return blocks[i * n + j]; }

  std::size_t n;
  std::vector<BlockPointer> blocks; // null: empty
};

void lu0(Block& d) {
  bench::spend(kCubed / 3);
  for (std::size_t k = 0; k < kBlock; ++k)
    for (std::size_t i = k + 1; i < kBlock; ++i) {
      d(i, k) /= d(k, k);
      for (std::size_t j = k + 1; j < kBlock; ++j)
        d(i, j) -= d(i, k) * d(k, j);
    }
}

void fwd(const Block& d, Block& right) {
  bench::spend(kCubed / 2);
  for (std::size_t k = 0; k < kBlock; ++k)
    for (std::size_t i = k + 1; i < kBlock; ++i)
      for (std::size_t j = 0; j < kBlock; ++j)
        right(i, j) -= d(i, k) * right(k, j);
}

void bdiv(const Block& d, Block& below) {
  bench::spend(kCubed / 2);
  for (std::size_t i = 0; i < kBlock; ++i)
    for (std::size_t k = 0; k < kBlock; ++k) {
      below(i, k) /= d(k, k);
      for (std::size_t j = k + 1; j < kBlock; ++j)
        below(i, j) -= below(i, k) * d(k, j);
    }
}

void bmod(const Block& below, const Block& right, BlockPointer& inner) {
  bench::spend(kCubed);
  if (!inner)
    inner = std::make_unique<Block>(kBlock);
  for (std::size_t i = 0; i < kBlock; ++i)
    for (std::size_t k = 0; k < kBlock; ++k)
      for (std::size_t j = 0; j < kBlock; ++j)
        (*inner)(i, j) -= below(i, k) * right(k, j);
}

void factor(BlockMatrix& a) {
  for (std::size_t k = 0; k < a.n; ++k) {
    Block& diagonal = *a(k, k);
    lu0(diagonal);
#ifdef _OPENMP
    for (std::size_t i = k + 1; i < a.n; ++i) {
      if (Block* const right = a(k, i).get())
#pragma omp task shared(diagonal)
        fwd(diagonal, *right);
      if (Block* const below = a(i, k).get())
#pragma omp task shared(diagonal)
        bdiv(diagonal, *below);
    }
#pragma omp taskwait
    for (std::size_t i = k + 1; i < a.n; ++i)
      for (std::size_t j = k + 1; j < a.n; ++j)
        if (a(i, k) && a(k, j))
#pragma omp task shared(a)
          bmod(*a(i, k), *a(k, j), a(i, j));
#pragma omp taskwait
#else
    tbb::task_group edges;
    for (std::size_t i = k + 1; i < a.n; ++i) {
      if (Block* const right = a(k, i).get())
        edges.run([&diagonal, right] { fwd(diagonal, *right); });
      if (Block* const below = a(i, k).get())
        edges.run([&diagonal, below] { bdiv(diagonal, *below); });
    }
    edges.wait();
    tbb::task_group inner;
    for (std::size_t i = k + 1; i < a.n; ++i)
      for (std::size_t j = k + 1; j < a.n; ++j)
        if (a(i, k) && a(k, j))
          inner.run([&a, i, j, k] { bmod(*a(i, k), *a(k, j), a(i, j)); });
    inner.wait();
#endif
  }
}

BlockMatrix make_input(std::size_t n) {
  BlockMatrix a(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i == j || bench::random_number(i * n + j) % 4 == 0)
        a(i, j) = std::make_unique<Block>(bench::whole_numbers(kBlock, (i * n + j) << 20));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t row = 0; row < kBlock; ++row)
      (*a(i, i))(row, row) = 4 * static_cast<double>(n * kBlock); // dominant: needs no pivoting
  return a;
}

bench::Matrix dense(BlockMatrix& a) {
  bench::Matrix result(a.n * kBlock);
  for (std::size_t i = 0; i < result.n; ++i)
    for (std::size_t j = 0; j < result.n; ++j)
      if (const Block* const block = a(i / kBlock, j / kBlock).get())
        result(i, j) = (*block)(i % kBlock, j % kBlock);
  return result;
}

} // namespace

int main(int argc, char** argv) {
  bench::Benchmark benchmark(argc, argv, {55, 6});
  BlockMatrix a = make_input(static_cast<std::size_t>(benchmark.size()));
  const bench::Vector x = bench::signs(a.n * kBlock), ax = bench::product(dense(a), x);
  benchmark.measured([&] {
#ifdef _OPENMP
#pragma omp parallel
#pragma omp single
#endif
    factor(a);
  });
  return benchmark.verdict(bench::is_close(bench::product_of_factors(dense(a), x), ax));
}
