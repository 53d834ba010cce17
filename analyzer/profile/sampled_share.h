// SPDX-License-Identifier: Apache-2.0
// SAMPLED SHARE: how much work is in a function, by samples of classes of steps whose work is known, with the
// interval that contains the truth in 95 % of all runs.
//
// A share p of a class with work W that n samples decide has the variance W^2 p (1 - p) / n, as if samples
// did not depend on each other. Sampling at nearly equal distances is more exact than that, unless the
// program repeats itself in step with it. Periods change at random, by so much that for the worst program
// 89 % of the intervals contain the truth, and for nearly all others 93 % or more
// (docs/measurements/accuracy.md, "Functions by samples").
#pragma once

#include "model/functions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace tp::analysis {

constexpr double kOf95Percent = 1.96; // standard deviations
constexpr double kSquare = kOf95Percent * kOf95Percent;

// All classes that have samples: how many samples would decide as much if they did not know of classes.
class AllClasses {
public:
  void add(std::uint64_t of_class, double samples) {
    work_ += static_cast<double>(of_class);
    samples_ += samples;
    classes_.emplace_back(static_cast<double>(of_class), samples);
  }
  // After the last one.
  void finish() {
    for (const auto& [of_class, samples] : classes_)
      if (of_class > 0)
        squares_ += square(of_class, samples);
  }
  // W_c^2 / n_c, by which a class adds to the variance. If it has about as many samples as its work lets
  // expect, and these are not few, the difference is chance.
  double square(double of_class, double samples) const {
    const double expected = of_class / work_ * samples_;
    const double difference = samples - expected;
    const bool is_as_expected = expected >= 10 && difference * difference <= 16 * expected;
    return of_class * of_class / (is_as_expected ? expected : samples);
  }
  double work() const { return work_; }
  double squares() const { return squares_; }

private:
  double work_ = 0, samples_ = 0, squares_ = 0;
  std::vector<std::pair<double, double>> classes_;
};

// Shares of classes add up; the variance is the smaller one of that by classes, and of that which samples have that do not
// know of classes. The interval is that of a binomial share with as many samples as have this variance, by
// its arcsine (Anscombe 1948): close to that of Jeffreys, and right for few samples, too.
struct WorkEstimate {
  std::uint64_t work = 0;
  double variance = 0;   // by classes
  double squares = 0;    // of AllClasses::squares(), the share
  double most_more = 1;  // see add()
  std::uint64_t cut = 0; // of `work`, what stacks of which calls further out are not known have

  // `more`: by which factor samples that depend on each other increase the variance.
  void add(std::uint64_t part, std::uint64_t whole, double samples, double more,
           const AllClasses& classes) {
    work += part;
    most_more = std::max(most_more, more);
    if (whole == 0)
      return;
    const auto weight = static_cast<double>(whole);
    const double share = static_cast<double>(part) / weight, n = samples / more;
    // Where all samples are the function's, all work need not be.
    variance += weight * weight * (share * (1 - share) / n + kSquare / (4 * n * n));
    squares += classes.square(weight, samples) * share;
  }

  // `cut_of_all`: what cut stacks have that may be the function's, too.
  SampledWork with_interval(std::uint64_t whole, const AllClasses& classes,
                            std::uint64_t cut_of_all = 0) const {
    if (classes.work() <= 0 || classes.squares() <= 0)
      return {work, 0, whole};
    const double all = classes.work(), share = std::min(static_cast<double>(work) / all, 1.0);
    // The classes with fewer samples for their work decide.
    const double weighted = std::min(squares / classes.squares(), 1.0);
    const double of_all =
        most_more * classes.squares() * std::max(share * (1 - share), weighted * (1 - weighted));
    double samples = all * all / (classes.squares() * most_more);
    if (const double smaller = std::min(variance, of_all); smaller > 0 && share < 1)
      samples = share * (1 - share) * all * all / smaller;
    const double angle = std::asin(std::sqrt((share * samples + 0.375) / (samples + 0.75)));
    const double half = kOf95Percent / (2 * std::sqrt(samples + 0.5));
    const double least = angle > half ? std::pow(std::sin(angle - half), 2) * all : 0;
    const double most =
        angle + half < std::numbers::pi / 2 ? std::pow(std::sin(angle + half), 2) * all : all;
    const auto low = static_cast<std::uint64_t>(least);
    const auto high = static_cast<std::uint64_t>(
        std::min(most + static_cast<double>(cut_of_all - std::min(cut, cut_of_all)),
                 static_cast<double>(whole)));
    return {work, std::min(low, work), std::max(high, work)};
  }
};

} // namespace tp::analysis
