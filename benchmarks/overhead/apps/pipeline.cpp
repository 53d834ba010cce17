// SPDX-License-Identifier: Apache-2.0
// A pipeline of three filters: creates blocks of numbers in order, compresses them in parallel, and
// joins them in order. Size: number of blocks.
#include "benchmark.h"

#include <oneapi/tbb/parallel_pipeline.h>

#include <algorithm>
#include <vector>

namespace {

using Numbers = std::vector<std::uint8_t>;

constexpr std::size_t kBlock = 50'000;

struct Block {
  Numbers numbers;
};

// Runs of equal bytes, of random length.
Numbers make_block(std::uint64_t seed) {
  Numbers block;
  while (block.size() < kBlock) {
    const std::uint64_t random = bench::random_number(seed + block.size());
    block.resize(std::min(kBlock, block.size() + 1 + random % 7),
                 static_cast<std::uint8_t>(random >> 32));
  }
  return block;
}

// Run lengths and bytes; several passes imitate a slower method.
Numbers compress(const Numbers& block) {
  Numbers result;
  for (int pass = 0; pass < 4; ++pass) {
    result.clear();
    for (std::size_t i = 0; i < block.size();) {
      std::size_t end = i + 1;
      while (end < block.size() && end - i < 255 && block[end] == block[i])
        ++end;
      result.push_back(static_cast<std::uint8_t>(end - i));
      result.push_back(block[i]);
      i = end;
    }
  }
  return result;
}

Numbers decompress(const Numbers& runs) {
  Numbers result;
  for (std::size_t i = 0; i < runs.size(); i += 2)
    result.insert(result.end(), runs[i], runs[i + 1]);
  return result;
}

std::vector<Numbers> run(std::uint64_t blocks) {
  std::vector<Numbers> results;
  std::uint64_t next = 0;
  tbb::parallel_pipeline(
      16, tbb::make_filter<void, Block*>(tbb::filter_mode::serial_in_order,
                                         [&](tbb::flow_control& control) -> Block* {
                                           if (next < blocks)
                                             return new Block{make_block(next++ << 32)};
                                           control.stop();
                                           return nullptr;
                                         }) &
              tbb::make_filter<Block*, Block*>(tbb::filter_mode::parallel,
                                               [](Block* block) {
                                                 block->numbers = compress(block->numbers);
                                                 return block;
                                               }) &
              tbb::make_filter<Block*, void>(tbb::filter_mode::serial_in_order, [&](Block* block) {
                results.push_back(std::move(block->numbers));
                delete block;
              }));
  return results;
}

} // namespace

int main(int argc, char** argv) {
  bench::Benchmark benchmark(argc, argv, {4000, 20});
  const auto blocks = static_cast<std::uint64_t>(benchmark.size());
  std::vector<Numbers> results;
  benchmark.measured([&] { results = run(blocks); });
  bool is_right = results.size() == blocks;
  for (std::uint64_t i = 0; i < results.size(); ++i)
    is_right &= decompress(results[i]) == make_block(i << 32);
  return benchmark.verdict(is_right);
}
