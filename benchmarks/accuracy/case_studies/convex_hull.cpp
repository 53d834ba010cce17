// SPDX-License-Identifier: Apache-2.0
// The input of a convex hull program: one thread parses a text file of points, then the extreme
// points in many directions are found in parallel. After: the text is parsed in parts.
#include "case_study.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace {

struct Point {
  std::int32_t x = 0, y = 0;
};

constexpr std::size_t kLine = 14; // "123456 123456\n"

// The input file, generated as text in memory: the cost of reading it is the cost of parsing it.
std::string make_text(std::size_t points) {
  std::string text(points * kLine, '\n');
  tbb::parallel_for( // before: read points
      study::Range(0, study::kChunks, 1),
      [&](const study::Range& range) {
        const study::Range part = study::part_of(points, range.begin(), study::kChunks);
        for (std::size_t i = part.begin(); i < part.end(); ++i) {
          const std::uint64_t hash = study::random_number(i);
          char line[kLine + 1];
          std::snprintf(line, sizeof line, "%6u %6u", static_cast<unsigned>(hash % 1'000'000),
                        static_cast<unsigned>(hash / 1'000'000 % 1'000'000));
          std::copy_n(line, kLine - 1, &text[i * kLine]);
        }
        tp::spend(8 * kLine * part.size());
      },
      study::kSimple);
  return text;
}

void parse(const std::string& text, study::Range part, std::vector<Point>& points) {
  const char* at = text.data() + part.begin() * kLine;
  for (std::size_t i = part.begin(); i < part.end(); ++i) {
    char* end = nullptr;
    points[i].x = static_cast<std::int32_t>(std::strtol(at, &end, 10));
    points[i].y = static_cast<std::int32_t>(std::strtol(end, &end, 10));
    at += kLine;
  }
  tp::spend(4 * kLine * part.size());
}

// The farthest point in each of kChunks directions; these points are corners of the hull.
std::vector<std::size_t> extreme_points(const std::vector<Point>& points) {
  std::vector<std::size_t> extreme(study::kChunks);
  tbb::parallel_for( // after: read points
      study::Range(0, study::kChunks, 1),
      [&](const study::Range& range) {
        const double angle = 6.28 * static_cast<double>(range.begin()) / study::kChunks;
        const double dx = std::cos(angle), dy = std::sin(angle);
        double most = -1e30;
        for (std::size_t i = 0; i < points.size(); ++i)
          if (const double distance = dx * points[i].x + dy * points[i].y; distance > most) {
            most = distance;
            extreme[range.begin()] = i;
          }
        tp::spend(2 * points.size());
      },
      study::kSimple);
  return extreme;
}

} // namespace

int main(int argc, char** argv) {
  const study::Arguments arguments(argc, argv, 400'000);
  const std::string text = make_text(arguments.size);
  std::vector<Point> points(arguments.size);
  if (arguments.after) {
    tbb::parallel_for(
        study::Range(0, study::kParts, 1),
        [&](const study::Range& part) {
          parse(text, study::part_of(points.size(), part.begin(), study::kParts), points);
        },
        study::kSimple);
  } else {
    const tp::CausalRegion region{"read points"};
    parse(text, {0, points.size()}, points);
  }
  const std::vector<std::size_t> extreme = extreme_points(points);
  const auto most =
      std::max_element(points.begin(), points.end(), [](Point a, Point b) { return a.x < b.x; });
  return study::verdict(points[extreme[0]].x == most->x);
}
