// SPDX-License-Identifier: Apache-2.0
// The nodes of an unbalanced tree, after the program of that name in the Barcelona OpenMP Tasks
// Suite: how many children a node has follows from its number alone, so where the large
// subtrees are shows only when they are counted. Size: children of the root.
#include "benchmark.h"

#include <utility>
#include <vector>

namespace {

// Of a node other than the root: kChildren with a probability that makes each subtree 100 nodes
// on average (1 / (1 - kChildren * probability)), else none.
constexpr unsigned kChildren = 5;
constexpr std::uint64_t kProbability = static_cast<std::uint64_t>(0.198 * 0x1p32);
constexpr int kRounds = 40; // of the function that a child's number comes from

std::uint64_t child_of(std::uint64_t node, std::uint64_t index) {
  std::uint64_t number = node ^ bench::random_number(index);
  for (int round = 0; round < kRounds; ++round)
    number = bench::random_number(number);
  return number;
}

bool has_children(std::uint64_t node) {
  return node >> 32 < kProbability;
}

// The nodes of its subtree.
long count(std::uint64_t node) {
  bench::spend(kRounds);
  if (!has_children(node))
    return 1;
  long counts[kChildren];
#ifdef _OPENMP
  for (unsigned i = 0; i < kChildren; ++i)
#pragma omp task shared(counts)
    counts[i] = count(child_of(node, i));
#pragma omp taskwait
#else
  tbb::task_group group;
  for (unsigned i = 0; i < kChildren; ++i)
    group.run([&counts, node, i] { counts[i] = count(child_of(node, i)); });
  group.wait();
#endif
  long sum = 1;
  for (const long each : counts)
    sum += each;
  return sum;
}

long count_all(std::uint64_t children) {
  std::vector<long> counts(children);
#ifdef _OPENMP
  for (std::uint64_t i = 0; i < children; ++i)
#pragma omp task shared(counts)
    counts[i] = count(child_of(0, i));
#pragma omp taskwait
#else
  tbb::task_group group;
  for (std::uint64_t i = 0; i < children; ++i)
    group.run([&counts, i] { counts[i] = count(child_of(0, i)); });
  group.wait();
#endif
  long sum = 1;
  for (const long each : counts)
    sum += each;
  return sum;
}

// With a list of the nodes that are still to be visited.
long count_by_list(std::uint64_t children) {
  std::vector<std::uint64_t> nodes;
  for (std::uint64_t i = 0; i < children; ++i)
    nodes.push_back(child_of(0, i));
  long sum = 1;
  while (!nodes.empty()) {
    const std::uint64_t node = nodes.back();
    nodes.pop_back();
    ++sum;
    for (unsigned i = 0; has_children(node) && i < kChildren; ++i)
      nodes.push_back(child_of(node, i));
  }
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  bench::Benchmark benchmark(argc, argv, {40'000, 40});
  const auto children = static_cast<std::uint64_t>(benchmark.size());
  long result = 0;
  benchmark.measured([&] {
#ifdef _OPENMP
#pragma omp parallel
#pragma omp single
#endif
    result = count_all(children);
  });
  return benchmark.verdict(result == count_by_list(children));
}
