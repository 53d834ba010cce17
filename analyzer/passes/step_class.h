// STEP CLASSES: regions of code that nobody had to annotate. A step is known by the row of its task
// and by what it began and ended with: the stretch of code between two spawn sites, or from the
// start of a task to its first wait. (TaskProf's second version tells such regions by the site
// before and the site after.) Classes are numbered in the order in which they are met, the same in
// every reading of the same trace.
#pragma once

#include "dpst.h"

#include <cstdint>
#include <vector>

namespace tp::analysis {

using StepClassId = std::uint32_t;

struct StepClass {
  Row row = kMainRow;
  Boundary opened, closed;
  bool operator==(const StepClass&) const = default;
};

class StepClassTable {
public:
  // Hot: once per step.
  StepClassId id_of(const StepClass& wanted) {
    for (std::size_t i = home(wanted);; i = (i + 1) & (slots_.size() - 1)) {
      const std::uint32_t slot = slots_[i];
      if (slot == 0)
        return add(wanted, i);
      if (classes_[slot - 1] == wanted)
        return slot - 1;
    }
  }
  const std::vector<StepClass>& classes() const { return classes_; }

private:
  std::size_t home(const StepClass& of) const;
  StepClassId add(const StepClass& fresh, std::size_t at);

  std::vector<StepClass> classes_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64); // id + 1; 0: free
};

inline std::size_t StepClassTable::home(const StepClass& of) const {
  const auto number = [](const Boundary& b) {
    return std::uint64_t{b.row} * 8 + static_cast<std::uint64_t>(b.kind);
  };
  // A sum: the processor multiplies side by side.
  const std::uint64_t hash = of.row * 0x9e3779b97f4a7c15ull +
                             number(of.opened) * 0xbf58476d1ce4e5b9ull +
                             number(of.closed) * 0x94d049bb133111ebull;
  return static_cast<std::size_t>(hash >> 32) & (slots_.size() - 1);
}

} // namespace tp::analysis
