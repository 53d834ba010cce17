// WORK / SPAN: lengths of longest paths, for many costs of a step at once.
//
// A path is a vector of lengths, one per scenario: [0] as executed, [1] as divisible (design.md
// section 1), then the what-if scenarios. Each length is maximized on its own; [0] also decides
// which composition survives (critical_path.h).
#pragma once

#include "dpst.h"
#include "passes/critical_path.h"
#include "passes/what_if.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace tp::analysis {

inline constexpr std::size_t kExecuted = 0, kDivisible = 1, kFirstWhatIf = 2;

// The head of a longer allocation: the lengths follow it.
struct Path {
  std::uint64_t rank;
  SegmentId composition;
  std::uint32_t reserved;
  std::uint64_t* lengths() { return reinterpret_cast<std::uint64_t*>(this + 1); }
  const std::uint64_t* lengths() const { return reinterpret_cast<const std::uint64_t*>(this + 1); }
  std::uint64_t executed() const { return lengths()[kExecuted]; }
};

// What the path adds when the largest piece of a leaf of n iterations is left that no longer
// exceeds the grain: added * h / n, where h is the largest piece when n is halved until no piece
// exceeds the grain. Rounded down.
std::uint64_t divisible_part(std::uint64_t added, std::uint64_t iterations, std::uint64_t grain);

class PathStore {
public:
  // `track_composition`: off for passes that only need lengths. The plan outlives the store.
  PathStore(const WhatIfPlan& plan, bool track_composition);

  Path* make();
  Path* copy(const Path& path);
  void drop(Path* path);
  void join(Path& into, const Path& from, Tie tie);
  void assign(Path& into, const Path& from); // but for its rank
  void extend(Path& path, Row row, const Step& step);

  std::size_t lengths() const { return lengths_; }
  SegmentStore<Row>& segments() { return segments_; }
  std::size_t live() const { return live_; }
  // Work inside each set of regions so far.
  const std::vector<std::uint64_t>& region_work() const { return region_work_; }

private:
  void grow();

  const WhatIfPlan& plan_;
  const bool track_composition_;
  const std::size_t lengths_;
  const std::size_t bytes_;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  Path* free_ = nullptr;
  std::size_t live_ = 0;
  SegmentStore<Row> segments_;
  std::vector<std::uint64_t> region_work_;
  std::vector<std::uint64_t> in_set_; // scratch: this step's work in each set
};

} // namespace tp::analysis
