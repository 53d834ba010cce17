// SPDX-License-Identifier: Apache-2.0
// A wavefront over a table, block by block, as a flow graph of continue_nodes: a block depends on
// the blocks above it and left of it. The table counts the paths from its corner, modulo a prime:
// binomial coefficients. Size: blocks per side.
#include "benchmark.h"

#include <oneapi/tbb/flow_graph.h>

#include <memory>
#include <vector>

namespace {

namespace flow = tbb::flow;

constexpr std::size_t kBlock = 100;
constexpr std::uint64_t kPrime = 1'000'000'007;

struct Table {
  explicit Table(std::size_t points_per_side) : side(points_per_side), values(side * side) {}
  std::uint32_t& operator()(std::size_t i, std::size_t j) { return values[i * side + j]; }

  std::size_t side;
  std::vector<std::uint32_t> values;
};

void fill_block(Table& table, std::size_t row, std::size_t column) {
  for (std::size_t i = row * kBlock; i < (row + 1) * kBlock; ++i)
    for (std::size_t j = column * kBlock; j < (column + 1) * kBlock; ++j)
      table(i, j) = i == 0 || j == 0
                        ? 1
                        : static_cast<std::uint32_t>(
                              (std::uint64_t{table(i - 1, j)} + table(i, j - 1)) % kPrime);
}

void fill(Table& table, std::size_t blocks) {
  using Node = flow::continue_node<flow::continue_msg>;
  flow::graph graph;
  std::vector<std::unique_ptr<Node>> nodes;
  for (std::size_t i = 0; i < blocks * blocks; ++i) {
    nodes.push_back(std::make_unique<Node>(graph, [&table, i, blocks](const flow::continue_msg&) {
      fill_block(table, i / blocks, i % blocks);
    }));
    if (i >= blocks)
      flow::make_edge(*nodes[i - blocks], *nodes[i]);
    if (i % blocks > 0)
      flow::make_edge(*nodes[i - 1], *nodes[i]);
  }
  nodes[0]->try_put(flow::continue_msg());
  graph.wait_for_all();
}

std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent > 0; exponent /= 2, base = base * base % kPrime)
    if (exponent % 2 == 1)
      result = result * base % kPrime;
  return result;
}

// The binomial coefficient 2n over n; division by Fermat's little theorem.
std::uint64_t middle_binomial(std::uint64_t n) {
  std::uint64_t numerator = 1, denominator = 1;
  for (std::uint64_t i = 1; i <= n; ++i) {
    numerator = numerator * (n + i) % kPrime;
    denominator = denominator * i % kPrime;
  }
  return numerator * power(denominator, kPrime - 2) % kPrime;
}

} // namespace

int main(int argc, char** argv) {
  bench::Benchmark benchmark(argc, argv, {250, 8});
  const auto blocks = static_cast<std::size_t>(benchmark.size());
  Table table(blocks * kBlock);
  benchmark.measured([&] { fill(table, blocks); });
  const std::size_t last = table.side - 1;
  return benchmark.verdict(table(last, last) == middle_binomial(last));
}
