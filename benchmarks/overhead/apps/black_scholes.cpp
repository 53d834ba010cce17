// SPDX-License-Identifier: Apache-2.0
// Prices of European options by the formula of Black and Scholes (1973): a flat loop of even
// iterations, several rounds, as in PARSEC. Calls and puts are priced separately; put-call parity
// verifies both. Size: number of options.
#include "benchmark.h"

#include <cmath>
#include <vector>

namespace {

constexpr int kRounds = 10;

struct Option {
  double spot, strike, rate, volatility, years;
};
struct Prices {
  double call, put;
};

double normal_distribution(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

Prices price(const Option& o) {
  const double deviation = o.volatility * std::sqrt(o.years);
  const double d1 = (std::log(o.spot / o.strike) + o.rate * o.years) / deviation + deviation / 2;
  const double d2 = d1 - deviation;
  const double paid = o.strike * std::exp(-o.rate * o.years);
  return {o.spot * normal_distribution(d1) - paid * normal_distribution(d2),
          paid * normal_distribution(-d2) - o.spot * normal_distribution(-d1)};
}

Option make_option(std::uint64_t i) {
  const auto between = [&](double low, double high, std::uint64_t which) {
    return low + (high - low) * bench::random_fraction(5 * i + which);
  };
  return {between(50, 150, 0), between(50, 150, 1), between(0.01, 0.1, 2), between(0.1, 0.6, 3),
          between(0.2, 2, 4)};
}

bool is_parity(const Option& o, const Prices& p) {
  return p.call > 0 && p.put > 0 &&
         std::fabs(p.call - p.put - (o.spot - o.strike * std::exp(-o.rate * o.years))) < 1e-10;
}

} // namespace

int main(int argc, char** argv) {
  bench::Benchmark benchmark(argc, argv, {2'000'000, 3'000});
  std::vector<Option> options(static_cast<std::size_t>(benchmark.size()));
  for (std::size_t i = 0; i < options.size(); ++i)
    options[i] = make_option(i);
  std::vector<Prices> prices(options.size());
  benchmark.measured([&] {
    using Range = tbb::blocked_range<std::size_t>;
    for (int round = 0; round < kRounds; ++round)
      tbb::parallel_for(Range(0, options.size()), [&](const Range& range) {
        for (std::size_t i = range.begin(); i < range.end(); ++i)
          prices[i] = price(options[i]);
      });
  });
  bool is_right = true;
  for (std::size_t i = 0; i < options.size(); ++i)
    is_right &= is_parity(options[i], prices[i]);
  return benchmark.verdict(is_right);
}
