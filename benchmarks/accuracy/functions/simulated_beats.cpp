// SPDX-License-Identifier: Apache-2.0
// Samples of a program that repeats itself at exact times, simulated: periods are uniform within SPREAD of their mean, each
// second one in the other half of the range, and change every STRETCH ms, as in profiler-lib/src/sampling. Beats of 0.05 to 450 ms, of which 10, 30 or 60 percent are one
// function's, SECONDS of each run. Prints which part of the intervals of independent samples contains the truth.
//     simulated_beats [SPREAD] [STRETCH] [SECONDS]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

constexpr double kMean = 1.0137e-3; // 1000 per second, no round number
constexpr int kRuns = 1500;

double hit_time(double beat, double share, double time) {
  const double whole = std::floor(time / beat);
  return whole * share * beat + std::min(time - whole * beat, share * beat);
}

class Sampler {
public:
  Sampler(double spread, double stretch) : spread_(spread), stretch_(stretch) {}

  bool contains_truth(double beat, double share, double seconds) {
    const double mean =
        spread_ > 0 ? kMean * std::log((1 + spread_) / (1 - spread_)) / (2 * spread_) : kMean;
    double time = uniform_(random_) * beat;
    const double begin = time, end = time + seconds;
    int samples = 0, hits = 0;
    bool is_second = false;
    while (time < end) {
      const double stretch = stretch_ + 3e-4 * normal_(random_);
      const double half = uniform_(random_) / 2;
      upper_ = is_second ? !upper_ : uniform_(random_) < 0.5;
      is_second = !is_second;
      const double period = mean * (1 + spread_ * (2 * (half + upper_ / 2.0) - 1));
      for (double at = time + period; at <= time + stretch && at < end; at += period) {
        ++samples;
        hits += std::fmod(at, beat) < share * beat;
      }
      time += stretch;
    }
    const double truth = (hit_time(beat, share, end) - hit_time(beat, share, begin)) / seconds;
    const double angle = std::asin(std::sqrt((hits + 0.375) / (samples + 0.75)));
    return std::abs(angle - std::asin(std::sqrt(truth))) <= 1.96 / (2 * std::sqrt(samples + 0.5));
  }

private:
  double spread_, stretch_;
  bool upper_ = false;
  std::mt19937_64 random_{7};
  std::uniform_real_distribution<double> uniform_;
  std::normal_distribution<double> normal_;
};

} // namespace

int main(int argc, char** argv) {
  const double spread = argc > 1 ? std::atof(argv[1]) : 0.42;
  const double stretch = argc > 2 ? std::atof(argv[2]) / 1000 : 0.030;
  const double seconds = argc > 3 ? std::atof(argv[3]) : 1.5;
  Sampler sampler(spread, stretch);
  struct Result {
    double inside, beat, share;
  };
  std::vector<Result> results;
  double sum = 0;
  for (double beat = 5e-5; beat < 0.5; beat *= beat > 2e-4 && beat < 3e-3 ? 1.04 : 1.3)
    for (const double share : {0.1, 0.3, 0.6}) {
      int inside = 0;
      for (int run = 0; run < kRuns; ++run)
        inside += sampler.contains_truth(beat, share, seconds);
      results.push_back({inside / double{kRuns}, beat, share});
      sum += results.back().inside;
    }
  std::ranges::sort(results, {}, &Result::inside);
  const auto above =
      std::ranges::count_if(results, [](const Result& each) { return each.inside >= 0.93; });
  std::printf("spread %.2f, stretch %.0f ms: %.1f %% of the intervals contain the truth; 93 %% or "
              "more with %ld of %zu beats; "
              "fewest: %.1f %% (%.3f ms, %.0f %% of it)\n",
              spread, stretch * 1000, 100 * sum / static_cast<double>(results.size()),
              static_cast<long>(above), results.size(), 100 * results[0].inside,
              1000 * results[0].beat, 100 * results[0].share);
}
