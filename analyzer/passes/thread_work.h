// SPDX-License-Identifier: Apache-2.0
// WORK BY THREAD: the mean work of the steps of each class on each thread, for the question whether code
// waits in a loop on one of them. Sums only: a step costs two additions more.
#pragma once

#include "base/ids.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tp::analysis {

// Steps of one class that take longer on one thread than on the others.
struct UnevenWork {
  StepClassId of{};
  std::uint32_t stream = 0;
  std::uint64_t steps = 0, others = 0; // on that thread, on the others
  double mean = 0, mean_of_others = 0; // work of one
  double excess() const { return (mean - mean_of_others) * static_cast<double>(steps); }
};

class ThreadWork {
public:
  // Hot: once per step.
  void add(StepClassId of, std::uint32_t stream, std::uint64_t work) {
    std::vector<Sums>& threads = classes_.grown_to(of);
    if (stream >= threads.size()) [[unlikely]]
      threads.resize(std::size_t{stream} + 1);
    Sums& sums = threads[stream];
    const auto amount = static_cast<double>(work);
    ++sums.steps;
    sums.work += amount;
    sums.squares += amount * amount;
  }
  // The thread on which steps of the class take longer than on all others together by at least
  // `factor`, with so many steps on both sides, and too much for chance: the means are apart by ten
  // standard errors (Welch). Null: none.
  std::optional<UnevenWork> uneven(StepClassId of, double factor, std::uint64_t least_steps) const;

private:
  struct Sums {
    std::uint64_t steps = 0;
    double work = 0, squares = 0;
    double mean() const { return work / static_cast<double>(steps); }
    // Of the mean.
    double variance() const {
      const auto count = static_cast<double>(steps);
      const double spread = squares / count - mean() * mean();
      return spread > 0 ? spread / count : 0;
    }
  };
  IdVector<StepClassId, std::vector<Sums>> classes_; // by stream
};

} // namespace tp::analysis
