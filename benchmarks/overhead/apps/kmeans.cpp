// SPDX-License-Identifier: Apache-2.0
// k-means clustering (Lloyd 1982) of points in whole coordinates: each round is one reduction,
// whose sums do not depend on the schedule. The clusters are far apart, so that the correct centers
// are known. Size: number of points.
#include "benchmark.h"

#include <array>
#include <vector>

namespace {

constexpr std::size_t kClusters = 16, kDimensions = 4;
constexpr int kRounds = 10;

using Point = std::array<std::int32_t, kDimensions>;

struct Sums {
  std::array<std::array<std::int64_t, kDimensions>, kClusters> sum{};
  std::array<std::int64_t, kClusters> count{};

  void add(std::size_t cluster, const Point& point) {
    for (std::size_t d = 0; d < kDimensions; ++d)
      sum[cluster][d] += point[d];
    ++count[cluster];
  }
  Sums& operator+=(const Sums& other) {
    for (std::size_t cluster = 0; cluster < kClusters; ++cluster) {
      for (std::size_t d = 0; d < kDimensions; ++d)
        sum[cluster][d] += other.sum[cluster][d];
      count[cluster] += other.count[cluster];
    }
    return *this;
  }
  std::vector<Point> centres() const {
    std::vector<Point> result(kClusters);
    for (std::size_t cluster = 0; cluster < kClusters; ++cluster)
      for (std::size_t d = 0; d < kDimensions; ++d)
        result[cluster][d] =
            static_cast<std::int32_t>(sum[cluster][d] / std::max<std::int64_t>(1, count[cluster]));
    return result;
  }
};

std::size_t nearest(const std::vector<Point>& centres, const Point& point) {
  std::size_t best = 0;
  std::int64_t best_distance = INT64_MAX;
  for (std::size_t cluster = 0; cluster < kClusters; ++cluster) {
    std::int64_t distance = 0;
    for (std::size_t d = 0; d < kDimensions; ++d) {
      const std::int64_t along = centres[cluster][d] - point[d];
      distance += along * along;
    }
    if (distance < best_distance) {
      best_distance = distance;
      best = cluster;
    }
  }
  return best;
}

Sums assign(const std::vector<Point>& points, const std::vector<Point>& centres) {
  using Range = tbb::blocked_range<std::size_t>;
  return tbb::parallel_reduce(
      Range(0, points.size(), 1000), Sums{},
      [&](const Range& range, Sums sums) {
        for (std::size_t i = range.begin(); i < range.end(); ++i)
          sums.add(nearest(centres, points[i]), points[i]);
        return sums;
      },
      [](Sums a, const Sums& b) { return a += b; });
}

// Point i belongs to cluster i % kClusters: a cube around a corner of a larger cube.
Point make_point(std::uint64_t i) {
  Point point;
  for (std::size_t d = 0; d < kDimensions; ++d)
    point[d] = static_cast<std::int32_t>((i % kClusters >> d & 1) * 10000 +
                                         bench::random_number(i * kDimensions + d) % 2000);
  return point;
}

} // namespace

int main(int argc, char** argv) {
  bench::Benchmark benchmark(argc, argv, {3'000'000, 5'000, kClusters});
  std::vector<Point> points(static_cast<std::size_t>(benchmark.size()));
  Sums expected;
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] = make_point(i);
    expected.add(i % kClusters, points[i]);
  }
  std::vector<Point> centres(points.begin(), points.begin() + kClusters); // one per cluster
  benchmark.measured([&] {
    for (int round = 0; round < kRounds; ++round)
      centres = assign(points, centres).centres();
  });
  return benchmark.verdict(centres == expected.centres());
}
