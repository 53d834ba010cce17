// SPDX-License-Identifier: Apache-2.0
// Convex hull of points in a disc by quickhull: finds the farthest point by a parallel reduction,
// then processes both sides in parallel. Size: number of points.
#include "benchmark.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace {

struct Point {
  std::int64_t x, y;
};
using Points = std::vector<Point>;

bool operator<(const Point& a, const Point& b) {
  return a.x != b.x ? a.x < b.x : a.y < b.y;
}

// Positive if c is left of the line from a to b; the magnitude is twice the area of the triangle.
std::int64_t turn(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

constexpr std::size_t kGrain = 2000;

// The best of `points` by a strict order; the first of equal points, for any schedule.
template <typename IsBetter>
const Point* best_of(const Points& points, IsBetter is_better) {
  using Range = tbb::blocked_range<const Point*>;
  const auto better = [&](const Point* a, const Point* b) { return is_better(*b, *a) ? b : a; };
  const Point* const first = points.data();
  return tbb::parallel_reduce(
      Range(first, first + points.size(), kGrain), first,
      [&](const Range& range, const Point* best) {
        for (const Point* point = range.begin(); point != range.end(); ++point)
          best = better(best, point);
        return best;
      },
      better);
}

Points left_of(const Points& points, const Point& a, const Point& b) {
  Points result;
  std::copy_if(points.begin(), points.end(), std::back_inserter(result),
               [&](const Point& point) { return turn(a, b, point) > 0; });
  return result;
}

// The corners left of the line from a to b, without a and b; all `points` are left of the line.
Points corners_between(const Point& a, const Point& b, const Points& points) {
  if (points.empty())
    return {};
  const Point top = *best_of(points, [&](const Point& p, const Point& q) {
    const std::int64_t height_p = turn(a, b, p), height_q = turn(a, b, q);
    return height_p != height_q ? height_p > height_q : p < q;
  });
  Points before, after;
  tbb::parallel_invoke([&] { before = corners_between(a, top, left_of(points, a, top)); },
                       [&] { after = corners_between(top, b, left_of(points, top, b)); });
  before.push_back(top);
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

// The corners, clockwise from the leftmost.
Points convex_hull(const Points& points) {
  const Point left = *best_of(points, [](const Point& p, const Point& q) { return p < q; });
  const Point right = *best_of(points, [](const Point& p, const Point& q) { return q < p; });
  Points upper, lower;
  tbb::parallel_invoke([&] { upper = corners_between(left, right, left_of(points, left, right)); },
                       [&] { lower = corners_between(right, left, left_of(points, right, left)); });
  Points hull{left};
  hull.insert(hull.end(), upper.begin(), upper.end());
  hull.push_back(right);
  hull.insert(hull.end(), lower.begin(), lower.end());
  return hull;
}

// The corners by Andrew's monotone chain on sorted points, clockwise from the leftmost.
Points hull_by_sorting(Points points) {
  std::sort(points.begin(), points.end());
  Points hull;
  const auto add = [&](const Point& point, std::size_t kept) {
    while (hull.size() > kept && turn(hull[hull.size() - 2], hull.back(), point) >= 0)
      hull.pop_back();
    hull.push_back(point);
  };
  std::for_each(points.begin(), points.end(), [&](const Point& point) { add(point, 1); });
  const std::size_t upper = hull.size();
  std::for_each(points.rbegin() + 1, points.rend(), [&](const Point& point) { add(point, upper); });
  hull.pop_back();
  return hull;
}

Points points_in_disc(long count) {
  constexpr std::int64_t kRadius = 1 << 28;
  Points points;
  for (std::uint64_t i = 0; points.size() < static_cast<std::size_t>(count); ++i) {
    const Point point{
        static_cast<std::int64_t>(bench::random_number(2 * i) % (2 * kRadius)) - kRadius,
        static_cast<std::int64_t>(bench::random_number(2 * i + 1) % (2 * kRadius)) - kRadius};
    if (point.x * point.x + point.y * point.y <= kRadius * kRadius)
      points.push_back(point);
  }
  return points;
}

} // namespace

int main(int argc, char** argv) {
  bench::Benchmark benchmark(argc, argv, {25'000'000, 10'000});
  const Points points = points_in_disc(benchmark.size());
  Points hull;
  benchmark.measured([&] { hull = convex_hull(points); });
  const Points expected = hull_by_sorting(points);
  return benchmark.verdict(
      std::equal(hull.begin(), hull.end(), expected.begin(), expected.end(),
                 [](const Point& p, const Point& q) { return p.x == q.x && p.y == q.y; }));
}
