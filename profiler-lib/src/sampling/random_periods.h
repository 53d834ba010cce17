// SPDX-License-Identifier: Apache-2.0
// RANDOM PERIODS between the samples of a thread. A program that repeats itself nearly as often as it is sampled is met at the
// same point by few samples that follow one another. With more than 42 percent, parts of the run would have too many and others
// too few samples; for the same reason each second period is one of the longer half if the one before was one of the shorter
// half. docs/measurements/accuracy.md, "Functions by samples".
#pragma once

#include <cstdint>

namespace tp::rt {

class RandomPeriods {
public:
  // The next period: `mean` and up to 42 percent more or less, by any number. There are as many samples as with equal periods
  // of `mean`, if each period is used for the same time: mean of 1 / period = 1 / mean.
  std::uint64_t next(std::uint64_t mean, std::uint64_t random) noexcept {
    constexpr std::uint64_t kUpper = std::uint64_t{1} << 63;
    last_ = is_second_ ? (random & ~kUpper) | (~last_ & kUpper) : random;
    is_second_ = !is_second_;
    // Short ones end sooner: ln(1.42 / 0.58) / 0.84.
    mean += mean / 15;
    const std::uint64_t range = mean / 100 * 84;
    return mean - range / 2 + ((last_ >> 32) * range >> 32);
  }

private:
  std::uint64_t last_ = 0;
  bool is_second_ = false; // of its pair
};

} // namespace tp::rt
