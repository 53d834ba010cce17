// REGION SEARCH: the smallest set of regions that, each improved by a factor, reach a wanted
// parallelism. A region is a class of steps or an annotated region.
//
// No set can change the span unless one of its regions lies on the critical path, and that holds
// again after each region that was chosen. So the search looks at nothing but what is on the
// critical path of the program as it would be by now:
//   greedy        takes the region whose improvement makes the span shortest, until it is reached
//   elimination   gives back what turns out not to be needed
//   proof         by the same argument every smaller set that reaches the target is found by trying
//                 what is on the path, then what is on the path then, and so on. That is done while
//                 it takes a bounded number of readings; else the set is only known to be
//                 irredundant.
#pragma once

#include "passes/what_if.h"

#include <cstdint>
#include <vector>

namespace tp::analysis {

// Answers about the program with sets of regions improved; spans and works times the factor.
class ImprovedProgram {
public:
  virtual ~ImprovedProgram() = default;
  virtual std::vector<WhatIfLength> lengths(const std::vector<StepSet>& sets) = 0;
  struct OnPath {
    StepClassId of;
    std::uint64_t work;
  };
  // The classes on the critical path once `set` is improved, most work first.
  virtual std::vector<OnPath> critical_path(const StepSet& set) = 0;
};

struct SearchOptions {
  std::uint64_t target = 1;
  std::uint64_t factor = 2;
  std::vector<std::uint32_t> regions; // annotated ones that may be chosen
  std::size_t most_regions = 32;
  std::size_t most_readings = 48; // of the proof
};

struct FoundRegions {
  bool reached = false;
  bool minimal = false;
  struct Choice {
    bool annotated = false;
    std::uint32_t id = 0; // of the region or of the class
    bool operator==(const Choice&) const = default;
  };
  std::vector<Choice> choices;     // in the order of their gain
  std::vector<WhatIfLength> alone; // each by itself
  std::vector<WhatIfLength> after; // each with those before it
};

FoundRegions search_regions(ImprovedProgram& program, const SearchOptions& options);

} // namespace tp::analysis
