// SPDX-License-Identifier: Apache-2.0
// The sort in a minimum spanning forest: the edges' weights are computed in parallel, sorted by one
// thread, and processed in parallel. After: a sample sort, with buckets of equal width.
#include "case_study.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace {

struct Edge {
  std::uint32_t weight, from, to;
  bool operator<(const Edge& other) const { return weight < other.weight; }
};
using Edges = std::vector<Edge>;

Edge make_edge(std::size_t i, std::size_t vertices) {
  std::uint64_t hash = i;
  for (int round = 0; round < 120; ++round)
    hash = study::random_number(hash);
  return {static_cast<std::uint32_t>(hash >> 40), static_cast<std::uint32_t>(hash % vertices),
          static_cast<std::uint32_t>(hash / 7 % vertices)};
}

// The virtual clock counts comparisons.
void sort(Edge* begin, Edge* end) {
  std::uint64_t comparisons = 0;
  std::sort(begin, end, [&](const Edge& a, const Edge& b) {
    ++comparisons;
    return a < b;
  });
  tp::spend(comparisons);
}

// Distributes each part of the edges by weight, then gathers and sorts each bucket.
void sort_parallel(Edges& edges) {
  using Buckets = std::array<Edges, study::kParts>;
  std::vector<Buckets> dealt(study::kParts);
  tbb::parallel_for(
      study::Range(0, study::kParts, 1),
      [&](const study::Range& range) {
        Buckets& buckets = dealt[range.begin()];
        const study::Range part = study::part_of(edges.size(), range.begin(), study::kParts);
        for (Edges& bucket : buckets)
          bucket.reserve(part.size() / study::kParts * 5 / 4);
        for (std::size_t i = part.begin(); i < part.end(); ++i)
          buckets[edges[i].weight * study::kParts >> 24].push_back(edges[i]);
      },
      study::kSimple);
  std::array<std::size_t, study::kParts + 1> starts{};
  for (std::size_t i = 0; i < study::kParts; ++i) {
    starts[i + 1] = starts[i];
    for (const Buckets& buckets : dealt)
      starts[i + 1] += buckets[i].size();
  }
  tbb::parallel_for(
      study::Range(0, study::kParts, 1),
      [&](const study::Range& range) {
        Edge* const begin = edges.data() + starts[range.begin()];
        Edge* end = begin;
        for (Buckets& buckets : dealt) {
          const Edges bucket = std::move(buckets[range.begin()]); // freed by this task, not by main
          end = std::copy(bucket.begin(), bucket.end(), end);
        }
        sort(begin, end);
      },
      study::kSimple);
}

} // namespace

int main(int argc, char** argv) {
  const study::Arguments arguments(argc, argv, 400'000);
  Edges edges(arguments.size);
  tbb::parallel_for( // before: sort
      study::Range(0, edges.size(), edges.size() / study::kChunks),
      [&](const study::Range& range) {
        for (std::size_t i = range.begin(); i < range.end(); ++i)
          edges[i] = make_edge(i, arguments.size / 4);
        tp::spend(120 * range.size());
      },
      study::kSimple);

  if (arguments.after) {
    sort_parallel(edges);
  } else {
    const tp::CausalRegion region{"sort"};
    sort(edges.data(), edges.data() + edges.size());
  }

  std::vector<std::uint32_t> lightest(study::kChunks); // of each chunk: what a filter would keep
  tbb::parallel_for(                                   // after: sort
      study::Range(0, study::kChunks, 1),
      [&](const study::Range& range) {
        const study::Range part = study::part_of(edges.size(), range.begin(), study::kChunks);
        std::uint32_t sum = 0;
        for (std::size_t i = part.begin(); i < part.end(); ++i)
          for (std::uint32_t round = 0; round < 120; ++round)
            sum += static_cast<std::uint32_t>(
                study::random_number(edges[i].from ^ edges[i].to ^ round));
        lightest[range.begin()] = sum;
        tp::spend(120 * part.size());
      },
      study::kSimple);
  return study::verdict(std::is_sorted(edges.begin(), edges.end()));
}
