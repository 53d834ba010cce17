// SPDX-License-Identifier: Apache-2.0
// Spanning forest of a random graph by union-find without locks: a parallel loop over the edges, in
// which a compare-and-swap links each root (Anderson, Woll 1991). Size: number of vertices; there
// are twice as many edges.
#include "benchmark.h"

#include <atomic>
#include <numeric>
#include <vector>

namespace {

using Vertex = std::uint32_t;

struct Edge {
  Vertex a, b;
};

class Forest {
public:
  explicit Forest(std::size_t vertices) : parents_(vertices) {
    for (std::size_t i = 0; i < vertices; ++i)
      parents_[i] = static_cast<Vertex>(i);
  }
  // True if the edge joins two trees: it belongs to the forest.
  bool join(Edge edge) {
    for (;;) {
      Vertex a = root(edge.a), b = root(edge.b);
      if (a == b)
        return false;
      if (a < b)
        std::swap(a, b);
      if (parents_[a].compare_exchange_strong(a, b))
        return true;
    }
  }

private:
  // The root of the vertex's tree. Halves the path on the way.
  Vertex root(Vertex vertex) {
    for (;;) {
      Vertex parent = parents_[vertex].load(std::memory_order_relaxed);
      if (parent == vertex)
        return vertex;
      const Vertex grandparent = parents_[parent].load(std::memory_order_relaxed);
      if (grandparent != parent)
        parents_[vertex].compare_exchange_weak(parent, grandparent);
      vertex = parent;
    }
  }
  std::vector<std::atomic<Vertex>> parents_;
};

std::vector<Edge> random_edges(std::size_t vertices) {
  std::vector<Edge> edges(2 * vertices);
  for (std::size_t i = 0; i < edges.size(); ++i)
    edges[i] = {static_cast<Vertex>(bench::random_number(2 * i) % vertices),
                static_cast<Vertex>(bench::random_number(2 * i + 1) % vertices)};
  return edges;
}

// The textbook algorithm, for verification.
class SerialForest {
public:
  explicit SerialForest(std::size_t vertices) : parents_(vertices), trees_(vertices) {
    std::iota(parents_.begin(), parents_.end(), Vertex{0});
  }
  bool join(Edge edge) {
    const Vertex a = root(edge.a), b = root(edge.b);
    if (a == b)
      return false;
    parents_[a] = b;
    --trees_;
    return true;
  }
  std::size_t trees() const { return trees_; }

private:
  Vertex root(Vertex vertex) {
    while (parents_[vertex] != vertex)
      vertex = parents_[vertex] = parents_[parents_[vertex]];
    return vertex;
  }
  std::vector<Vertex> parents_;
  std::size_t trees_;
};

// True if the edges have no cycle and form as many trees as the graph has components.
bool is_spanning_forest(std::size_t vertices, const std::vector<Edge>& edges,
                        const std::vector<char>& is_chosen) {
  SerialForest graph(vertices), chosen(vertices);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    graph.join(edges[i]);
    if (is_chosen[i] && !chosen.join(edges[i]))
      return false;
  }
  return chosen.trees() == graph.trees();
}

} // namespace

int main(int argc, char** argv) {
  bench::Benchmark benchmark(argc, argv, {10'000'000, 5'000});
  const auto vertices = static_cast<std::size_t>(benchmark.size());
  const std::vector<Edge> edges = random_edges(vertices);
  Forest forest(vertices);
  std::vector<char> is_chosen(edges.size());
  benchmark.measured([&] {
    using Range = tbb::blocked_range<std::size_t>;
    tbb::parallel_for(Range(0, edges.size(), 256), [&](const Range& range) {
      for (std::size_t i = range.begin(); i < range.end(); ++i)
        is_chosen[i] = forest.join(edges[i]);
    });
  });
  return benchmark.verdict(is_spanning_forest(vertices, edges, is_chosen));
}
