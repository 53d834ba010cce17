// SPDX-License-Identifier: Apache-2.0
// Heat on a square plate whose rim stays cold: Jacobi steps, one parallel loop each. The plate
// starts as a sine wave, of which each step leaves a known fraction. Size: points per side.
#include "benchmark.h"

#include <cmath>
#include <vector>

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr int kSteps = 100;

class Plate {
public:
  explicit Plate(std::size_t side) : side_(side), values_((side + 2) * (side + 2)) {
    for (std::size_t i = 1; i <= side; ++i)
      for (std::size_t j = 1; j <= side; ++j)
        (*this)(i, j) = wave(i, j);
  }
  // The points are 1 to side; 0 and side + 1 are the rim.
  double& operator()(std::size_t i, std::size_t j) { return values_[i * (side_ + 2) + j]; }
  double operator()(std::size_t i, std::size_t j) const { return values_[i * (side_ + 2) + j]; }
  std::size_t side() const { return side_; }
  double step() const { return kPi / static_cast<double>(side_ + 1); }
  double wave(std::size_t i, std::size_t j) const {
    return std::sin(static_cast<double>(i) * step()) * std::sin(static_cast<double>(j) * step());
  }

private:
  std::size_t side_;
  std::vector<double> values_;
};

void diffuse(const Plate& from, Plate& to) {
  using Range = tbb::blocked_range2d<std::size_t>;
  const std::size_t side = from.side();
  tbb::parallel_for(Range(1, side + 1, 16, 1, side + 1, 512), [&](const Range& range) {
    for (std::size_t i = range.rows().begin(); i < range.rows().end(); ++i)
      for (std::size_t j = range.cols().begin(); j < range.cols().end(); ++j)
        to(i, j) = 0.25 * (from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1));
  });
}

bool is_damped_wave(const Plate& plate) {
  const double left = std::pow(std::cos(plate.step()), kSteps);
  for (std::size_t i = 1; i <= plate.side(); ++i)
    for (std::size_t j = 1; j <= plate.side(); ++j)
      if (!(std::fabs(plate(i, j) - left * plate.wave(i, j)) < 1e-10))
        return false;
  return true;
}

} // namespace

int main(int argc, char** argv) {
  bench::Benchmark benchmark(argc, argv, {4000, 100});
  Plate plate(static_cast<std::size_t>(benchmark.size())), next = plate;
  benchmark.measured([&] {
    for (int step = 0; step < kSteps; ++step) {
      diffuse(plate, next);
      std::swap(plate, next);
    }
  });
  return benchmark.verdict(is_damped_wave(plate));
}
