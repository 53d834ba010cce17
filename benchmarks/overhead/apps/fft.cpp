// SPDX-License-Identifier: Apache-2.0
// Fast Fourier transform by recursion on even and odd elements (Cooley, Tukey 1965). The input is a
// sum of two tones, whose spectrum is known. Size: binary logarithm of the number of points, at
// least 4.
#include "benchmark.h"

#include <cmath>
#include <complex>
#include <vector>

namespace {

using Complex = std::complex<double>;
using Points = std::vector<Complex>;

constexpr double kPi = 3.14159265358979323846;
constexpr std::size_t kSerial = 1024;

Points roots_of_unity(std::size_t n) {
  Points roots(n / 2);
  for (std::size_t i = 0; i < roots.size(); ++i)
    roots[i] = std::polar(1.0, -2 * kPi * static_cast<double>(i) / static_cast<double>(n));
  return roots;
}

class Transform {
public:
  explicit Transform(const Points& roots) : roots_(roots) {}

  // Transforms n points, `stride` apart in `from`, to n adjacent points.
  void operator()(const Complex* from, std::size_t stride, Complex* to, std::size_t n) const {
    if (n == 1) {
      *to = *from;
      return;
    }
    Complex* const odd = to + n / 2;
    if (n <= kSerial) {
      (*this)(from, 2 * stride, to, n / 2);
      (*this)(from + stride, 2 * stride, odd, n / 2);
      combine(to, odd, n, 0, n / 2);
      return;
    }
    tbb::parallel_invoke([&] { (*this)(from, 2 * stride, to, n / 2); },
                         [&] { (*this)(from + stride, 2 * stride, odd, n / 2); });
    using Range = tbb::blocked_range<std::size_t>;
    tbb::parallel_for(Range(0, n / 2, kSerial),
                      [&](const Range& range) { combine(to, odd, n, range.begin(), range.end()); });
  }

private:
  void combine(Complex* even, Complex* odd, std::size_t n, std::size_t begin,
               std::size_t end) const {
    const std::size_t root_stride = 2 * roots_.size() / n;
    for (std::size_t i = begin; i < end; ++i) {
      const Complex turned = odd[i] * roots_[i * root_stride];
      odd[i] = even[i] - turned;
      even[i] += turned;
    }
  }

  const Points& roots_;
};

constexpr std::size_t kLow = 3, kHigh = 5;

Points two_tones(const Points& roots) {
  const std::size_t n = 2 * roots.size();
  const auto cosine = [&](std::size_t i) {
    return (i % n < n / 2 ? roots[i % n] : -roots[i % n - n / 2]).real();
  };
  Points points(n);
  for (std::size_t i = 0; i < n; ++i)
    points[i] = cosine(kLow * i) + 2 * cosine(kHigh * i);
  return points;
}

bool is_spectrum(const Points& points) {
  const std::size_t n = points.size();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t frequency = std::min(i, n - i);
    const double expected = frequency == kLow ? 0.5 : frequency == kHigh ? 1.0 : 0.0;
    if (!(std::abs(points[i] / static_cast<double>(n) - expected) < 1e-12))
      return false;
  }
  return true;
}

} // namespace

int main(int argc, char** argv) {
  bench::Benchmark benchmark(argc, argv, {23, 12, 4, 30});
  const Points roots = roots_of_unity(std::size_t{1} << benchmark.size());
  const Points input = two_tones(roots);
  Points spectrum(input.size());
  benchmark.measured([&] { Transform{roots}(input.data(), 1, spectrum.data(), input.size()); });
  return benchmark.verdict(is_spectrum(spectrum));
}
