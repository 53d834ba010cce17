// REGION SEARCH: the smallest set of pieces of code that, each improved by a factor, reach a wanted
// parallelism. A piece is a class of steps, a whole site (all classes of its own steps), or an
// annotated region. What lies in several chosen pieces is improved once.
//
// No set can change the span unless one of its pieces lies on the critical path, and that holds
// again after each piece that was chosen. So the search looks at nothing but what is on the
// critical path of the program as it would be by now:
//   greedy        takes the piece whose improvement gains most, until it is reached
//   elimination   gives back what turns out not to be needed
//   proof         all smaller sets are tried at once, as scenarios of few readings. If they are too
//                 many: by the same argument all that reach the target are found by trying what is
//                 on the path, then what is on the path then, and so on, while it takes a bounded
//                 number of readings. Else the set is only known to be irredundant.
//   narrowing     of a site takes one of its classes where that reaches the target, too
// As long as the work stays what it is, a site gains at least what a class of it does: then classes
// are not tried before the end.
#pragma once

#include "model/what_if.h"
#include "passes/what_if.h"

#include <compare>
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
  std::vector<RegionId> regions;      // annotated ones that may be chosen
  IdVector<StepClassId, Row> site_of; // of each class
  WhatIfMode mode = WhatIfMode::Parallelize;
  std::size_t most_pieces = 32;
  // Of the proof: sets of a size that are all tried, else readings.
  std::size_t most_sets = 512;
  std::size_t most_readings = 48;
};

struct FoundRegions {
  enum class Outcome : std::uint8_t {
    Reached,
    NothingGains, // no other piece, after those that were chosen
    TooMany,      // would be needed
  };
  Outcome outcome = Outcome::Reached;
  bool minimal = false;
  struct Choice {
    ChoiceKind kind = ChoiceKind::CodeSegment;
    std::uint32_t id = 0; // of what the kind says
    Choice() = default;
    explicit Choice(StepClassId segment) : kind(ChoiceKind::CodeSegment), id(index_of(segment)) {}
    explicit Choice(Row site) : kind(ChoiceKind::Site), id(index_of(site)) {}
    explicit Choice(RegionId region) : kind(ChoiceKind::Region), id(index_of(region)) {}
    StepClassId segment() const { return static_cast<StepClassId>(id); }
    Row site() const { return static_cast<Row>(id); }
    RegionId region() const { return static_cast<RegionId>(id); }
    auto operator<=>(const Choice&) const = default;
  };
  std::vector<Choice> choices;     // in the order of their gain
  std::vector<WhatIfLength> alone; // each by itself
  std::vector<WhatIfLength> after; // each with those before it
  WhatIfLength all;                // with all code improved; only if TooMany
};

FoundRegions find_smallest_set(ImprovedProgram& program, const SearchOptions& options);

} // namespace tp::analysis
