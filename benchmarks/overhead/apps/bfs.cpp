// SPDX-License-Identifier: Apache-2.0
// Breadth-first search, with one parallel loop per level, on a square grid whose points are
// numbered in random order, so that the distances are known. Size: points per side.
#include "benchmark.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

namespace {

using Vertex = std::uint32_t;
constexpr std::uint32_t kUnreached = UINT32_MAX;

struct Grid {
  explicit Grid(std::size_t points_per_side)
      : side(points_per_side), number(side * side), place(side * side) {
    std::iota(number.begin(), number.end(), 0u);
    for (std::size_t i = number.size() - 1; i > 0; --i)
      std::swap(number[i], number[bench::random_number(i) % (i + 1)]);
    for (std::size_t i = 0; i < number.size(); ++i)
      place[number[i]] = static_cast<std::uint32_t>(i);
  }
  template <typename Visit>
  void for_each_neighbour(Vertex vertex, Visit visit) const {
    const std::size_t i = place[vertex], row = i / side, column = i % side;
    if (row > 0)
      visit(number[i - side]);
    if (column > 0)
      visit(number[i - 1]);
    if (column + 1 < side)
      visit(number[i + 1]);
    if (row + 1 < side)
      visit(number[i + side]);
  }

  std::size_t side;
  std::vector<Vertex> number; // of the point at row * side + column
  std::vector<std::uint32_t> place;
};

using Distances = std::vector<std::atomic<std::uint32_t>>;

// The unvisited neighbors of the frontier's vertices; exactly one thread visits each.
std::vector<Vertex> next_frontier(const Grid& grid, const std::vector<Vertex>& frontier,
                                  std::uint32_t distance, Distances& distances) {
  using Range = tbb::blocked_range<std::size_t>;
  std::vector<Vertex> next(2 * frontier.size() + 2);
  std::atomic<std::size_t> used{0};
  tbb::parallel_for(Range(0, frontier.size(), 64), [&](const Range& range) {
    std::vector<Vertex> found;
    for (std::size_t i = range.begin(); i < range.end(); ++i)
      grid.for_each_neighbour(frontier[i], [&](Vertex vertex) {
        std::uint32_t expected = kUnreached;
        if (distances[vertex].load(std::memory_order_relaxed) == kUnreached &&
            distances[vertex].compare_exchange_strong(expected, distance))
          found.push_back(vertex);
      });
    std::copy(found.begin(), found.end(),
              next.begin() + static_cast<std::ptrdiff_t>(used.fetch_add(found.size())));
  });
  next.resize(used);
  return next;
}

void search(const Grid& grid, Vertex source, Distances& distances) {
  std::vector<Vertex> frontier{source};
  distances[source] = 0;
  for (std::uint32_t distance = 1; !frontier.empty(); ++distance)
    frontier = next_frontier(grid, frontier, distance, distances);
}

} // namespace

int main(int argc, char** argv) {
  bench::Benchmark benchmark(argc, argv, {3500, 60});
  const Grid grid(static_cast<std::size_t>(benchmark.size()));
  Distances distances(grid.number.size());
  for (auto& distance : distances)
    distance = kUnreached;
  benchmark.measured([&] { search(grid, grid.number[0], distances); });
  bool is_right = true;
  for (std::size_t i = 0; i < grid.number.size(); ++i)
    is_right &= distances[grid.number[i]] == i / grid.side + i % grid.side;
  return benchmark.verdict(is_right);
}
