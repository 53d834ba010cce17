// SPDX-License-Identifier: Apache-2.0
// CAUSAL WHAT-IF (TaskProf, section 4): work/span with another cost of some steps.
//
// A *scenario* is a set of steps and a factor f: what would the span be if the work of those steps
// were divided by f? The set consists of annotated regions, of whole classes of steps
// (step_class.h), or both. Lengths are kept multiplied by f, so that nothing is rounded: a step of
// work w of which r are in the set adds f*(w-r)+r. All scenarios are computed in one pass, as
// further lengths of the same paths. A scenario may also remove waits: the waiting task continues,
// and what it would have joined is joined by its next wait on the same group, if there is one.
//
// Mode `parallelize` (the paper's): the work of the program stays, the regions are parallelized.
// Mode `optimize`: the work shrinks as well.
#pragma once

#include "passes/step_class.h"
#include "passes/step_samples.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tp::analysis {

enum class WhatIfMode : std::uint8_t { Parallelize, Optimize };

// Of the work of a class's steps that their own samples assign to nothing, a share of 65536.
struct CodeShare {
  StepClassId of{};
  std::uint32_t share = 0;
  auto operator<=>(const CodeShare&) const = default;
};

// Steps of `classes` are in the set as a whole; of others, what is in its regions and in its code. How much of
// a step both have in common is not known: the larger one counts, so the set is never taken for too much.
struct StepSet {
  std::vector<RegionId> regions;
  std::vector<StepClassId> classes;
  // With readings that know SampleWeights; of other classes than `classes`.
  std::vector<CodeId> code = {};
  std::vector<CodeShare> rests = {};
  auto operator<=>(const StepSet&) const = default;
};

// Adds code, ascending; what is in `set.classes` is in the set already.
void add_code(StepSet& set, const SampleWeights& weights, std::span<const CodeId> code);

struct Scenario {
  std::uint64_t factor = 1;
  std::uint32_t set = 0;           // index into WhatIfPlan::sets
  std::optional<Row> removed_wait; // waits that follow a spawn of this row
};

struct WhatIfPlan {
  std::vector<StepSet> sets;
  std::vector<Scenario> scenarios;
  // The scenario whose critical path is followed; none: the run without changes.
  std::optional<std::uint32_t> followed;

  std::uint64_t largest_factor() const {
    std::uint64_t largest = 1;
    for (const Scenario& scenario : scenarios)
      if (scenario.factor > largest)
        largest = scenario.factor;
    return largest;
  }
  // The scenarios [begin, end), with only the sets that they use.
  WhatIfPlan part(std::size_t begin, std::size_t end) const;
  // Adds a set, with every factor.
  void add(StepSet set, const std::vector<std::uint64_t>& factors);
};

// Exact: `span` is multiplied by the factor, and so is `work` (T1 for Parallelize).
struct WhatIfLength {
  std::uint64_t span = 0;
  std::uint64_t work = 0;
};

// All chosen regions together, then each alone; every set with every factor, in this order.
WhatIfPlan plan_what_if(const IdVector<RegionId, std::uint8_t>& chosen,
                        const std::vector<std::uint64_t>& factors);

// A plan arranged for the pass: scenarios of equal factor are adjacent, so that a step outside of
// all sets is one multiplication per factor and plain additions.
class ScenarioLengths {
public:
  ScenarioLengths(const WhatIfPlan& plan, std::size_t regions);

  std::size_t count() const { return slot_of_.size(); }
  // Index of the scenario's length.
  std::size_t slot(std::size_t scenario) const { return slot_of_[scenario]; }
  // Hot: once per step and path. `lengths` has count() elements.
  void extend(std::uint64_t* lengths, StepClassId of, const Step& step,
              std::span<const CodeWork> code = {});
  // The lengths of a path at the end of a wait, before and after the join. In scenarios without
  // this wait the length before is restored; `again` (may be null) is joined where an earlier wait
  // is removed.
  bool removes_waits() const { return !waits_.empty(); }
  void undo_wait(std::uint64_t* lengths, const std::uint64_t* before, const std::uint64_t* again,
                 Row wait) const;
  // Work inside each set so far.
  const std::vector<std::uint64_t>& inside() const { return inside_; }

private:
  struct Group {
    std::uint64_t factor;
    std::size_t begin, end; // slots
  };
  struct Part { // of a set: a scenario
    std::size_t slot;
    std::uint64_t excess; // factor - 1
  };
  void shorten_code(std::uint64_t* lengths, StepClassId of, const Step& step,
                    std::span<const CodeWork> code);
  void shorten(std::uint64_t* lengths, std::uint32_t set, std::uint64_t work);

  std::vector<std::size_t> slot_of_;
  std::vector<Group> groups_;
  std::vector<std::uint64_t> factors_;                         // per slot
  std::vector<std::vector<Part>> parts_;                       // per set
  IdVector<StepClassId, std::vector<std::uint32_t>> of_class_; // sets that contain it
  std::vector<IdVector<RegionId, std::uint8_t>> has_region_;   // per set; empty: it has no regions
  std::vector<std::uint32_t> region_sets_;                     // sets that have regions
  std::vector<std::uint64_t> in_code_;                   // scratch: per set, of the step's work
  IdVector<CodeId, std::vector<std::uint32_t>> of_code_; // sets that contain it
  IdVector<StepClassId, std::vector<std::pair<std::uint32_t, std::uint32_t>>>
      of_rest_;                                    // sets, and what they contain
  std::vector<std::uint8_t> covered_;              // scratch: sets that contain the step's class
  std::vector<std::pair<std::size_t, Row>> waits_; // slot, removed wait
  std::vector<std::uint64_t> inside_;
};

} // namespace tp::analysis
