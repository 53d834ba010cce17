// SPDX-License-Identifier: Apache-2.0
// Where a step takes locks and gives them back, in the order in which it did: from the records of the
// step, which are in the order of releases (dag/dag_visitor.h).
//
// Of the sections of a sample only their number and their sum is known. At most kMostParts of equal
// length represent them, evenly spread over the step; none contains a beginning or an end of another
// section if there is room elsewhere.
//
// What a step slept inside of sections comes right before they end, all else at the end of the step.
#pragma once

#include "dag/dag_visitor.h"
#include "simulate/recorded_dag.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tp::analysis {

// The locks of a simulation.
struct LockChoice {
  // By object: number of the lock and 1; 0, or beyond: it is left out.
  IdVector<LockObjectId, DagLockId> number;
  std::vector<LockRules> rules;
  bool contains(LockObjectId object) const { return number.contains(object) && number[object] > 0; }
};

struct LockCut {
  std::uint64_t at = 0;    // work since the step's beginning
  std::uint64_t slept = 0; // latency of the step before it, at least
  bool takes = false, shared = false;
  LockObjectId object{};
};

inline constexpr std::uint32_t kMostParts = 16;

class LockCutter {
public:
  // Valid until the next call.
  const std::vector<LockCut>& cut(const Step& step, const LockChoice& choice);

private:
  struct Acquired {
    std::uint64_t at;
    std::uint64_t released;  // its place in the order of releases
    std::uint64_t slept = 0; // of the step, before it
    std::size_t use;
    bool done;
  };
  struct Part {
    std::uint64_t begin, length;
    std::size_t use;
  };
  void put(const LockUse& use, std::uint64_t at, bool takes);
  void cut_exact(const Step& step, const LockChoice& choice);
  void add_parts(const Step& step, const LockChoice& choice);

  std::vector<LockCut> cuts_, merged_;
  std::uint64_t slept_ = 0; // of the step, before the next cut
  std::vector<Acquired> acquired_;
  std::vector<std::size_t> place_of_; // of each use in acquired_
  std::vector<Part> parts_;
};

} // namespace tp::analysis
