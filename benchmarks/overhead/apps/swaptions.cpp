// SPDX-License-Identifier: Apache-2.0
// Prices of bonds by Monte Carlo, as in PARSEC's swaptions: for each bond a parallel reduction over
// random paths of the interest rate, nested in a parallel loop over the bonds. The rate follows
// Vasicek (1977), so that the prices are known in closed form. Size: paths per bond.
#include "benchmark.h"

#include <cmath>
#include <vector>

namespace {

constexpr std::size_t kBonds = 64;
constexpr int kSteps = 50;
constexpr double kReversion = 0.8, kMean = 0.05, kVolatility = 0.03, kStart = 0.02;
constexpr double kPi = 3.14159265358979323846;

// Two independent normal numbers (Box, Muller 1958).
struct Normals {
  double a, b;
};
Normals normals(std::uint64_t i) {
  const double radius = std::sqrt(-2 * std::log(1 - bench::random_fraction(2 * i)));
  const double angle = 2 * kPi * bench::random_fraction(2 * i + 1);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

double years_of(std::size_t bond) {
  return 0.5 + 0.15 * static_cast<double>(bond);
}

// The present value of one payment at the end if the rate takes this path. Each step of the rate is
// exact; its integral uses the trapezoidal rule.
double discount(std::size_t bond, std::uint64_t path) {
  const double dt = years_of(bond) / kSteps, keep = std::exp(-kReversion * dt);
  const double deviation = kVolatility * std::sqrt((1 - keep * keep) / (2 * kReversion));
  double rate = kStart, integral = 0;
  const auto step = [&](double normal) {
    const double next = kMean + (rate - kMean) * keep + deviation * normal;
    integral += (rate + next) / 2 * dt;
    rate = next;
  };
  for (std::uint64_t i = 0; i < kSteps / 2; ++i) {
    const Normals random = normals((bond << 32 | path) * kSteps + i);
    step(random.a);
    step(random.b);
  }
  return std::exp(-integral);
}

double exact_price(double years) {
  const double b = (1 - std::exp(-kReversion * years)) / kReversion;
  const double variance = kVolatility * kVolatility;
  const double a = (b - years) * (kMean - variance / (2 * kReversion * kReversion)) -
                   variance * b * b / (4 * kReversion);
  return std::exp(a - b * kStart);
}

struct Moments {
  double sum = 0, squares = 0;
};

Moments simulate(std::size_t bond, std::uint64_t paths) {
  using Range = tbb::blocked_range<std::uint64_t>;
  return tbb::parallel_reduce(
      Range(0, paths, 100), Moments{},
      [bond](const Range& range, Moments moments) {
        for (std::uint64_t path = range.begin(); path < range.end(); ++path) {
          const double value = discount(bond, path);
          moments.sum += value;
          moments.squares += value * value;
        }
        return moments;
      },
      [](const Moments& a, const Moments& b) {
        return Moments{a.sum + b.sum, a.squares + b.squares};
      });
}

// Within five standard errors, plus the error of the trapezoidal rule.
bool is_price(const Moments& moments, double paths, double exact) {
  const double mean = moments.sum / paths;
  const double variance = std::max(0.0, moments.squares / paths - mean * mean);
  return std::fabs(mean - exact) < 5 * std::sqrt(variance / paths) + 1e-4;
}

} // namespace

int main(int argc, char** argv) {
  bench::Benchmark benchmark(argc, argv, {30'000, 200});
  const auto paths = static_cast<std::uint64_t>(benchmark.size());
  std::vector<Moments> moments(kBonds);
  benchmark.measured([&] {
    using Range = tbb::blocked_range<std::size_t>;
    tbb::parallel_for(Range(0, kBonds), [&](const Range& range) {
      for (std::size_t bond = range.begin(); bond < range.end(); ++bond)
        moments[bond] = simulate(bond, paths);
    });
  });
  bool is_right = true;
  for (std::size_t bond = 0; bond < kBonds; ++bond)
    is_right &= is_price(moments[bond], static_cast<double>(paths), exact_price(years_of(bond)));
  return benchmark.verdict(is_right);
}
