// SPDX-License-Identifier: Apache-2.0
// For the sorting programs: numbers to sort, and a check that they have been sorted.
#pragma once

#include "benchmark.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace bench {

using Numbers = std::vector<std::uint64_t>;

inline Numbers unsorted(long count) {
  Numbers numbers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = random_number(i);
  return numbers;
}

// True if the numbers are in order and are those of unsorted(), compared by the sum of a mixing
// function of each.
inline bool is_sorted_version(const Numbers& numbers) {
  const auto print = [](const Numbers& all) {
    return std::accumulate(
        all.begin(), all.end(), std::uint64_t{0},
        [](std::uint64_t sum, std::uint64_t x) { return sum + random_number(x); });
  };
  return std::is_sorted(numbers.begin(), numbers.end()) &&
         print(numbers) == print(unsorted(static_cast<long>(numbers.size())));
}

} // namespace bench
