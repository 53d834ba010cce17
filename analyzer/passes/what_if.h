// CAUSAL WHAT-IF (TaskProf, section 4): work/span with another cost of a step, nothing more.
//
// A *scenario* is a set of regions and a factor f: what would the span be if the work inside the
// regions ran f times as fast? Lengths are kept multiplied by f, so that nothing is rounded: a step
// of work w of which r lie in the regions adds f*(w-r)+r. All scenarios ride along in one pass as
// further lengths of the same paths.
//
// Mode `parallelize` (the paper's): the work of the program stays, the regions become parallel.
// Mode `optimize`: the work shrinks as well.
#pragma once

#include <cstdint>
#include <vector>

namespace tp::analysis {

enum class WhatIfMode : std::uint8_t { Parallelize, Optimize };

struct Scenario {
  std::uint64_t factor = 1;
  std::uint32_t set = 0; // index into WhatIfPlan::sets
};

struct WhatIfPlan {
  // sets[s][region] != 0: the region is in set s.
  std::vector<std::vector<std::uint8_t>> sets;
  std::vector<Scenario> scenarios;
  std::uint64_t largest_factor() const {
    std::uint64_t largest = 1;
    for (const Scenario& scenario : scenarios)
      if (scenario.factor > largest)
        largest = scenario.factor;
    return largest;
  }
};

// Exact: `span` is multiplied by the factor, and so is `work` (T1 for Parallelize).
struct WhatIfLength {
  std::uint64_t span = 0;
  std::uint64_t work = 0;
};

// Sets: all chosen regions together, then each alone; every set with every factor, in this order.
WhatIfPlan plan_what_if(std::uint32_t regions, const std::vector<std::uint8_t>& chosen,
                        const std::vector<std::uint64_t>& factors);

} // namespace tp::analysis
